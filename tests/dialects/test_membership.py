"""Whose gang a pod is of: the markers of each dialect, and which of several wins."""

from __future__ import annotations

import given
import pytest

from fullcrew import dialects, objects

ACK = "pod-group.scheduling.sigs.k8s.io"
X_K8S = "scheduling.x-k8s.io/pod-group"
NATIVE = given.spec(schedulingGroup={"podGroupName": "native"})


def membership(*parts: given.Manifest) -> dialects.Membership:
    pod = given.decoded(given.pod("team/w-0", *parts))
    assert isinstance(pod, objects.Pod)
    return dialects.membership(pod)


def test_a_pod_without_markers_is_a_gang_of_one() -> None:
    found = membership()

    assert (found.dialect, found.gang, found.minimum) == ("single", "team/w-0", 1)


def test_the_annotation_names_a_group_of_kube_batch_or_volcano() -> None:
    found = membership(given.in_group("train"))

    assert (found.dialect, found.gang, found.fault) == ("annotation", "team/train", "")


def test_two_labels_name_a_gang_and_its_minimum() -> None:
    found = membership(given.in_labelled_group("train", 3))

    assert (found.dialect, found.gang, found.minimum) == ("labels", "team/train", 3)


def test_an_empty_annotation_is_none() -> None:
    assert membership(given.in_group("")).dialect == "single"


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        ({f"{ACK}/name": "train"}, "min-available is missing"),
        ({f"{ACK}/min-available": "3"}, "name is missing"),
        ({f"{ACK}/name": "", f"{ACK}/min-available": "3"}, "name is missing"),
        ({f"{ACK}/name": "train", f"{ACK}/min-available": "0"}, "'0', not a whole number"),
        ({f"{ACK}/name": "train", f"{ACK}/min-available": "-1"}, "'-1', not a whole number"),
        ({f"{ACK}/name": "train", f"{ACK}/min-available": "two"}, "'two', not a whole number"),
        ({f"{ACK}/name": "train", f"{ACK}/min-available": "2147483648"}, "not a whole number"),
        ({f"{ACK}/name": "train", f"{ACK}/min-available": "9" * 5000}, "not a whole number"),
        ({f"{ACK}/name": "train", f"{ACK}/min-available": "٣"}, "not a whole number"),
    ],
)
def test_labels_that_cannot_be_keep_the_pod_waiting(labels: dict[str, str], fault: str) -> None:
    found = membership(given.labelled(labels))

    assert fault in found.fault
    assert len(found.fault) < 300


@pytest.mark.parametrize("told", ["1", "003", "2147483647"])
def test_a_minimum_is_read_as_kubernetes_reads_numbers(told: str) -> None:
    found = membership(given.in_labelled_group("train", told))

    assert (found.minimum, found.fault) == (int(told), "")


def test_the_annotation_wins_over_the_labels_and_says_so() -> None:
    found = membership(given.in_group("a"), given.in_labelled_group("b", 2))

    assert (found.dialect, found.gang) == ("annotation", "team/a")
    assert f"{ACK}/name" in found.notes[0]


def test_a_field_wins_over_all_and_is_not_built() -> None:
    found = membership(NATIVE, given.in_group("a"), given.labelled({X_K8S: "c"}))

    assert found.not_built == "spec.schedulingGroup.podGroupName"
    assert "scheduling.k8s.io/group-name" in found.notes[0]
    assert X_K8S in found.notes[0]


def test_the_label_of_coscheduling_wins_over_acks_and_is_not_built() -> None:
    found = membership(given.labelled({X_K8S: "c"}), given.in_labelled_group("b", 2))

    assert found.not_built == f"label {X_K8S}"


def test_the_annotation_wins_over_the_label_of_coscheduling() -> None:
    found = membership(given.in_group("a"), given.labelled({X_K8S: "c"}))

    assert (found.gang, found.not_built) == ("team/a", "")


def test_markers_that_are_empty_are_none() -> None:
    empty = given.spec(schedulingGroup={"podGroupName": ""})

    assert membership(empty, given.labelled({X_K8S: ""})).notes == ()
    assert membership(empty, given.labelled({X_K8S: ""})).dialect == "single"


SIGS, INCUBATOR = objects.SigsPodGroup.KIND, objects.IncubatorPodGroup.KIND
VOLCANO = objects.VolcanoPodGroup.KIND


@pytest.mark.parametrize(
    ("kinds", "schedulers", "winner"),
    [
        ([SIGS, INCUBATOR, VOLCANO], ["fullcrew"], VOLCANO),
        ([SIGS, INCUBATOR, VOLCANO], ["kube-batch"], INCUBATOR),
        ([SIGS, VOLCANO], ["kube-batch"], SIGS),
        ([SIGS, INCUBATOR], ["volcano"], INCUBATOR),
        ([SIGS, INCUBATOR, VOLCANO], ["kube-batch", "volcano"], VOLCANO),
        ([SIGS], [], SIGS),
        ([], ["volcano"], None),
    ],
)
def test_of_several_groups_that_of_the_pods_scheduler_wins(
    kinds: list[objects.Kind], schedulers: list[str], winner: objects.Kind | None
) -> None:
    assert dialects.preferred(kinds, schedulers) == winner
    assert dialects.preferred(reversed(kinds), reversed(schedulers)) == winner


@pytest.mark.parametrize(
    ("parts", "role", "priority"),
    [
        ([], "", None),
        ([given.annotated({"volcano.sh/task-spec": "ps"})], "ps", None),
        ([given.labelled({"volcano.sh/task-spec": "ps"})], "ps", None),
        ([given.annotated({"volcano.sh/task-priority": "7"})], "", 7),
        ([given.annotated({"volcano.sh/task-priority": "-7"})], "", -7),
        ([given.annotated({"volcano.sh/task-priority": "high"})], "", None),
        ([given.annotated({"volcano.sh/task-priority": "9" * 99})], "", None),
    ],
)
def test_a_pod_names_its_role_and_its_place(
    parts: list[given.Manifest], role: str, priority: int | None
) -> None:
    pod = given.decoded(given.pod("w-0", *parts))
    assert isinstance(pod, objects.Pod)

    assert dialects.role_of(pod) == role
    assert dialects.task_priority_of(pod) == priority
