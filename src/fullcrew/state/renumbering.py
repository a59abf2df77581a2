"""Numbers of asks, wheres and queues that nobody uses any more are given back now and then.

Who uses them is not counted, since counts drift: when half of them may be dead, all who hold
numbers are asked, and get new ones. It costs what there is, and is the rarer the more there is.
"""

from __future__ import annotations

from collections.abc import Iterable

from fullcrew.state.domains import EVERYWHERE
from fullcrew.state.nodes import devices
from fullcrew.state.pods import Pods

__all__ = ["is_due", "renumber"]


def is_due(pods: Pods) -> bool:
    """Whether half of some numbers may be dead."""
    owners = (pods.asks, pods.reader.wheres, pods.reader, pods.sums, pods.owners)
    return any(each.may_be_half_dead for each in owners)


def renumber(pods: Pods, *, queues: Iterable[str], limited: Iterable[str]) -> None:
    """Give out all numbers anew. `queues` are those that exist, whoever uses them: forgotten, they
    would be numbered again at once. `limited` are the resources that some of them limit."""
    asks, wheres = pods.asks, pods.reader.wheres
    pods.sums.settle()
    pods.fences.read_keys()
    pods.read_kin({EVERYWHERE})
    wanted = {each.ask for each in pods.waiting.values() if each.ask >= 0}
    in_use = pods.placed.in_use()
    new_asks = asks.keep([*in_use.asks, *sorted(wanted)], waiting=wanted)
    new_wheres = wheres.keep({each.where for each in pods.waiting.values()})
    for each in pods.waiting.values():
        each.renumber(new_asks, new_wheres)
    pods.placed.renumber(new_asks)
    pods.records.start_again()
    pods.reader.start_again(in_use.told)
    for name in limited:
        asks.want_resource(name)
    for node in pods.nodes.row_of:
        asks.see(devices(pods.nodes, node))
    pods.owners.keep(in_use.owners)
    pods.sums.start_again(queues)
    pods.nodes.start_again(asks.resources)
    pods.fences.start_again()
    pods.nodes.labels.keep(wheres.fresh_labels | pods.fences.topology_keys)
