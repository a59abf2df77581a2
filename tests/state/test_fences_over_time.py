"""Rules, pods, labels and namespaces come and go: what is closed is what a fresh look would say."""

from __future__ import annotations

from random import Random

import pytest
from given import Manifest, decoded, labelled, namespace, node, on_node, pod, served_by, spec
from state.telling import gang

from fullcrew.state import State

_APPS = ("a", "b", "c")
_SPACES = ("team", "other")
_NODES = tuple(f"n{number}" for number in range(5))
_KEYS = ("zone", "host", "rack")

_SELECTORS: tuple[Manifest, ...] = (
    {},
    *({"matchLabels": {"app": app}} for app in _APPS),
    {"matchLabels": {"app": "a", "tier": "x"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]},
    {"matchExpressions": [{"key": "tier", "operator": "Exists"}]},
)
_LOOKING: tuple[Manifest, ...] = (
    *({}, {}, {"namespaces": ["other"]}, {"namespaceSelector": {}}),
    {"namespaces": ["team"], "namespaceSelector": {"matchLabels": {"kind": "prod"}}},
)


class _World:
    """The same cluster twice: in a state, and as plain values."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.state = State()
        self.labels: dict[str, dict[str, str]] = {}  # of nodes
        self.bound: dict[str, tuple[str, Manifest]] = {}
        self.manifests: dict[str, Manifest] = {}
        self.waiting: dict[str, dict[str, str]] = {}
        self.around: dict[str, dict[str, str]] = {space: {} for space in _SPACES}

    def change(self) -> None:
        """Something happens."""
        act = self.chance.choice((self._node, self._bound, self._bound, self._waiting, self._space))
        act()

    def _put(self, manifest: Manifest) -> None:
        self.state.put(decoded(manifest))

    def _drop(self, name: str) -> None:
        self.state.drop(decoded(self.manifests.pop(name)))

    def _node(self) -> None:
        name = self.chance.choice(_NODES)
        if name in self.labels and self.chance.random() < 0.3:
            del self.labels[name]
            self._drop(name)
            return
        values = {"zone": "12", "host": name[1], "rack": "1"}
        keys = self.chance.sample(_KEYS, self.chance.randint(0, 3))
        self.labels[name] = {key: self.chance.choice(values[key]) for key in keys}
        self.manifests[name] = node(name, labelled(self.labels[name]))
        self._put(self.manifests[name])

    def _bound(self) -> None:
        name = f"{self.chance.choice(_SPACES)}/bound-{self.chance.randrange(5)}"
        if name in self.bound:
            del self.bound[name]
            self._drop(name)
            return
        at = self.chance.choice(_NODES)
        term = {
            "topologyKey": self.chance.choice(_KEYS),
            "labelSelector": self.chance.choice(_SELECTORS),
            **self.chance.choice(_LOOKING),
        }
        rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        self.bound[name] = (at, term)
        self.manifests[name] = pod(name, spec(affinity=rule), on_node(at), served_by("somebody"))
        self._put(self.manifests[name])

    def _waiting(self) -> None:
        name = f"{self.chance.choice(_SPACES)}/waits-{self.chance.randrange(6)}"
        if name in self.waiting:
            del self.waiting[name]
            self._drop(name)
            return
        labels = {"app": self.chance.choice(_APPS)}
        self.waiting[name] = labels | self.chance.choice(({}, {"tier": "x"}))
        self.manifests[name] = pod(name, labelled(self.waiting[name]))
        self._put(self.manifests[name])

    def _space(self) -> None:
        name = self.chance.choice(_SPACES)
        self.around[name] = self.chance.choice(({}, {"kind": "prod"}))
        self._put(namespace(name, labelled(self.around[name])))

    def closed_to(self, name: str) -> list[str]:
        """The names of nodes that the state's mask closes, of those that are there."""
        snapshot = self.state.snapshot(0)
        [role] = gang(self.state, name).roles
        mask = snapshot.closed.get(role.parts[0].where)
        rows = zip(snapshot.nodes.names, [] if mask is None else mask, strict=mask is not None)
        return sorted(each for each, is_closed in rows if is_closed and each in self.labels)

    def expected(self, name: str) -> list[str]:
        """The same, pod by pod and node by node."""
        space, _, _ = name.partition("/")
        found = set[str]()
        for owner, (at, term) in self.bound.items():
            domain = self.labels.get(at, {}).get(term["topologyKey"])
            if domain is None or not self._looks_at(term, owner.partition("/")[0], space):
                continue
            if _selects(term["labelSelector"], self.waiting[name]):
                key = term["topologyKey"]
                found |= {each for each, has in self.labels.items() if has.get(key) == domain}
        return sorted(found)

    def _looks_at(self, term: Manifest, home: str, space: str) -> bool:
        if "namespaces" not in term and "namespaceSelector" not in term:
            return home == space
        chosen = term.get("namespaceSelector")
        is_chosen = chosen is not None and _selects(chosen, self.around[space])
        return space in term.get("namespaces", []) or is_chosen


def _selects(selector: Manifest, labels: dict[str, str]) -> bool:
    exact = selector.get("matchLabels", {})
    if any(labels.get(key) != value for key, value in exact.items()):
        return False
    for line in selector.get("matchExpressions", []):
        there, values = labels.get(line["key"]), line.get("values", [])
        holds = {"In": there in values, "NotIn": there not in values, "Exists": there is not None}
        if not holds[line["operator"]]:
            return False
    return True


@pytest.mark.parametrize("seed", range(30))
def test_what_is_closed_follows_every_change(seed: int) -> None:
    world = _World(seed)

    for _ in range(60):
        world.change()

        for name in world.waiting:
            assert world.closed_to(name) == world.expected(name), name
