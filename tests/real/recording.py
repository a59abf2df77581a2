"""Writes down what happens in a cluster, for the promises are judged on the way there and not on
the end state alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic

from real import history
from real.api import Api, Object
from real.arranging import GROUPS
from real.following import Follower
from real.history import Happened

WATCHED = (
    history.NODES,
    history.NAMESPACES,
    history.PODS,
    *(f"{group}/{plural}" for group in GROUPS for plural in ("podgroups", "queues")),
)
_GATHER_SECONDS = 0.02


Key = tuple[str, str, str]  # collection, namespace, name


class Recorder:
    """Every event of nodes, namespaces, pods, groups and queues, with its revision and the moment
    at which we heard of it. `now` holds the latest of each object."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._changed = threading.Condition()
        self._events: list[Happened] = []
        self.now: dict[Key, Object] = {}
        self._followers = [Follower(api, path, self._writer(path)) for path in WATCHED]

    def start(self) -> None:
        """Returns when what was there before stands in the record."""
        for follower in self._followers:
            follower.start()

    def stop(self) -> None:
        """Ends the record."""
        for follower in self._followers:
            follower.stop()

    def history(self) -> list[Happened]:
        """All that has happened, in the order of the server's revisions. Waits until the record
        holds what the server has now; what goes on changing meanwhile is asked for again."""
        for follower in self._followers:
            self._catch_up(follower)
        with self._changed:
            return sorted(self._events, key=lambda event: event.revision)

    def until(
        self,
        is_so: Callable[[dict[Key, Object]], bool],
        *,
        seconds: float,
    ) -> None:
        """Waits until the question about `now` is answered with yes. It is asked fifty times a
        second at most, so that it may look at many objects."""
        ends_at = monotonic() + seconds
        with self._changed:
            while not is_so(self.now):
                for follower in self._followers:
                    follower.check()
                if monotonic() > ends_at:
                    raise TimeoutError(f"not so within {seconds} s")
                self._changed.wait(_GATHER_SECONDS)

    @contextmanager
    def still(self) -> Iterator[dict[Key, Object]]:
        """`now`, which stays as it is until the block ends."""
        with self._changed:
            yield self.now

    def pods(self, namespace: str = "") -> list[Object]:
        """The pods of one namespace, or of all, as they are now."""
        with self._changed:
            return [
                item
                for (path, space, _), item in self.now.items()
                if path == history.PODS and namespace in {"", space}
            ]

    def _catch_up(self, follower: Follower) -> None:
        for is_last in (*[False] * 30, True):
            try:
                self.until(partial(_agrees, follower.path, follower.listed_now()), seconds=1)
            except TimeoutError:
                if is_last:
                    raise
            else:
                return

    def _writer(self, path: str) -> Callable[[str, Object], None]:
        def write(what: str, changed: Object) -> None:
            event = Happened(path, what, changed, monotonic())
            metadata = changed["metadata"]
            metadata.pop("managedFields", None)
            key = (path, metadata.get("namespace", ""), metadata["name"])
            with self._changed:
                self._events.append(event)
                if what == "DELETED":
                    self.now.pop(key, None)
                else:
                    self.now[key] = changed
                self._changed.notify_all()

        return write


@contextmanager
def recorded(api: Api) -> Iterator[Recorder]:
    """A record of all that happens meanwhile."""
    recorder = Recorder(api)
    recorder.start()
    try:
        yield recorder
    finally:
        recorder.stop()


def _agrees(path: str, listed: Sequence[Object], now: Mapping[Key, Object]) -> bool:
    """Whether the record of one collection is as the server listed it."""
    there = {(path, *_name(item)): item["metadata"]["resourceVersion"] for item in listed}
    ours = {key: item["metadata"]["resourceVersion"] for key, item in now.items() if key[0] == path}
    return there == ours


def _name(item: Object) -> tuple[str, str]:
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]
