"""`fullcrew scheduler`, and `fullcrew run`, which is the same process until there is an operator.

Flags have kube-batch's and Volcano's names where they mean the same. What the process may do on a
cluster is deploy/rbac.yaml; `fullcrew.run` has the list of verbs with their why.
"""

from __future__ import annotations

from typing import Any

import click

from fullcrew import __version__
from fullcrew.cli import foreign_flags

__all__ = ["run", "scheduler"]

_OPTIONS = (
    click.option("--kubeconfig", default="", metavar="FILE", help="[default: as kubectl has it]"),
    click.option("--context", default="", metavar="NAME", help="Of the kubeconfig."),
    click.option("--master", default="", metavar="URL", help="The API server, if not that one's."),
    click.option(
        "--scheduler-name",
        "scheduler_names",
        multiple=True,
        metavar="NAME",
        help="Whose pods are ours; may be given several times."
        " [default: fullcrew, kube-batch, volcano]",
    ),
    click.option(
        "--default-queue",
        default="default",
        show_default=True,
        metavar="QUEUE",
        help="The queue of groups and pods that name none.",
    ),
    click.option(
        "--priority-class",
        default="true",
        show_default=True,
        help="Groups may name a PriorityClass; it cannot be switched off.",
        **foreign_flags.FLAG,
    ),
    click.option(
        "--score",
        default="pack",
        show_default=True,
        metavar="[pack|spread]",
        help="Fill nodes one after the other, or spread over them.",
    ),
    click.option(
        "--listen-address",
        default=":8080",
        show_default=True,
        metavar="ADDRESS",
        help="Where /metrics, /healthz and /readyz are served.",
    ),
    click.option("--healthz-address", default="", metavar="ADDRESS", help="Serve them here too."),
    click.option(
        "--enable-healthz",
        help="Serve them on :11251 too, where Volcano does, if --healthz-address names no other.",
        **foreign_flags.FLAG,
    ),
    click.option(
        "--leader-elect",
        default="true",
        show_default=True,
        help="Wait for the Lease before anything is bound.",
        **foreign_flags.FLAG,
    ),
    click.option(
        "--lock-object-namespace",
        "--leader-elect-resource-namespace",
        "lock_object_namespace",
        default="",
        metavar="NS",
        help="The Lease's namespace. [default: our pod's namespace, else fullcrew-system]",
    ),
    click.option(
        "--lock-object-name",
        "--leader-elect-resource-name",
        "lock_object_name",
        default="fullcrew",
        show_default=True,
        metavar="NAME",
        help="The Lease's name.",
    ),
    click.option(
        "--leader-elect-lease-duration",
        default="15s",
        show_default=True,
        metavar="DURATION",
        help="So long after the leader's last word another may lead.",
    ),
    click.option(
        "--leader-elect-renew-deadline",
        default="10s",
        show_default=True,
        metavar="DURATION",
        help="A leader that could not renew for so long leads no more.",
    ),
    click.option(
        "--leader-elect-retry-period",
        default="2s",
        show_default=True,
        metavar="DURATION",
        help="How long between tries to get or renew the Lease.",
    ),
    click.option(
        "--bind-timeout",
        default="",
        metavar="DURATION",
        help="After so long without an answer a bind is sent again."
        " [default: what the lease allows]",
    ),
    click.option(
        "--mending-timeout",
        default="300s",
        show_default=True,
        metavar="DURATION",
        help="How long a gang that lost members keeps the room for them.",
    ),
    click.option(
        "--log-format",
        default="human",
        show_default=True,
        metavar="[human|json]",
        help="Lines for people, or JSON for machines.",
    ),
    click.option(
        "-v",
        "--v",
        "--verbosity",
        "verbosity",
        default=0,
        type=click.IntRange(0),
        help="1 logs each gang too, 2 each request.",
    ),
    click.version_option(__version__, "--version", message="fullcrew %(version)s"),
    *foreign_flags.options(),
)


def _with_options(command: Any) -> Any:  # noqa: ANN401 - click's decorators take and give any
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(cls=foreign_flags.Taking)
@_with_options
def scheduler(**flags: Any) -> int:  # noqa: ANN401 - as click gives them
    """Watch a cluster, plan whole gangs, and bind them.

    It needs the rights of deploy/rbac.yaml and runs until it is told to end. Which cluster: the
    kubeconfig, or the pod it runs in. The arguments that kube-batch and Volcano are shipped with
    are taken, but for --scheduler-conf; a warning tells what of them means nothing here.
    """
    return _run(flags)


@click.command(cls=foreign_flags.Taking)
@_with_options
def run(**flags: Any) -> int:  # noqa: ANN401
    """Run all of Fullcrew: today the scheduler alone.

    The same command as fullcrew scheduler, with the same options.
    """
    return _run(flags)


def _run(flags: dict[str, Any]) -> int:
    from fullcrew import run as running  # noqa: PLC0415 - it imports NumPy and aiohttp

    return running.main(running.from_flags(flags))
