"""A scheduler that serves a name of ours is found by the Lease it holds."""

from __future__ import annotations

import asyncio

import pytest
from kube.server import FakeApi, status

from fullcrew import errors
from fullcrew.kube import Reply, Rival, Rivals

NOW = 1_800_000_000.0  # 2027-01-15T08:00:00Z
FRESH = "2027-01-15T07:59:55.000000Z"
STALE = "2027-01-15T07:00:00.000000Z"
OWN = ("ours", "fullcrew")


def with_lease(api: FakeApi, namespace: str, name: str, holder: str, renewed: str) -> FakeApi:
    path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}"
    spec = {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 15}
    api.add(path, {"metadata": {"name": name, "namespace": namespace}, "spec": spec})
    return api


def rivals(api: FakeApi) -> Rivals:
    return Rivals(api, ["volcano"], own=OWN, clock=lambda: NOW)


def test_a_holder_that_renewed_just_now_is_a_rival() -> None:
    api = with_lease(FakeApi(), "volcano-system", "volcano", "v-0", FRESH)

    assert asyncio.run(rivals(api).look()) == (Rival("volcano", "volcano-system", "v-0"),)


def test_an_expired_lease_or_one_without_holder_is_none() -> None:
    api = with_lease(FakeApi(), "a", "volcano", "v-0", STALE)
    with_lease(api, "b", "volcano", "", FRESH)

    assert asyncio.run(rivals(api).look()) == ()


def test_our_own_lease_is_none() -> None:
    api = with_lease(FakeApi(), "ours", "volcano", "we", FRESH)

    looking = Rivals(api, ["volcano"], own=("ours", "volcano"), clock=lambda: NOW)

    assert asyncio.run(looking.look()) == ()


def test_a_holder_whose_clock_is_wrong_is_known_by_its_renewals() -> None:
    api = with_lease(FakeApi(), "a", "volcano", "v-0", STALE)

    async def looked_twice() -> tuple[int, int]:
        looking = rivals(api)
        first = await looking.look()
        with_lease(api, "a", "volcano", "v-0", STALE.replace("07:00", "07:01"))
        return len(first), len(await looking.look())

    assert asyncio.run(looked_twice()) == (0, 1)


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_server_that_is_busy_says_nothing_of_rivals(code: int) -> None:
    api = with_lease(FakeApi(), "a", "volcano", "v-0", FRESH)
    api.fail("/v1/leases", Reply(code, status(code)))

    with pytest.raises(errors.Unreachable):
        asyncio.run(rivals(api).look())


def test_without_the_right_to_list_the_usual_places_are_looked_at() -> None:
    api = with_lease(FakeApi(), "kube-system", "volcano", "v-0", FRESH)
    api.fail("/v1/leases", Reply(403, status(403)))

    assert [rival.namespace for rival in asyncio.run(rivals(api).look())] == ["kube-system"]


@pytest.mark.parametrize("code", [401, 403])
def test_names_whose_leases_may_not_be_read_are_told(code: int) -> None:
    api = FakeApi()
    api.fail("leases", *[Reply(code, status(code))] * 100)

    looking = rivals(api)
    found = asyncio.run(looking.look())

    assert (found, looking.unseen) == ((), frozenset({"volcano"}))


def test_a_name_that_can_be_read_in_the_usual_places_is_seen() -> None:
    api = FakeApi()
    api.fail("/v1/leases", Reply(403, status(403)))

    looking = rivals(api)
    asyncio.run(looking.look())

    assert looking.unseen == frozenset()


def test_all_names_are_asked_about_at_once() -> None:
    api = FakeApi(latency=0.001)

    asyncio.run(Rivals(api, ["a", "b", "c"], own=OWN, clock=lambda: NOW).look())

    assert api.most_under_way == 3
