"""`fullcrew why`: the chain of reasons for a gang or a pod, computed from the cluster itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from fullcrew import client
from fullcrew.cli import layout, options, writing
from fullcrew.model.offered import OWNED

if TYPE_CHECKING:
    from fullcrew.cli.answering import Answer

__all__ = ["why"]


@click.command()
@click.argument("name")
@click.option("-n", "--namespace", default="", metavar="NS", help="Look here. [default: context's]")
@click.option("-A", "--all-namespaces", is_flag=True, help="Look everywhere.")
@click.option(
    "-o",
    "--output",
    "form",
    type=click.Choice(writing.FORMATS),
    default="table",
    show_default=True,
    help="Lines for people; JSON or YAML for scripts.",
)
@click.option("--kubeconfig", default="", metavar="FILE", help="[default: as kubectl has it]")
@click.option("--context", default="", metavar="NAME", help="Of the kubeconfig.")
@click.option(
    "--scheduler-name",
    "names",
    multiple=True,
    metavar="NAME",
    help=f"Whose pods are planned; may be given several times. [default: {', '.join(OWNED)}]",
)
@options.SCORE
@options.DEFAULT_QUEUE
def why(name: str, form: str, **told: Any) -> None:  # noqa: ANN401 - as click gives them
    """Tell why a gang or a pod waits.

    NAME is that of a pod group, a labelled gang or a pod; pod/NAME, podgroup/NAME and
    NAMESPACE/NAME say which. The cluster is read and planned anew, with the scheduler's own code,
    and beside it stands what the scheduler wrote last. Nothing is changed. Where the scheduler was
    told a score, a queue or names, tell why the same.
    """
    access = client.find_access(kubeconfig=told["kubeconfig"], context=told["context"])
    namespace = "" if told["all_namespaces"] else told["namespace"] or access.namespace
    found = _answers(access, name, namespace, told)
    from fullcrew.cli import why_text  # noqa: PLC0415 - imports NumPy

    if form != "table":
        writing.write({"answers": [why_text.as_plain(each) for each in found]}, form)
        return
    width = writing.width()
    writing.draw(layout.flat([[*why_text.lines(each, width=width)] for each in found]))


def _answers(
    access: client.Access, name: str, namespace: str, told: Mapping[str, Any]
) -> tuple[Answer, ...]:
    from fullcrew.cli import answering, cluster, planning  # noqa: PLC0415 - they import NumPy

    owned = frozenset(told["names"] or OWNED)
    settings = planning.Settings(owned, told["default_queue"], told["score"])
    with closing(client.Client(access)) as server:
        objects = tuple(cluster.objects_of(server))
    sight = answering.look(objects, settings, now=int(time.time()))
    return answering.answers(sight, answering.Asked.of(name, namespace=namespace))
