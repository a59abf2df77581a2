"""What the flags say, and what they cannot."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from fullcrew import errors
from fullcrew.cli import foreign_flags
from fullcrew.cli import scheduler as commands
from fullcrew.run import settings
from fullcrew.run.settings import Address, Settings, Terms


def flags(*written: str) -> dict[str, Any]:
    """What the command line makes of these."""
    found: dict[str, Any] = {}
    command = foreign_flags.Taking(
        "scheduler", params=commands.scheduler.params, callback=lambda **told: found.update(told)
    )
    done = CliRunner().invoke(command, written)
    assert done.exit_code == 0, done.output
    return found


def read(*written: str) -> Settings:
    return settings.from_flags(flags(*written))


def test_without_flags_the_defaults_hold() -> None:
    found = read()

    assert found == Settings()
    assert list(found.warnings()) == []


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("15s", 15.0), ("1m30s", 90.0), ("500ms", 0.5), ("2h", 7200.0), ("7", 7.0), ("1.5s", 1.5)],
)
def test_a_duration_is_read_as_go_writes_it(written: str, seconds: float) -> None:
    assert settings.duration(written, flag="--mending-timeout") == seconds


@pytest.mark.parametrize("written", ["", "s", "15 s", "-1s", "1d", "1e9s", "9" * 50 + "s", "٣s"])
def test_what_is_no_duration_is_refused_with_its_flag(written: str) -> None:
    with pytest.raises(errors.BadInput, match="--mending-timeout"):
        settings.duration(written, flag="--mending-timeout")


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (":8080", Address("", 8080)),
        ("127.0.0.1:0", Address("127.0.0.1", 0)),
        ("[::1]:8080", Address("::1", 8080)),
        ("", None),
        ("0", None),
    ],
)
def test_an_address_is_read(written: str, place: Address | None) -> None:
    assert settings.address(written, flag="--listen-address") == place


@pytest.mark.parametrize("written", ["8080", "localhost", ":http", ":65536", ":-1", "a:999999"])
def test_what_is_no_address_is_refused_with_its_flag(written: str) -> None:
    with pytest.raises(errors.BadInput, match="--listen-address"):
        settings.address(written, flag="--listen-address")


@pytest.mark.parametrize(
    ("written", "is_elected"),
    [((), True), (("--leader-elect",), True), (("--leader-elect=false",), False)],
)
def test_a_flag_may_be_written_as_go_writes_it(
    *, written: tuple[str, ...], is_elected: bool
) -> None:
    assert read(*written).is_elected is is_elected


def test_a_name_may_be_given_several_times() -> None:
    found = read("--scheduler-name", "volcano", "--scheduler-name=mine")

    assert found.scheduler_names == ("volcano", "mine")


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("--schedule-period=1s", "--schedule-period"),
        ("--kube-api-qps=2000", "--kube-api-qps"),
        ("--kube-api-burst=2000", "--kube-api-burst"),
        ("--resync-period=0", "--resync-period"),
        ("--node-worker-threads=20", "--node-worker-threads"),
        ("--percentage-nodes-to-find=0", "--percentage-nodes-to-find"),
        ("--resource-sync-timeout=60s", "--resource-sync-timeout"),
        ("--enable-metrics=false", "--enable-metrics"),
        ("--enable-pprof=true", "--enable-pprof"),
        ("--logtostderr=false", "--logtostderr"),
        ("--feature-gates=PriorityClass=true", "--feature-gates"),
    ],
)
def test_what_means_nothing_here_is_accepted_with_one_warning(written: str, word: str) -> None:
    (warning,) = read(written).warnings()

    assert word in warning


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("--score=binpack", "did you mean 'pack'"),
        ("--log-format=yaml", "human"),
        ("--priority-class=false", "--priority-class"),
        ("--default-queue=", "--default-queue"),
        ("--scheduler-name=", "--scheduler-name"),
        ("--leader-elect-renew-deadline=15s", "--leader-elect-lease-duration"),
        ("--leader-elect-retry-period=20s", "--leader-elect-lease-duration"),
        ("--bind-timeout=5s", "--bind-timeout"),
        ("--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf", "leave it out"),
        ("--node-selector=volcano.sh/role:train", "schedulerName"),
        ("--plugins-dir=/plugins", "--plugins-dir"),
        ("--scheduler-sharding-mode=hard", "--scheduler-sharding-mode"),
    ],
)
def test_what_cannot_be_is_refused_and_says_what_to_try(written: str, word: str) -> None:
    with pytest.raises(errors.BadInput) as refused:
        read(written)

    assert word in str(refused.value)


@pytest.mark.parametrize("terms", [Terms(), Terms(3.0, 2.0, 0.5), Terms(60.0, 40.0, 5.0)])
def test_a_bind_ends_before_the_lease_may_be_anothers(terms: Terms) -> None:
    found = Settings(lease=terms)

    assert 0 < found.longest_bind_seconds < terms.duration - terms.renew_deadline


# As they stand in the manifests of these projects, but for --scheduler-conf.
SHIPPED = {
    "volcano": """--logtostderr --enable-healthz=true --enable-metrics=true --leader-elect=false
        -v=3 2>&1""",
    "volcano's chart": """--logtostderr --scheduler-name=volcano --enable-healthz=true
        --enable-metrics=true --enable-pprof=false --leader-elect=true
        --leader-elect-resource-namespace=volcano-system --kube-api-qps=2000 --kube-api-burst=2000
        --schedule-period=1s --node-worker-threads=20 --percentage-nodes-to-find=0
        --scheduler-sharding-mode=none -v=3 2>&1""",
    "kube-batch": "--kubeconfig /etc/kubernetes/scheduler.conf --logtostderr --v 3",
    "kube-batch's chart": "--logtostderr --v=3 --leader-elect --lock-object-namespace=kube-system",
}


@pytest.mark.parametrize("project", SHIPPED)
def test_the_arguments_that_others_ship_start_us(project: str) -> None:
    found = read(*SHIPPED[project].split())

    assert found.verbosity == 3
    assert all("not" in warning or "no " in warning for warning in found.warnings())


def test_the_flags_of_others_mean_here_what_they_mean_there() -> None:
    found = read(
        "--scheduler-name=volcano",
        "--default-queue=default",
        "--listen-address=:8080",
        "--healthz-address=:11251",
        "--leader-elect=false",
        "--lock-object-namespace=volcano-system",
        "--leader-elect-resource-name=volcano",
        "--priority-class=true",
        "--enable-metrics=true",
        "--logtostderr",
        "--v=10",
    )

    assert found.healthz == Address("", 11251)
    assert (found.lock_namespace, found.lock_name) == ("volcano-system", "volcano")
    assert list(found.warnings()) == []


@pytest.mark.parametrize(
    ("written", "healthz"),
    [
        (("--enable-healthz=true",), Address("", 11251)),
        (("--enable-healthz",), Address("", 11251)),
        (("--enable-healthz=true", "--healthz-address=:9"), Address("", 9)),
        (("--enable-healthz=false", "--healthz-address=:9"), None),
    ],
)
def test_health_is_served_where_volcano_serves_it(
    written: tuple[str, ...], healthz: Address | None
) -> None:
    assert read(*written).healthz == healthz


@pytest.mark.parametrize("written", ["-v=3", "-v3", "--v=3", "--verbosity=3"])
def test_how_much_is_logged_is_told_as_go_tells_it(written: str) -> None:
    assert read(written).verbosity == 3


def test_more_than_all_that_can_be_logged_is_all() -> None:
    assert read("--v=99").verbosity == 10


@pytest.mark.parametrize(
    ("flag", "told"),
    [
        ("--bind-timeout", "0s"),
        ("--bind-timeout", "0"),
        ("--lock-object-name", "A_B"),
        ("--lock-object-name", "a..b"),
        ("--lock-object-name", ""),
        ("--lock-object-namespace", "a/b"),
        ("--lock-object-namespace", "a.b"),
    ],
)
def test_what_would_keep_the_lease_from_being_held_is_refused(flag: str, told: str) -> None:
    with pytest.raises(errors.BadInput, match=flag):
        read(flag, told)


def test_a_lease_may_have_a_name_with_dots() -> None:
    found = read("--lock-object-name", "a.b-c", "--lock-object-namespace", "team-1")

    assert (found.lock_name, found.lock_namespace) == ("a.b-c", "team-1")
