"""Which domains are closed to whom, kept as rules, pods, labels and kin come and go.

A rule knows the domains where its pods are, and a kin how many rules close each domain to it: so a
change costs what it changes, however many rules there are. Most rules name labels of those they
select. Such a rule is kept under one of these, a kin under each of its own, and whoever comes meets
only those that stand in the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fullcrew.model.where import Operator
from fullcrew.objects.selecting import NOTHING, PodTerm

__all__ = ["EVERYWHERE", "Domains", "Kin", "Kindred", "Rule", "namespaces_of"]

Kin = tuple[str, tuple[tuple[str, str], ...]]  # a namespace, and labels of a pod in it

EVERYWHERE = ""  # in the place of a namespace, for rules that choose theirs by labels

_Place = tuple[str, str, str]  # namespace, label and its value; no label: of any


class Rule:
    """One rule, however many pods have it. `pods` tells how many by node, at once; all else
    follows later. Compared by identity, since a term is slow to hash."""

    __slots__ = ("domain_at", "domains", "kindred", "places", "pods", "term")

    def __init__(self, term: PodTerm, pods: dict[int, int]) -> None:
        self.term, self.pods = term, pods
        self.domain_at: dict[int, int] = {}  # by node
        self.domains: dict[int, int] = {}  # how many nodes with such pods
        self.kindred: set[Kindred] = set()  # whom it selects
        self.places: tuple[_Place, ...] | None = None  # None: it has met nobody yet


class Kindred:
    """All wheres of one kin. `domains` tells by topology key how many rules close each."""

    __slots__ = ("around", "domains", "labels", "namespace", "rules", "wheres")

    def __init__(self, kin: Kin) -> None:
        self.namespace, labels = kin
        self.labels = dict(labels)
        self.around: Mapping[str, str] = {}  # labels of the namespace
        self.wheres: list[int] = []
        self.rules: set[Rule] = set()
        self.domains: dict[str, dict[int, int]] = {}


class Domains:
    """The rules and the kin, and which of these must be looked at since somebody did."""

    __slots__ = ("_at", "_labels_of", "_rules_at", "kindred", "stale")

    def __init__(self, labels_of: Callable[[str], Mapping[str, str]]) -> None:
        self._labels_of = labels_of
        self._at: dict[_Place, set[Kindred]] = {}
        self._rules_at: dict[_Place, set[Rule]] = {}
        self.kindred: dict[Kin, Kindred] = {}
        self.stale: set[Kindred] = set()

    def move(self, rule: Rule, node: int, domain: int | None) -> None:
        """The rule's pods on this node are in that domain now, or are gone, or in none."""
        before = rule.domain_at.pop(node, None)
        if domain is not None:
            rule.domain_at[node] = domain
        if before == domain:
            return
        for each, sign in ((before, -1), (domain, 1)):
            if each is not None and _is_turned(rule.domains, each, sign):
                for kindred in rule.kindred:
                    self._close(kindred, rule.term.topology_key, each, sign)

    def add(self, rule: Rule) -> None:
        """The rule meets whom it selects."""
        rule.places = self._places(rule.term)
        for place in rule.places:
            self._rules_at.setdefault(place, set()).add(rule)
            for kindred in self._at.get(place, ()):
                self._meet(rule, kindred)

    def remove(self, rule: Rule) -> None:
        """The rule is gone, from all domains before."""
        for place in rule.places or ():
            self._rules_at[place].discard(rule)
            if not self._rules_at[place]:
                del self._rules_at[place]
        for kindred in rule.kindred:
            kindred.rules.discard(rule)
        self.stale |= rule.kindred

    def of(self, kin: Kin) -> Kindred:
        """The wheres of a kin."""
        found = self.kindred.get(kin)
        if found is None:
            found = self.kindred[kin] = Kindred(kin)
            for place in _stands(found):
                self._at.setdefault(place, set()).add(found)
            self._meet_all(found)
        return found

    def look_again(self, namespace: str) -> None:
        """The namespace has other labels now."""
        for kindred in self._at.get((namespace, "", ""), ()):
            for rule in kindred.rules:
                rule.kindred.discard(kindred)
            kindred.rules.clear()
            kindred.domains.clear()
            self._meet_all(kindred)
            self.stale.add(kindred)

    def _meet_all(self, kindred: Kindred) -> None:
        kindred.around = self._labels_of(kindred.namespace)
        for place in _stands(kindred):
            for rule in self._rules_at.get(place, ()):
                self._meet(rule, kindred)

    def _meet(self, rule: Rule, kindred: Kindred) -> None:
        if kindred in rule.kindred or not rule.term.selects(
            namespace=kindred.namespace, namespace_labels=kindred.around, labels=kindred.labels
        ):
            return
        rule.kindred.add(kindred)
        kindred.rules.add(rule)
        self.stale.add(kindred)
        if rule.domains:
            closed = kindred.domains.setdefault(rule.term.topology_key, {})
            for domain in rule.domains:
                closed[domain] = closed.get(domain, 0) + 1

    def _close(self, kindred: Kindred, key: str, domain: int, sign: int) -> None:
        closed = kindred.domains.setdefault(key, {})
        if _is_turned(closed, domain, sign):
            self.stale.add(kindred)
        if not closed:
            del kindred.domains[key]

    def _places(self, term: PodTerm) -> tuple[_Place, ...]:
        """Where all stand whom the rule may select: of several labels under that where the fewest
        rules are, since one may be the same in all of them."""
        namespaces = namespaces_of(term)
        if term.pods.selects_nothing:
            return ()
        lines = [
            [(each, line.key, value) for each in namespaces for value in line.values]
            for line in term.pods.requirements
            if line.operator is Operator.IN
        ]
        anybody = [(each, "", "") for each in namespaces]
        return tuple(min(lines, key=self._crowd, default=anybody))

    def _crowd(self, places: Iterable[_Place]) -> int:
        return sum(len(self._rules_at.get(place, ())) for place in places)


def namespaces_of(term: PodTerm) -> tuple[str, ...]:
    """The namespaces that the rule looks into."""
    return (EVERYWHERE,) if term.namespace_selector != NOTHING else term.namespaces


def _stands(kindred: Kindred) -> list[_Place]:
    return [
        (namespace, key, value)
        for namespace in (kindred.namespace, EVERYWHERE)
        for key, value in (("", ""), *kindred.labels.items())
    ]


def _is_turned(counts: dict[int, int], domain: int, sign: int) -> bool:
    """Count one more or less. Whether there was none before, or is none now."""
    before = counts.get(domain, 0)
    if before + sign:
        counts[domain] = before + sign
    else:
        del counts[domain]
    return not before or not before + sign
