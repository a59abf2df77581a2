"""Plans made by hand, for tests of how they are drawn."""

from __future__ import annotations

from fullcrew.model.gang import Gang
from fullcrew.model.reason import Kind, Reason, Stage, numbers
from fullcrew.room import Binding, Plan, Start, Wait

__all__ = ["PLAN", "SHORT", "gang", "start", "wait"]

SHORT = Reason(
    Stage.PLACEMENT,
    Kind.SHORT,
    "5 pods that ask for 2 nvidia.com/gpu each do not fit: of 12 nodes that may be used,"
    " the best ones have room for 3",
    numbers(pods=5, fitting=3),
    ("default/a",),
    (Reason(Stage.QUOTA, Kind.LIMIT, "a cause below the cause", numbers(asked=4, limit=3)),),
)


def gang(name: str, *, minimum: int = 1, queue: str = "default", live: int = 0) -> Gang:
    """A gang of which nothing is drawn but this."""
    return Gang(name, "volcano", queue, minimum, 0, 0, (), live=live, counted=live)


def start(name: str, *nodes: str, minimum: int | None = None, live: int = 0) -> Start:
    """A gang with a pod on each of these nodes, in their order."""
    bindings = tuple(Binding(f"{name}-{at}", "", node) for at, node in enumerate(nodes))
    needed = len(nodes) if minimum is None else minimum
    return Start(gang(name, minimum=max(needed, 1) + live, live=live), bindings, needed)


def wait(name: str, *pods: str, cause: Reason = SHORT) -> Wait:
    """A gang whose pods wait."""
    return Wait(gang(name, minimum=5, queue="research"), pods, cause)


PLAN = Plan(
    starts=(
        start("default/a", "gpu-1"),
        start("default/whole", *["gpu-1"] * 2, *["gpu-2"] * 2, "gpu-3"),
        start("default/packed", "gpu-3", "gpu-3"),
        start("team-a/growing", "gpu-3", minimum=0),
        start("team-a/wounded", "gpu-4", live=3),
        start("team-a/large", *[f"node-{at // 2:04}" for at in range(400)]),
    ),
    waits=(
        wait("other/with-a-rather-long-name", "other/p-0", "other/p-1"),
        wait("team-a/large", "team-a/large-400"),
    ),
)
