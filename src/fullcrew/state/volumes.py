"""Which nodes the volumes of a pod leave it: claims, the volumes they are bound to, zones.

A claim that is not bound, or whose volume is not there, keeps its pods waiting; who uses it is
remembered, so that the pods are looked at again when it changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from fullcrew.errors import BadInput
from fullcrew.model import reason
from fullcrew.model.where import Operator, Requirement, Term
from fullcrew.objects import (
    CsiNode,
    Kind,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    choosing,
)
from fullcrew.state import not_built
from fullcrew.state.causes import Cause, words_of

__all__ = ["Reach", "Volumes"]

_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"
_SAME_AS: Final = {  # what clusters before 1.17 called them
    "failure-domain.beta.kubernetes.io/zone": _ZONE,
    "failure-domain.beta.kubernetes.io/region": _REGION,
}
_PLACES: Final = (*sorted(_SAME_AS), _REGION, _ZONE)
_ANYWHERE: Final[Term] = tuple(Requirement(key, Operator.DOES_NOT_EXIST) for key in _PLACES)
_ONE_POD: Final = "ReadWriteOncePod"


class Reach(NamedTuple):
    """What a pod's volumes require of its node, or why it has to wait for them."""

    required: tuple[tuple[Term, ...], ...] = ()
    cause: Cause | None = None


class Volumes:
    """Claims and volumes, and the pods that wait with some of them."""

    __slots__ = ("_claims", "_limited", "_limits", "_users", "_volumes", "_with_volume")

    def __init__(self) -> None:
        self._claims: dict[str, tuple[PersistentVolumeClaim, str]] = {}  # and faults
        self._volumes: dict[str, tuple[PersistentVolume, str]] = {}  # likewise
        self._users: dict[str, set[str]] = {}  # pods by claim
        self._with_volume: dict[str, set[str]] = {}  # claims by volume
        self._limits: dict[str, frozenset[str]] = {}  # drivers by who tells of them
        self._limited: frozenset[str] = frozenset()

    def put_claim(self, claim: PersistentVolumeClaim, fault: str) -> frozenset[str]:
        """A claim as it is now. Answers with the pods to look at again."""
        if self._claims.get(claim.full_name) == (claim, fault):
            return frozenset()
        self.drop_claim(claim.full_name)
        self._claims[claim.full_name] = (claim, fault)
        if volume := claim.spec.volume_name:
            self._with_volume.setdefault(volume, set()).add(claim.full_name)
        return frozenset(self._users.get(claim.full_name, ()))

    def drop_claim(self, name: str) -> frozenset[str]:
        """The claim is gone. Answers with the pods to look at again."""
        told = self._claims.pop(name, None)
        if told is not None and (volume := told[0].spec.volume_name):
            self._with_volume[volume].discard(name)
            if not self._with_volume[volume]:
                del self._with_volume[volume]
        return frozenset(self._users.get(name, ()))

    def put_volume(self, volume: PersistentVolume, fault: str) -> frozenset[str]:
        """A volume as it is now. Answers with the pods to look at again."""
        if self._volumes.get(volume.name) == (volume, fault):
            return frozenset()
        self._volumes[volume.name] = (volume, fault)
        return self._users_of_volume(volume.name)

    def drop_volume(self, name: str) -> frozenset[str]:
        """The volume is gone. Answers with the pods to look at again."""
        self._volumes.pop(name, None)
        return self._users_of_volume(name)

    def limit(self, drivers: frozenset[str], *, told_by: str = "") -> frozenset[str]:
        """Drivers whose volumes some node limits, by the nodes' own amounts or by the CSINode that
        tells it. Answers with the pods to look at again."""
        if drivers:
            self._limits[told_by] = drivers
        else:
            self._limits.pop(told_by, None)
        limited = frozenset().union(*self._limits.values())
        if limited == self._limited:
            return frozenset()
        self._limited = limited
        return frozenset().union(*self._users.values())

    def use(self, pod: Pod) -> Reach:
        """What the volumes of a waiting pod require; it is told of when they change."""
        name = pod.full_name
        for key in _keys_of(pod):
            self._users.setdefault(key, set()).add(name)
        return self.reach(pod)

    def forget(self, pod: Pod) -> None:
        """The pod does not wait any more."""
        for key in _keys_of(pod):
            users = self._users.get(key, set())
            users.discard(pod.full_name)
            if not users:
                self._users.pop(key, None)

    def names(self, kind: Kind) -> list[str]:
        """All claims, or all volumes, or all nodes with limits on them."""
        if kind == CsiNode.KIND:
            return [name for name in self._limits if name]
        return [*self._claims] if kind == PersistentVolumeClaim.KIND else [*self._volumes]

    def _users_of_volume(self, name: str) -> frozenset[str]:
        claims = self._with_volume.get(name, ())
        return frozenset(pod for claim in claims for pod in self._users.get(claim, ()))

    def reach(self, pod: Pod) -> Reach:
        """What the volumes of a pod require now."""
        required: list[tuple[Term, ...]] = []
        for volume in pod.spec.volumes:
            if cause := not_built.of_volume(volume):
                return Reach(cause=cause)
            if volume.csi is not None and volume.csi.driver in self._limited:
                return Reach(cause=_limited())
            if volume.persistent_volume_claim is None:
                continue
            key = f"{pod.namespace}/{volume.persistent_volume_claim.claim_name}"
            found = self._of_claim(key)
            if found.cause:
                return found
            required += found.required
        return Reach(tuple(sorted(set(required))))

    def _of_claim(self, key: str) -> Reach:
        told = self._claims.get(key)
        if told is None:
            return _waits(f"there is no volume claim {key}")
        claim, fault = told
        if fault:
            return _waits(f"volume claim {key}: {fault}")
        if claim.metadata.is_leaving:
            return _waits(f"volume claim {key} is being deleted", kind=reason.Kind.ENDING)
        if _ONE_POD in claim.spec.access_modes:
            return Reach(cause=_not_built(f"{not_built.SINGLE_POD_CLAIMS}, as {key}"))
        return self._of_volume(claim) if claim.is_bound else _unbound(claim)

    def _of_volume(self, claim: PersistentVolumeClaim) -> Reach:
        name = claim.spec.volume_name
        told = self._volumes.get(name)
        if told is None:
            return _waits(f"volume claim {claim.full_name} is bound to {name}, which is not there")
        volume, fault = told
        if fault:
            return _waits(f"volume {name}: {fault}")
        if not _belongs(volume, claim):
            return _waits(f"volume {name} belongs to another claim than {claim.full_name}")
        if volume.spec.csi is not None and volume.spec.csi.driver in self._limited:
            return Reach(cause=_limited())
        required = [*_zones(volume)]
        affinity = volume.spec.node_affinity
        if affinity is not None and affinity.required is not None:
            try:
                where = "spec.nodeAffinity.required"
                required.append(choosing.terms(affinity.required, where=where))
            except BadInput as bad:
                return _waits(f"volume {name}: {words_of(bad)}")
        return Reach(tuple(required))


