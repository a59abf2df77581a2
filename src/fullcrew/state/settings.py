"""What gangs are judged by and do not carry themselves: queues, namespaces, priority classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from fullcrew.dialects.facts import QUEUE_NAME
from fullcrew.objects import Kind, Namespace, PriorityClass
from fullcrew.objects.fields import below
from fullcrew.state.queues import Queues

__all__ = ["NamespaceRules", "Settings", "is_for_all", "is_of_queue"]

_CLASS: Final = "priority class"
_NAME_LABEL: Final = "kubernetes.io/metadata.name"  # the API server puts it on each namespace
_OF_ALL: Final = ("metadata.labels", "metadata.deletionTimestamp")
_ANNOTATIONS: Final = "metadata.annotations"
_OF_QUEUE: Final = frozenset({_ANNOTATIONS, below(_ANNOTATIONS, QUEUE_NAME)})


@dataclass(frozen=True, slots=True)
class NamespaceRules:
    """What a namespace says about the gangs in it. A fault keeps those waiting that it concerns:
    all, or with `queue_fault` those whose queue it tells."""

    queue: str = ""
    fault: str = ""
    queue_fault: str = ""
    is_ending: bool = False
    labels: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Class:
    value: int
    is_default: bool


_PLAIN: Final = NamespaceRules()


class Settings:
    """The three, and what changed in them since somebody looked."""

    def __init__(self, default_queue: str) -> None:
        self.default_queue = default_queue
        self.queues = Queues(default_queue)
        self._namespaces: dict[str, NamespaceRules] = {}
        self._classes: dict[str, _Class] = {}
        self._default_priority = 0
        self._faults: dict[tuple[str, str], str] = {}  # by kind and name
        self.changed_namespaces: set[str] = set()
        self.are_classes_changed = False
        self.changes = 0
        self.relabelled: set[str] = set()  # namespaces whose labels changed

    def put_namespace(self, namespace: Namespace, fault: str, of_all: str, of_queue: str) -> None:
        """A namespace as it is now, any fault of it, and the first of those that concern all its
        gangs and those that concern its queue. Of a faulty one, what can be read."""
        self._note("namespace", namespace.name, fault)
        ending = namespace.metadata.is_leaving or namespace.status.phase == "Terminating"
        queue = namespace.metadata.annotations.get(QUEUE_NAME, "")
        labels = {_NAME_LABEL: namespace.name, **namespace.metadata.labels}
        rules = NamespaceRules(queue, of_all, of_queue, ending, labels)
        self._set_namespace(namespace.name, rules)

    def drop_namespace(self, name: str) -> None:
        """The namespace is gone."""
        self._note("namespace", name, "")
        self._set_namespace(name, None)

    def namespace(self, name: str) -> NamespaceRules:
        """What a namespace says; one that nobody told of says nothing."""
        return self._namespaces.get(name, _PLAIN)

    def labels_of(self, namespace: str) -> Mapping[str, str]:
        """Labels of a namespace; one that nobody told of has its name's."""
        return self.namespace(namespace).labels or {_NAME_LABEL: namespace}

    def put_class(self, told: PriorityClass, fault: str) -> None:
        """A priority class as it is now; a faulty one is as good as none."""
        if fault:
            self.drop_class(told.name)
            self.are_classes_changed |= self._note(_CLASS, told.name, fault)
            return
        self._note(_CLASS, told.name, "")
        found = _Class(told.value, told.global_default)
        if self._classes.get(told.name) != found:
            self._classes[told.name] = found
            self._follow_classes()

    def drop_class(self, name: str) -> None:
        """The priority class is gone."""
        was_told = self._note(_CLASS, name, "")
        if self._classes.pop(name, None) is not None or was_told:
            self._follow_classes()

    def priority(self, told: int | None, named: str) -> int | None:
        """A pod's or a group's priority: its number, else its class's, else the cluster's default.
        None for a class that nobody knows. Of several defaults the lowest counts, as there."""
        if told is not None:
            return told
        if not named:
            return self._default_priority
        found = self._classes.get(named) or _SYSTEM.get(named)
        return found.value if found else None

    def class_fault(self, name: str) -> str:
        """What is wrong with a priority class that is there and cannot be read."""
        return self._faults.get((_CLASS, name), "")

    @property
    def version(self) -> int:
        """Grows with every change of any."""
        return self.changes + self.queues.changes

    def notes(self) -> tuple[str, ...]:
        """Faults of namespaces and priority classes, sorted."""
        told = self._faults.items()
        return tuple(sorted(f"{kind} {name}: {fault}" for (kind, name), fault in told))

    def names(self, kind: Kind) -> list[str]:
        """All objects of one kind by name."""
        if kind == Namespace.KIND:
            return [*self._namespaces]
        if kind == PriorityClass.KIND:
            faulty = [name for what, name in self._faults if what == _CLASS]
            return [*self._classes, *faulty]
        return self.queues.names(kind)

    def _note(self, kind: str, name: str, fault: str) -> bool:
        """Whether this fault is told anew, or no longer."""
        before = self._faults.pop((kind, name), "")
        if fault:
            self._faults[kind, name] = fault
        self.changes += before != fault
        return before != fault

    def _follow_classes(self) -> None:
        defaults = [each.value for each in self._classes.values() if each.is_default]
        self._default_priority = min(defaults, default=0)
        self.are_classes_changed = True
        self.changes += 1

    def _set_namespace(self, name: str, found: NamespaceRules | None) -> None:
        before = self._namespaces.get(name)
        if before == found:
            return
        if found is None:
            del self._namespaces[name]
        else:
            self._namespaces[name] = found
        if (before and before.labels) != (found and found.labels):
            self.relabelled.add(name)
        self.changes += 1
        if replace(before or _PLAIN, labels=None) != replace(found or _PLAIN, labels=None):
            self.changed_namespaces.add(name)


def is_for_all(place: str) -> bool:
    """Whether a fault there of a namespace concerns every gang in it."""
    return not place.startswith("metadata.") or place.startswith(_OF_ALL)


def is_of_queue(place: str) -> bool:
    """Whether a fault there of a namespace may hide the queue that it tells."""
    return place in _OF_QUEUE


# Kubernetes has these two in every cluster; manifests of a cluster's pods may leave them out.
_SYSTEM: Final = {
    "system-cluster-critical": _Class(2_000_000_000, is_default=False),
    "system-node-critical": _Class(2_000_001_000, is_default=False),
}
