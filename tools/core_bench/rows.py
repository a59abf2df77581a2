"""The rows of the benchmark: what is planned, and its bar (docs/operating/performance.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from fullcrew import core
from tools.core_bench import loads, measuring, standing
from tools.core_bench.loads import Load
from tools.core_bench.measuring import Measured

SIZES = (100, 1_000, 10_000, 100_000)
GANGS = (100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan of a load; `make` gets the factor by which a trial is smaller than the row."""

    name: str
    title: str
    make: Callable[[float], Load]
    unit: str
    bar: float | None = None
    starts: bool | None = None  # whether all gangs start, or none; None: some
    is_learned: bool = False  # planned with the memo of a plan before

    def measured(self, scale: float) -> Measured:
        """On the clock, and checked to be what the title says."""
        load = self.make(scale)
        snapshot, memo = load.snapshot, core.Memo()
        plan = measuring.planned(snapshot, memo)
        if self.starts is not None:
            measuring.expect(plan, starts=len(load.jobs) if self.starts else 0)
        seconds = measuring.seconds_of(
            lambda: measuring.planned(snapshot, memo if self.is_learned else core.Memo())
        )
        return Measured(
            row=self.name,
            title=self.title,
            figure=_in_unit(seconds, self.unit, load),
            unit=self.unit,
            bar=self.bar,
            plain=_in_unit(measuring.loop_seconds(load), self.unit, load),
            memory_bytes=measuring.memory_bytes(),
            more={"starts": len(plan.starts), "waits": len(plan.waits)},
        )

    def act(self, scale: float) -> Callable[[], object]:
        """What `--profile` looks into: a plan, and nothing round it."""
        snapshot = self.make(scale).snapshot
        return lambda: measuring.planned(snapshot, core.Memo())


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A cluster full of running pods, fed to `state` as a watch would."""

    name: str
    title: str
    nodes: int
    pods: int
    memory_bar_bytes: int
    bar: float | None = None

    def measured(self, scale: float) -> Measured:
        """The slower of the first cycle and a later one: both are cycles that change nothing."""
        cluster, fill_seconds = standing.filled(_part(self.nodes, scale), _part(self.pods, scale))
        first, later = cluster.first_cycle(), cluster.later_cycle()
        return Measured(
            row=self.name,
            title=self.title,
            figure=max(first, later) * 1_000,
            unit="ms",
            bar=self.bar,
            memory_bytes=measuring.memory_bytes(),
            memory_bar_bytes=self.memory_bar_bytes,
            more={
                "first cycle ms": first * 1_000,
                "later cycle ms": later * 1_000,
                "fed us/pod": fill_seconds / _part(self.pods, scale) * 1e6,
            },
        )

    def act(self, scale: float) -> Callable[[], object]:
        """What `--profile` looks into: the first snapshot and its cycle."""
        cluster, _ = standing.filled(_part(self.nodes, scale), _part(self.pods, scale))
        return cluster.first_cycle


Row = PlanRow | StandingRow


def rows() -> tuple[Row, ...]:
    """All of them, in the order of the table."""
    return (*_placing(), *_waiting(), *_standing(), *_growing())


def _placing() -> Iterator[Row]:
    all_distinct = "10,000 gangs, all asks distinct, 45,000 pods, 5000 nodes"
    for name, title, queues in (
        ("distinct", f"{all_distinct}, 500 queues", 500),
        ("distinct-one-queue", f"{all_distinct}, one queue", 1),
    ):
        make = partial(_distinct, 10_000, 5_000, queues)
        bar = 50_000 if queues > 1 else None
        yield PlanRow(name, title, make, "pods/s", bar=bar, starts=True)
    yield PlanRow(
        "distinct-pools",
        f"{all_distinct}, 500 queues, 20 pools that gangs select (not all fit)",
        lambda scale: loads.distinct(
            gangs=_part(10_000, scale), nodes=_part(5_000, scale), queues=500, pools=20
        ),
        "pods/s",
    )
    yield PlanRow(
        "big-gangs",
        "20 gangs x 500 pods, 5000 nodes",
        lambda scale: loads.alike(
            gangs=20, members=_part(500, scale), nodes=_part(5_000, scale), queues=5
        ),
        "ms",
        bar=50,
        starts=True,
    )
    yield PlanRow(
        "singles",
        "10,000 pods without a group, all alike, 5000 nodes",
        lambda scale: loads.alike(gangs=_part(10_000, scale), members=1, nodes=_part(5_000, scale)),
        "pods/s",
        starts=True,
    )


def _waiting() -> Iterator[Row]:
    head = "10,000 gangs that do not fit, 5000 nodes, with reasons"
    alike, unlike = partial(_backlog, 4, True), partial(_backlog, 4, False)  # noqa: FBT003
    yield PlanRow("backlog-alike", f"{head}, all alike", alike, "ms", bar=100, starts=False)
    yield PlanRow("backlog-distinct", f"{head}, all distinct", unlike, "ms", 1_000, starts=False)
    yield PlanRow(
        "backlog-again",
        f"{head}, all distinct: the next cycle, with the memo of the one before",
        unlike,
        "ms",
        starts=False,
        is_learned=True,
    )
    singles = partial(_backlog, 1, True)  # noqa: FBT003
    title = "10,000 pods without a group that do not fit, all alike, 5000 nodes, with reasons"
    yield PlanRow("backlog-singles", title, singles, "ms", bar=100, starts=False)


def _standing() -> Iterator[Row]:
    gib = 1 << 30
    title = "nodes x {} running pods: a snapshot and a cycle that changes nothing"
    many, few = title.format("1,000,000"), title.format("150,000")
    yield StandingRow("standing-5000", f"5000 {few}", 5_000, 150_000, gib)
    yield StandingRow("standing", f"100,000 {many}", 100_000, 1_000_000, 2 * gib, bar=1_000)


def _growing() -> Iterator[Row]:
    for nodes in SIZES:
        title = f"200 gangs, all asks distinct, 900 pods, {nodes:,} nodes"
        make = partial(_distinct, 200, nodes, 10)
        yield PlanRow(f"nodes-{nodes}", title, make, "us/gang", starts=True)
    for gangs in GANGS:
        title = f"{gangs:,} gangs, all asks distinct, 4.5 pods each, 5000 nodes, 10 queues"
        make = partial(_distinct, gangs, 5_000, 10)
        yield PlanRow(f"gangs-{gangs}", title, make, "us/gang", starts=True)


def _distinct(gangs: int, nodes: int, queues: int, scale: float) -> Load:
    return loads.distinct(gangs=_part(gangs, scale), nodes=_part(nodes, scale), queues=queues)


def _backlog(members: int, are_alike: bool, scale: float) -> Load:  # noqa: FBT001
    gangs, nodes = _part(10_000, scale), _part(5_000, scale)
    return loads.backlog(gangs=gangs, nodes=nodes, members=members, queues=500, are_alike=are_alike)


def _part(whole: int, scale: float) -> int:
    """Of a size, so much; eight at least, so that every form of gang is there."""
    return max(8, int(whole * scale))


def _in_unit(seconds: float, unit: str, load: Load) -> float:
    figures = {
        "pods/s": load.pods / seconds,
        "ms": seconds * 1_000,
        "us/gang": seconds * 1e6 / len(load.jobs),
    }
    return figures[unit]
