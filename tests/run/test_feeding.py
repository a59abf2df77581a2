"""Every kind that is served is followed; what is gone is forgotten, but not for one bad look."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import cast

import given
import virtual_time
from run.playing import Playing
from run.quiet import CUT_SECONDS, Quiet

from fullcrew import kube
from fullcrew.objects import Kind
from fullcrew.run.feeding import LOOK_AGAIN_SECONDS, LOOK_TWICE_SECONDS, Feed
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.state import State

GROUP = Kind("scheduling.volcano.sh", "PodGroup")


class Scene:
    """A feed of a quiet cluster with one group, and what it fed."""

    def __init__(self, api: Playing) -> None:
        self.api = api
        self.http = Quiet(api)
        self.state = State(owned=frozenset({"fullcrew"}), default_queue="default")
        self.stream = io.StringIO()
        log = Log(self.stream)
        http = cast("kube.Http", self.http)
        self.feed = Feed(http, self.state, log, Metrics(), lambda: None)

    @property
    def has_group(self) -> bool:
        """Whether the state knows of it yet."""
        return self.state.answers.group("default/job") is not None


def fed(scenario: Callable[[Scene], Awaitable[None]]) -> None:
    """Runs it, once all has been told."""

    async def run() -> None:
        api = Playing()
        api.put(given.node("n"), given.pod_group("job", 1), given.pod("p", given.in_group("job")))
        scene = Scene(api)
        running = asyncio.create_task(scene.feed.run())
        await scene.feed.synced()
        await scenario(scene)
        running.cancel()
        await asyncio.wait([running])

    virtual_time.run(run())


def test_one_look_that_misses_a_kind_forgets_nothing() -> None:
    async def scenario(scene: Scene) -> None:
        assert scene.has_group
        scene.api.has_groups = False
        await asyncio.sleep(LOOK_AGAIN_SECONDS + 1)
        assert scene.has_group
        scene.api.has_groups = True
        await asyncio.sleep(10 * LOOK_TWICE_SECONDS)
        assert scene.has_group
        assert GROUP in scene.feed.resources

    fed(scenario)


def test_a_kind_that_two_looks_in_a_row_miss_is_gone() -> None:
    async def scenario(scene: Scene) -> None:
        scene.api.has_groups = False
        await asyncio.sleep(LOOK_AGAIN_SECONDS + LOOK_TWICE_SECONDS + 1)
        assert not scene.has_group
        assert GROUP not in scene.feed.resources

    fed(scenario)


def test_a_kind_whose_watch_says_so_too_is_gone_at_once() -> None:
    async def scenario(scene: Scene) -> None:
        scene.http.refusals["podgroups"] = 404
        scene.api.fail("GET /apis/scheduling.volcano.sh", *[kube.Reply(404, b"{}")] * 10_000)
        scene.api.has_groups = False
        await asyncio.sleep(LOOK_AGAIN_SECONDS + 1)
        assert not scene.has_group

    fed(scenario)


def test_a_watch_that_is_open_and_quiet_is_no_trouble() -> None:
    async def scenario(scene: Scene) -> None:
        await asyncio.sleep(3600)
        assert (dict(scene.feed.troubles), dict(scene.feed.lasting_troubles)) == ({}, {})

    fed(scenario)


def test_what_cannot_be_followed_for_a_minute_is_lasting_trouble() -> None:
    async def scenario(scene: Scene) -> None:
        scene.http.refusals["nodes"] = 403
        await asyncio.sleep(CUT_SECONDS + 30)
        assert list(scene.feed.troubles) == ["Node"]
        assert scene.feed.lasting_troubles == {}
        await asyncio.sleep(CUT_SECONDS + 20)
        assert list(scene.feed.lasting_troubles) == ["Node"]
        scene.http.refusals.clear()
        await asyncio.sleep(30)
        assert (dict(scene.feed.troubles), dict(scene.feed.lasting_troubles)) == ({}, {})

    fed(scenario)
