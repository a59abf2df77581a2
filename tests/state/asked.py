"""What pods of these tests ask for, faults among it."""

from __future__ import annotations

from given import Manifest, spec

__all__ = ["kinds", "ports", "requests"]


def requests(**amounts: object) -> Manifest:
    return spec(containers=[{"name": "main", "resources": {"requests": amounts}}])


def ports(count: int) -> Manifest:
    told = [{"hostPort": at} for at in range(1, count + 1)]
    return spec(containers=[{"name": "main", "ports": told}])


def kinds(count: int) -> Manifest:
    return requests(**{f"example.com/r{at}": "1" for at in range(count)})
