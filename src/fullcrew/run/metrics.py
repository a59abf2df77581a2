"""Metrics: one table, one loop that makes the collectors, and the page that is rendered from it.

Labels are bounded: words from closed lists, never the name of a gang, a pod or a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import accumulate
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from fullcrew import errors

__all__ = ["TABLE", "Counted", "Metric", "Metrics", "Sort", "page"]


class Sort(StrEnum):
    """How it moves."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(NamedTuple):
    """A row of the table. The exposed name is `fullcrew_` and this one."""

    name: str
    sort: Sort
    told: str
    labels: tuple[str, ...] = ()
    is_told: bool = False  # somebody else counts, and is asked when the page is rendered


class Counted(NamedTuple):
    """What somebody else has counted of a histogram: the labels' words, and by bounds how many
    did not pass each, those that passed none last."""

    labels: tuple[str, ...]
    counts: Mapping[float, int]
    total: float


# All there are. `Metrics` and docs/operating/metrics.md are made from it.
TABLE: Final = (
    Metric("is_leader", Sort.GAUGE, "1 while this process holds the lease, or needs none."),
    Metric("is_synced", Sort.GAUGE, "1 once everything has been listed since the lease came."),
    Metric("cycles_total", Sort.COUNTER, "Plans made, by what woke the loop.", ("why",)),
    Metric(
        "missed_wakeups_total",
        Sort.COUNTER,
        "Gangs that only the safety cycle, once a minute, found startable. Each is a defect.",
    ),
    Metric("snapshot_seconds", Sort.HISTOGRAM, "Time to freeze the state for a plan."),
    Metric("plan_seconds", Sort.HISTOGRAM, "Time to make a plan, in its own thread."),
    Metric("starts_total", Sort.COUNTER, "Starts of gangs, or of their growth, sent to be bound."),
    Metric(
        "stale_starts_total",
        Sort.COUNTER,
        "Planned starts dropped because what they were planned on had changed meanwhile.",
    ),
    Metric("launches_total", Sort.COUNTER, "Launches that ended, by how.", ("phase",)),
    Metric("pods_bound_total", Sort.COUNTER, "Bindings that the API server confirmed."),
    Metric(
        "answers_total",
        Sort.COUNTER,
        "Answers to binds and to reads of groups, by outcome; `unsent` was held back by us.",
        ("asked", "outcome"),
    ),
    Metric(
        "rests_total",
        Sort.COUNTER,
        "Gangs or pods laid to rest after a failure, by kind.",
        ("kind",),
    ),
    Metric("waiting_gangs", Sort.GAUGE, "Gangs that wait, by reason.", ("stage", "kind")),
    Metric(
        "waiting_pods", Sort.GAUGE, "Pods that wait in those gangs, by reason.", ("stage", "kind")
    ),
    Metric("wounded_gangs", Sort.GAUGE, "Gangs that stand below their minimum."),
    Metric("released_gangs_total", Sort.COUNTER, "Wounded gangs released whole at their deadline."),
    Metric("open_launches", Sort.GAUGE, "Gangs on their way from plan to cluster."),
    Metric("pending_requests", Sort.GAUGE, "Requests that wait their turn, by lane.", ("lane",)),
    Metric(
        "request_seconds",
        Sort.HISTOGRAM,
        "Time to an answer of writes, and of reads that a bind waits for, by lane and outcome:"
        " done, refused (4xx), busy (429), failed (5xx) or unanswered.",
        ("lane", "outcome"),
        is_told=True,
    ),
    Metric("request_limit", Sort.GAUGE, "Requests that may be under way at once; it adapts."),
    Metric(
        "status_writes_total",
        Sort.COUNTER,
        "Statuses written, by object and outcome.",
        ("object", "outcome"),
    ),
    Metric("events_total", Sort.COUNTER, "Events, by outcome.", ("outcome",)),
    Metric("lists_total", Sort.COUNTER, "Times that a kind was listed anew.", ("kind",)),
    Metric("followed_kinds", Sort.GAUGE, "Kinds of objects that are followed."),
    Metric("rivals", Sort.GAUGE, "Scheduler names that we serve and another holds a Lease of."),
)

