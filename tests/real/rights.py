"""Installs what a cluster needs for Fullcrew, from the very files that users apply: the CRDs, the
namespace, the account, and its rights, which are then all that a scheduler under test has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml
from real.api import Api, Object

DEPLOY = Path(__file__).parents[2] / "deploy"
NAMESPACE = "fullcrew-system"
ACCOUNT = "fullcrew"


def install(api: Api, *, crds: bool = True) -> None:
    """Returns when the groups' kinds are served."""
    if crds:
        install_crds(api, list(crd_documents()))
    for document in documents(DEPLOY / "rbac.yaml"):
        api.apply(document)


def install_crds(api: Api, crds: list[Object]) -> None:
    """Applies CustomResourceDefinitions, and waits until the server serves them."""
    for crd in crds:
        api.apply(crd)
    for crd in crds:
        while not _is_served(api, crd["metadata"]["name"]):
            pass


def remove_crds(api: Api, crds: list[Object]) -> None:
    """Takes the kinds away, with all objects of them; returns when they are gone."""
    for crd in crds:
        path = api.path_of(crd)
        api.delete(path)
        while api.delete(path):
            pass


def without_status(crd: Object) -> Object:
    """The same kind as kube-batch and Volcano define it: status is written with the object."""
    versions = [
        {key: value for key, value in version.items() if key != "subresources"}
        for version in crd["spec"]["versions"]
    ]
    return {**crd, "spec": {**crd["spec"], "versions": versions}}


def crd_documents() -> Iterator[Object]:
    """Ours, as they lie in deploy/crds."""
    for path in sorted((DEPLOY / "crds").glob("*.yaml")):
        yield from documents(path)


def documents(path: Path) -> list[Object]:
    """The objects of a manifest."""
    return [part for part in yaml.safe_load_all(path.read_text(encoding="utf-8")) if part]


def _is_served(api: Api, name: str) -> bool:
    crd = api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")
    conditions = crd.get("status", {}).get("conditions") or []  # null until somebody looked at it
    return any(told["type"] == "Established" and told["status"] == "True" for told in conditions)
