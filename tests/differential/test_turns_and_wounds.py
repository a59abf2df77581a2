"""The checks on order, wounded gangs, limits and ports see what they are there to see."""

from __future__ import annotations

import given
from differential import checks
from differential.test_checks import Plan, start, wait
from given import Manifest

ONE = given.asking(cpu=1)


def plan_of(*entries: Plan) -> Plan:
    """Starts have places, waits have reasons."""
    return {
        "starts": [each for each in entries if "reason" not in each],
        "waits": [each for each in entries if "reason" in each],
        "evictions": [],
        "seconds": {"read": 0.0, "plan": 0.0},
    }


def promises_broken(documents: list[Manifest], *entries: Plan) -> set[str]:
    """By name."""
    told = checks.violations(documents, plan_of(*entries))
    return {each.partition(":")[0] for each in told}


def gang(name: str, count: int, *parts: Manifest) -> list[Manifest]:
    """A group that needs all its pods."""
    marks = (ONE, given.in_group(name), *parts)
    pods = [given.pod(f"{name}-{number}", *marks) for number in range(count)]
    return [given.pod_group(name, count), *pods]


def test_a_gang_that_is_overtaken_in_its_queue_is_seen() -> None:
    documents = [given.node("n1", given.having(cpu=2)), *gang("a", 2), *gang("b", 1)]

    broken = promises_broken(documents, start("b", 1, b_0="n1"), wait("a", 2, "a-0", "a-1"))

    assert broken == {"nobody is overtaken"}


def test_a_wounded_gang_that_is_passed_over_is_seen() -> None:
    hurt = gang("hurt", 3)
    hurt[1] = given.pod("hurt-0", ONE, given.in_group("hurt"), given.on_node("n1"))
    documents = [given.node("n1", given.having(cpu=3)), *hurt, *gang("a", 1)]

    broken = promises_broken(
        documents, start("a", 1, a_0="n1"), wait("hurt", 3, "hurt-1", "hurt-2")
    )

    assert "wounded get all or nothing" in broken


def test_a_wounded_gang_that_gets_a_part_is_seen() -> None:
    hurt = gang("hurt", 3)
    hurt[1] = given.pod("hurt-0", ONE, given.in_group("hurt"), given.on_node("n1"))
    documents = [given.node("n1", given.having(cpu=2)), *hurt]

    broken = promises_broken(documents, start("hurt", 3, hurt_1="n1"), wait("hurt", 3, "hurt-2"))

    assert "whole or not at all" in broken


def test_a_queue_above_its_limit_is_seen() -> None:
    limit = given.queue("default", given.spec(capability={"cpu": "1"}))
    documents = [given.node("n1"), limit, *gang("a", 2)]

    broken = promises_broken(documents, start("a", 2, a_0="n1", a_1="n1"))

    assert broken == {"never over queues"}


def test_a_port_that_is_taken_twice_is_seen() -> None:
    container = {"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}
    documents = [given.node("n1"), *gang("a", 2, given.spec(containers=[container]))]

    broken = promises_broken(documents, start("a", 2, a_0="n1", a_1="n1"))

    assert broken == {"ports do not clash"}


def test_a_pod_without_requests_that_starts_first_is_seen() -> None:
    documents = [given.node("n1"), given.pod("idle"), *gang("a", 1)]

    broken = promises_broken(documents, start("idle", 1, idle="n1"), start("a", 1, a_0="n1"))

    assert broken == {"best effort comes last"}


def test_a_group_without_pods_that_nobody_speaks_of_is_seen() -> None:
    broken = promises_broken([given.node("n1"), given.pod_group("empty", 2)])

    assert broken == {"gangs short of pods wait"}
