"""Follows one collection of the API server in a thread, without a gap."""

from __future__ import annotations

import threading
from collections.abc import Callable

from real.api import Api, ApiRefused, Object, Watch

LISTED = "LISTED"  # it was there before we came; the other words are the server's own
READY_SECONDS = 30
ASK_AGAIN_SECONDS = 0.1  # for a collection that is not served yet


class Gap(Exception):
    """Changes were missed, so that what was told is not the whole history."""


class Follower:
    """Tells every object that is there, then every change, in the server's order.

    `told` is called with LISTED, ADDED, MODIFIED or DELETED and the object, always from the
    follower's own thread. A collection that the server does not know is empty until it does.
    """

    def __init__(self, api: Api, path: str, told: Callable[[str, Object], None]) -> None:
        self._api = api
        self.path = path
        self._told = told
        self._thread = threading.Thread(target=self._run, name=path, daemon=True)
        self._is_ready = threading.Event()
        self._is_stopped = threading.Event()
        self._watch: Watch | None = None
        self._pause = 0.0
        self.problem: Exception | None = None

    def start(self) -> None:
        """Returns when all that was there has been told."""
        self._thread.start()
        if not self._is_ready.wait(READY_SECONDS):
            raise Gap(f"{self.path} was not listed in {READY_SECONDS} s")
        self.check()

    def stop(self) -> None:
        """Ends the thread."""
        self._is_stopped.set()
        if self._watch is not None:
            self._watch.close()
        self._thread.join()

    def listed_now(self) -> list[Object]:
        """What the server has at this moment; nothing if it does not know the collection."""
        try:
            return self._api.list(self.path).items
        except ApiRefused as refused:
            if refused.code != 404:
                raise
            return []

    def check(self) -> None:
        """Raises what ended the following, if it ended."""
        if self.problem is not None:
            raise self.problem

    def _run(self) -> None:
        try:
            while not self._is_stopped.wait(self._pause):
                self._follow_if_known()
        except Exception as error:
            self.problem = error
        finally:
            self._is_ready.set()

    def _follow_if_known(self) -> None:
        try:
            self._follow()
        except ApiRefused as refused:
            if refused.code != 404:
                raise
            self._is_ready.set()
            self._pause = ASK_AGAIN_SECONDS

    def _follow(self) -> None:
        listed = self._api.list(self.path)
        for item in listed.items:
            self._told(LISTED, item)
        revision, is_fresh = listed.revision, True
        while not self._is_stopped.is_set():  # once for each time that the server ends the watch
            self._watch = self._begun(revision)
            self._is_ready.set()
            if self._is_stopped.is_set():  # `stop` may have come before there was a watch
                self._watch.close()
            is_first = True  # of this watch
            for event in self._watch:
                if event["type"] == "ERROR" and (is_fresh or (is_first and self._may_be_remade)):
                    return  # the store is younger than our list, or than our last watch
                revision, is_fresh, is_first = self._understood(event), False, False

    @property
    def _may_be_remade(self) -> bool:
        """Whether the whole kind may be taken away and made anew, with all its history."""
        return not self.path.startswith("/api/")

    def _begun(self, revision: str) -> Watch:
        while True:
            try:
                return self._api.watch(self.path, revision)
            except ApiRefused as refused:
                if refused.code != 429:  # it is busy; with a kind that is new, for a while
                    raise
            self._is_stopped.wait(ASK_AGAIN_SECONDS)

    def _understood(self, event: Object) -> str:
        """Tells one event; returns the revision after it."""
        changed: Object = event["object"]
        if event["type"] == "ERROR":
            raise Gap(f"{self.path}: {changed.get('message')}")
        if event["type"] != "BOOKMARK":
            self._told(event["type"], changed)
        revision: str = changed["metadata"]["resourceVersion"]
        return revision
