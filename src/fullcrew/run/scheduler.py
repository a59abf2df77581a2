"""The process: waits for the lease, leads for a term, stands back, and stops when it is told to."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from fullcrew import client, errors, kube
from fullcrew.run import rivalry
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Counted, Metrics
from fullcrew.run.serving import Checks, Serving
from fullcrew.run.settings import Settings
from fullcrew.run.term import Term, Wires

__all__ = ["DEFAULT_NAMESPACE", "Scheduler", "main"]

DEFAULT_NAMESPACE: Final = "fullcrew-system"
RIVALS_EVERY_SECONDS = 15.0
AGAIN_SECONDS = 1.0
STOP_SECONDS = 20.0
"""How long gangs that began may take to get whole after SIGTERM; a pod has thirty seconds."""


class Scheduler:
    """One process. `run` returns when `stop` was called and everything is settled."""

    def __init__(self, settings: Settings, log: Log) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self._log = log
        self._stopping = asyncio.Event()
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._term: Term | None = None
        self._lease: kube.Lease | None = None
        self._is_settled = True  # no bind or deletion of ours is unanswered
        self._serving = Serving(Checks(self._alive, self._ready), self.metrics)

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Where it listens, ports that were left to the system included."""
        return [(place.host, place.port) for place in self._serving.addresses]

    def stop(self) -> None:
        """Asks it to end: plans no more, settles what is under way, releases the lease."""
        self._stopping.set()

    async def run(self) -> None:
        """Raises what ended it, if that was not `stop`."""
        asyncio.get_running_loop().set_exception_handler(self._fault)
        access = client.find_access(
            kubeconfig=self.settings.kubeconfig,
            context=self.settings.context,
            master=self.settings.master,
        )
        for warning in self.settings.warnings():
            self._log.warn(warning)
        http = kube.Http(access)
        flow = kube.Flow(http)
        self.metrics.ask("request_seconds", lambda: map(_counted, flow.tally.told()))
        try:
            places = (self.settings.listen, self.settings.healthz)
            await self._serving.start(place for place in places if place is not None)
            await self._serve(Wires(http, flow, self._log, self.metrics), access)
        finally:
            await self._serving.stop()
            await flow.close()
            await http.close()

    async def _serve(self, wires: Wires, access: client.Access) -> None:
        rivals = kube.Rivals(wires.http, self.settings.scheduler_names, own=self._place())
        await self._refuse_beside(rivals)
        self._log.say(
            "started", server=access.server, names=",".join(self.settings.scheduler_names)
        )
        lease = self._lease = self._lease_of(wires)
        renewing = asyncio.create_task(lease.run()) if lease is not None else None
        try:
            while not self._stopping.is_set():
                await self._first(self._is_led(), renewing)
                if not self._stopping.is_set():
                    await self._lead(wires, rivals, renewing)
                    await self._stand_back()
        finally:
            if renewing is not None:
                await _cancelled(renewing)
        if lease is not None and lease.is_held and self._is_settled:
            await lease.release()
            self._log.say("lease released")
        self._log.say("stopped")

    async def _lead(
        self, wires: Wires, rivals: kube.Rivals, renewing: asyncio.Task[None] | None
    ) -> None:
        """One term: until we are told to stop, or the lease is gone."""
        self._log.say("leading")
        self.metrics.set("is_leader", 1)
        term = self._term = Term(self.settings, wires, self._is_leader)
        running = asyncio.create_task(term.run())
        watching = asyncio.create_task(self._watch(rivals, term))
        try:
            await self._first(self._is_led_no_more(), renewing, running, watching)
            if self._stopping.is_set():
                await term.stop(seconds=STOP_SECONDS)
        finally:
            term.close()
            await _cancelled(watching)
            await _cancelled(running)
            self._term = None
            self.metrics.set("is_leader", 0)
            self.metrics.set("is_synced", 0)
        self._is_settled = not term.unanswered
        if not self._is_settled:
            self._log.warn("lease left to expire", unanswered=term.unanswered)
        elif not self._stopping.is_set():
            self._log.warn("lease lost")

    async def _stand_back(self) -> None:
        """What lies between two terms: what the last one knew is forgotten, and outlasted.

        A bind that was sent before the lease was lost may still be carried out, and who leads next
        does not know of it: should that be us, we begin as late as anybody else would.
        """
        if not self._stopping.is_set():
            await asyncio.sleep(0)  # so that what was cancelled has let go of it
            _forget_all()
        if self._is_settled or self._stopping.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings.longest_bind_seconds):
                await self._stopping.wait()
                return
        self._is_settled = True

    async def _first(self, wanted: Awaitable[None], *tasks: asyncio.Task[None] | None) -> None:
        """Returns when it is wanted or we are stopped; raises what any of the tasks raises."""
        waiting = [asyncio.ensure_future(wanted), asyncio.ensure_future(self._stopping.wait())]
        everything: list[asyncio.Future[Any]] = [
            *waiting,
            self._broken,
            *(task for task in tasks if task is not None),
        ]
        try:
            done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
        finally:
            for each in waiting:
                each.cancel()

    async def _is_led(self) -> None:
        if self._lease is not None:
            await self._lease.held()

    async def _is_led_no_more(self) -> None:
        if self._lease is None:
            await asyncio.Event().wait()
        else:
            await self._lease.lost()

    def _is_leader(self) -> bool:
        return self._lease.is_held if self._lease is not None else not self.settings.is_elected

    def _lease_of(self, wires: Wires) -> kube.Lease | None:
        if not self.settings.is_elected:
            return None
        identity = f"{socket.gethostname()}_{os.getpid()}_{os.urandom(4).hex()}"
        namespace, name = self._place()
        seconds = self.settings.lease._asdict()
        return kube.Lease(wires.http, namespace, name, identity, **seconds)

    def _place(self) -> tuple[str, str]:
        """Namespace and name of our Lease."""
        in_pod = client.in_cluster()
        own = in_pod.namespace if in_pod is not None else DEFAULT_NAMESPACE
        return self.settings.lock_namespace or own, self.settings.lock_name

    async def _refuse_beside(self, rivals: kube.Rivals) -> None:
        """Waits for the server, if it is not there yet, and then for nothing more."""
        found: tuple[kube.Rival, ...] | None = None
        while found is None and not self._stopping.is_set():
            try:
                found = await rivals.look()
            except errors.Unreachable as error:
                self._log.once("waiting for the API server", problem=error.problem)
                await asyncio.sleep(AGAIN_SECONDS)
        if found:
            first = found[0]
            place = f"{first.namespace}/{first.name}"
            raise errors.BadInput(
                f"{first.holder} holds the Lease {place}, so another scheduler serves"
                f" {first.name!r}",
                try_this=f"stop it, or name only what it does not serve: {self._names_but(found)}",
            )

    def _names_but(self, rivals: Iterable[kube.Rival]) -> str:
        taken = {rival.name for rival in rivals}
        free = [name for name in self.settings.scheduler_names if name not in taken]
        return " ".join(f"--scheduler-name {name}" for name in free or ("NAME",))

    async def _watch(self, rivals: kube.Rivals, term: Term) -> None:
        """Should one come later, we bind nothing for its name as long as it is there. Nothing is
        planned before the first look: one may have come while we waited for the lease."""
        known: dict[str, str] = {}
        while True:
            try:
                seen = await rivals.look()
            except errors.ClusterError as error:
                self._log.once("cannot look for other schedulers", problem=error.problem)
            else:
                found = {each.name: f"{each.namespace}/{each.name}" for each in seen}
                self.metrics.set("rivals", len(found))
                known = rivalry.told(self._log, known, found)
                self._tell_unseen(rivals.unseen)
                term.seen_rivals(found)
            await asyncio.sleep(RIVALS_EVERY_SECONDS if term.has_looked else AGAIN_SECONDS)

    def _tell_unseen(self, names: Iterable[str]) -> None:
        if told := ",".join(sorted(names)):
            remedy = "add these to resourceNames of leases in deploy/rbac.yaml"
            self._log.once("rivals cannot be seen", names=told, try_this=remedy)

    def _alive(self) -> str:
        return "broken" if self._broken.done() else ""

    def _ready(self) -> str:
        """Synced as leader and not blind since, or waiting for the lease."""
        term = self._term
        if self._broken.done():
            return "broken"
        if term is None:
            return self._stands_by()
        feed = term.feed
        if not feed.is_synced:
            return _listed("not synced", feed.troubles)
        if feed.lasting_troubles:
            return _listed("not followed for a minute", feed.lasting_troubles)
        return "" if term.has_looked else "cannot look for another scheduler of our names"

    def _stands_by(self) -> str:
        """A replica that waits for its turn is ready, as long as it can read whose turn it is."""
        if self._lease is None:
            return "not started yet"
        trouble = self._lease.trouble
        return f"the lease cannot be read: {trouble.problem}" if trouble is not None else ""

    def _fault(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What nobody awaits and went wrong. A promise that does not hold ends the process; a fault
        in one errand does not stop the others."""
        error = context.get("exception")
        self._log.warn("fault", problem=str(context.get("message")), error=_in_words(error))
        if isinstance(error, errors.Bug) and not self._broken.done():
            self._broken.set_exception(error)


def _forget_all() -> None:
    """Takes back the memory of a term that is over: what it had listed was hidden from Python's
    search for cycles, and its parts know each other. It may take a second: so it is done when the
    lease is gone, and not when it has come."""
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()


def main(settings: Settings) -> int:
    """Runs a process to its end; the exit code. What ends it otherwise is raised."""
    log = Log(sys.stderr, form=settings.log_format, verbosity=settings.verbosity)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_main(settings, log))
    return 0


async def _main(settings: Settings, log: Log) -> None:
    scheduler = Scheduler(settings, log)
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, scheduler.stop)
    try:
        await scheduler.run()
    except BaseExceptionGroup as group:
        raise _first_of(group) from group


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where there is one: it takes a fifth off the cost of a request."""
    try:
        import uvloop  # noqa: PLC0415 - there is none for every system
    except ImportError:
        return None
    return uvloop.new_event_loop


def _first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one that matters: a bug before what it brought about."""
    found = list(_leaves(group))
    return next((each for each in found if isinstance(each, errors.Bug)), found[0])


def _leaves(error: BaseException) -> Iterable[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for each in error.exceptions for leaf in _leaves(each)]


async def _cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task


def _counted(took: kube.Took) -> Counted:
    counts = dict(zip((*kube.BOUNDS, math.inf), took.counts, strict=True))
    return Counted((took.lane, took.outcome), counts, took.seconds)


def _listed(problem: str, troubles: Mapping[str, str]) -> str:
    told = "; ".join(f"{kind}: {why}" for kind, why in sorted(troubles.items()))
    return f"{problem}: {told}" if told else problem


def _in_words(error: BaseException | None) -> str:
    return "" if error is None else f"{type(error).__name__}: {error}"
