"""Lists and watches over a socket, as a server may serve, refuse and cut them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest
from kube.server import FakeApi, serving, status

from fullcrew import errors, kube, objects
from fullcrew.kube import Listed, Reply, ServerSource, follow

PODS = kube.Resource(objects.Pod.KIND, "v1", "pods", is_namespaced=True)
LIST = "GET /api/v1/pods?limit"
WATCH = "watch=true"


@asynccontextmanager
async def source(
    api: FakeApi, *, streams: bool = False
) -> AsyncIterator[ServerSource[objects.Pod]]:
    async with serving(api) as http:
        yield ServerSource(http, PODS, objects.Decoder(objects.Pod), streams=streams)


def with_pods(count: int, **settings: object) -> FakeApi:
    api = FakeApi(**settings)  # type: ignore[arg-type]
    for number in range(count):
        api.add_pod(f"ns/p{number}")
    return api


async def whole(source: ServerSource[objects.Pod], *, changes: int = 0) -> list[str]:
    """Names that are told up to the end of a list, and so many changes after it."""
    names: list[str] = []
    async with aclosing(follow(source)) as stream:
        async for part in stream:
            if isinstance(part, Listed):
                names = [] if part.is_first else names
                names += [each.metadata.name for each in part.objects]
            else:
                names += [e.object.metadata.name for e in part if isinstance(e.object, objects.Pod)]
                changes -= len(part)
            if changes <= 0 and (not isinstance(part, Listed) or part.is_last):
                return names
    return names


async def test_all_pages_make_one_list() -> None:
    async with source(api := with_pods(5, page_limit=2)) as listed:
        assert await whole(listed) == ["p0", "p1", "p2", "p3", "p4"]

    assert [wish.path.partition("?")[2] for wish in api.heard] == [
        "limit=500",
        "limit=500&continue=2",
        "limit=500&continue=4",
    ]


async def test_where_a_watch_tells_everything_there_is_no_list() -> None:
    async with source(api := with_pods(3, tells_all=True), streams=True) as told:
        assert await whole(told) == ["p0", "p1", "p2"]

    [wish] = api.heard
    assert "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" in wish.path
    assert "resourceVersion=" not in wish.path


async def test_a_server_that_does_not_know_that_way_is_asked_for_pages() -> None:
    async with source(api := with_pods(1), streams=True) as told:
        assert await whole(told) == ["p0"]
        assert not told.tells_all
        assert told.trouble is None

    assert len(api.heard) == 2


async def test_a_token_that_expires_between_pages_leads_to_a_list_in_one_piece() -> None:
    api = with_pods(5, page_limit=2)
    api.fail("continue=2", Reply(410, status(410, "Expired")))

    async with source(api) as listed:
        api.page_limit = 2
        assert await whole(listed) == ["p0", "p1", "p2", "p3", "p4"]

    assert api.heard[2].path == "/api/v1/pods"


async def test_changes_follow_the_list_at_its_revision() -> None:
    async with source(api := with_pods(1)) as followed:
        waiting = asyncio.ensure_future(whole(followed, changes=1))
        while len(api.heard) < 2:
            await asyncio.sleep(0)
        api.add_pod("ns/new")
        assert await waiting == ["p0", "new"]

    assert "resourceVersion=101" in api.heard[1].path
    assert "allowWatchBookmarks=true" in api.heard[1].path


async def test_a_line_cut_in_the_middle_is_told_again() -> None:
    api = with_pods(1)
    pod = {"metadata": {"name": "cut", "namespace": "ns", "resourceVersion": "102"}}
    half = json.dumps({"type": "ADDED", "object": pod}).encode()[:-9]
    api.fail(WATCH, Reply(200, half))

    async with source(api) as followed:
        waiting = asyncio.ensure_future(whole(followed, changes=1))
        while len(api.heard) < 2:
            await asyncio.sleep(0)
        api.add_pod("ns/cut")
        assert await waiting == ["p0", "cut"]

    assert "resourceVersion=101" in api.heard[2].path


@pytest.mark.parametrize(
    "forgotten",
    [
        Reply(410, status(410, "Gone")),
        Reply(200, b'{"type":"ERROR","object":' + status(410, "Expired") + b"}\n"),
        Reply(200, b"<html>\n"),
    ],
)
async def test_a_server_that_forgot_us_is_listed_anew(forgotten: Reply) -> None:
    api = with_pods(1)
    api.fail(WATCH, forgotten)

    async with source(api) as followed, aclosing(follow(followed)) as stream:
        firsts = 0
        async for part in stream:
            firsts += isinstance(part, Listed) and part.is_first
            if firsts == 2:
                break

    assert sum("limit=" in wish.path for wish in api.heard) == 2


async def test_what_the_server_refuses_is_told_as_trouble_until_it_passes() -> None:
    api = with_pods(1)
    api.fail(LIST, Reply(403, status(403)))

    async with source(api) as followed:
        waiting = asyncio.ensure_future(whole(followed))
        while followed.trouble is None:
            await asyncio.sleep(0)
        assert isinstance(followed.trouble, errors.Forbidden)
        assert await waiting == ["p0"]
        assert followed.trouble is None


async def test_lists_and_watches_are_narrowed_alike() -> None:
    async with serving(api := with_pods(1)) as http:
        query = {"fieldSelector": "spec.nodeName!="}
        decoder = objects.Decoder(objects.Pod)
        narrow = ServerSource(http, PODS, decoder, streams=False, query=query)
        waiting = asyncio.ensure_future(whole(narrow, changes=1))
        while len(api.heard) < 2:
            await asyncio.sleep(0)
        waiting.cancel()

    assert all("fieldSelector=spec.nodeName%21%3D" in wish.path for wish in api.heard)
