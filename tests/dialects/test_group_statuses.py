"""Conditions, counts and the reason on a group; and that what stands there is not written again."""

from __future__ import annotations

import json
from typing import Any

import given
import msgspec
import pytest

from fullcrew import dialects, objects
from fullcrew.dialects import status
from fullcrew.dialects.status import Content, Guard, Moment, Standing
from fullcrew.model.reason import Kind, Reason, Stage, numbers

THEN = Moment("2026-01-01T00:00:00Z", "plan-1")
LATER = Moment("2026-01-01T01:00:00Z", "plan-2")
GUARD = Guard("u-1", "7")
SHORT = Reason(Stage.PLACEMENT, Kind.SHORT, "2 gpus are missing", numbers(gpu=2))
SHORTER = Reason(Stage.PLACEMENT, Kind.SHORT, "3 gpus are missing", numbers(gpu=3))
TOO_FEW = Reason(Stage.ADMISSION, Kind.TOO_FEW_PODS, "1 of 3 pods is there")
WAITS = Standing(3, waiting=3, reason=SHORT)
STANDS = Standing(3, live=3, running=3)


def group(*parts: given.Manifest, dialect: str = "volcano") -> objects.PodGroup:
    found = given.decoded(given.pod_group("job", 3, *parts, dialect=dialect))
    assert isinstance(found, objects.PodGroup)
    return found


def told(standing: Standing, on: objects.PodGroup, at: Moment = THEN) -> Content:
    return status.content(dialects.WORDS[on.KIND], on, standing, at)


def written(on: objects.PodGroup, content: Content) -> objects.PodGroup:
    """The group as the server has it once this was written."""
    body = status.status_patch(status.seen(on), content, GUARD, has_reason=True)
    patch = json.loads(body)
    annotations = patch["metadata"].get("annotations") or {}
    kept = {name: text for name, text in annotations.items() if text is not None}
    before = msgspec.to_builtins(on.status, str_keys=True)
    merged = given.status(**{**before, **patch.get("status", {})})
    return group(merged, given.annotated(kept), dialect=_dialect_of(on))


def _dialect_of(on: objects.PodGroup) -> str:
    return {"scheduling.volcano.sh": "volcano"}.get(on.KIND.group, "kube-batch")


def conditions(content: Content) -> dict[str, tuple[str, str]]:
    return {each.type: (each.status, each.reason) for each in content.conditions}


@pytest.mark.parametrize("dialect", ["volcano", "kube-batch", "sigs"])
def test_a_gang_that_waits_says_why_in_its_projects_words(dialect: str) -> None:
    found = told(WAITS, group(dialect=dialect))

    assert conditions(found) == {"Unschedulable": ("True", "NotEnoughResources")}
    assert found.conditions[0].message == "2 gpus are missing"
    assert json.loads(found.reason)["kind"] == "short"
    assert json.loads(found.reason)["numbers"] == {"gpu": 2}


def test_a_gang_without_its_pods_has_not_enough_tasks() -> None:
    found = told(WAITS._replace(reason=TOO_FEW), group())

    assert conditions(found) == {"Unschedulable": ("True", "NotEnoughTasks")}


@pytest.mark.parametrize(
    ("roles", "missed", "word"),
    [
        ({"ps": 1, "worker": 2}, 3, "NotEnoughPodsOfTask"),  # who lacks a pod lacks one of a role
        ({"ps": 1, "worker": 1}, 3, "NotEnoughTasks"),
        ({"ps": 1, "worker": 1}, 1, "NotEnoughPodsOfTask"),
        ({"ps": 3, "worker": 3}, 3, "NotEnoughTasks"),  # more than the group's: they do not bind
        ({}, 3, "NotEnoughTasks"),
    ],
)
def test_a_role_that_is_short_of_pods_is_told_in_volcanos_word(
    roles: dict[str, int], missed: int, word: str
) -> None:
    reason = Reason(Stage.ADMISSION, Kind.TOO_FEW_PODS, "too few", numbers(minimum=missed))

    found = told(WAITS._replace(reason=reason), group(given.spec(minTaskMember=roles)))

    assert conditions(found) == {"Unschedulable": ("True", word)}


def test_volcanos_group_says_that_it_was_scheduled() -> None:
    found = told(STANDS, group())

    assert conditions(found) == {
        "Scheduled": ("True", "tasks in gang are ready to be scheduled"),
    }


def test_kube_batch_knows_no_condition_for_that() -> None:
    found = told(STANDS, group(dialect="kube-batch"))

    assert found.conditions == ()
    assert (found.phase, found.running) == ("Running", 3)


@pytest.mark.parametrize("dialect", ["volcano", "kube-batch"])
def test_what_made_it_wait_is_false_once_it_runs(dialect: str) -> None:
    waiting = group(dialect=dialect)
    waiting = written(waiting, told(WAITS, waiting))

    found = told(STANDS, waiting, LATER)

    assert conditions(found)["Unschedulable"] == ("False", "Scheduled")
    assert found.reason == ""


def test_a_wounded_gang_is_not_scheduled_any_more() -> None:
    running = written(group(), told(STANDS, group()))

    found = told(Standing(3, waiting=1, live=2, reason=SHORT), running, LATER)

    assert found.phase == "Unknown"
    assert conditions(found)["Scheduled"][0] == "False"
    assert conditions(found)["Unschedulable"][0] == "True"


