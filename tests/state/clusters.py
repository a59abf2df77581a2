"""Random clusters as manifests, with every kind that the state reads and faults among them.

Drawn from a seed by Python's own generator: hypothesis takes ten times as long to draw as many
choices, and a cluster that fails is small enough as it is.
"""

from __future__ import annotations

from random import Random

from given import (
    GPU,
    Manifest,
    annotated,
    asking,
    claim,
    created,
    having,
    in_group,
    in_labelled_group,
    labelled,
    leaving,
    namespace,
    node,
    on_node,
    pod,
    pod_group,
    priority_class,
    queue,
    served_by,
    spec,
    status,
    volume,
    with_uid,
)

__all__ = ["cluster", "sound_cluster"]

_NAMES = ("a", "b", "c")
_NODES = ("n1", "n2", "n3")
_SPACES = ("team", "other")

_anti_affine = spec(
    affinity={
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "a"}}}
            ]
        }
    }
)
_selective = spec(nodeSelector={"zone": "z1"})
_gated = spec(schedulingGates=[{"name": "wait"}])
_with_claim = spec(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c1"}}])
_spread = spec(topologySpreadConstraints=[{"topologyKey": "zone", "maxSkew": 1}])
_faulty = spec(containers=[{"name": "main", "resources": {"requests": {"cpu": "much"}}}])
_mistyped = spec(nodeSelector=7)
_port = spec(containers=[{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}])

_groups: tuple[Manifest, ...] = (
    {},
    in_group("a"),
    in_group("b"),
    in_labelled_group("a", 2),
    in_labelled_group("b", "x"),
)
_places: tuple[Manifest, ...] = (
    {},
    {},
    on_node("n1"),
    on_node("n2"),
    on_node("gone"),
    on_node("n1", phase="Succeeded"),
    on_node("n3", phase="Failed"),
    {**on_node("n2"), **leaving()},
)
_rules: tuple[Manifest, ...] = (
    *({}, {}, _anti_affine, _selective, _gated),
    *(_with_claim, _spread, _faulty, _mistyped, _port),
)


def cluster(seed: int) -> list[Manifest]:
    """Everything that there is, each object once."""
    chance = Random(seed)
    found = [_pod(number, chance) for number in range(chance.randint(0, 14))]
    for name in _NODES:
        zone = chance.choice([{}, labelled({"zone": "z1"}), labelled({"zone": "z2"})])
        fault = chance.choice([{}, {}, status(allocatable={"cpu": "-1"}), leaving()])
        found.append(node(name, having(cpu="8", gpu=4), zone, fault))
    for title in ("team/a", "team/b", "other/a"):
        for dialect in chance.sample(("volcano", "kube-batch", "sigs"), chance.randint(0, 2)):
            terms = chance.choice([{}, spec(queue="q"), spec(priorityClassName="high")])
            found.append(pod_group(title, chance.randint(-1, 3), terms, dialect=dialect))
    limit = chance.choice([{}, spec(capability={GPU: "2"}), status(state="Closed")])
    rest = [
        queue("q", limit, weight=2),
        queue("q", dialect="kube-batch"),
        priority_class("high", 100),
        namespace("team", annotated({"scheduling.volcano.sh/queue-name": "q"})),
        volume("v1", labelled({"topology.kubernetes.io/zone": "z1__z2"})),
        claim("team/c1", with_uid("c"), volume_name="v1"),
    ]
    return [*found, *chance.sample(rest, chance.randint(2, len(rest)))]


def sound_cluster(seed: int) -> list[Manifest]:
    """One without faults, in which most gangs may start: two groups, a labelled gang, others."""
    chance = Random(seed)
    groups: tuple[Manifest, ...] = (in_group("a"), in_group("b"), in_labelled_group("a", 2), {})
    rules: tuple[Manifest, ...] = ({}, {}, {}, _selective, _port)
    places: tuple[Manifest, ...] = ({}, {}, {}, on_node("n1"), {**on_node("n2"), **_anti_affine})
    pods = [
        pod(
            f"team/p{number}",
            with_uid(f"u{number}"),
            asking(cpu=chance.choice(["1", "500m"]), gpu=chance.randint(0, 1)),
            labelled({"app": chance.choice(_NAMES)}),
            chance.choice(rules),
            chance.choice(groups),
            chance.choice(places),
        )
        for number in range(chance.randint(3, 12))
    ]
    nodes = [node(name, having(cpu="8", gpu=4), labelled({"zone": name})) for name in _NODES]
    here = pod_group("team/a", chance.randint(1, 3)), pod_group("team/b", 1, spec(queue="q"))
    return [*pods, *nodes, *here, queue("q", spec(capability={GPU: "2"}))]


def _pod(number: int, chance: Random) -> Manifest:
    """A pod of any fate."""
    return pod(
        f"{chance.choice(_SPACES)}/p{number}",
        with_uid(f"u{number}"),
        asking(cpu=chance.choice(["1", "500m", "3"]), gpu=chance.randint(0, 2)),
        labelled({"app": chance.choice(_NAMES)}),
        chance.choice(_rules),
        chance.choice(_groups),
        chance.choice(_places),
        chance.choice([{}, created("01"), created("02")]),
        chance.choice([{}, served_by("volcano"), served_by("somebody")]),
        chance.choice([{}, spec(priority=5), spec(priorityClassName="high")]),
        chance.choice([{}, annotated({"volcano.sh/task-spec": "ps"}), leaving()]),
    )
