"""The judge has nothing against a sound history, however close to a broken promise it comes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from faults.telling import History, started, two_of_two, wounded
from real import history, promises

BY_LABELS = {history.LABEL_NAME: "g", history.LABEL_MINIMUM: "2"}


def sound_growth() -> History:
    told = started()
    told.node("n3", gpus=1)
    told.pods("g", "c")
    told.bind("c", "n3", minimum=2, plan="p2")
    return told


def sound_after_success() -> History:
    told = started()
    told.end("b")
    told.pods("", "x")
    told.bind("x", "n2", minimum=1)
    return told


def sound_mending() -> History:
    told = wounded()
    told.bind("b", "n2", minimum=2, plan="p2")
    told.pods("", "x")
    told.node("n3", gpus=1)
    told.bind("x", "n3", minimum=1)
    return told


def sound_killed_midway() -> History:
    told = two_of_two()
    told.bind("a", "n1", minimum=2, plan="p1")
    told.bind("b", "n2", minimum=2, plan="p2")
    return told


def sound_wounded_that_fits_nowhere() -> History:
    told = wounded()
    told.node("n2", gpus=0)
    told.node("n3", gpus=0)
    told.pods("", "x", gpus=0)
    told.bind("x", "n3", minimum=1)
    return told


def sound_foreign_pod_unheard_of() -> History:
    told = two_of_two()
    with told.at_once():
        told.pod("foreign", {}, schedulerName="other")
        told.bind("foreign", "n2")
        told.bind("a", "n1", minimum=2)
        told.bind("b", "n2", minimum=2)
    return told


def sound_group_changed_unheard_of() -> History:
    told = two_of_two()
    with told.at_once():
        told.group("g", minimum=3)
        told.bind("a", "n1", minimum=2)
        told.bind("b", "n2", minimum=2)
    return told


def sound_labels() -> History:
    told = History()
    told.node("n1", gpus=2)
    told.pod("a", {}, labels=BY_LABELS)
    told.pod("b", {}, labels=BY_LABELS)
    told.bind("a", "n1", minimum=2)
    told.bind("b", "n1", minimum=2)
    return told


def sound_queue() -> History:
    told = History()
    told.node("n1", gpus=4)
    told.queue("q", gpus=1)
    told.group("g", minimum=1, queue="q")
    told.group("h", minimum=1)
    told.pods("g", "a")
    told.pods("h", "b", gpus=3)
    told.bind("a", "n1", minimum=1)
    told.bind("b", "n1", minimum=1)
    return told


def sound_node_shrank_afterwards() -> History:
    told = started()
    told.node("n1", gpus=0)
    return told


def sound_member_lost_before_it_was_whole() -> History:
    told = two_of_two()
    with told.at_once():
        told.bind("a", "n1", minimum=2)
        told.gone("b")
    return told


def sound_foreign_pods_alone() -> History:
    told = History()
    told.node("n1", gpus=1)
    for name in ("x", "y"):
        told.pod(name, {}, schedulerName="other")
        told.bind(name, "n1")
    return told


SOUND = [
    started,
    wounded,
    sound_growth,
    sound_after_success,
    sound_mending,
    sound_killed_midway,
    sound_wounded_that_fits_nowhere,
    sound_foreign_pod_unheard_of,
    sound_group_changed_unheard_of,
    sound_labels,
    sound_queue,
    sound_node_shrank_afterwards,
    sound_member_lost_before_it_was_whole,
    sound_foreign_pods_alone,
]


@pytest.mark.parametrize("tell", SOUND, ids=lambda tell: tell.__name__)
def test_nothing_is_held_against_a_sound_history(tell: Callable[[], History]) -> None:
    verdict = promises.judge(tell().events)

    assert not verdict.violations, verdict.in_words()
