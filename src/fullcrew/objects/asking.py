"""What a pod asks for, exactly as kube-scheduler of Kubernetes 1.37 reckons it.

- The containers run together: their requests add up. Init containers run before, one by one, so
  the pod needs the most that any moment needs; a sidecar (an init container that is always
  restarted) stays on beside all that come after it, and beside the containers.
- What has a limit and no request asks for its limit: the API server fills that in, a manifest that
  never saw one has it missing. Pod-level requests are filled in likewise.
- Pod-level requests for cpu, memory and huge pages stand in the place of the containers' sum, and
  the runtime's overhead comes on top.
- While a bound pod is resized in place, the kubelet has allocated one amount, runs with another
  and was asked for a third: the pod counts as the most of the three, each summed for itself. A
  resize that the node can never grant (`Infeasible`) is not counted.

Shares of nodes that device claims bring (`DRANodeAllocatableResources`, off by default in 1.37)
are not added: a pod with claims waits until we know how to read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from fullcrew.errors import BadManifest, BadQuantity
from fullcrew.model.amounts import CPU, MEMORY, MOST_AMOUNT, PODS
from fullcrew.objects import quantity
from fullcrew.objects.container import Container, ContainerStatus, Resources
from fullcrew.objects.fields import below
from fullcrew.objects.pod import Pod
from fullcrew.objects.shape import Amounts

__all__ = ["asked", "has", "is_at_rest", "may_have"]

Worths = dict[str, int]  # resource -> thousandths
Reading = Callable[[Container, ContainerStatus | None, str], Worths]

_RESIZE_PENDING: Final = "PodResizePending"
_INFEASIBLE: Final = "Infeasible"
_HUGE_PAGES: Final = "hugepages-"
_ON_POD_LEVEL: Final[tuple[str, ...]] = (CPU, MEMORY)  # and huge pages
_MOST_KINDS: Final = 256  # of resource on one object: each is a column over all nodes
# Not the pods' own to ask for: each is one pod, and volumes are counted by their claims.
_NOT_ASKED: Final = (PODS, "attachable-volumes-")


def asked(pod: Pod) -> Worths:
    """Amounts by resource: cpu in millicores, all else in whole units; nothing that is zero.

    That a pod is one pod is not in it. Raises `BadInput` with the place in the object.
    """
    total = _of_containers(pod)
    for name, worth in _of_pod_level(pod).items():
        total[name] = worth if _is_told(pod, name) else max(worth, total.get(name, 0))
    _add(total, _worths(pod.spec.overhead, "spec.overhead"))
    _check(total, where="spec")
    units = {name: quantity.in_units(name, worth) for name, worth in total.items() if worth}
    for name, much in units.items():
        if much > MOST_AMOUNT:
            raise BadQuantity(str(much), most=MOST_AMOUNT, where=f"spec: all {name} together")
    return {name: much for name, much in units.items() if not name.startswith(_NOT_ASKED)}


def has(amounts: Amounts, *, place: str) -> dict[str, int]:
    """What a node has, in the units of `asked`; zeros stay, they are said."""
    _check(amounts, where=place)
    return {
        name: quantity.amount(name, told, where=below(place, name))
        for name, told in amounts.items()
    }


def may_have(amounts: Amounts, *, place: str) -> dict[str, int]:
    """What a queue may use: a limit may be as high as the whole of a cluster."""
    _check(amounts, where=place)
    return {
        name: quantity.total(name, told, where=below(place, name)) for name, told in amounts.items()
    }


def _check(amounts: Mapping[str, object], *, where: str) -> None:
    if len(amounts) > _MOST_KINDS:
        problem = f"{len(amounts)} kinds of resource, more than {_MOST_KINDS}"
        raise BadManifest(problem, try_this="name those that somebody counts", where=where)


def _of_containers(pod: Pod) -> Worths:
    wanted = _summed(pod, _wanted)
    if not pod.spec.node_name or is_at_rest(pod):
        return wanted
    status, is_infeasible = pod.status, _is_infeasible(pod)
    running = status.resources.requests if status.resources else None
    if status.allocated_resources and running:
        allocated = _worths(status.allocated_resources, "status.allocatedResources")
        actual = _worths(running, "status.resources.requests")
    else:
        allocated = _summed(pod, _allocated_for_good if is_infeasible else _allocated)
        actual = _summed(pod, _actual)
    return _most(allocated, actual) if is_infeasible else _most(wanted, allocated, actual)


def is_at_rest(pod: Pod) -> bool:
    """Whether the kubelet says word for word what was asked for, as of nearly every pod."""
    if pod.status.allocated_resources:
        return False
    status = _statuses(pod)
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        kept = status.get(container.name)
        if kept is None:
            continue
        wanted = container.resources.requests
        actual = kept.resources.requests if kept.resources else None
        if (kept.allocated_resources or wanted) != wanted or (actual or wanted) != wanted:
            return False
    return True


def _statuses(pod: Pod) -> dict[str, ContainerStatus]:
    """By the container's name; of two with one name the first, containers before init ones."""
    kept = (*pod.status.container_statuses, *pod.status.init_container_statuses)
    return {each.name: each for each in reversed(kept)}


