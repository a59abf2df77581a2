"""What kube-batch's and Volcano's manifests pass besides, so that they start us as they are.

What they ask for and we do anyway is taken without a word, what means nothing here is taken with
one warning, and what would have to change what we do is told to `run.settings`, which refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import click

__all__ = ["FLAG", "Taking", "options"]

# --flag, --flag=true, --flag=false
FLAG: Final[dict[str, Any]] = {"is_flag": False, "flag_value": "true", "type": bool}

_ADAPTS = "how much is asked at once adapts to the API server"
_ALL_NODES = "all nodes are looked at"
_NO_DUMP = "there is no cache to dump; fullcrew why tells what is planned"

# By flag, why it means nothing here.
_NEEDLESS: Final = {
    "--schedule-period": "we plan when something changes, a few milliseconds after it",
    "--kube-api-qps": _ADAPTS,
    "--kube-api-burst": _ADAPTS,
    "--resync-period": "what is watched is listed anew when the watch was lost, and only then",
    "--node-worker-threads": "nodes are read in one loop",
    "--gate-removal-worker-num": "scheduling gates are left to those who set them",
    "--percentage-nodes-to-find": _ALL_NODES,
    "--minimum-percentage-nodes-to-find": _ALL_NODES,
    "--minimum-feasible-nodes": _ALL_NODES,
    "--resource-sync-timeout": "nothing is planned before everything has been listed",
    "--cache-dump-dir": _NO_DUMP,
    "--disable-default-scheduler-config": "no conf file is read yet",
    "--ignored-provisioners": "attach limits are not counted yet",
    "--feature-gates": "there are no gates here",
    "--stderrthreshold": "all is logged to standard error",
}

# By flag, what it asks for that we do anyway, and what to say where it asks for the other.
_AS_IT_IS: Final = {
    "--logtostderr": (True, "all is logged to standard error"),
    "--alsologtostderr": (True, ""),
    "--enable-metrics": (True, "they are served on --listen-address, unless that is 0"),
    "--enable-pprof": (False, "no profiler is served"),
    "--cache-dumper": (False, _NO_DUMP),
    "--csi-storage": (False, "capacities of storage are not looked at yet"),
}

# What is refused, unless it is empty or as it is here.
_REFUSED: Final = (
    "--scheduler-conf",
    "--node-selector",
    "--plugins-dir",
    "--scheduler-sharding-mode",
)


class Taking(click.Command):
    """A command that takes `-v=3`, as Go does, and overlooks the redirection that Volcano's chart
    passes as an argument, where there is no shell to read it."""

    def make_context(  # type: ignore[override]  # click abbreviates
        self,
        called: str | None,
        words: list[str],
        parent: click.Context | None = None,
        **more: Any,  # noqa: ANN401 - click's own
    ) -> click.Context:
        """As click does, once these are as it knows them."""
        known = [f"-v{word[3:]}" if word.startswith("-v=") else word for word in words]
        taken = [word for word in known if word != "2>&1"]
        return super().make_context(called, taken, parent, **more)


def options() -> Iterator[Any]:
    """An option for each; none is shown in the help."""
    for flag in _NEEDLESS:
        yield click.option(flag, callback=_needless, expose_value=False, hidden=True)
    for flag in _AS_IT_IS:
        yield click.option(flag, callback=_as_it_is, expose_value=False, hidden=True, **FLAG)
    for flag in _REFUSED:
        yield click.option(flag, default="", hidden=True)


def _needless(context: click.Context, option: click.Parameter, told: str | None) -> None:
    if told is not None:
        flag = option.opts[0]
        _note(context, flag, _NEEDLESS[flag])


def _as_it_is(
    context: click.Context,
    option: click.Parameter,
    told: bool | None,  # noqa: FBT001 - click's own
) -> None:
    flag = option.opts[0]
    ours, why = _AS_IT_IS[flag]
    if told is not None and told is not ours and why:
        _note(context, flag, why)


def _note(context: click.Context, flag: str, why: str) -> None:
    """Found by the command among its flags."""
    context.params["notes"] = (*context.params.get("notes", ()), (flag, why))
