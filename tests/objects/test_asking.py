"""What a pod asks: a table of cases, and a reckoning that lives through each moment of the pod."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fullcrew import errors, objects
from fullcrew.objects import asking

SCENARIOS = Path(__file__).parents[1] / "scenarios" / "asks.yaml"
CASES: list[dict[str, Any]] = yaml.safe_load(SCENARIOS.read_text("utf-8"))


def pod_of(spec: Mapping[str, Any], status: Mapping[str, Any] | None = None) -> objects.Pod:
    found = objects.decode(objects.Pod, {"spec": spec, "status": status or {}})
    assert isinstance(found, objects.Pod), found
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_scenario(case: dict[str, Any]) -> None:
    assert case.keys() - {"status"} in ({"name", "spec", "asks"}, {"name", "spec", "fault"})
    pod = pod_of(case["spec"], case.get("status"))

    if "fault" in case:
        with pytest.raises(errors.BadQuantity) as raised:
            asking.asked(pod)
        assert raised.value.where == case["fault"]
    else:
        assert asking.asked(pod) == case["asks"]


def test_no_two_scenarios_have_one_name() -> None:
    names = [case["name"] for case in CASES]

    assert len(names) == len(set(names))


# Independent of the code: the pod is lived through, moment by moment, in exact fractions.

RESOURCES = ("cpu", "memory", "hugepages-2Mi", "nvidia.com/gpu")
ON_POD_LEVEL = RESOURCES[:3]
WORTH = {
    "0": "0",
    "1": "1",
    "2": "2",
    "1500m": "1.5",
    "1m": "0.001",
    "700u": "0.001",
    "3.25": "3.25",
}
Amounts = dict[str, str]
Reckoned = dict[str, Fraction]

amounts = st.dictionaries(st.sampled_from(RESOURCES), st.sampled_from(sorted(WORTH)), max_size=3)


@st.composite
def containers(draw: st.DrawFn, *, are_first: bool = False) -> list[dict[str, Any]]:
    prefix = "i" if are_first else "c"
    return [
        {
            "name": f"{prefix}{at}",
            "resources": {"requests": draw(amounts), "limits": draw(amounts)},
            **({"restartPolicy": "Always"} if are_first and draw(st.booleans()) else {}),
        }
        for at in range(draw(st.integers(0 if are_first else 1, 3)))
    ]


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "containers": draw(containers()),
        "initContainers": draw(containers(are_first=True)),
        "overhead": draw(amounts),
    }


def worth(told: Amounts, resource: str) -> Fraction:
    return Fraction(WORTH[told[resource]]) if resource in told else Fraction(0)


def wanted(container: dict[str, Any]) -> Amounts:
    return {**container["resources"]["limits"], **container["resources"]["requests"]}


def moments(spec: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Who runs at each moment: every init container in turn, then the containers; beside each,
    the sidecars that were started before."""
    started: list[dict[str, Any]] = []
    lived = []
    for container in spec["initContainers"]:
        lived.append([*started, container])
        if "restartPolicy" in container:
            started.append(container)
    return [*lived, [*started, *spec["containers"]]]


def peak(spec: dict[str, Any], told: Mapping[str, Amounts], resource: str) -> Fraction:
    """The most of a resource that any moment needs, given the amounts of each container."""
    return max(
        sum((worth(told[c["name"]], resource) for c in running), Fraction(0))
        for running in moments(spec)
    )


def in_units(resource: str, much: Fraction) -> int:
    return ceil(much * 1000) if resource == "cpu" else ceil(much)


def asks_of(per_resource: Reckoned) -> dict[str, int]:
    return {name: in_units(name, much) for name, much in per_resource.items() if much}


def everybody(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [*spec["initContainers"], *spec["containers"]]


@settings(max_examples=60)
@given(spec=specs())
def test_a_pod_asks_for_its_hungriest_moment_and_its_overhead(spec: dict[str, Any]) -> None:
    told = {c["name"]: wanted(c) for c in everybody(spec)}
    expected = {r: peak(spec, told, r) + worth(spec["overhead"], r) for r in RESOURCES}

    assert asking.asked(pod_of(spec)) == asks_of(expected)


@settings(max_examples=60)
@given(spec=specs(), level=amounts, limits=amounts)
def test_the_pod_level_speaks_for_all_containers(
    spec: dict[str, Any], level: Amounts, limits: Amounts
) -> None:
    told = {c["name"]: wanted(c) for c in everybody(spec)}

    def of(resource: str) -> Fraction:
        summed = peak(spec, told, resource)
        if resource not in ON_POD_LEVEL or not (level or limits):
            return summed
        if resource in level:
            return worth(level, resource)
        is_overcommitted = not resource.startswith("hugepages-")
        if is_overcommitted and any(resource in each for each in told.values()):
            return summed
        return worth(limits, resource) if resource in limits else summed

    pod = pod_of({**spec, "resources": {"requests": level, "limits": limits}})

    expected = {r: of(r) + worth(spec["overhead"], r) for r in RESOURCES}
    assert asking.asked(pod) == asks_of(expected)


@settings(max_examples=60)
@given(spec=specs(), status=st.data(), is_infeasible=st.booleans())
def test_a_resize_counts_as_the_most_of_what_is_wanted_allocated_and_run(
    *, spec: dict[str, Any], status: st.DataObject, is_infeasible: bool
) -> None:
    filled = st.fixed_dictionaries({r: st.sampled_from(sorted(WORTH)) for r in RESOURCES})
    names = [c["name"] for c in everybody(spec)]
    allocated = {name: status.draw(filled) for name in names}
    running = {name: status.draw(filled) for name in names}
    ways = [allocated, running]
    if not is_infeasible:
        ways.append({c["name"]: wanted(c) for c in everybody(spec)})
    kept = [
        {"name": n, "allocatedResources": allocated[n], "resources": {"requests": running[n]}}
        for n in names
    ]
    reason = "Infeasible" if is_infeasible else "Deferred"
    conditions = [{"type": "PodResizePending", "status": "True", "reason": reason}]

    pod = pod_of({**spec, "nodeName": "n1"}, {"containerStatuses": kept, "conditions": conditions})

    expected = {
        r: max(peak(spec, way, r) for way in ways) + worth(spec["overhead"], r) for r in RESOURCES
    }
    assert asking.asked(pod) == asks_of(expected)


@given(spec=specs())
def test_what_a_pod_asks_does_not_depend_on_how_it_is_written(spec: dict[str, Any]) -> None:
    turned = [
        {**c, "resources": {k: dict(reversed(v.items())) for k, v in c["resources"].items()}}
        for c in reversed(spec["containers"])
    ]

    assert asking.asked(pod_of(spec)) == asking.asked(pod_of({**spec, "containers": turned}))


def test_what_a_node_has_keeps_its_zeros() -> None:
    assert asking.has({"cpu": "1500m", "nvidia.com/gpu": 0, "memory": "1Ki"}, place="p") == {
        "cpu": 1500,
        "nvidia.com/gpu": 0,
        "memory": 1024,
    }


def test_what_a_node_has_must_be_sound() -> None:
    with pytest.raises(errors.BadQuantity, match=r"status.allocatable\[nvidia.com/gpu\]"):
        asking.has({"nvidia.com/gpu": "x"}, place="status.allocatable")
