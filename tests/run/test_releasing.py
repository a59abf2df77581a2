"""A wounded gang is released whole, if and only if somebody will make its pods again."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from typing import Any

import given
import pytest

from fullcrew import kube, objects
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.releasing import Right, release

OWNED = given.meta(ownerReferences=[{"kind": "Job", "name": "j", "uid": "o", "controller": True}])
GROUP = objects.VolcanoPodGroup.KIND
RUNS = given.on_node("n")


class Server:
    """Pods of a namespace in pages of two, and what is deleted."""

    def __init__(self, *pods: given.Manifest, refuses: int = 0) -> None:
        self.pods = list(pods)
        self.deleted: list[tuple[str, str]] = []
        self._refuses = refuses

    async def request(
        self,
        lane: kube.Lane,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        content: str = kube.JSON,
    ) -> kube.Reply:
        """As the flow does it."""
        assert (lane, content) == (kube.Lane.BIND, kube.JSON)
        assert (method, body) == ("GET", None)
        first = int(path.partition("continue=")[2] or "0")
        more = str(first + 2) if first + 2 < len(self.pods) else ""
        page = {"metadata": {"continue": more}, "items": self.pods[first : first + 2]}
        return kube.Reply(200, json.dumps(page).encode())

    def submit(self, lane: kube.Lane, errand: kube.Errand) -> None:
        """What is deleted."""
        assert lane is kube.Lane.BIND
        wish = errand.wish()
        if wish is None:
            return
        assert (wish.method, wish.seconds) == ("DELETE", 4.0)
        told: dict[str, Any] = json.loads(wish.body or b"{}")
        name = wish.path.partition("?")[0].rpartition("/")[2]
        self.deleted.append((name, told["preconditions"]["uid"]))
        errand.told(kube.Reply(self._refuses or 200, b"{}"))


def pod(name: str, *parts: given.Manifest) -> given.Manifest:
    return given.pod(name, given.in_group("job"), given.with_uid(f"u-{name}"), *parts)


def released(server: Server, is_leader: Callable[[], bool] = lambda: True) -> tuple[bool, str]:
    """Whether it was, and what the log says."""
    stream = io.StringIO()
    notes = (Log(stream), Metrics())

    async def run() -> bool:
        remover = kube.Remover(server, seconds=4.0, may_delete=is_leader)
        right = Right(frozenset({"fullcrew"}), remover)
        return await release("default/job", GROUP, server, right, notes)

    return asyncio.run(run()), stream.getvalue()


def test_its_bound_members_are_deleted_by_their_uids() -> None:
    server = Server(
        pod("a", OWNED, RUNS),
        pod("b", OWNED, RUNS),
        pod("c", OWNED),
        pod("done", OWNED, given.on_node("n", phase="Succeeded")),
        pod("leaves", OWNED, RUNS, given.leaving()),
        given.pod("stranger", OWNED, RUNS),
    )

    is_done, _ = released(server)

    assert is_done
    assert server.deleted == [("a", "u-a"), ("b", "u-b")]


def test_bare_pods_are_never_deleted() -> None:
    server = Server(pod("a", OWNED, RUNS), pod("b", RUNS), pod("c", OWNED))

    is_done, log = released(server)

    assert not is_done
    assert server.deleted == []
    assert "no controller would make b again" in log


def test_where_nobody_made_the_missing_pods_again_nobody_would_make_these() -> None:
    server = Server(pod("a", OWNED, RUNS), pod("b", OWNED, RUNS))

    is_done, log = released(server)

    assert not is_done
    assert server.deleted == []
    assert "nobody has made its missing pods again" in log


def test_a_member_that_another_scheduler_serves_is_left_alone() -> None:
    theirs = given.served_by("default-scheduler")
    server = Server(pod("a", OWNED, RUNS), pod("b", OWNED, RUNS, theirs), pod("c", OWNED))

    released(server)

    assert server.deleted == [("a", "u-a")]


def test_who_leads_no_more_deletes_nothing_more() -> None:
    server = Server(pod("a", OWNED, RUNS), pod("b", OWNED, RUNS), pod("c", OWNED))

    is_done, log = released(server, is_leader=lambda: not server.deleted)

    assert not is_done
    assert server.deleted == [("a", "u-a")]
    assert "we lead no more" in log


def test_a_gang_of_the_same_name_in_another_dialect_is_left_alone() -> None:
    labelled = given.pod("x", given.in_labelled_group("job", 2), OWNED, RUNS)
    server = Server(labelled, pod("a", OWNED, RUNS), pod("c", OWNED))

    released(server)

    assert server.deleted == [("a", "u-a")]


@pytest.mark.parametrize("code", [404, 409])
def test_a_pod_that_is_gone_or_another_one_by_now_is_no_failure(code: int) -> None:
    server = Server(pod("a", OWNED, RUNS), pod("c", OWNED), refuses=code)

    assert released(server)[0]


def test_a_refusal_is_told() -> None:
    server = Server(pod("a", OWNED, RUNS), pod("c", OWNED), refuses=403)

    is_done, log = released(server)

    assert not is_done
    assert "release failed" in log