def _keys_of(pod: Pod) -> frozenset[str]:
    """Claims of the pod; and a key of no claim for volumes of drivers named in the pod."""
    claims = (volume.persistent_volume_claim for volume in pod.spec.volumes)
    keys = frozenset(f"{pod.namespace}/{claim.claim_name}" for claim in claims if claim is not None)
    return keys | {""} if any(volume.csi is not None for volume in pod.spec.volumes) else keys


def _belongs(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """A claim made again under its name has the volume no longer. Manifests may leave out both."""
    owner = volume.spec.claim_ref
    if owner is None:
        return True
    if (owner.namespace or claim.namespace, owner.name) != (claim.namespace, claim.name):
        return False
    return not owner.uid or not claim.metadata.uid or owner.uid == claim.metadata.uid


def _zones(volume: PersistentVolume) -> Iterable[tuple[Term, ...]]:
    """Zones and regions of the volume's labels, several between two underscores. As in Kubernetes,
    a node that tells no zone and no region at all is anywhere, and a volume's old label is
    compared with the node's new one where the node has no old one."""
    for key in _PLACES:
        told = volume.metadata.labels.get(key)
        values = told.split("__") if told is not None else []
        if not values or "" in values:
            continue
        there = Requirement(key, Operator.IN, tuple(sorted(set(values))))
        terms: list[Term] = [_ANYWHERE, (there,)]
        if key in _SAME_AS:
            no_old = Requirement(key, Operator.DOES_NOT_EXIST)
            terms.append((no_old, Requirement(_SAME_AS[key], Operator.IN, there.values)))
        yield tuple(terms)


def _unbound(claim: PersistentVolumeClaim) -> Reach:
    if claim.status.phase == "Lost":
        return _waits(f"volume claim {claim.full_name} has lost its volume")
    return Reach(cause=_not_built(f"{not_built.WAITING_CLAIMS}, as {claim.full_name}"))


def _waits(message: str, *, kind: reason.Kind = reason.Kind.FAULTY) -> Reach:
    return Reach(cause=Cause(reason.Stage.VOLUMES, kind, message))


def _not_built(rule: str) -> Cause:
    return not_built.cause_of(rule, stage=reason.Stage.VOLUMES)


def _limited() -> Cause:
    return _not_built(not_built.ATTACH_LIMITS)
