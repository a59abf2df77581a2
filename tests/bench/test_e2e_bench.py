"""The benchmark from end to end still runs, and counts what it says it counts."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tools.e2e import measuring, report, shapes, statuses
from tools.e2e.filling import Filled
from tools.e2e.measuring import Stamps
from tools.e2e.restarting import Restarted
from tools.e2e.shapes import Shape

METRICS = """# TYPE apiserver_request_total counter
apiserver_request_total{code="201",resource="pods",subresource="binding",verb="POST"} 20
apiserver_request_total{code="409",resource="pods",subresource="binding",verb="POST"} 3
apiserver_request_total{code="200",resource="podgroups",subresource="status",verb="PATCH"} 1e+01
apiserver_request_total{code="200",resource="leases",subresource="",verb="PUT"} 7
apiserver_request_total{code="200",resource="pods",subresource="",verb="LIST"} 5
"""


def fill(contender: str, *, seconds: float, cpu: float = 1.0, bound: int = 100) -> Filled:
    return Filled(
        shape="5 x 20",
        contender=contender,
        pods=100,
        bound=bound,
        bound_seconds=seconds,
        told_seconds=seconds + 1,
        cpu_seconds=cpu,
        memory_bytes=1 << 20,
        pending_events=0,
        writes={"POST pods/binding": bound},
    )


def line(kind: str, name: str, **spec: str) -> bytes:
    return json.dumps({"type": kind, "object": {"metadata": {"name": name}, "spec": spec}}).encode()


def test_successful_writes_are_counted_by_kind_and_leases_are_not() -> None:
    counted = measuring.counted(METRICS)

    assert counted == Counter({"POST pods/binding": 20, "PATCH podgroups/status": 10})


def test_the_bare_client_writes_as_many_of_each_kind_as_were_counted() -> None:
    shape = Shape(gangs=5, members=20)
    told = {"POST pods/binding": 100, "PATCH podgroups/status": 7, "POST events": 5}

    written = list(statuses.statuses(shape, told))

    kinds = Counter((each.method, each.path.rsplit("/", 1)[1]) for each in written)
    assert kinds == {("PATCH", "status"): 7, ("POST", "events"): 5}
    assert len({each.body for each in written}) == len(written), "two are the same: no write"


def test_a_kind_of_write_that_the_bare_client_cannot_repeat_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="DELETE pods"):
        list(statuses.statuses(Shape(1, 2), {"DELETE pods": 1}))


@pytest.mark.parametrize(("text", "groups"), [("10x1", 0), ("2x5", 2), ("1x10", 1)])
def test_a_shape_is_made_of_groups_and_pods_in_either_form(text: str, groups: int) -> None:
    [shape] = shapes.parsed(text)

    for form in (shapes.volcano, shapes.in_tree):
        paths = Counter(write.path.rsplit("/", 1)[1] for write in form(shape))
        assert (paths["podgroups"], paths["pods"]) == (groups, 10)


def test_a_watch_tells_when_pods_came_and_when_they_were_first_on_a_node() -> None:
    stamps = Stamps("/api/v1/pods")
    stamps.lines += [(1.0, line("ADDED", "a")), (2.0, line("MODIFIED", "a", nodeName="n"))]
    stamps.look()
    stamps.lines += [(3.0, line("MODIFIED", "a", nodeName="n")), (4.0, line("ADDED", "b"))]

    stamps.look()

    assert (stamps.added, stamps.bound, stamps.last) == ({"a": 1.0, "b": 4.0}, {"a": 2.0}, 4.0)


def test_the_middle_of_the_rounds_is_judged_against_the_ceiling_and_the_rival() -> None:
    rounds = [fill(report.OURS, seconds=each, cpu=1.4) for each in (1.0, 9.0, 1.2)]
    others = [fill(report.CEILING, seconds=1.0), fill(report.RIVAL, seconds=4.0)]

    bars = report.bars([*rounds, *others], Restarted(10, 20, 3.0, 1.0))

    found = {bar.what: (bar.found, bar.is_met) for bar in bars}
    assert found["5 x 20: >= 0.8 of the ceiling"] == ("0.83", True)
    assert found["5 x 20: ahead of kube-scheduler"] == ("3.33", True)
    assert found["5 x 20: CPU <= 1.5 of the bare client"] == ("1.40", True)
    assert found["restart: first bind <= 1.5 lists"] == ("3.00", False)


def test_who_does_not_bind_everything_is_told_so() -> None:
    text = report.of_fills([fill(report.RIVAL, seconds=2.0, bound=60)])

    assert "kube-scheduler (only 60 bound)" in text
