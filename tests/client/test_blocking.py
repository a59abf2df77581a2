"""Requests that wait for their answer: pages, refusals, renewed credentials, broken connections."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from client.serving import HANG_UP, Answer, Asked, Serving, serving
from real.certificates import Authority

from fullcrew import client, errors
from fullcrew.client import Access, Certificate, Client

PODS = "/api/v1/pods"
MERGE = "application/merge-patch+json"


def says(*answers: Answer) -> Callable[[Asked], Answer]:
    """One answer after the other, the last one again and again."""
    waiting = list(answers)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


def page(*names: str, more: str = "") -> Answer:
    items = [{"metadata": {"name": name}} for name in names]
    return 200, json.dumps({"metadata": {"continue": more}, "items": items}).encode()


def status(code: int, message: str, **details: object) -> Answer:
    return code, json.dumps({"kind": "Status", "message": message, "details": details}).encode()


def names_in(server: Serving) -> list[str]:
    with Client(Access(server=server.address)) as asking:
        return [json.loads(bytes(raw))["metadata"]["name"] for raw in asking.list(PODS)]


def get(access: Access, path: str = PODS) -> bytes | None:
    with Client(access) as asking:
        return asking.get(path)


def test_an_object_is_its_bytes() -> None:
    with serving(says((200, b'{"kind":"Pod"}'))) as server:
        assert get(Access(server=server.address), f"{PODS}/a") == b'{"kind":"Pod"}'


def test_what_is_not_there_is_none() -> None:
    with serving(says(status(404, "not found"))) as server:
        assert get(Access(server=server.address), f"{PODS}/a") is None
        assert names_in(server) == []


def test_a_server_below_a_path_is_asked_there() -> None:
    with serving(says((200, b"{}"))) as server:
        get(Access(server=f"{server.address}/k8s/clusters/c-1"))

    assert server.paths == ["/k8s/clusters/c-1/api/v1/pods"]


def test_a_list_is_read_page_by_page() -> None:
    with serving(says(page("a", "b", more="t=1&x"), page("c"))) as server:
        assert names_in(server) == ["a", "b", "c"]

    assert server.paths == [f"{PODS}?limit=1000", f"{PODS}?limit=1000&continue=t%3D1%26x"]


def test_a_list_of_nothing_may_be_null() -> None:
    with serving(says((200, b'{"metadata":{},"items":null}'))) as server:
        assert names_in(server) == []


def test_pages_that_are_gone_are_read_once_more_at_one_go() -> None:
    with serving(says(page("a", more="t"), status(410, "expired"), page("a", "b"))) as server:
        assert names_in(server) == ["a", "b"]

    assert server.paths[-1] == PODS


def test_a_list_that_is_none_tells_who_answered() -> None:
    with (
        serving(says((200, b"<html>login</html>"))) as server,
        pytest.raises(errors.Unreachable, match="what is no list"),
    ):
        names_in(server)


@pytest.mark.parametrize(
    ("path", "resource"),
    [
        ("/api/v1/namespaces/team/pods/w-0", "pods"),
        ("/api/v1/namespaces/team", "namespaces"),
        ("/api/v1/nodes", "nodes"),
        ("/apis/scheduling.volcano.sh/v1beta1/namespaces/team/podgroups", "podgroups"),
        ("/version", "/version"),
    ],
)
def test_a_right_that_we_lack_is_told_with_its_resource(path: str, resource: str) -> None:
    with (
        serving(says(status(403, "no"))) as server,
        pytest.raises(errors.Forbidden, match=f"let us get {resource}\n"),
    ):
        get(Access(server=server.address), path)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (status(500, "etcd is away"), "answered 500: etcd is away"),
        ((502, b"<h1>Bad gateway</h1>"), "answered 502: <h1>Bad gateway</h1>"),
        ((503, b""), "answered 503: no words"),
        ((302, b""), "answered 302"),
    ],
)
def test_any_other_refusal_is_told_in_the_servers_words(answer: Answer, words: str) -> None:
    with serving(says(answer)) as server, pytest.raises(errors.Refused, match=words):
        get(Access(server=server.address))


def test_a_refusal_keeps_its_cause_and_when_to_come_back() -> None:
    causes = [{"reason": "NamespaceTerminating", "message": "going"}]
    told = status(403, "no", causes=causes, retryAfterSeconds=7)[1]

    assert client.refusal(told) == client.Refusal("no", "NamespaceTerminating", 7.0)
    assert client.refusal(b"\xff\xfe").message


def test_a_refused_token_is_read_again_once(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")

    def answer(asked: Asked) -> Answer:
        token.write_text("new\n")
        return (200, b"{}") if asked.token == "new" else (401, b"")

    with serving(answer) as server:
        assert get(Access(server=server.address, token_path=token)) == b"{}"

    assert [asked.token for asked in server.asked] == ["old", "new"]
    assert len({asked.connection for asked in server.asked}) == 2, "certificates belong to one"


def test_a_token_that_stays_refused_is_told() -> None:
    with (
        serving(says(status(401, "Unauthorized"))) as server,
        pytest.raises(errors.Refused, match="401: Unauthorized"),
    ):
        get(Access(server=server.address, token="t"))

    assert len(server.asked) == 2


def test_requests_share_a_connection() -> None:
    with serving(says((200, b"{}"))) as server, Client(Access(server=server.address)) as asking:
        asking.get(PODS)
        asking.get(PODS)

    assert len({asked.connection for asked in server.asked}) == 1


def test_a_connection_that_went_stale_is_replaced_for_a_read() -> None:
    answers = says((200, b"{}"), HANG_UP, (200, b'{"a":1}'))

    with serving(answers) as server, Client(Access(server=server.address)) as asking:
        asking.get(PODS)
        assert asking.get(PODS) == b'{"a":1}'


def test_a_write_is_never_repeated() -> None:
    answers = says((200, b"{}"), HANG_UP, (200, b"{}"))

    with serving(answers) as server, Client(Access(server=server.address)) as asking:
        asking.get(PODS)
        with pytest.raises(errors.Unreachable):
            asking.request("POST", PODS, b"{}")

    assert [asked.method for asked in server.asked] == ["GET", "POST"]


def test_a_server_that_hangs_up_at_once_is_unreachable() -> None:
    with (
        serving(says(HANG_UP)) as server,
        pytest.raises(errors.Unreachable, match="cannot be reached"),
    ):
        get(Access(server=server.address))

    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with serving(says((200, b""))) as server:
        pass

    with pytest.raises(errors.Unreachable, match=r"127\.0\.0\.1"):
        get(Access(server=server.address))


def test_a_body_is_sent_with_its_length_and_kind() -> None:
    answers = says((201, b"made"))

    with serving(answers) as server, Client(Access(server=server.address)) as asking:
        told = asking.request("PATCH", PODS, b'{"a":1}', content=MERGE)

    (asked,) = server.asked
    assert told == (201, b"made")
    assert (asked.body, asked.headers["Content-Type"]) == (b'{"a":1}', MERGE)


def test_headers_of_impersonation_are_sent_as_often_as_they_stand() -> None:
    headers = (("Impersonate-User", "eve"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))
    with serving(says((200, b"{}"))) as server:
        get(Access(server=server.address, impersonate=headers))

    (asked,) = server.asked
    assert asked.headers["Impersonate-User"] == "eve"
    assert asked.headers.get_all("Impersonate-Group") == ["a", "b"]


def test_a_name_in_a_path_stays_a_name() -> None:
    assert client.in_path("a/b c?") == "a%2Fb%20c%3F"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def server_tls(authority: Authority, folder: Path, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.for_server(names).write(folder, "server"))
    ca = folder / "ca.crt"
    ca.write_bytes(authority.certificate)
    context.load_verify_locations(ca)
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


@pytest.fixture
def secure(authority: Authority, tmp_path: Path) -> Iterator[Serving]:
    with serving(says((200, b"{}")), tls=server_tls(authority, tmp_path, "kube.test")) as server:
        yield server


def test_a_server_is_known_by_its_authority(authority: Authority, secure: Serving) -> None:
    text = "# Gr\u00fc\u00dfe\n".encode() + authority.certificate
    access = Access(server=secure.address, authority=Certificate(pem=text))

    assert get(access) == b"{}"


def test_a_server_of_another_authority_is_not_talked_to(secure: Serving) -> None:
    stranger = Certificate(pem=Authority().certificate)

    with pytest.raises(errors.Unreachable, match="certificate verify failed"):
        get(Access(server=secure.address, authority=stranger))

    assert secure.asked == []


def test_who_asked_for_it_is_not_protected(secure: Serving) -> None:
    assert get(Access(server=secure.address, is_insecure=True)) == b"{}"


@pytest.mark.parametrize(("name", "is_known"), [("kube.test", True), ("other.test", False)])
def test_a_server_may_be_known_by_another_name(
    authority: Authority, secure: Serving, *, name: str, is_known: bool
) -> None:
    known = Certificate(pem=authority.certificate)
    access = Access(server=secure.address, authority=known, server_name=name)

    if is_known:
        assert get(access) == b"{}"
    else:
        with pytest.raises(errors.Unreachable, match="certificate is not valid for"):
            get(access)


def test_a_client_certificate_is_shown(authority: Authority, secure: Serving) -> None:
    issued = authority.for_user("eve")
    access = Access(
        server=secure.address,
        authority=Certificate(pem=authority.certificate),
        certificate=Certificate(pem=issued.certificate),
        key=Certificate(pem=issued.key),
    )

    assert get(access) == b"{}"


@pytest.mark.parametrize("pem", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_certificate_that_is_none_is_the_users_mistake(pem: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    path.write_bytes(pem)

    with pytest.raises(errors.BadInput, match="not valid PEM"):
        get(Access(server="https://127.0.0.1:1", authority=Certificate(path=path)))


def test_a_proxy_is_asked_for_a_tunnel_and_told_who_asks() -> None:
    with serving(says((200, b"{}"))) as proxy:
        address = proxy.address.replace("http://", "http://eve:p%40ss@")
        access = Access(server="https://kube.test:6443", proxy=address, is_insecure=True)
        with pytest.raises(errors.Unreachable, match="502"):
            get(access)

    (asked,) = proxy.asked
    assert (asked.method, asked.path) == ("CONNECT", "kube.test:6443")
    assert asked.headers["Proxy-Authorization"] == "Basic ZXZlOnBAc3M="


def test_a_proxy_of_another_kind_is_told() -> None:
    access = Access(server="http://kube.test", proxy="socks5://127.0.0.1:1")

    with pytest.raises(errors.BadInput, match="'socks5' is not supported"):
        get(access)
