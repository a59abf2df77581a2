"""Names, times and owners, as every object carries them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullcrew import objects
from fullcrew.objects import fields
from fullcrew.objects.metadata import Kind

SECOND = timedelta(seconds=1)


@given(
    day=st.dates(min_value=date(1, 1, 3), max_value=date(9999, 12, 29)),
    at=st.times(),
    minutes=st.integers(-23 * 60, 23 * 60),
)
def test_a_time_is_its_seconds_whatever_the_zone(day: date, at: time, minutes: int) -> None:
    told = datetime.combine(day, at, tzinfo=timezone(timedelta(minutes=minutes)))
    epoch = datetime(1970, 1, 1, tzinfo=UTC)

    assert objects.seconds(told.isoformat()) == (told.replace(microsecond=0) - epoch) // SECOND


@pytest.mark.parametrize("text", ["2026-11-19T21:38:20Z", "2026-11-19t21:38:20.999999z"])
def test_the_times_of_a_server_are_read(text: str) -> None:
    assert objects.seconds(text) == 1795124300


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "now", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01"),
        *("2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:00", "0" * 100),
        *("2026-01-01T00:00:00Z ", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00+24:00"),
        "\u0662026-01-01T00:00:00Z",
    ],
)
def test_what_is_no_time_is_none(text: str | None) -> None:
    assert objects.seconds(text) is None


def test_a_manifest_may_leave_the_default_namespace_out() -> None:
    pod = objects.decode(objects.Pod, {"metadata": {"name": "w-0"}})
    node = objects.decode(objects.Node, {"metadata": {"name": "n1", "namespace": "odd"}})

    assert isinstance(pod, objects.Pod)
    assert isinstance(node, objects.Node)
    assert (pod.full_name, node.full_name, node.namespace) == ("default/w-0", "n1", "")


def test_the_controller_is_the_owner_that_makes_it_again() -> None:
    owners = [{"name": "a"}, {"name": "b", "controller": True, "uid": "1"}]
    pod = objects.decode(objects.Pod, {"metadata": {"ownerReferences": owners}})

    assert pod.metadata.controller is not None
    assert pod.metadata.controller.name == "b"


def test_a_kind_is_its_group_and_name_whatever_the_version() -> None:
    assert objects.kind_of("scheduling.volcano.sh/v1beta1", "PodGroup") is objects.VolcanoPodGroup
    assert objects.kind_of("v1", "Pod") is objects.Pod
    assert objects.kind_of("batch/v1", "Pod") is None
    assert all(kind == shape.KIND for kind, shape in objects.KINDS.items())
    assert Kind("", "Pod") in objects.KINDS


@pytest.mark.parametrize(
    ("place", "key", "written"),
    [
        ("", "spec", "spec"),
        ("spec", "cpu", "spec.cpu"),
        ("spec", "nvidia.com/gpu", "spec[nvidia.com/gpu]"),
        ("spec", "", "spec[]"),
        ("", "a\nb", "[a\\nb]"),
        ("spec", "x" * 100, f"spec[{'x' * 63}...]"),
    ],
)
def test_a_place_is_written_in_one_way(place: str, key: str, written: str) -> None:
    assert fields.below(place, key) == written


@pytest.mark.parametrize(
    ("conditions", "is_ready"),
    [
        ([], True),
        ([{"type": "Ready", "status": "True"}], True),
        ([{"type": "Ready", "status": "False"}], False),
        ([{"type": "Ready", "status": "Unknown"}], False),
        ([{"type": "Ready"}], False),
        ([{"type": "MemoryPressure", "status": "True"}], True),
    ],
)
def test_a_node_is_ready_unless_its_kubelet_says_otherwise(
    conditions: list[dict[str, str]], *, is_ready: bool
) -> None:
    node = objects.decode(objects.Node, {"status": {"conditions": conditions}})

    assert isinstance(node, objects.Node)
    assert node.is_ready is is_ready


@pytest.mark.parametrize(
    ("phase", "is_bound", "is_finished"),
    [
        ("", True, False),
        ("Running", True, False),
        ("Unknown", True, False),
        ("Succeeded", False, True),
        ("Failed", False, True),
    ],
)
def test_a_pod_takes_room_from_its_bind_to_its_end(
    *, phase: str, is_bound: bool, is_finished: bool
) -> None:
    pod = objects.decode(objects.Pod, {"spec": {"nodeName": "n1"}, "status": {"phase": phase}})

    assert isinstance(pod, objects.Pod)
    assert (pod.is_bound, pod.is_finished) == (is_bound, is_finished)