PREFIX = "fullcrew_"
BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

_Collector = Counter | Gauge | Histogram


class _Told(Collector):
    """A histogram of which somebody else keeps the counts."""

    def __init__(self, row: Metric) -> None:
        self._row = row
        self.source: Callable[[], Iterable[Counted]] = tuple

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """As the library asks whenever the page is rendered."""
        row = self._row
        family = HistogramMetricFamily(f"{PREFIX}{row.name}", row.told, labels=row.labels)
        for told in self.source():
            sums = accumulate(told.counts.values())
            bounds = zip(map(floatToGoString, told.counts), sums, strict=True)
            family.add_metric(told.labels, list(bounds), told.total)
        yield family


class Metrics:
    """One registry of its own: two schedulers in one process, as in tests, do not meet."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._collectors: Mapping[str, _Collector] = {
            row.name: _made(row, self._registry) for row in TABLE if not row.is_told
        }
        self._counters: dict[tuple[object, ...], Counter] = {}
        self._told = {row.name: _Told(row) for row in TABLE if row.is_told}
        for told in self._told.values():
            self._registry.register(told)

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        """More of it."""
        key = (name, *labels.items())
        found = self._counters.get(key)
        if found is None:  # some count each bind, and finding the labels takes longer than counting
            wanted = self._labelled(name, labels)
            if not isinstance(wanted, Counter):
                raise errors.Bug(f"the metric {name} is no counter")
            found = self._counters[key] = wanted
        found.inc(by)

    def set(self, name: str, value: float, **labels: str) -> None:
        """So much of it now."""
        found = self._labelled(name, labels)
        if not isinstance(found, Gauge):
            raise errors.Bug(f"the metric {name} is no gauge")
        found.set(value)

    def set_all(self, name: str, values: Mapping[tuple[str, ...], int]) -> None:
        """A labelled gauge anew: what is not told any more is gone."""
        found = self._collectors[name]
        found.clear()
        for labels, value in values.items():
            child = found.labels(*labels)
            if isinstance(child, Gauge):
                child.set(value)

    def observe(self, name: str, seconds: float) -> None:
        """It took so long once more."""
        found = self._collectors[name]
        if not isinstance(found, Histogram):
            raise errors.Bug(f"the metric {name} is no histogram")
        found.observe(seconds)

    def ask(self, name: str, source: Callable[[], Iterable[Counted]]) -> None:
        """Who counts this one from now on."""
        self._told[name].source = source

    def value(self, name: str, **labels: str) -> float:
        """What is exposed now, for tests and for the log."""
        told = self._registry.get_sample_value(f"{PREFIX}{name}", labels)
        return told or 0.0

    def text(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self._registry)

    def _labelled(self, name: str, labels: Mapping[str, str]) -> _Collector:
        found = self._collectors[name]
        return found.labels(**labels) if labels else found


def page() -> str:
    """docs/operating/metrics.md, whole."""
    return "\n".join([*_page(), ""])


def _page() -> Iterator[str]:
    yield "# Metrics"
    yield ""
    yield "`fullcrew scheduler` serves them on `--listen-address` under `/metrics`. Labels take"
    yield "words from closed lists, so their number does not grow with the cluster. This page is"
    yield "rendered from `fullcrew.run.metrics` (`make accept`)."
    yield ""
    yield "| metric | sort | labels | what it tells |"
    yield "|---|---|---|---|"
    for row in TABLE:
        labels = ", ".join(f"`{label}`" for label in row.labels) or "-"
        yield f"| `{PREFIX}{row.name}` | {row.sort} | {labels} | {row.told} |"


def _made(row: Metric, registry: CollectorRegistry) -> _Collector:
    name = f"{PREFIX}{row.name}"
    match row.sort:
        case Sort.COUNTER:
            return Counter(name, row.told, row.labels, registry=registry)
        case Sort.GAUGE:
            return Gauge(name, row.told, row.labels, registry=registry)
        case Sort.HISTOGRAM:
            return Histogram(name, row.told, row.labels, registry=registry, buckets=BUCKETS)