def test_a_condition_keeps_its_time_while_it_says_the_same() -> None:
    waiting = written(group(), told(WAITS, group()))

    found = told(WAITS._replace(reason=SHORTER), waiting, LATER)

    (condition,) = found.conditions
    assert condition.message == "3 gpus are missing"
    assert (condition.last_transition_time, condition.transition_id) == (THEN.time, THEN.plan)


def test_a_condition_that_turns_has_the_time_and_the_plan_that_turned_it() -> None:
    waiting = written(group(), told(WAITS, group()))

    found = told(STANDS, waiting, LATER)

    assert {each.transition_id for each in found.conditions} == {LATER.plan}
    assert {each.last_transition_time for each in found.conditions} == {LATER.time}


def test_conditions_of_others_stay() -> None:
    foreign = {"type": "Foreign", "status": "True", "reason": "Because"}
    marked = group(given.status(conditions=[foreign]))

    found = told(WAITS, marked)

    assert conditions(found)["Foreign"] == ("True", "Because")


@pytest.mark.parametrize("standing", [WAITS, STANDS, Standing(3, succeeded=3), Standing(3)])
@pytest.mark.parametrize("dialect", ["volcano", "kube-batch"])
def test_what_stands_there_is_not_written_again(standing: Standing, dialect: str) -> None:
    fresh = group(dialect=dialect)
    there = written(fresh, told(standing, fresh))

    again = told(standing, there, LATER)

    assert status.status_patch(status.seen(there), again, GUARD, has_reason=True) == b""


def patch(new: Content, old: objects.PodGroup, *, has_reason: bool = True) -> dict[str, Any]:
    body = status.status_patch(status.seen(old), new, GUARD, has_reason=has_reason)
    found: dict[str, Any] = json.loads(body)
    return found


def test_a_write_is_guarded_by_uid_and_revision() -> None:
    found = patch(told(WAITS, group()), group())

    assert found["metadata"]["uid"] == "u-1"
    assert found["metadata"]["resourceVersion"] == "7"


def test_only_what_differs_is_written() -> None:
    there = written(group(), told(STANDS, group()))

    found = patch(told(STANDS._replace(running=2, succeeded=1), there), there)

    assert found["status"] == {"running": 2, "succeeded": 1}


def test_a_condition_is_spelt_as_the_projects_spell_it() -> None:
    found = patch(told(WAITS, group()), group())

    (condition,) = found["status"]["conditions"]
    assert condition == {
        "type": "Unschedulable",
        "status": "True",
        "transitionID": "plan-1",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "reason": "NotEnoughResources",
        "message": "2 gpus are missing",
    }


def test_where_the_status_is_a_resource_the_reason_goes_another_way() -> None:
    content = told(WAITS, group())

    of_status = patch(content, group(), has_reason=False)
    of_object = json.loads(status.annotation_patch(content, uid="u-1"))

    assert "annotations" not in of_status["metadata"]
    assert of_object["metadata"]["annotations"] == {status.REASON: content.reason}
    assert "status" not in of_object


def test_a_reason_that_is_gone_is_taken_off() -> None:
    waiting = written(group(), told(WAITS, group()))

    found = patch(told(STANDS, waiting, LATER), waiting)

    assert found["metadata"]["annotations"] == {status.REASON: None}


def test_numbers_alone_look_the_same() -> None:
    one, other = told(WAITS, group()), told(WAITS._replace(reason=SHORTER), group())

    assert one != other
    assert status.look(one, minimum=3) == status.look(other, minimum=3)


@pytest.mark.parametrize("standing", [STANDS, WAITS._replace(reason=TOO_FEW)])
def test_another_kind_looks_otherwise(standing: Standing) -> None:
    one, other = told(WAITS, group()), told(standing, group())

    assert status.look(one, minimum=3) != status.look(other, minimum=3)


def test_that_all_of_the_minimum_run_is_more_than_a_number() -> None:
    one, other = told(STANDS._replace(running=2), group()), told(STANDS, group())

    assert status.look(one, minimum=3) != status.look(other, minimum=3)


def test_a_reason_of_any_length_fits_into_an_annotation() -> None:
    children = tuple(Reason(Stage.PLACEMENT, Kind.SHORT, f"part {n} " * 50) for n in range(1_000))
    long = Reason(Stage.PLACEMENT, Kind.SHORT, "too long " * 1_000, children=children)

    text = status.reason_text(long)

    assert len(text) <= status.LONGEST_REASON
    assert json.loads(text)["kind"] == "short"


def test_an_annotation_that_somebody_else_wrote_is_another_kind() -> None:
    ours, theirs = told(WAITS, group()), group(given.annotated({status.REASON: "{because"}))

    assert status.look(ours, minimum=3) != status.look(status.seen(theirs), minimum=3)


def test_a_group_that_another_scheduler_serves_keeps_its_status() -> None:
    rival = Reason(Stage.BINDING, Kind.RIVAL, "another scheduler serves it")
    theirs = group(given.status(phase="Inqueue", running=1))

    found = told(Standing(3, waiting=3, reason=rival), theirs)

    assert (found.phase, found.running, found.conditions) == ("Inqueue", 1, ())
    assert json.loads(found.reason)["kind"] == "rival"
