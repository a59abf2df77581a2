"""Lets a wounded gang go whole when its time is over, if a controller makes its pods again.

Its members on nodes would hold their room for ever, while those that are missing fit nowhere. Only
a gang of which each bound member has a controller is released, and only while members of it wait:
where nobody made the missing pods again, nobody would make these. Bare pods are never deleted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple
from urllib.parse import urlencode

from fullcrew import client, dialects, errors, kube
from fullcrew.dialects.membership import ANNOTATION
from fullcrew.errors import BadManifest
from fullcrew.objects import Decoder, Faulty, Kind, Pod
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.sending import Sends

__all__ = ["Right", "release"]

PAGE = 500


class Right(NamedTuple):
    """Whose pods are ours, by scheduler's name, and who deletes only while we may."""

    owned: frozenset[str]
    remover: kube.Remover


async def release(
    gang: str, kind: Kind | None, sends: Sends, right: Right, notes: tuple[Log, Metrics]
) -> bool:
    """Deletes the bound members of `namespace/name`; whether it did. `kind` is its group object's.

    They are read from the server: what is deleted must be what is there now. Who leads next may
    mend the gang, so nothing is deleted any more once that may be another.
    """
    log, metrics = notes
    try:
        members = [
            pod
            async for pod in _members(gang, kind, sends)
            if pod.spec.scheduler_name in right.owned
        ]
        problem = _problem(members)
        if problem:
            log.once("keeps mending", gang=gang, why=problem)
            return False
        for pod in members:
            if not pod.is_bound or pod.metadata.is_leaving:
                continue
            if not await _deleted(pod, right.remover):
                log.warn("release failed", gang=gang, problem="we lead no more")
                return False
    except (errors.ClusterError, BadManifest) as error:
        log.warn("release failed", gang=gang, problem=error.problem)
        return False
    metrics.count("released_gangs_total")
    log.warn("released", gang=gang, why="it could not be mended in time; its pods are made again")
    return True


def _problem(members: list[Pod]) -> str:
    bare = [pod.name for pod in members if pod.is_bound and pod.metadata.controller is None]
    if bare:
        return f"no controller would make {bare[0]} again"
    if not any(not pod.spec.node_name and not pod.is_finished for pod in members):
        return "nobody has made its missing pods again"
    return ""


async def _members(gang: str, kind: Kind | None, sends: Sends) -> AsyncIterator[Pod]:
    """The pods of a namespace that say they are of this gang."""
    space = gang.partition("/")[0]
    path = f"/api/v1/namespaces/{client.in_path(space)}/pods"
    decoder, token = Decoder(Pod), ""
    while True:
        query = {"limit": str(PAGE), **({"continue": token} if token else {})}
        reply = await sends.request(kube.Lane.BIND, "GET", f"{path}?{urlencode(query)}")
        if reply.code != 200:
            message = client.refusal(reply.body).message
            raise errors.Refused(reply.code, message, where=f"list pods in {space}")
        page = decoder.page(reply.body)
        for told in page.items:
            pod = told.object if isinstance(told, Faulty) else told
            member = dialects.membership(pod)
            if member.gang == gang and (member.dialect == ANNOTATION) == (kind is not None):
                yield pod
        token = page.metadata.go_on
        if not token:
            return


async def _deleted(pod: Pod, remover: kube.Remover) -> bool:
    """Whether it was asked for, which is not so if we may no more."""
    reply = await remover.delete(f"{pod.namespace}/{pod.name}", pod.metadata.uid)
    if reply is not None and reply.code not in {200, 202, 404, 409}:
        message = client.refusal(reply.body).message
        raise errors.Refused(reply.code, message, where=f"delete pod {pod.namespace}/{pod.name}")
    return reply is not None
