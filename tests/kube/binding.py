"""What tests of the binder share: starts, a witness that writes down, and a run in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

import virtual_time
from kube.server import FakeApi

from fullcrew.kube import Binder, Flow, Launching, Pace, Resource
from fullcrew.launch import Answer, Launch, Patience, Rest, Terms
from fullcrew.model.gang import Gang
from fullcrew.objects import Kind
from fullcrew.room import Binding, Start

VOLCANO = Kind("scheduling.volcano.sh", "PodGroup")
RESOURCES = {VOLCANO: Resource(VOLCANO, "v1beta1", "podgroups", is_namespaced=True)}
GROUPS = "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups"
TIMEOUT = 5.0


def launching(
    gang: str = "ns/g", *, pods: int = 1, grouped: bool = False, plan: str = "plan"
) -> Launching:
    """A gang of pods g-0, g-1, ... that needs them all, each on the node n0, n1, ..."""
    name = gang.partition("/")[2]
    bindings = tuple(Binding(f"ns/{name}-{n}", f"uid-{name}-{n}", f"n{n}") for n in range(pods))
    planned = Gang(gang, "volcano" if grouped else "single", "q", pods, 0, 0, ())
    terms = Terms(pods, (), "q") if grouped else None
    return Launching(Start(planned, bindings, pods), terms, VOLCANO if grouped else None, plan)


def growth(gang: str, pods: str, *, plan: str = "plan") -> Launching:
    """One more pod, named after another gang, for a gang that needs it no more."""
    start = replace(launching(gang).start, bindings=launching(pods).start.bindings, minimum=0)
    return Launching(start, None, None, plan)


@dataclass
class Books:
    """A witness: everything that it was told, in words and in order."""

    log: list[str] = field(default_factory=list)
    denied: set[str] = field(default_factory=set)
    answers: list[tuple[str, str, str]] = field(default_factory=list)
    over_for: list[Launch] = field(default_factory=list)
    rests: list[Rest] = field(default_factory=list)

    def may_send(self, pod: str, uid: str) -> bool:
        return pod not in self.denied and uid not in self.denied

    def bound(self, gang: str, pod: str, uid: str, node: str) -> None:
        self.log.append(f"{gang}: {pod} ({uid}) bound to {node}")

    def answered(self, gang: str, asked: str, answer: Answer) -> None:
        self.answers.append((gang, asked, str(answer.outcome.name)))

    def forget(self, gang: str, pod: str, uid: str) -> None:
        self.log.append(f"{gang}: {pod} ({uid}) forgotten")

    def moved(self, gang: str, pod: str, uid: str, node: str) -> None:
        self.log.append(f"{gang}: {pod} ({uid}) moved to {node}")

    def rest(self, gang: str, rest: Rest) -> None:
        self.log.append(f"{gang}: rests, {rest.reason.kind}")
        self.rests.append(rest)

    def over(self, gang: str, launched: Launch) -> None:
        self.log.append(f"{gang}: {launched.phase}")
        self.over_for.append(launched)


@dataclass
class Scene:
    """A server with pods for these gangs, a binder in front of it, and its books."""

    api: FakeApi = field(default_factory=FakeApi)
    books: Books = field(default_factory=Books)
    resources: Mapping[Kind, Resource] = field(default_factory=lambda: RESOURCES)
    may_bind: bool = True
    limit: int = 64
    problems: list[str] = field(default_factory=list)

    def pods_for(self, *launchings: Launching) -> None:
        """The pods of these, and the groups."""
        for each in launchings:
            for binding in each.start.bindings:
                self.api.add_pod(binding.pod, binding.uid)
            if each.terms is not None:
                name = each.start.gang.title.partition("/")[2]
                spec = {"minMember": each.terms.minimum, "queue": each.terms.queue}
                self.api.add(f"{GROUPS}/{name}", {"metadata": {"name": name}, "spec": spec})

    def play(self, scenario: Callable[[Binder], Awaitable[None]]) -> None:
        """In virtual time, until every launch is over or an hour has passed."""
        virtual_time.run(self._run(scenario))

    def carry_out(self, *launchings: Launching) -> list[str]:
        """All of these in one plan; what the books say then."""

        async def scenario(binder: Binder) -> None:
            binder.launch(launchings)

        self.pods_for(*launchings)
        self.play(scenario)
        return self.books.log

    async def _run(self, scenario: Callable[[Binder], Awaitable[None]]) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, told: self.problems.append(str(told["message"])))
        flow = Flow(self.api, pace=Pace(start=self.limit))
        patience = Patience(request_seconds=TIMEOUT)
        binder = Binder(
            flow, self.resources, self.books, patience=patience, may_bind=lambda: self.may_bind
        )
        await scenario(binder)
        await asyncio.wait_for(binder.idle(), 3600)
        binder.close()
        await flow.close()
