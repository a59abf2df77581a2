"""What a plan says of those who wait, and what of it is news."""

from __future__ import annotations

from fullcrew.model.gang import Gang, Member, Part, Role
from fullcrew.model.reason import Kind, Reason, Stage, numbers
from fullcrew.room import Binding, Plan, Start, Wait
from fullcrew.run.verdicts import judged


def gang(name: str, *, minimum: int = 3) -> Gang:
    role = Role("", 0, 0, (Part(0, 0, (Member(f"{name}-0", "u", 0),)),))
    return Gang(name, "volcano", "default", minimum, 0, 0, (role,))


def reason(gpu: int = 2, kind: Kind = Kind.SHORT) -> Reason:
    return Reason(Stage.PLACEMENT, kind, f"{gpu} gpus are missing", numbers(gpu=gpu))


def test_a_gangs_reason_is_that_of_most_of_its_pods() -> None:
    waits = (
        Wait(gang("a"), ("g",), reason(kind=Kind.GATED)),
        Wait(gang("a"), ("x", "y"), reason()),
    )

    found = judged(Plan((), waits), {}).by_gang["a"]

    assert found.reason == reason()
    assert found.lacks == 3
    assert len(found.waits) == 2


def test_who_starts_lacks_nothing_though_some_of_its_pods_wait() -> None:
    start = Start(gang("a"), (Binding("a-0", "u", "n"),), 1)

    found = judged(Plan((start,), (Wait(gang("a"), ("x",), reason()),)), {})

    assert found.by_gang["a"].lacks == 0


def test_news_are_those_that_changed_came_or_went() -> None:
    same, moved = Wait(gang("same"), ("s",), reason()), Wait(gang("moved"), ("m",), reason())
    gone, new = Wait(gang("gone"), ("g",), reason()), Wait(gang("new"), ("n",), reason())
    before = judged(Plan((), (gone, moved, same)), {}).by_gang

    other = Wait(gang("moved"), ("m",), reason(3))
    found = judged(Plan((), (other, new, same)), before)

    assert sorted(found.news) == ["gone", "new"]
    assert found.figures == ("moved",)


def test_another_kind_or_other_pods_are_more_than_figures() -> None:
    waits = [Wait(gang(name), (name,), reason()) for name in ("kind", "pods", "same")]
    before = judged(Plan((), tuple(waits)), {}).by_gang

    kind = Wait(gang("kind"), ("kind",), reason(kind=Kind.GATED))
    pods = Wait(gang("pods"), ("pods", "more"), reason())
    found = judged(Plan((), (kind, pods, waits[2])), before)

    assert (found.news, found.figures) == (("kind", "pods"), ())


def test_they_are_counted_by_stage_and_kind() -> None:
    waits = (Wait(gang("a"), ("x", "y"), reason()), Wait(gang("b"), ("z",), reason()))

    found = judged(Plan((), waits), {})

    assert found.gangs == {("placement", "short"): 2}
    assert found.pods == {("placement", "short"): 3}
