"""What pods of random clusters ask for and how they are bound to nodes, as parts of manifests."""

from __future__ import annotations

from random import Random
from typing import Final

import given
from given import Manifest

__all__ = [
    "CPU",
    "DISKS",
    "TAINTS",
    "ZONES",
    "age",
    "claims",
    "gate",
    "keeping_off",
    "of_a_kind",
    "on_port",
    "owner",
    "priority",
    "role",
]

CPU: Final = ("1", "500m", "2", "1500m", "3", "0.1m")
ZONES: Final = ("a", "b")
DISKS: Final = ("ssd", "hdd")
TAINTS: Final[tuple[Manifest, ...]] = (
    {"key": "dedicated", "value": "batch", "effect": "NoSchedule"},
    {"key": "broken", "effect": "NoExecute"},
    {"key": "wished", "effect": "PreferNoSchedule"},
)
OPERATORS: Final[tuple[Manifest, ...]] = (
    {"key": "zone", "operator": "In", "values": ["a"]},
    {"key": "zone", "operator": "NotIn", "values": ["a"]},
    {"key": "disk", "operator": "Exists"},
    {"key": "disk", "operator": "DoesNotExist"},
    {"key": "cards", "operator": "Gt", "values": ["1"]},
    {"key": "cards", "operator": "Lt", "values": ["2"]},
)
TOLERATIONS: Final[tuple[Manifest, ...]] = (
    {"key": "dedicated", "operator": "Equal", "value": "batch"},
    {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
    {"operator": "Exists"},
    {"key": "broken", "operator": "Exists", "effect": "NoExecute"},
)
NOT_BUILT: Final = (
    given.spec(
        topologySpreadConstraints=[
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
        ]
    ),
    given.spec(resourceClaims=[{"name": "gpu", "resourceClaimName": "card"}]),
    given.labelled({"scheduling.x-k8s.io/pod-group": "elsewhere"}),
)


def of_a_kind(chance: Random) -> list[Manifest]:
    """What alike pods of a gang have in common."""
    parts = [_asking(chance)]
    ways = [_selector, _affinity, _named, _tolerant, _ports, _web, _wishing, _claiming, _mixed]
    if chance.randrange(3) == 0:
        parts.append(chance.choice(ways)(chance))
    if chance.randrange(25) == 0:
        parts.append(chance.choice(NOT_BUILT))
    return parts


def _asking(chance: Random) -> Manifest:
    """Nearly always plain requests; else one of the other ways to ask for something."""
    asks = {"cpu": chance.choice(CPU)} | ({given.GPU: "1"} if chance.randrange(3) == 0 else {})
    main = {"name": "main", "resources": {"requests": asks}}
    plain = given.spec(containers=[main])
    if chance.randrange(3):
        return plain
    init = {"name": "j", "resources": {"requests": {"cpu": "2"}}}
    broken = {"name": "main", "resources": {"requests": {"cpu": chance.choice(["1x", "-1"])}}}
    whole = {"requests": {"cpu": "1", "memory": "1Gi"}}
    rare = [plain] * 4 + [given.spec(containers=[broken])]
    return chance.choice(
        [
            *[given.spec(containers=[{"name": "main"}])] * 2,
            given.spec(containers=[{"name": "main", "resources": {"limits": asks}}]),
            given.spec(containers=[main], initContainers=[init]),
            given.spec(containers=[main, {**main, "name": "aside"}], overhead={"cpu": "250m"}),
            given.spec(containers=[main], resources=whole),
            given.asking(cpu="1", memory=chance.choice(["1Gi", "3Gi", "8Gi"])),
            chance.choice(rare),
        ]
    )


def _claiming(chance: Random) -> Manifest:
    name = chance.choice(["here", "there", "unbound", "missing", "alone"])
    claim = {"name": "disk", "persistentVolumeClaim": {"claimName": name}}
    return given.spec(volumes=[claim])


def claims(place: str) -> list[Manifest]:
    """The claims that pods of a namespace may name, and their volumes."""
    made = []
    for name, zone in (("here", "a"), ("there", "b"), ("alone", "a")):
        rule = {"key": "zone", "operator": "In", "values": [zone]}
        required = {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}
        affinity = given.spec(nodeAffinity={"required": required})
        modes = ["ReadWriteOncePod" if name == "alone" else "ReadWriteMany"]
        made.append(given.volume(f"{place}-{name}", affinity))
        made.append(
            given.claim(
                f"{place}/{name}", given.spec(accessModes=modes), volume_name=f"{place}-{name}"
            )
        )
    return [*made, given.claim(f"{place}/unbound")]


def _selector(chance: Random) -> Manifest:
    return given.spec(nodeSelector={"zone": chance.choice(ZONES)})


def _affinity(chance: Random) -> Manifest:
    """Several rules in one term must all hold, of several terms one."""
    rules = chance.sample(OPERATORS, k=chance.randint(1, 2))
    if chance.randrange(25) == 0:
        rules = [{"key": "zone", "operator": "Near", "values": ["a"]}]
    terms = [rules] if chance.randrange(2) else [[rule] for rule in rules]
    return _required([{"matchExpressions": term} for term in terms])


def _named(chance: Random) -> Manifest:
    names = chance.sample(["n0", "n1", "n2", "n9"], k=chance.randint(1, 2))
    rules = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    return _required([{"matchFields": [rule]} for rule in rules])


def _mixed(chance: Random) -> Manifest:
    """A term of labels and a name, beside an empty one that matches nothing."""
    name = {"key": "metadata.name", "operator": chance.choice(["In", "NotIn"]), "values": ["n0"]}
    both = {"matchExpressions": [chance.choice(OPERATORS)], "matchFields": [name]}
    return _required(chance.sample([both, {}, {"matchExpressions": []}], k=2))


def _required(terms: list[Manifest]) -> Manifest:
    told = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return given.spec(affinity={"nodeAffinity": told})


def _wishing(chance: Random) -> Manifest:
    term = {"matchExpressions": [chance.choice(OPERATORS)]}
    wish = {"weight": chance.randint(1, 100), "preference": term}
    told = {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}
    return given.spec(affinity={"nodeAffinity": told})


def _tolerant(chance: Random) -> Manifest:
    return given.spec(tolerations=[chance.choice(TOLERATIONS)])


def _ports(chance: Random) -> Manifest:
    return on_port(chance.choice([80, 81]), chance.choice(["", "", "10.0.0.1", "10.0.0.2"]))


def _web(_: Random) -> Manifest:
    return given.labelled({"app": "web"})


def on_port(port: int, address: str = "") -> Manifest:
    """A host port, taken by a sidecar so that it stands beside any containers."""
    asked = {"hostPort": port, "containerPort": port} | ({"hostIP": address} if address else {})
    return given.spec(initContainers=[{"name": "i", "restartPolicy": "Always", "ports": [asked]}])


def keeping_off(chance: Random) -> Manifest:
    """A rule of a bound pod that keeps `app: web` out of its domain."""
    term = {
        "topologyKey": chance.choice(["zone", "kubernetes.io/hostname", "rack"]),
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    if chance.randrange(2):
        term["namespaceSelector"] = {}
    told = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return given.spec(affinity={"podAntiAffinity": told})


def priority(chance: Random) -> Manifest:
    """As a number, as a class, or none."""
    told = chance.choice([None, None, None, 5, -5, "high"])
    if told is None:
        return {}
    return given.spec(priorityClassName=told) if told == "high" else given.spec(priority=told)


def role(name: str) -> Manifest:
    """The task that a pod does."""
    return given.annotated({"volcano.sh/task-spec": name}) if name else {}


def age(chance: Random) -> Manifest:
    """When it was made, if anybody says."""
    told = chance.choice(["", "01", "02", "03"])
    return given.created(told) if told else {}


def owner(chance: Random) -> Manifest:
    """Whose pod it is: nearly always ours."""
    names = ["fullcrew"] * 15 + ["volcano", "kube-batch", "default-scheduler", "", "other"]
    return given.served_by(chance.choice(names))


def gate(chance: Random) -> Manifest:
    """Now and then somebody holds a pod back."""
    if chance.randrange(15):
        return {}
    return given.spec(schedulingGates=[{"name": "example.com/gate"}])
