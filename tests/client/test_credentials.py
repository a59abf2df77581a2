"""Who we are to the API server, kept current: tokens that rotate, programs that are asked."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from real.certificates import Authority

from fullcrew import errors
from fullcrew.client import Access, Certificate, Credentials, Exec

SERVER = "https://kube.test:6443"
VERSION = "client.authentication.k8s.io/v1"


@dataclass
class Clock:
    """Time that goes on when it is told to."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def bearer(credentials: Credentials) -> str:
    return credentials.headers()["Authorization"].removeprefix("Bearer ")


def test_nobody_has_no_header() -> None:
    assert Credentials(Access(server=SERVER)).headers() == {}


def test_a_password_is_sent_as_such() -> None:
    access = Access(server=SERVER, basic=("eve", "p\u00e4ss"))

    assert Credentials(access).headers() == {"Authorization": "Basic ZXZlOnDDpHNz"}


@pytest.mark.parametrize("written", [b"a\nb", b"\xff\xfe"])
def test_a_token_file_that_holds_none_is_told_with_its_path(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(written)

    with pytest.raises(errors.BadInput) as refused:
        Credentials(Access(server=SERVER, token_path=path)).headers()

    assert refused.value.where == str(path)


def test_a_token_file_is_read_again_after_a_while(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "token"
    path.write_text("one\n")
    credentials = Credentials(Access(server=SERVER, token_path=path), clock=clock)
    assert bearer(credentials) == "one"

    path.write_text("two")
    assert bearer(credentials) == "one", "not at once: each request would read the file"
    clock.now += 61

    assert bearer(credentials) == "two"


def test_a_refused_token_is_read_again_at_once(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one")
    credentials = Credentials(Access(server=SERVER, token_path=path), clock=Clock())
    assert bearer(credentials) == "one"

    path.write_text("two")
    credentials.rejected()

    assert bearer(credentials) == "two"


def test_a_token_file_that_is_being_replaced_leaves_the_old_token(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "token"
    path.write_text("one")
    credentials = Credentials(Access(server=SERVER, token_path=path), clock=clock)
    assert bearer(credentials) == "one"

    path.write_text("")
    clock.now += 61
    assert bearer(credentials) == "one"
    path.unlink()
    clock.now += 61

    assert bearer(credentials) == "one"


def test_a_token_file_that_was_never_there_is_told(tmp_path: Path) -> None:
    credentials = Credentials(Access(server=SERVER, token_path=tmp_path / "gone"))

    with pytest.raises(errors.BadInput, match="the token cannot be read"):
        credentials.headers()


def test_a_server_without_tls_needs_no_settings() -> None:
    assert Credentials(Access(server="http://127.0.0.1:1")).tls() is None


def test_settings_are_made_anew_when_a_certificate_changed(tmp_path: Path) -> None:
    clock, authority = Clock(), Authority()
    certificate, key = authority.for_user("one").write(tmp_path, "user")
    access = Access(
        server=SERVER, certificate=Certificate(path=certificate), key=Certificate(path=key)
    )
    credentials = Credentials(access, clock=clock)
    first = credentials.tls()
    assert credentials.tls() is first

    clock.now += 61
    assert credentials.tls() is first, "nothing changed"
    authority.for_user("somebody-else").write(tmp_path, "user")
    clock.now += 61

    assert credentials.tls() is not first


def test_a_key_of_another_certificate_is_told() -> None:
    authority = Authority()
    one, other = authority.for_user("one"), authority.for_user("other")
    access = Access(
        server=SERVER,
        certificate=Certificate(pem=one.certificate),
        key=Certificate(pem=other.key),
    )

    with pytest.raises(errors.BadInput, match="not valid PEM"):
        Credentials(access).tls()


Plugin = Callable[..., Exec]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """A program that notes what it was told, and prints what the test says."""

    def made(printed: object, *, code: int = 0, **settings: object) -> Exec:
        text = printed if isinstance(printed, str) else json.dumps(printed)
        program = tmp_path / "login"
        program.write_text(
            f"#!{sys.executable} -SE\n"
            "import os, sys\n"
            f"with open({str(tmp_path / 'told')!r}, 'a') as told:\n"
            "    print(os.environ['KUBERNETES_EXEC_INFO'], file=told)\n"
            f"sys.stdout.write({text!r})\n"
            "sys.stderr.write('no luck today')\n"
            f"sys.exit({code})\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        plain = Exec(command=("./login",), version=VERSION, folder=tmp_path)
        return replace(plain, **settings)  # type: ignore[arg-type]

    return made


def credential(**status: object) -> dict[str, object]:
    return {"apiVersion": VERSION, "kind": "ExecCredential", "status": status}


def told(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "told").read_text().splitlines()]


def test_a_plugins_token_is_kept_until_it_ends(plugin: Plugin, tmp_path: Path) -> None:
    clock = Clock()
    ends = credential(token="t", expirationTimestamp="1970-01-12T13:56:40Z")  # at 1,000,600
    credentials = Credentials(Access(server=SERVER, exec=plugin(ends)), clock=clock)
    assert credentials.is_slow
    assert bearer(credentials) == "t"
    assert not credentials.is_slow

    clock.now = 1_000_580
    assert bearer(credentials) == "t"
    assert len(told(tmp_path)) == 1
    clock.now = 1_000_595

    assert credentials.is_slow
    assert bearer(credentials) == "t"
    assert len(told(tmp_path)) == 2


def test_a_plugin_is_asked_again_when_the_server_refuses(plugin: Plugin, tmp_path: Path) -> None:
    credentials = Credentials(Access(server=SERVER, exec=plugin(credential(token="t"))))
    bearer(credentials)

    credentials.rejected()
    bearer(credentials)

    assert len(told(tmp_path)) == 2


def test_a_plugin_is_told_the_cluster_if_it_wants(plugin: Plugin, tmp_path: Path) -> None:
    wish = plugin(credential(token="t"), tells_cluster=True, config={"audience": "x"})
    access = Access(server=SERVER, authority=Certificate(pem=b"PEM"), server_name="n", exec=wish)

    bearer(Credentials(access))

    (asked,) = told(tmp_path)
    assert asked == {
        "apiVersion": VERSION,
        "kind": "ExecCredential",
        "spec": {
            "interactive": False,
            "cluster": {
                "server": SERVER,
                "certificate-authority-data": "UEVN",
                "tls-server-name": "n",
                "config": {"audience": "x"},
            },
        },
    }


def test_a_plugin_is_told_no_cluster_by_default(plugin: Plugin, tmp_path: Path) -> None:
    bearer(Credentials(Access(server=SERVER, exec=plugin(credential(token="t")))))

    assert told(tmp_path)[0]["spec"] == {"interactive": False}


def test_a_plugin_may_give_a_certificate(plugin: Plugin) -> None:
    issued = Authority().for_user("eve")
    given = credential(
        clientCertificateData=issued.certificate.decode(), clientKeyData=issued.key.decode()
    )
    credentials = Credentials(Access(server=SERVER, exec=plugin(given)))

    assert credentials.headers() == {}
    assert credentials.tls() is not None


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ("", "it printed no ExecCredential"),
        ("{", "it printed no ExecCredential"),
        ({"apiVersion": VERSION}, "it printed no ExecCredential"),
        ({"apiVersion": VERSION, "status": None}, "it printed no ExecCredential"),
        (credential(token=5), "it printed no ExecCredential"),
        (credential(token="t", expirationTimestamp="soon"), "it printed no ExecCredential"),
        (credential(token="t", expirationTimestamp="2026-01-01T00:00:00"), "no ExecCredential"),
        (credential(), "neither a token nor a certificate"),
        (credential(token=""), "neither a token nor a certificate"),
        (credential(clientCertificateData="x"), "come together or not at all"),
        (
            {**credential(token="t"), "apiVersion": "client.authentication.k8s.io/v1beta1"},
            "it speaks client.authentication.k8s.io/v1beta1",
        ),
    ],
)
def test_what_a_plugin_must_not_print_is_told(
    plugin: Plugin, printed: object, problem: str
) -> None:
    with pytest.raises(errors.BadInput, match="the credential plugin") as raised:
        bearer(Credentials(Access(server=SERVER, exec=plugin(printed))))

    assert problem in raised.value.problem
    assert raised.value.try_this == "run it yourself: ./login"


def test_a_plugin_that_fails_is_told_in_its_own_words(plugin: Plugin) -> None:
    with pytest.raises(errors.BadInput, match="it ended with 3: no luck today"):
        bearer(Credentials(Access(server=SERVER, exec=plugin("", code=3))))


def test_a_plugin_that_is_not_there_is_told_with_its_hint() -> None:
    missing = Exec(command=("no-such-program",), version=VERSION, hint="get it from us")

    with pytest.raises(errors.BadInput, match="it is not there") as raised:
        bearer(Credentials(Access(server=SERVER, exec=missing)))

    assert raised.value.try_this == "get it from us"


def test_a_plugin_that_needs_a_terminal_is_not_run(plugin: Plugin, tmp_path: Path) -> None:
    wish = plugin(credential(token="t"), interactive="Always")

    with pytest.raises(errors.BadInput, match="it wants a terminal"):
        bearer(Credentials(Access(server=SERVER, exec=wish)))

    assert not (tmp_path / "told").exists()
