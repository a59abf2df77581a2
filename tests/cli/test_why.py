"""`fullcrew why`: one gang or pod of a cluster, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from accepted import Accepted
from cli.clusters import gpu_node, gpu_pods
from cli.playing import Ended, typed
from cli.serving import kubeconfig, serving
from given import (
    Manifest,
    annotated,
    asking,
    created,
    in_group,
    in_labelled_group,
    on_node,
    pod,
    pod_group,
    served_by,
    status,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
CONDITION = {
    "type": "Unschedulable",
    "status": "True",
    "reason": "NotEnoughResources",
    "message": "what the scheduler said",
    "lastTransitionTime": "2026-01-01T00:00:09Z",
}
TOLD = {"stage": "placement", "kind": "short", "message": "m", "numbers": {"short": 1}}
TOLD |= {"inTheWay": [], "children": []}
CLUSTER = [
    gpu_node("n1", 4),
    gpu_node("n2", 2),
    pod_group("team/runs", 2, created("01")),
    *gpu_pods("team/runs", 2, on_node("n1")),
    pod_group("team/first", 9, created("02")),
    *gpu_pods("team/first", 9),
    pod_group(
        "team/waits",
        5,
        created("03"),
        annotated({"fullcrew.io/reason": json.dumps(TOLD)}),
        status(phase="Pending", conditions=[CONDITION]),
    ),
    *gpu_pods("team/waits", 6),
    pod_group("team/starts", 2, created("04")),
    *gpu_pods("team/starts", 3, gpu=1),
    pod_group("team/ended", 1, created("05"), status(phase="Completed")),
    *gpu_pods("team/ended", 1, on_node("n1", phase="Succeeded")),
    pod_group("team/empty", 2, created("06")),
    pod("team/theirs", served_by("default-scheduler")),
    pod("team/alone", asking(gpu=64)),
    *[pod(f"other/l-{n}", asking(gpu=50), in_labelled_group("waits", 2)) for n in range(2)],
]


def asked(
    folder: Path, *words: str, cluster: list[Manifest] = CLUSTER, forbidden: str = ""
) -> Ended:
    with serving(*cluster, forbidden=forbidden) as server:
        config = kubeconfig(folder, server, namespace="team")
        return typed("why", *words, "--kubeconfig", config)


def answers(folder: Path, *words: str, cluster: list[Manifest] = CLUSTER) -> list[dict[str, Any]]:
    done = asked(folder, *words, "-o", "json", cluster=cluster)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["answers"]
    return found


@pytest.mark.parametrize(
    "name", ["waits", "starts", "runs", "ended", "empty", "theirs", "alone", "pod/waits-3"]
)
def test_the_answer_is_as_accepted(name: str, tmp_path: Path, accepted: Accepted) -> None:
    done = asked(tmp_path, name)

    accepted.compare(GOLDEN / f"why-{name.replace('/', '-')}.txt", done.out)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("waits", "waits"),
        ("starts", "starts"),
        ("runs", "runs"),
        ("ended", "finished"),
        ("theirs", "foreign"),
        ("alone", "waits"),
        ("pod/waits-3", "waits"),
        ("podgroup/waits", "waits"),
        ("pg/waits", "waits"),
        ("team/waits", "waits"),
        ("pod/runs-0", "runs"),
        ("pod/ended-0", "finished"),
    ],
)
def test_what_became_of_it_is_one_word(name: str, found: str, tmp_path: Path) -> None:
    assert [answer["found"] for answer in answers(tmp_path, name)] == [found]


def test_a_gang_that_runs_and_cannot_grow_runs(tmp_path: Path) -> None:
    more = pod("team/runs-9", asking(gpu=64), in_group("runs"))

    done = asked(tmp_path, "runs", cluster=[*CLUSTER, more])

    assert done.out.startswith("gang team/runs runs\n")
    assert "placement: " in done.out


def test_a_wounded_gang_waits(tmp_path: Path) -> None:
    wounded = [pod_group("team/w", 2), pod("team/w-0", in_group("w"), on_node("n1"))]
    wounded.append(pod("team/w-1", asking(gpu=64), in_group("w")))

    done = asked(tmp_path, "w", cluster=[*CLUSTER, *wounded])

    assert done.out.startswith("gang team/w waits\n")
    assert "1 waiting, 1 bound, 1 running" in done.out


def test_reasons_stand_beside_what_the_scheduler_wrote(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, "waits")

    assert answer["reasons"][0]["reason"]["stage"] == "placement"
    assert answer["written"]["message"] == "what the scheduler said"
    assert answer["written"]["told"] == TOLD


def test_of_a_gang_without_a_group_object_stands_what_was_written_last_on_its_pods(
    tmp_path: Path,
) -> None:
    said = {"type": "PodScheduled", "status": "False", "message": "no answer yet"}
    told = [
        pod(f"team/l-{n}", in_labelled_group("l", 2), status(conditions=conditions))
        for n, conditions in enumerate(([], [said]))
    ]

    done = asked(tmp_path, "l", cluster=[*CLUSTER, *told])

    assert "PodScheduled=False: no answer yet" in done.out


def test_the_turn_in_the_queue_is_told(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, "waits")

    assert answer["place"][0] == 2


def test_a_pod_that_asks_for_nothing_has_the_last_turn(tmp_path: Path) -> None:
    old = pod("team/idle", created("01"))
    cluster = [old, pod("team/late", asking(gpu=1), created("02"))]

    (answer,) = answers(tmp_path, "idle", cluster=cluster)

    assert answer["place"] == [2, 2]


@pytest.mark.parametrize(("score", "node"), [("pack", "small"), ("spread", "big")])
def test_the_plan_is_made_with_the_score_that_is_named(
    score: str, node: str, tmp_path: Path
) -> None:
    cluster = [gpu_node("big", 8), gpu_node("small", 2), pod("team/one", asking(gpu=1))]

    (answer,) = answers(tmp_path, "one", "--score", score, cluster=cluster)

    assert answer["nodes"] == {"team/one": node}


def test_the_pods_are_counted(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, "runs")

    assert answer["pods"] == {
        "waiting": 0, "bound": 2, "running": 2, "succeeded": 0, "failed": 0, "leaving": 0
    }  # fmt: skip


def test_another_namespace_may_be_named(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, "-n", "other", "waits")

    assert (answer["name"], answer["dialect"]) == ("other/waits", "labels")


def test_all_namespaces_may_be_asked(tmp_path: Path) -> None:
    found = answers(tmp_path, "-A", "waits")

    assert [answer["name"] for answer in found] == ["other/waits", "team/waits"]


def test_a_pod_of_a_gang_names_its_gang(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, "pod/waits-3")

    assert (answer["kind"], answer["gang"]) == ("pod", "team/waits")


def test_a_name_that_nobody_knows_is_answered_with_the_nearest(tmp_path: Path) -> None:
    done = asked(tmp_path, "wait")

    assert (done.code, done.out) == (2, "")
    assert "there is no pod group or pod named 'team/wait'" in done.err
    assert "did you mean 'team/waits'?" in done.err


def test_what_may_not_be_read_is_told_with_the_rule(tmp_path: Path) -> None:
    done = asked(tmp_path, "waits", forbidden="pods")

    assert (done.code, done.out) == (3, "")
    assert "does not let us list pods" in done.err


def test_a_server_that_is_gone_is_told(tmp_path: Path) -> None:
    with serving(*CLUSTER) as server:
        config = kubeconfig(tmp_path, server)

    done = typed("why", "waits", "--kubeconfig", config)

    assert done.code == 3
    assert "cannot be reached" in done.err


def test_pods_of_a_group_that_is_missing_wait_for_it(tmp_path: Path) -> None:
    lost = [gpu_node("n", 1), pod("team/a", asking(gpu=1), in_group("gone"))]

    done = asked(tmp_path, "gone", cluster=lost)

    assert "gang team/gone waits" in done.out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_broken_annotation_is_as_if_it_were_not_there(form: str, tmp_path: Path) -> None:
    broken = annotated({"fullcrew.io/reason": '{"stage": "nowhere", "kind'})
    group = pod_group("team/g", 2, broken, status(conditions=[CONDITION]))

    done = asked(tmp_path, "g", "-o", form, cluster=[gpu_node("n", 1), group])

    assert done.code == 0
    assert "what the scheduler said" in done.out
