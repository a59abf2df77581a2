"""The ceiling: a client that has nothing to decide.

    python -m tools.e2e.bare fill KUBECONFIG SCRIPT     pods, nodes and statuses stand in SCRIPT
    python -m tools.e2e.bare react KUBECONFIG NODES     each new pod goes to the next node

It holds one pod watch, as a scheduler must, and decodes it; it knows all answers; it writes the
same kinds and counts of binds and statuses. It begins at SIGUSR1, and tells on standard output, as
lines of `WORD UNIX-SECONDS`, when it was ready, released, and done.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from itertools import count
from pathlib import Path

import msgspec
import uvloop

from tools.e2e import shapes
from tools.e2e.measuring import Event
from tools.e2e.wire import Wire, Write

CONNECTIONS = 32
_EVERY_POD = "/api/v1/pods?watch=1&allowWatchBookmarks=true"


class Script(msgspec.Struct):
    """What is to be written, in this order: first all binds, then what is told of them."""

    binds: list[tuple[str, str, str]]  # pod, uid, node
    statuses: list[Write]


async def fill(kubeconfig: Path, script: Script) -> None:
    """Binds what is there, then tells."""
    async with Wire(kubeconfig, connections=CONNECTIONS) as wire:
        watching = asyncio.ensure_future(_watch(wire, None))
        await _released()
        await wire.send_all(_binding(*bind) for bind in script.binds)
        _say("bound")
        await wire.send_all(script.statuses)
        _say("done")
        await watching  # it is looked at until somebody ends it


async def react(kubeconfig: Path, nodes: int) -> None:
    """Binds what comes, each pod at once, until it is ended."""
    async with Wire(kubeconfig, connections=CONNECTIONS) as wire:
        coming: asyncio.Queue[Event] = asyncio.Queue()
        watching = asyncio.ensure_future(_watch(wire, coming))
        await _released()
        number = count()
        while not watching.done():
            pod = (await coming.get()).object
            if not pod.spec.nodeName:
                node = shapes.node_name(next(number) % nodes)
                bind = _binding(pod.metadata.name, pod.metadata.uid, node)
                sending = asyncio.ensure_future(wire.send(bind))
                sending.add_done_callback(lambda done: done.result())


async def _watch(wire: Wire, coming: asyncio.Queue[Event] | None) -> None:
    decoder = msgspec.json.Decoder(Event)
    async for line in wire.lines(_EVERY_POD):
        event = decoder.decode(line)
        if coming is not None and event.type == "ADDED":
            coming.put_nowait(event)


async def _released() -> None:
    released = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, released.set)
    _say("ready")
    await released.wait()
    _say("released")


def _binding(pod: str, uid: str, node: str) -> Write:
    # Stamped as the scheduler's own are, for the server copies the stamps onto the pod.
    stamps = {"fullcrew.io/plan": "0123456789abcdef", "fullcrew.io/minimum": "1"}
    metadata = {"name": pod, "namespace": shapes.NAMESPACE, "uid": uid, "annotations": stamps}
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
    return Write("POST", f"{shapes.PODS}/{pod}/binding", msgspec.json.encode(body))


def _say(word: str) -> None:
    sys.stdout.write(f"{word} {time.time():.6f}\n")
    sys.stdout.flush()


def main() -> None:
    """One of the two modes."""
    mode, kubeconfig, more = sys.argv[1:]
    if mode == "fill":
        script = msgspec.json.decode(Path(more).read_bytes(), type=Script)
        uvloop.run(fill(Path(kubeconfig), script))
    else:
        uvloop.run(react(Path(kubeconfig), int(more)))


if __name__ == "__main__":
    main()
