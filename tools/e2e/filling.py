"""One shape, one contender, one fresh cluster: from release to the last bind and status."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

from tools.e2e import measuring, shapes
from tools.e2e.contenders import Contender, at_work
from tools.e2e.ground import Ground
from tools.e2e.measuring import Stamps
from tools.e2e.shapes import Shape

_QUIET_SECONDS = 1.0
_LONGEST_TELLING_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Filled:
    """What came of it. Seconds count from the release."""

    shape: str
    contender: str
    pods: int
    bound: int
    bound_seconds: float  # to the last bind
    told_seconds: float  # to the last status of a pod or group
    cpu_seconds: float
    memory_bytes: int
    pending_events: int  # that were written after the last bind
    writes: dict[str, int]

    @property
    def is_whole(self) -> bool:
        """Whether all pods were bound in time."""
        return self.bound == self.pods

    @property
    def rate(self) -> float:
        """Pods bound per second."""
        return self.bound / self.bound_seconds

    @property
    def writes_each(self) -> float:
        """Per pod bound."""
        return sum(self.writes.values()) / max(1, self.bound)

    @property
    def cpu_micro_each(self) -> float:
        """Per pod bound."""
        return self.cpu_seconds * 1e6 / max(1, self.bound)


async def filled(
    ground: Ground, shape: Shape, contender: Contender, *, longest_seconds: float
) -> Filled:
    """On a ground that holds the contender's form of the shape."""
    pods, *groups = [Stamps(path) for path in (shapes.PODS, shapes.VOLCANO, shapes.IN_TREE)]
    await _check(ground, shape)
    async with measuring.following(ground.wire, pods, *groups):
        before = await measuring.writes(ground.wire)
        async with at_work(contender, ground) as used:
            released = await contender.release()
            await measuring.until(lambda: _count(pods) == shape.pods, seconds=longest_seconds)
            at_last_bind = await measuring.writes(ground.wire)
            at_end = await _quiet(ground)
    last_bind = max(pods.bound.values(), default=released + longest_seconds)
    return Filled(
        shape=str(shape),
        contender=contender.name,
        pods=shape.pods,
        bound=len(pods.bound),
        bound_seconds=last_bind - released,
        told_seconds=max(last_bind, *(each.look().last for each in (pods, *groups))) - released,
        cpu_seconds=used.since(released),
        memory_bytes=used.memory_bytes,
        pending_events=(at_end - at_last_bind)["POST events"],
        writes=dict(at_end - before),
    )


async def _check(ground: Ground, shape: Shape) -> None:
    """That all pods are there, and none is bound."""
    there = (await measuring.listed(ground.wire, shapes.PODS)).items
    waiting = [pod for pod in there if not pod.spec.nodeName]
    if not len(waiting) == len(there) == shape.pods:
        raise RuntimeError(f"{len(waiting)} of {len(there)} pods wait, wanted {shape.pods}")


def _count(pods: Stamps) -> int:
    return len(pods.look().bound)


async def _quiet(ground: Ground) -> Counter[str]:
    """The writes counted, once no more come."""
    counted = await measuring.writes(ground.wire)
    for _ in range(int(_LONGEST_TELLING_SECONDS / _QUIET_SECONDS)):
        await asyncio.sleep(_QUIET_SECONDS)
        again = await measuring.writes(ground.wire)
        if again == counted:
            break
        counted = again
    return counted
