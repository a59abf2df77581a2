"""Who may use which node, however empty it is: labels, taints, rules of bound pods, volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from differential.rows import Cluster, Manifest, Node, Pod

__all__ = ["allowed", "claims_fault"]

_ZONES: Final = (
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def allowed(cluster: Cluster, pod: Pod) -> frozenset[str]:
    """The nodes that the pod may use."""
    volumes = _volumes(cluster, pod)
    return frozenset(
        node.name
        for node in cluster.nodes.values()
        if node.is_usable
        and _is_selected(pod.told.get("spec") or {}, node)
        and _tolerates(pod, node)
        and not _is_kept_off(cluster, pod, node)
        and all(_reaches(volume, node) for volume in volumes)
    )


def _is_selected(spec: Manifest, node: Node) -> bool:
    chosen = spec.get("nodeSelector") or {}
    if any(node.labels.get(key) != value for key, value in chosen.items()):
        return False
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED)
    return required is None or _any_term(required, node)


def _any_term(selector: Mapping[str, Any], node: Node) -> bool:
    """A term without requirements matches nothing."""
    return any(
        (term.get("matchExpressions") or term.get("matchFields"))
        and all(_holds(rule, node.labels) for rule in term.get("matchExpressions") or ())
        and all(
            _holds(rule, {"metadata.name": node.name}) for rule in term.get("matchFields") or ()
        )
        for term in selector.get("nodeSelectorTerms") or ()
    )


def _holds(rule: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = rule["key"], [str(value) for value in rule.get("values") or ()]
    told = labels.get(key)
    match rule["operator"]:
        case "In":
            return told in values
        case "NotIn":
            return told not in values
        case "Exists":
            return told is not None
        case "DoesNotExist":
            return told is None
    if told is None or not told.lstrip("-").isdecimal():
        return False
    return int(told) > int(values[0]) if rule["operator"] == "Gt" else int(told) < int(values[0])


def _tolerates(pod: Pod, node: Node) -> bool:
    tolerations = (pod.told.get("spec") or {}).get("tolerations") or ()
    return all(
        effect == "PreferNoSchedule"
        or any(_puts_up_with(each, key, value, effect) for each in tolerations)
        for key, value, effect in node.taints
    )


def _puts_up_with(toleration: Mapping[str, Any], key: str, value: str, effect: str) -> bool:
    if toleration.get("effect") and toleration["effect"] != effect:
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in {None, "", key}
    return toleration.get("key") == key and (toleration.get("value") or "") == value


def _is_kept_off(cluster: Cluster, pod: Pod, node: Node) -> bool:
    """By the required anti-affinity of a pod that is bound somewhere in the node's domain."""
    for other in cluster.keepers:
        there = cluster.nodes[other.node].labels
        for term in other.anti_affinity:
            domain = there.get(term["topologyKey"])
            if domain is None or node.labels.get(term["topologyKey"]) != domain:
                continue
            if _speaks_of(cluster, term, other, pod):
                return True
    return False


def _speaks_of(cluster: Cluster, term: Mapping[str, Any], other: Pod, pod: Pod) -> bool:
    namespaces, chosen = term.get("namespaces") or [], term.get("namespaceSelector")
    if not namespaces and chosen is None:
        namespaces = [other.namespace]
    is_there = pod.namespace in namespaces or (
        chosen is not None and _selects(chosen, cluster.namespaces.get(pod.namespace, {}))
    )
    selector = term.get("labelSelector")
    return is_there and selector is not None and _selects(selector, pod.labels)


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    exact = selector.get("matchLabels") or {}
    rules = selector.get("matchExpressions") or ()
    return all(labels.get(key) == value for key, value in exact.items()) and all(
        _holds(rule, labels) for rule in rules
    )


def _documents(cluster: Cluster, kind: str) -> dict[str, Manifest]:
    found = {}
    for told in cluster.documents:
        if told["kind"] == kind:
            metadata = told["metadata"]
            place = f"{metadata.get('namespace') or 'default'}/" if kind.endswith("Claim") else ""
            found[place + metadata["name"]] = told
    return found


def _claims(pod: Pod) -> list[str]:
    told = (pod.told.get("spec") or {}).get("volumes") or ()
    claims = [each["persistentVolumeClaim"] for each in told if "persistentVolumeClaim" in each]
    return [f"{pod.namespace}/{claim['claimName']}" for claim in claims]


def claims_fault(cluster: Cluster, pod: Pod) -> str:
    """Why a claim of the pod keeps it waiting; empty where all are bound to volumes there are."""
    claims = _documents(cluster, "PersistentVolumeClaim")
    volumes = _documents(cluster, "PersistentVolume")
    for name in _claims(pod):
        spec = (claims.get(name) or {}).get("spec") or {}
        if spec.get("volumeName") not in volumes:
            return f"claim {name} is not bound"
        if "ReadWriteOncePod" in (spec.get("accessModes") or ()):
            return f"claim {name} is for one pod"
    return ""


def _volumes(cluster: Cluster, pod: Pod) -> list[Manifest]:
    names = _claims(pod)
    if not names:
        return []
    claims = _documents(cluster, "PersistentVolumeClaim")
    volumes = _documents(cluster, "PersistentVolume")
    told = [(claims.get(name) or {}).get("spec") or {} for name in names]
    return [volumes[spec["volumeName"]] for spec in told if spec.get("volumeName") in volumes]


def _reaches(volume: Manifest, node: Node) -> bool:
    required = ((volume.get("spec") or {}).get("nodeAffinity") or {}).get("required")
    if required is not None and not _any_term(required, node):
        return False
    if not any(key in node.labels for key in _ZONES):
        return True
    labels = volume["metadata"].get("labels") or {}
    return all(node.labels.get(key) in labels[key].split("__") for key in _ZONES if key in labels)
