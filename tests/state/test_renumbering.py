"""Numbers of asks and wheres that nobody uses any more are given back, and nobody notices."""

from __future__ import annotations

from collections.abc import Iterator

from given import (
    Manifest,
    annotated,
    asking,
    decoded,
    having,
    labelled,
    node,
    on_node,
    pod,
    queue,
    spec,
)
from state.canonical import canonical
from state.telling import start_of, told

from fullcrew.state import State


def _away_from(labels: Manifest) -> Manifest:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": labels}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


STAYING = [
    node("n1", having(cpu="64", gpu=8), labelled({"zone": "z"})),
    node("n2", having(cpu="64"), labelled({"zone": "y"})),
    pod("keeps-out", spec(affinity=_away_from({"app": "web"})), on_node("n2")),
    pod("kept-out", asking(cpu="1"), labelled({"app": "web"})),
    pod("bound", asking(cpu="3", gpu=1), on_node("n1")),
    pod("waits", asking(cpu="7"), spec(nodeSelector={"zone": "z"})),
]


def passing(count: int, first: int = 0) -> Iterator[Manifest]:
    """Pods that are alike in nothing: each with an ask and a where of its own."""
    for at in range(first, first + count):
        requests = {"cpu": f"{at + 1}m", f"example.com/r{at}": "1"}
        containers = [{"name": "main", "resources": {"requests": requests}}]
        selector = {f"label-{at}": "x"}
        yield pod(f"p{at}", spec(containers=containers, nodeSelector=selector))


def after(count: int) -> State:
    """A state through which so many pods have passed, with a look at each."""
    state = told(*STAYING)
    for manifest in passing(count):
        state.put(decoded(manifest))
        state.snapshot(0)
        state.drop(decoded(manifest))
    return state


def test_what_passes_leaves_no_numbers_behind() -> None:
    snapshot = after(300).snapshot(0)

    assert snapshot.numbering > 0
    assert snapshot.asks.shape[1] < 150
    assert len(snapshot.wheres) < 150
    assert len(snapshot.resources) < 150
    assert len(snapshot.nodes.labels) < 150


def test_namespaces_and_queues_that_pass_are_given_back_too() -> None:
    told_queue = {"scheduling.volcano.sh/queue-name": "q"}
    limited = queue("q", spec(capability={"cpu": "9"}))
    uses = [pod(f"team-{at}/uses", annotated(told_queue), on_node("n1")) for at in range(3)]
    state = told(*STAYING)
    for at in range(200):
        told(*([uses[0], limited] if at == 50 else []), state=state)
        tells = annotated({"scheduling.volcano.sh/queue-name": f"q{at}"})
        passes = pod(f"space-{at}/p", tells, on_node("n2"))
        told(passes, state=state).snapshot(0)
        state.drop(decoded(passes))

    told(*uses[1:], state=state)

    assert state.snapshot(0).numbering > 0
    assert canonical(state.snapshot(0)) == canonical(told(*STAYING, *uses, limited).snapshot(0))


def test_values_of_labels_of_nodes_that_pass_are_given_back_too() -> None:
    late = [
        node("n3", having(cpu="2"), labelled({"zone": "w"})),
        pod("keeps-out-too", spec(affinity=_away_from({"app": "web"})), on_node("n3")),
    ]
    state = told(*STAYING)
    for at in range(200):
        told(*(late if at == 50 else []), state=state)
        passes = node(f"passes-{at}", labelled({"zone": f"z{at}"}))
        told(passes, state=state).snapshot(0)
        state.drop(decoded(passes))

    snapshot = state.snapshot(0)

    assert len(snapshot.nodes.labels["zone"].values) < 150
    assert canonical(snapshot) == canonical(told(*STAYING, *late).snapshot(0))


def test_what_stays_is_the_same_before_and_after() -> None:
    assert canonical(after(300).snapshot(0)) == canonical(told(*STAYING).snapshot(0))


def test_a_snapshot_from_before_keeps_its_numbers() -> None:
    state = told(*STAYING)
    before = state.snapshot(0)
    form = canonical(before)

    told(*passing(200), state=state)
    state.snapshot(0)

    assert canonical(before) == form


def test_a_plan_from_before_is_stale_or_right() -> None:
    state = told(*STAYING)
    snapshot = state.snapshot(0)
    start = start_of(snapshot, "default/waits", ["n1"])
    for manifest in passing(200):
        state.put(decoded(manifest))
        state.snapshot(0)
        state.drop(decoded(manifest))

    is_taken = state.assume(start, generation=snapshot.generation)

    free = canonical(state.snapshot(0))["nodes"]["n1"]["free"]["cpu"]
    assert free == (54_000 if is_taken else 61_000)


def test_queues_that_nobody_uses_keep_a_quiet_state_quiet() -> None:
    state = told(*STAYING, *(queue(f"idle-{number}") for number in range(200)))
    state.snapshot(0)

    first, second = state.snapshot(0), state.snapshot(0)

    assert first.numbering == second.numbering