def _summed(pod: Pod, reading: Reading) -> Worths:
    """The most that any moment of the pod's life needs, by one way to read a container."""
    status = _statuses(pod)
    total: Worths = {}
    for at, container in enumerate(pod.spec.containers):
        _add(total, reading(container, status.get(container.name), f"containers[{at}]"))
    if not pod.spec.init_containers:
        return total
    sidecars: Worths = {}
    peak: Worths = {}
    for at, container in enumerate(pod.spec.init_containers):
        worths = reading(container, status.get(container.name), f"initContainers[{at}]")
        if container.is_sidecar:
            _add(total, worths)
            _add(sidecars, worths)
        else:
            _add(worths, sidecars)
            peak = _most(peak, worths)
    return _most(total, peak)


def _wanted(container: Container, _: ContainerStatus | None, place: str) -> Worths:
    return _filled_in(container.resources, f"spec.{place}.resources")


def _allocated(container: Container, status: ContainerStatus | None, place: str) -> Worths:
    """What the kubelet set aside. Where it says nothing yet, the request."""
    if status is None or not status.allocated_resources:
        return _wanted(container, status, place)
    return _worths(status.allocated_resources, f"status of {place}.allocatedResources")


def _allocated_for_good(container: Container, status: ContainerStatus | None, place: str) -> Worths:
    """The same of a pod whose resize cannot be: what it runs with comes before the request.

    Without any word of the kubelet the request counts here, where Kubernetes counts nothing: too
    much for a moment, never too little.
    """
    if status is not None and not status.allocated_resources:
        return _actual(container, status, place)
    return _allocated(container, status, place)


def _actual(container: Container, status: ContainerStatus | None, place: str) -> Worths:
    if status is None or status.resources is None or not status.resources.requests:
        return _allocated(container, status, place)
    return _worths(status.resources.requests, f"status of {place}.resources.requests")


def _of_pod_level(pod: Pod) -> Worths:
    resources, status = pod.spec.resources, pod.status
    if resources is None or not (resources.requests or resources.limits):
        return {}
    wanted = _filled_in_pod_level(pod, resources)
    if pod.spec.node_name and status.resources is not None:
        actual = _worths(status.resources.requests, "status.resources.requests")
        allocated = _worths(status.allocated_resources, "status.allocatedResources")
        wanted = _most({} if _is_infeasible(pod) else wanted, actual, allocated)
    return {name: worth for name, worth in wanted.items() if _is_on_pod_level(name)}


def _is_told(pod: Pod, name: str) -> bool:
    """Whether the pod level's own request is written down. What a server fills in stands for
    containers as they were created; without it, those of a bound pod count as they are now."""
    own = pod.spec.resources
    return not pod.spec.node_name or (own is not None and name in own.requests)


def _filled_in_pod_level(pod: Pod, resources: Resources) -> Worths:
    """As the API server does on creation; what is filled in once is found here as a request.

    It also makes the containers' limits of huge pages the pod's. They are their requests, too, so
    the containers' sum has them.
    """
    requests = _worths(resources.requests, "spec.resources.requests")
    limits = _worths(resources.limits, "spec.resources.limits")
    summed = _summed(pod, _wanted)
    from_containers = {name: summed[name] for name in _ON_POD_LEVEL if name in summed}
    return {**limits, **from_containers, **requests}


def _is_on_pod_level(name: str) -> bool:
    return name in _ON_POD_LEVEL or name.startswith(_HUGE_PAGES)


def _is_infeasible(pod: Pod) -> bool:
    """By the condition, or by the field that clusters before 1.33 had in its place."""
    for condition in pod.status.conditions:
        if condition.type == _RESIZE_PENDING:
            return condition.reason == _INFEASIBLE
    return pod.status.resize == _INFEASIBLE


def _filled_in(resources: Resources, place: str) -> Worths:
    requests = _worths(resources.requests, f"{place}.requests")
    if not resources.limits or resources.limits == resources.requests:
        return requests
    return _worths(resources.limits, f"{place}.limits") | requests


def _worths(amounts: Amounts, place: str) -> Worths:
    try:
        return {name: quantity.thousandths(told) for name, told in amounts.items()}
    except BadQuantity:  # once more, with the places, which are not made up for sound amounts
        return {
            name: quantity.thousandths(amounts[name], where=below(place, name))
            for name in sorted(amounts)
        }


def _add(total: Worths, more: Mapping[str, int]) -> None:
    for name, worth in more.items():
        total[name] = total.get(name, 0) + worth


def _most(first: Mapping[str, int], *others: Mapping[str, int]) -> Worths:
    most = dict(first)
    for other in others:
        for name, worth in other.items():
            most[name] = max(worth, most.get(name, 0))
    return most
