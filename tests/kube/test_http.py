"""One user of one server: answers as they are, credentials that rotate, and lines that are cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kube.server import LOST, FakeApi, serving, status

from fullcrew import client, errors, kube
from fullcrew.kube import Http, Reply, Wish

POD = "/api/v1/namespaces/ns/pods/p"


async def test_an_answer_is_given_back_whatever_it_says() -> None:
    api = FakeApi()
    api.fail("GET", Reply(429, b"busy", 7))

    async with serving(api) as http:
        assert await http.request("GET", POD) == Reply(429, b"busy", 7)


async def test_a_lost_answer_is_unreachable() -> None:
    api = FakeApi()
    api.fail("POST", LOST)

    async with serving(api) as http:
        with pytest.raises(errors.Unreachable):
            await http.request("POST", POD, body=b"{}")


async def test_what_is_silent_for_too_long_is_unreachable() -> None:
    async def read(http: Http) -> None:
        async with http.stream("/api/v1/pods?watch=1", quiet_seconds=0.05) as (_, stream):
            _ = [received async for received in stream]

    async with serving(FakeApi(tells_all=True)) as http:
        with pytest.raises(errors.Unreachable):
            await read(http)


async def test_a_rejected_token_is_read_again_and_the_request_repeated(tmp_path: Path) -> None:
    api = FakeApi()
    api.fail("GET", Reply(401, status(401)))
    token = tmp_path / "token"
    token.write_text("old")

    async with serving(api) as plain:
        http = Http(replace(plain.access, token_path=token))
        await http.look_again()
        token.write_text("new")
        reply = await http.request("GET", POD)
        headers = http.credentials.headers()
        await http.close()

    assert reply.code == 404
    assert headers == {"Authorization": "Bearer new"}


async def test_a_single_attempt_repeats_nothing() -> None:
    api = FakeApi()
    api.fail("GET", Reply(401, status(401)))

    async with serving(api) as http:
        await http.look_again()
        reply = await http.send(Wish("GET", POD))

        assert reply.code == 401
        assert http.is_due
    assert len(api.heard) == 1


async def test_a_plugin_that_fails_is_trouble_with_the_cluster_and_not_the_end() -> None:
    plugin = client.Exec(command=("/nowhere/plugin",), version="client.authentication.k8s.io/v1")
    http = kube.Http(client.Access(server="http://127.0.0.1:9", exec=plugin))

    with pytest.raises(errors.Unreachable, match="plugin"):
        await http.request("GET", POD)
    with pytest.raises(errors.Unreachable, match="plugin"):
        await http.request("GET", POD)
    await http.close()
