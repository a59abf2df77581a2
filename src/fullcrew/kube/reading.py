"""What is read from the server before and after a bind: pods as they stand, groups as terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from fullcrew import client, errors, launch
from fullcrew.kube.http import Reply
from fullcrew.launch import Answer, Outcome, PodSeen, Sight, TermsSeen
from fullcrew.objects.decoding import Decoder, Faulty
from fullcrew.objects.group import PodGroup
from fullcrew.objects.kinds import KINDS
from fullcrew.objects.metadata import Kind
from fullcrew.objects.shape import Shape

__all__ = ["GroupPage", "Groups", "answer_in", "pod_seen"]

_DONE: Final = Answer(Outcome.DONE)
_EXPIRED = 410


class _Metadata(Shape, frozen=True):
    uid: str = ""
    deletion_timestamp: str = ""


class _Spec(Shape, frozen=True):
    node_name: str = ""


class _Status(Shape, frozen=True):
    phase: str = ""


class _Pod(Shape, frozen=True):
    metadata: _Metadata
    spec: _Spec = _Spec()
    status: _Status = _Status()


_POD: Final = msgspec.json.Decoder(_Pod)


def answer_in(reply: Reply) -> Answer:
    """A reply as the launch understands it."""
    code = reply.code
    if 200 <= code < 300:
        return _DONE
    said = client.refusal(reply.body)
    after = max(reply.after_seconds, said.after_seconds)
    return launch.answer_of(code, words=said.message, cause=said.cause, after_seconds=after)


def pod_seen(reply: Reply, uid: str) -> PodSeen:
    """How a pod of this uid stands. One that is bound is told as bound though it is leaving: it
    takes room there until it is gone, and what we watch tells the rest."""
    if reply.code == 404:
        return PodSeen(Sight.GONE)
    if reply.code != 200:
        return PodSeen(Sight.UNKNOWN)
    try:
        pod = _POD.decode(reply.body)
    except msgspec.MsgspecError:
        return PodSeen(Sight.UNKNOWN)
    if pod.metadata.uid != uid or pod.status.phase in {"Succeeded", "Failed"}:
        return PodSeen(Sight.GONE)
    if pod.spec.node_name:
        return PodSeen(Sight.BOUND, pod.spec.node_name)
    return PodSeen(Sight.GONE if pod.metadata.deletion_timestamp else Sight.WAITING)


class GroupPage(NamedTuple):
    """Some groups of a namespace by name. `more` is the token for the next page, `rest` how many
    groups follow there, if the server says so."""

    found: Mapping[str, TermsSeen]
    more: str
    answer: Answer = _DONE  # anything else: nobody knows what is there
    rest: int = 0


class Groups:
    """Reads replies about groups of any dialect."""

    def __init__(self) -> None:
        self._decoders: dict[Kind, Decoder[PodGroup]] = {}

    def one(self, kind: Kind, reply: Reply) -> TermsSeen:
        """The answer to a GET of one group."""
        if reply.code != 200:
            return TermsSeen(None, answer_in(reply))
        told = self._decoder(kind).one(reply.body)
        return _terms_seen(told)

    def page(self, kind: Kind, reply: Reply) -> GroupPage:
        """The answer to a LIST. A token that expired between pages only means to ask again."""
        if reply.code == _EXPIRED:
            return GroupPage({}, "", Answer(Outcome.UNKNOWN, "the list expired", _EXPIRED))
        if reply.code != 200:
            return GroupPage({}, "", answer_in(reply))
        try:
            page = self._decoder(kind).page(reply.body)
        except errors.BadManifest as bad:
            return GroupPage({}, "", Answer(Outcome.UNKNOWN, bad.problem, reply.code))
        found = {told.metadata.name: _terms_seen(told) for told in page.items}
        return GroupPage(found, page.metadata.go_on, rest=page.metadata.remaining_item_count)

    def _decoder(self, kind: Kind) -> Decoder[PodGroup]:
        decoder = self._decoders.get(kind)
        if decoder is None:
            shape = KINDS[kind]
            if not issubclass(shape, PodGroup):
                raise errors.Bug(f"{kind.name} of {kind.group} is no group of pods")
            decoder = self._decoders[kind] = Decoder(shape)
        return decoder


def _terms_seen(told: PodGroup | Faulty[PodGroup]) -> TermsSeen:
    return TermsSeen(None if isinstance(told, Faulty) else launch.terms_of(told))
