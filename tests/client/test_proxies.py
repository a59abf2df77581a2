"""Who is reached through the environment's proxy, and who is not."""

from __future__ import annotations

import pytest

from fullcrew.client.proxies import proxy_for

PROXIES = {"HTTPS_PROXY": "http://secure:1", "http_proxy": "plain:2"}


@pytest.mark.parametrize(
    ("server", "proxy"),
    [
        ("https://kube.test:6443", "http://secure:1"),
        ("http://kube.test", "http://plain:2"),
        ("https://localhost:6443", ""),
        ("https://127.0.0.3", ""),
        ("https://[::1]:6443", ""),
    ],
)
def test_the_scheme_chooses_and_this_machine_is_reached_directly(server: str, proxy: str) -> None:
    assert proxy_for(server, PROXIES) == proxy


@pytest.mark.parametrize(
    ("excepted", "server"),
    [
        ("*", "https://kube.test"),
        ("kube.test", "https://kube.test:6443"),
        ("KUBE.test", "https://kube.test:6443"),
        ("test", "https://kube.test:6443"),
        (".test", "https://kube.test"),
        ("*.test", "https://kube.test"),
        ("a, kube.test:443 ,b", "https://kube.test"),
        ("10.0.0.0/8", "https://10.96.0.1"),
        ("10.96.0.1", "https://10.96.0.1:443"),
        ("fd00::/8", "https://[fd00::1]:443"),
    ],
)
def test_an_excepted_host_is_reached_directly(excepted: str, server: str) -> None:
    assert proxy_for(server, {**PROXIES, "NO_PROXY": excepted}) == ""


@pytest.mark.parametrize(
    ("excepted", "server"),
    [
        ("", "https://kube.test"),
        (" ,", "https://kube.test"),
        ("ube.test", "https://kube.test"),
        ("kube.test:80", "https://kube.test"),
        ("10.0.0.0/8", "https://11.0.0.1"),
        ("10.0.0.0/8", "https://kube.test"),
        ("*x", "https://kube.test"),
    ],
)
def test_others_are_not_excepted(excepted: str, server: str) -> None:
    assert proxy_for(server, {**PROXIES, "no_proxy": excepted}) == "http://secure:1"
