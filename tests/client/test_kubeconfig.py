"""kubeconfig files are read as kubectl reads them; what they lack is told with the file."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fullcrew import client, errors
from fullcrew.client import Certificate

SERVER = "https://kube.test:6443"


def config(**parts: Mapping[str, object]) -> dict[str, Any]:
    """One cluster, one user, one context, each with what the sentence says of it."""
    return {
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": SERVER, **parts.get("cluster", {})}}],
        "users": [{"name": "u", "user": parts.get("user", {})}],
        "contexts": [
            {"name": "here", "context": {"cluster": "c", "user": "u", **parts.get("context", {})}}
        ],
    }


def write(path: Path, told: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(told if isinstance(told, str) else json.dumps(told), "utf-8")
    return path


def read(folder: Path, told: object, **choice: str) -> client.Access:
    return client.from_kubeconfig([write(folder / "config", told)], **choice)


def refusal(folder: Path, told: object, **choice: str) -> errors.BadInput:
    with pytest.raises(errors.BadInput) as raised:
        read(folder, told, **choice)
    assert str(folder / "config") in raised.value.where
    return raised.value


def test_a_context_is_its_cluster_its_user_and_its_namespace(tmp_path: Path) -> None:
    told = config(user={"token": "secret\n"}, context={"namespace": "team"})

    access = read(tmp_path, told)

    assert (access.server, access.namespace, access.token) == (SERVER, "team", "secret")
    assert "secret" not in repr(access)


def test_the_first_file_that_knows_a_name_wins(tmp_path: Path) -> None:
    first = write(tmp_path / "a", {"clusters": config(cluster={"server": "https://a"})["clusters"]})
    second = write(tmp_path / "b", config(cluster={"server": "https://b"}))

    assert client.from_kubeconfig([first, second]).server == "https://a"
    assert client.from_kubeconfig([second, first]).server == "https://b"


def test_a_missing_file_of_several_is_passed_over(tmp_path: Path) -> None:
    there = write(tmp_path / "there", config())

    assert client.from_kubeconfig([tmp_path / "gone", there]).server == SERVER


def test_a_missing_file_alone_is_told(tmp_path: Path) -> None:
    with pytest.raises(errors.BadInput, match="no such kubeconfig"):
        client.from_kubeconfig([tmp_path / "gone"])


def test_the_chosen_context_comes_before_the_current_one(tmp_path: Path) -> None:
    told = config()
    told["contexts"].append({"name": "there", "context": {"cluster": "c", "namespace": "far"}})

    assert read(tmp_path, told, context="there").namespace == "far"


def test_another_server_may_be_named_without_its_scheme(tmp_path: Path) -> None:
    assert read(tmp_path, config(), master="10.0.0.1:8080/").server == "http://10.0.0.1:8080"
    assert read(tmp_path, config(), master="https://x").server == "https://x"


@pytest.mark.parametrize(
    "master",
    ["http://[::1", "http://x:99999", "ftp://x", "notaurl", "http://", "http://a..b", "x:"],
)
def test_another_server_that_is_no_address_is_told_with_the_flag(
    tmp_path: Path, master: str
) -> None:
    with pytest.raises(errors.BadInput, match="which is no address") as raised:
        read(tmp_path, config(), master=master)

    assert raised.value.where == "--master"


def test_a_password_in_an_address_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(errors.BadInput, match="which is no address") as raised:
        read(tmp_path, config(), master="http://me:secret@x:99999")

    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"cluster": {"server": "http://[::1"}}, "the server of cluster 'c' is 'http://[::1'"),
        ({"cluster": {"server": "https://x:0"}}, "the server of cluster 'c'"),
        ({"cluster": {"server": "https://a b"}}, "the server of cluster 'c'"),
        ({"cluster": {"proxy-url": "http://[::1"}}, "the proxy-url of cluster 'c'"),
        ({"cluster": {"proxy-url": "proxy:3128"}}, "the proxy-url of cluster 'c'"),
        ({"user": {"token": "a\nb"}}, "the token of this user has a character"),
        ({"user": {"token": "\u043a\u043b\u044e\u0447"}}, "the token of this user"),
        ({"user": {"as": "a\r\nb: c"}}, "what this user impersonates (Impersonate-User)"),
    ],
)
def test_what_cannot_be_sent_is_told_with_its_field(
    tmp_path: Path, parts: dict[str, dict[str, object]], told: str
) -> None:
    refused = refusal(tmp_path, config(**parts))

    assert refused.problem.startswith(told)
    assert "b" not in str(parts.get("user", "")) or "a\nb" not in str(refused)


def test_paths_start_from_the_file_that_names_them(tmp_path: Path) -> None:
    user = {"client-certificate": "me.crt", "client-key": "/keys/me.key", "tokenFile": "t/token"}
    path = write(tmp_path / "sub" / "config", config(user=user))

    access = client.from_kubeconfig([path])

    assert access.certificate == Certificate(path=tmp_path / "sub" / "me.crt")
    assert access.key == Certificate(path=Path("/keys/me.key"))
    assert access.token_path == tmp_path / "sub" / "t" / "token"


def test_what_is_written_inline_comes_before_a_path(tmp_path: Path) -> None:
    inline = base64.b64encode(b"PEM").decode()
    cluster = {"certificate-authority-data": inline, "certificate-authority": "ca.crt"}

    assert read(tmp_path, config(cluster=cluster)).authority == Certificate(pem=b"PEM")


def test_how_the_server_is_reached_is_read(tmp_path: Path) -> None:
    cluster = {
        "insecure-skip-tls-verify": True,
        "tls-server-name": "other",
        "proxy-url": "http://proxy:1",
    }

    access = read(tmp_path, config(cluster=cluster))

    assert (access.is_insecure, access.server_name, access.proxy) == (
        True,
        "other",
        "http://proxy:1",
    )


def test_an_exec_plugin_is_read(tmp_path: Path) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "./bin/login",
        "args": ["--cluster", 7],
        "env": [{"name": "A", "value": "b"}, {"name": "EMPTY", "value": None}],
        "installHint": "get it",
        "provideClusterInfo": True,
        "interactiveMode": "Always",
    }
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}

    told = config(user={"exec": plugin}, cluster={"extensions": [extension]})

    assert read(tmp_path, told).exec == client.Exec(
        command=("./bin/login", "--cluster", "7"),
        version="client.authentication.k8s.io/v1beta1",
        environment=(("A", "b"), ("EMPTY", "")),
        hint="get it",
        tells_cluster=True,
        interactive="Always",
        config={"audience": "x"},
        folder=tmp_path,
    )


@pytest.mark.parametrize("other", [{"token": "t"}, {"tokenFile": "f"}, {"username": "eve"}])
def test_a_token_or_password_comes_before_a_plugin(tmp_path: Path, other: dict[str, str]) -> None:
    assert read(tmp_path, config(user={"exec": {"command": "x"}, **other})).exec is None


def test_impersonation_becomes_headers(tmp_path: Path) -> None:
    user = {
        "as": "eve",
        "as-uid": "7",
        "as-groups": ["a", "b"],
        "as-user-extra": {"example.com/scope": ["x", "y"]},
    }

    assert read(tmp_path, config(user=user)).impersonate == (
        ("Impersonate-User", "eve"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-example.com%2Fscope", "x"),
        ("Impersonate-Extra-example.com%2Fscope", "y"),
    )


def test_a_name_that_nobody_knows_is_told_with_the_nearest(tmp_path: Path) -> None:
    assert "did you mean 'here'" in str(refusal(tmp_path, config(), context="her"))
    assert "no cluster named 'd'" in str(refusal(tmp_path, config(context={"cluster": "d"})))
    assert "no user named 'v'" in str(refusal(tmp_path, config(context={"user": "v"})))


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ("{", "this is no kubeconfig"),
        ("- a", "it is no mapping"),
        ("a: 2026-02-31", "this is no kubeconfig"),
        ({"clusters": {"name": "c"}}, "its clusters are no list"),
        ({"clusters": ["c"]}, "a cluster of it is no mapping"),
        ({"users": [{"name": "u", "user": "x"}]}, "a user of it is no mapping"),
        ({"clusters": [], "contexts": []}, "no context is chosen"),
        ("", "no context is chosen"),
        (config(cluster={"server": ""}), "the server of cluster 'c' is ''"),
        (config(cluster={"server": "kube:6443"}), "the server of cluster 'c' is 'kube:6443'"),
        (config(cluster={"certificate-authority-data": "a"}), "is no base64"),
        (config(user={"auth-provider": {"name": "gcp"}}), "removed in 1.26"),
        (config(user={"exec": {"args": []}}), "names no command"),
        (config(user={"exec": "login"}), "names no command"),
        (config(user={"exec": {"command": "x", "args": "--a"}}), "args in this kubeconfig"),
        (config(user={"exec": {"command": "x", "apiVersion": "v0"}}), "speaks v0"),
        (config(user={"as": "eve", "as-groups": "admins"}), "as-groups in this kubeconfig"),
        (config(user={"as-user-extra": ["a"]}), "as-user-extra in this kubeconfig"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, told: object, problem: str) -> None:
    assert problem in refusal(tmp_path, told).problem


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(errors.BadInput, match="cannot be read"):
        client.from_kubeconfig([path])


def test_a_cluster_alone_needs_no_context(tmp_path: Path) -> None:
    assert read(tmp_path, {"clusters": config()["clusters"]}).server == SERVER


class TestFinding:
    """Where credentials are looked for when nobody says where."""

    @pytest.fixture(autouse=True)
    def _nowhere(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))

    def test_nothing_is_known_and_that_is_told(self) -> None:
        with pytest.raises(errors.BadInput, match="no cluster is known"):
            client.find_access()

    def test_the_file_at_home_is_the_last_resort(self, tmp_path: Path) -> None:
        write(tmp_path / ".kube" / "config", config())

        assert client.find_access().server == SERVER

    def test_the_files_of_the_environment_are_merged(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        files = [write(tmp_path / "a", {}), write(tmp_path / "b", config())]
        monkeypatch.setenv("KUBECONFIG", ":".join(["", *map(str, files)]))

        assert client.find_access().server == SERVER

    def test_a_named_file_comes_before_the_environments(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "gone"))
        named = write(tmp_path / "named", config())

        assert client.find_access(kubeconfig=str(named)).server == SERVER

    def test_a_server_alone_is_talked_to_as_nobody(self) -> None:
        assert client.find_access(master="127.0.0.1:8080").server == "http://127.0.0.1:8080"

    def test_a_pod_uses_its_own_account(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "6443")
        write(tmp_path / "token", "t")
        write(tmp_path / "namespace", "team\n")

        access = client.in_cluster(tmp_path)

        assert access is not None
        assert (access.server, access.namespace) == ("https://[fd00::1]:6443", "team")
        assert access.token_path == tmp_path / "token"
        assert client.in_cluster(tmp_path / "elsewhere") is None

    def test_the_environments_proxy_is_used_unless_the_cluster_names_one(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", "proxy:3128")
        plain = write(tmp_path / "a", config())
        named = write(tmp_path / "b", config(cluster={"proxy-url": "http://own:1"}))

        assert client.find_access(kubeconfig=str(plain)).proxy == "http://proxy:3128"
        assert client.find_access(kubeconfig=str(named)).proxy == "http://own:1"
