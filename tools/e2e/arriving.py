"""A steady arrival of single pods: how long each waits, from creation to being bound."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from tools.e2e import measuring, shapes
from tools.e2e.contenders import Contender, at_work
from tools.e2e.ground import Ground
from tools.e2e.measuring import Stamps

_AT_LAST_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Pace:
    """So many pods a second, for so long."""

    pods_per_second: float
    seconds: float

    @property
    def pods(self) -> int:
        """In all."""
        return int(self.pods_per_second * self.seconds)


@dataclass(frozen=True, slots=True)
class Arrived:
    """Both ends of a wait are seen by one watch, that of the benchmark."""

    contender: str
    pods: int
    bound: int
    p50_ms: float
    p99_ms: float
    cpu_micro_each: float


async def arrived(ground: Ground, contender: Contender, pace: Pace) -> Arrived:
    """On an empty, ready cluster, with the contender at work before the first pod comes."""
    pods = Stamps(shapes.PODS)
    async with measuring.following(ground.wire, pods), at_work(contender, ground) as used:
        released = await contender.release()
        await _come(ground, contender, pace)
        await measuring.until(lambda: len(pods.look().bound) == pace.pods, seconds=_AT_LAST_SECONDS)
    waits = [pods.bound[name] - pods.added[name] for name in pods.bound]
    p50, p99 = _percentiles(waits, (50, 99))
    each = used.since(released) * 1e6 / max(1, len(waits))
    return Arrived(contender.name, pace.pods, len(waits), p50 * 1_000, p99 * 1_000, each)


async def _come(ground: Ground, contender: Contender, pace: Pace) -> None:
    """Each at its moment, whether the one before is made or not."""
    loop = asyncio.get_running_loop()
    begin = loop.time()
    making = []
    for number in range(pace.pods):
        await asyncio.sleep(max(0.0, begin + number / pace.pods_per_second - loop.time()))
        pod = contender.single(f"coming-{number:06}")
        making.append(asyncio.ensure_future(ground.wire.send(pod)))
    await asyncio.gather(*making)


def _percentiles(values: Sequence[float], wanted: Sequence[int]) -> list[float]:
    if len(values) < 2:
        return [float("nan") for _ in wanted]
    cuts = quantiles(values, n=100, method="inclusive")
    return [cuts[percent - 1] for percent in wanted]
