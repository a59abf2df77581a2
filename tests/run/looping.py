"""A planner that runs on virtual time beside the real state and the real core, with a binder that
writes down what it got, and whose server refuses what it is told to."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import given
from run import virtual

from fullcrew import kube, policies
from fullcrew.launch import Rest
from fullcrew.model.gang import Gang
from fullcrew.model.reason import Kind, Reason, Stage
from fullcrew.room import Binding
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.planning import Hooks, Planner
from fullcrew.run.verdicts import Verdicts
from fullcrew.state import State

__all__ = ["REFUSED", "Loop", "gang", "looping", "placed"]

REFUSED = Reason(Stage.BINDING, Kind.REFUSED, "the server refused it")
OF_JOB = (given.in_group("job"), given.asking(gpu=1))
REFUSAL_SECONDS = 4.0
"""From a bind to its being refused for good."""


class Loop:
    """A planner, and what came of it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.metrics = Metrics()
        self.launched: list[kube.Launching] = []
        self.released: list[str] = []
        self.verdicts = Verdicts()
        self.may_plan = True
        self.refuses = ""  # the pod whose binds are refused for good
        self._open: set[str] = set()
        self.on_release: Callable[[], None] = lambda: None
        self.before_each: Callable[[], None] = lambda: None
        notes = (Log(io.StringIO()), self.metrics)
        clock = asyncio.get_running_loop().time
        self.planner = Planner(self.state, policies.built_in(), notes, clock=clock)
        hooks = Hooks(lambda: self.may_plan, self._held_back, self._judged, self._release)
        self.planner.connect(self, hooks)

    def launch(self, launchings: Sequence[kube.Launching]) -> None:
        """As the binder does it; all but what is refused is bound when the launch is over."""
        self.launched += launchings
        loop = asyncio.get_running_loop()
        for each in launchings if self.refuses else ():
            self._open.add(each.start.gang.name)
            loop.call_later(REFUSAL_SECONDS, self._over, each.start.gang.name, each.start.bindings)

    def is_open(self, gang: str) -> bool:
        """As the binder tells it."""
        return gang in self._open

    def put(self, *manifests: given.Manifest, is_told: bool = True) -> None:
        """Objects come, and the loop is woken."""
        for manifest in manifests:
            self.state.put(given.decoded(manifest))
        if is_told:
            self.planner.alarm.ring()

    @property
    def pods(self) -> list[str]:
        """All that were launched, in order."""
        return [binding.pod for each in self.launched for binding in each.start.bindings]

    def cycles(self, why: str) -> float:
        """How many plans were made, woken by this."""
        return self.metrics.value("cycles_total", why=why)

    def _over(self, gang: str, bindings: Sequence[Binding]) -> None:
        self._open.discard(gang)
        for pod, uid, node in bindings:
            if pod == self.refuses:
                rest = Rest(((pod, uid),), REFUSED, keeps_room=True)
                self.planner.resting.add(gang, rest, now=asyncio.get_running_loop().time())
            else:
                self.put(placed(given.pod(pod.partition("/")[2], *OF_JOB), node=node))
        self.planner.alarm.ring()

    def _held_back(self, gangs: Sequence[Gang]) -> Sequence[Gang]:
        asyncio.get_running_loop().call_soon(self.before_each)
        return gangs

    def _release(self, gang: str) -> None:
        self.released.append(gang)
        self.on_release()

    def _judged(self, verdicts: Verdicts, _plan: str) -> None:
        self.verdicts = verdicts


@asynccontextmanager
async def looping(state: State | None = None) -> AsyncIterator[Loop]:
    """A loop that runs while this lasts."""
    loop = Loop(state or State())
    running = asyncio.create_task(loop.planner.run())
    await virtual.passing(1)
    try:
        yield loop
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def gang(count: int, *, gpu: int = 1) -> list[given.Manifest]:
    """A group and its pods w-0, w-1 and so on."""
    parts = (given.in_group("job"), given.asking(gpu=gpu))
    pods = [given.pod(f"w-{n}", *parts, given.with_uid(f"u-{n}")) for n in range(count)]
    return [given.pod_group("job", count), *pods]


def placed(pod: given.Manifest, *, node: str = "n") -> given.Manifest:
    """The pod as it runs there, with its uid."""
    spec = {**pod["spec"], "nodeName": node}
    metadata = {**pod["metadata"], "uid": f"u-{pod['metadata']['name'][-1]}"}
    return {**pod, "spec": spec, "status": {"phase": "Running"}, "metadata": metadata}
