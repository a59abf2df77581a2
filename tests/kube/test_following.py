"""Following goes on after every way in which a server or a network can end a stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest

from fullcrew import errors, objects
from fullcrew.kube import Listed, follow
from fullcrew.kube.following import CUT_SHORT, REFUSALS
from fullcrew.kube.watching import Ended
from fullcrew.objects.decoding import Event

Played = bytes | errors.FullcrewError | None


def line(word: str, name: str, revision: int, *, is_end: bool = False) -> bytes:
    annotations = {"k8s.io/initial-events-end": "true"} if is_end else {}
    metadata = {"name": name, "resourceVersion": str(revision), "annotations": annotations}
    return json.dumps({"type": word, "object": {"metadata": metadata}}).encode() + b"\n"


GONE = b'{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}\n'
CUT = errors.Unreachable("https://10.0.0.1", problem="cut")


class Script:
    """A server that plays what it was given, one entry a connection or a list."""

    def __init__(self, *connections: Played, lists: list[Played] | None = None) -> None:
        self.decoder = objects.Decoder(objects.Pod)
        self.connections = list(connections)
        self.lists = lists or []
        self.tells_all = False
        self.asked: list[str] = []
        self.pauses: list[Ended | None] = []

    async def list(self) -> AsyncGenerator[tuple[tuple[objects.Pod, ...], str], None]:
        self.asked.append("list")
        played = self.lists.pop(0) if self.lists else None
        yield (objects.Pod(metadata=objects.ObjectMeta(name="l")),), "10"
        if isinstance(played, Exception):
            raise played
        yield (), "10"

    async def watch(self, since: str) -> AsyncGenerator[bytes, None]:
        self.asked.append(since)
        if not self.connections:
            raise errors.Bug("the script is at its end")
        played = self.connections.pop(0)
        if isinstance(played, Exception):
            raise played
        if played is not None:
            yield played

    async def pause(self, after: Ended | None) -> None:
        self.pauses.append(after)


def told(part: Listed[objects.Pod] | list[Event[objects.Pod]]) -> str:
    if isinstance(part, Listed):
        names = ",".join(each.metadata.name for each in part.objects)
        return f"{'first ' * part.is_first}{names}{' last' * part.is_last}"
    named = ((e.type, e.object) for e in part)
    return " ".join(f"{word} {o.metadata.name}" for word, o in named if isinstance(o, objects.Pod))


def followed(server: Script) -> list[str]:
    """What is told until the script is at its end."""

    async def scenario() -> list[str]:
        parts: list[str] = []
        with suppress(errors.Bug):
            async for part in follow(server):
                parts.append(told(part))  # noqa: PERF401 - what was told before the end counts
        return parts

    return asyncio.run(scenario())


ALL = ["first l", "", " last"]


def test_it_lists_then_tells_each_read_of_a_watch_as_one_list() -> None:
    server = Script(line("ADDED", "a", 11) + line("DELETED", "a", 12))

    assert followed(server) == [*ALL, "ADDED a DELETED a"]


def test_after_a_cut_it_goes_on_at_the_revision_that_was_told_last() -> None:
    first = line("ADDED", "a", 11) + b'{"type": "ADD'
    server = Script(first, CUT, line("ADDED", "b", 12))

    assert followed(server) == [*ALL, "ADDED a", "ADDED b"]
    assert server.asked == ["list", "10", "11", "11", "12"]


@pytest.mark.parametrize("end", [GONE, b"<html>\n", errors.Refused(410, "too old")])
def test_when_the_server_forgot_us_all_is_told_anew(end: Played) -> None:
    server = Script(line("ADDED", "a", 11), end, line("ADDED", "b", 12))

    assert followed(server) == [*ALL, "ADDED a", *ALL, "ADDED b"]


def test_a_busy_server_is_asked_again_at_the_same_revision() -> None:
    busy = errors.Refused(429, "slow down")
    server = Script(busy, errors.Refused(503, "starting"), line("ADDED", "a", 11))

    assert followed(server) == [*ALL, "ADDED a"]
    assert server.asked[:4] == ["list", "10", "10", "10"]


def test_a_watch_that_is_refused_again_and_again_leads_to_a_list() -> None:
    refusals = [errors.Refused(504, "revision too large")] * REFUSALS
    server = Script(*refusals, line("ADDED", "a", 11))

    assert followed(server) == [*ALL, *ALL, "ADDED a"]


@pytest.mark.parametrize(
    "broken", [CUT, errors.Refused(410, "expired"), errors.BadManifest("no", try_this="again")]
)
def test_a_list_that_broke_off_is_begun_again(broken: errors.FullcrewError) -> None:
    server = Script(line("ADDED", "a", 11), lists=[broken])

    assert followed(server) == ["first l", *ALL, "ADDED a"]
    assert server.pauses[0] is not None


class Telling(Script):
    """A server that tells everything by a watch."""

    def __init__(self, *connections: Played) -> None:
        super().__init__(*connections)
        self.tells_all = True


END = line("BOOKMARK", "", 20, is_end=True)


def test_what_a_watch_tells_before_its_mark_is_a_list() -> None:
    both = line("ADDED", "b", 7) + END + line("MODIFIED", "a", 21)
    server = Telling(line("ADDED", "a", 12) + both)

    assert followed(server) == ["first a,b last", "MODIFIED a"]


def test_what_is_deleted_while_all_is_told_is_told_as_deleted() -> None:
    server = Telling(line("ADDED", "a", 5) + line("DELETED", "a", 19) + END)

    assert followed(server) == ["first a", "DELETED a", " last"]


def test_a_watch_that_was_cut_before_its_mark_begins_again_from_the_start() -> None:
    server = Telling(line("ADDED", "a", 5), line("ADDED", "a", 5) + END)

    assert followed(server) == ["first a", "first a last"]
    assert server.asked[:2] == ["", ""]
    assert server.pauses[0] is not None
    assert server.pauses[0].code == CUT_SHORT


def test_after_its_mark_a_cut_watch_goes_on() -> None:
    server = Telling(END, line("ADDED", "b", 21))

    assert followed(server) == ["first  last", "ADDED b"]
    assert server.asked == ["", "20", "21"]
