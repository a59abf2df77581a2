"""The state: objects in, as they come; columns and gangs out, when somebody plans.

One feed for a watch, a list, a file and the simulator. Nothing here waits, asks the time or tells
anybody; whatever is odd about an object becomes the reason of a gang or a note of the snapshot.
"""

from __future__ import annotations

from collections.abc import Collection

from fullcrew.model.offered import OWNED
from fullcrew.objects import Kind
from fullcrew.room import Snapshot, Start
from fullcrew.state.answers import Answers
from fullcrew.state.assuming import Assuming
from fullcrew.state.feed import Feed, Object
from fullcrew.state.making import Making
from fullcrew.state.pods import Pods
from fullcrew.state.settings import Settings

__all__ = ["State"]


class State:
    """All that is known of the cluster, and of the binds that are under way.

    `owned` are the names of schedulers that we serve; "" stands for a pod that names none.
    `answers` tell of gangs, pods and queues by their names.
    """

    def __init__(self, *, owned: Collection[str] = OWNED, default_queue: str = "default") -> None:
        settings = Settings(default_queue)
        pods = Pods(frozenset(owned), settings)
        self._pods, self._settings = pods, settings
        self._feed = Feed(pods, settings)
        self.answers = Answers(pods, settings, self._feed)
        self._making = Making(pods, settings)
        self._assuming = Assuming(pods, settings, self._making)

    @property
    def version(self) -> int:
        """Grows with every change that a plan could depend on; not with our own binds."""
        return self.answers.version

    def put(self, told: Object) -> None:
        """An object that was added or has changed, from a watch, a list or a file."""
        self._feed.put(told)

    def drop(self, told: Object) -> None:
        """An object that was deleted."""
        self._feed.drop(told)

    def begin(self, kind: Kind) -> None:
        """A list of this kind starts anew."""
        self._feed.begin(kind)

    def end(self, kind: Kind) -> None:
        """The list is complete: what was not put since it began is gone."""
        self._feed.end(kind)

    def assume(self, start: Start, *, generation: int) -> bool:
        """These pods are about to be bound: their room is taken from now on. False, and nothing is
        changed, where any of what the plan read is stale. `generation` is its snapshot's."""
        return self._assuming.assume(start, generation)

    def holds(self, pod: str, uid: str) -> bool:
        """Asked right before a bind: it is still assumed, and its node and queue can hold it."""
        return self._assuming.holds(pod, uid)

    def forget(self, pod: str, uid: str) -> None:
        """The assumed bind will not happen."""
        self._assuming.forget(pod, uid)

    def moved(self, pod: str, uid: str, node: str) -> None:
        """The pod is bound elsewhere than assumed."""
        self._assuming.moved(pod, uid, node)

    def snapshot(self, now: int) -> Snapshot:
        """The moment as the core reads it. It shows no later change, so another thread may read
        it; what did not change since the last one is the same object."""
        return self._making.snapshot(now)
