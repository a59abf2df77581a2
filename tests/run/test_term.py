"""A term begins with reading everything; what keeps it from that is told again and again."""

from __future__ import annotations

import asyncio
import gc
import io
from typing import cast

import given
import virtual_time
from run.playing import Playing
from run.quiet import Quiet

from fullcrew import kube
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.settings import Settings
from fullcrew.run.term import UNSYNCED_SECONDS, Term, Wires


async def led(api: Playing, *, seconds: float) -> tuple[list[str], bool]:
    """The log after so long, and whether Python looks for cycles then."""
    stream = io.StringIO()
    http = cast("kube.Http", Quiet(api))
    flow = kube.Flow(http)
    term = Term(Settings(), Wires(http, flow, Log(stream), Metrics()), lambda: True)
    running = asyncio.create_task(term.run())
    await asyncio.sleep(seconds)
    is_looking = gc.isenabled()
    running.cancel()
    await asyncio.wait([running])
    await flow.close()
    gc.unfreeze()
    return stream.getvalue().splitlines(), is_looking


def test_a_leader_that_cannot_read_the_cluster_says_so_once_a_minute() -> None:
    api = Playing()
    api.put(given.node("n"))
    api.fail("GET /api/v1/nodes", *[kube.Reply(403, b"{}")] * 100_000)

    log, is_looking = virtual_time.run(led(api, seconds=2.5 * UNSYNCED_SECONDS))

    told = [line for line in log if "leads without having read the cluster" in line]
    assert len(told) == 2
    assert "Node" in told[0]
    assert is_looking


def test_a_leader_that_has_read_the_cluster_says_that_alone() -> None:
    api = Playing()
    api.put(given.node("n"))

    log, is_looking = virtual_time.run(led(api, seconds=2.5 * UNSYNCED_SECONDS))

    assert any("synced" in line for line in log)
    assert not any("without" in line for line in log)
    assert is_looking
