"""What pods ask for: interned rows of amounts, and the resources that are the ledger's columns.

A resource gets its row when somebody asks for it or a queue limits it, behind all rows there are.
Host ports are the exception: thousands of bound pods may have one each, so only those that a
waiting pod asks for are rows, and they go at the next renumbering after nobody does any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from fullcrew.model.amounts import HOST_PORT_PREFIX, PODS, is_host_port
from fullcrew.objects.ports import HostPort
from fullcrew.room import Ints
from fullcrew.state.columns import longer, wider
from fullcrew.state.numbers import Numbers

__all__ = ["ADDRESSES", "HEAVY", "Amounts", "Asks", "of_host_ports", "places_of"]

Amounts = tuple[tuple[str, int], ...]  # resource and amount, sorted; every ask has 1 of `pods`

ADDRESSES: Final = 1 << 20  # how many addresses a node may have pods' ports on, and plenty
HEAVY: Final = 1 << 42  # two million smaller ones are safely summed


def of_host_ports(taken: Iterable[HostPort]) -> dict[str, int]:
    """Host ports as amounts of resources: decision 0006."""
    found: dict[str, int] = {}
    for port in taken:
        everywhere = f"{HOST_PORT_PREFIX}{port.protocol}/{port.port}"
        if not port.address:
            found[everywhere] = ADDRESSES
            continue
        found[everywhere] = min(ADDRESSES, found.get(everywhere, 0) + 1)
        found[f"{everywhere}/{port.address}"] = 1
    return found


def places_of(resource: str) -> int:
    """How much of a host port any node has: all addresses, or the one that it names."""
    return ADDRESSES if resource.count("/") == 2 else 1


class Asks:
    """Asks by number, and as a table [resource, ask]."""

    __slots__ = (
        "_filled", "_numbers", "_port_asks", "_stale", "_table", "_with_ports", "heavy",
        "resources", "row_of", "rows",
    )  # fmt: skip

    def __init__(self) -> None:
        self._numbers: Numbers[Amounts] = Numbers()
        self._port_asks: dict[str, list[int]] = {}
        self._with_ports: set[int] = set()
        self._table = np.zeros((0, 0), dtype=np.int64)
        self._filled = 0  # how many asks stand in the table
        self._stale: set[int] = set()  # of those, the ones with more rows by now
        self.resources: list[str] = []
        self.row_of: dict[str, int] = {}
        self.rows: list[tuple[tuple[int, int], ...]] = []  # by ask its rows and amounts
        self.heavy: set[int] = set()  # so great that not too many of them pass 2^63 together
        self._add_resource(PODS)

    def of(self, asked: Mapping[str, int]) -> int:
        """The number of an ask; that a pod is one pod is part of each."""
        return self.again(tuple(sorted((*((n, a) for n, a in asked.items() if a), (PODS, 1)))))

    def again(self, amounts: Amounts) -> int:
        """The number of amounts that had one before, which may have been given back."""
        known = len(self._numbers)
        number = self._numbers.of(amounts)
        if number == known:
            self._add(number, amounts)
        return number

    def want_ports(self, ask: int) -> None:
        """A waiting pod has this ask: its ports must be rows. All are added before any ask that has
        one is looked at again, so that a pod costs no more than it has ports."""
        if ask not in self._with_ports:
            return
        touched: set[int] = set()
        for name, _ in self._numbers.values[ask]:
            if is_host_port(name) and name not in self.row_of:
                self._add_resource(name)
                touched.update(self._port_asks[name])
        for other in sorted(touched):
            self.rows[other] = self._rows_of(self._numbers.values[other])
        self._stale.update(touched)

    def see(self, resources: Iterable[str]) -> None:
        """Nodes have these: they are rows, asked for or not, since a score may look at them. Else
        what a plan decides would hang on what somebody asked for once."""
        for name in resources:
            if name not in self.row_of:
                self._add_resource(name)

    def want_resource(self, name: str) -> None:
        """Some queue limits this, whether anybody asks for it yet or not."""
        if name not in self.row_of and not is_host_port(name):
            self._add_resource(name)

    def amounts(self, ask: int) -> Amounts:
        """The amounts of an ask."""
        return self._numbers.values[ask]

    @property
    def table(self) -> Ints:
        """The asks as columns, as they are now; read only until the next change."""
        self._table = wider(self._table, rows=len(self.resources))
        if self._filled < len(self._numbers) or self._stale:
            self._table = longer(self._table, least=len(self._numbers))
            for ask in self._stale.union(range(self._filled, len(self._numbers))):
                self._fill(ask)
            self._filled = len(self._numbers)
            self._stale.clear()
        return self._table[:, : self._filled]

    @property
    def count(self) -> int:
        """How many asks have a number."""
        return len(self._numbers)

    @property
    def may_be_half_dead(self) -> bool:
        """Whether it is time to look which asks are still in use."""
        return self._numbers.may_be_half_dead

    def keep(self, used: Iterable[int], *, waiting: Iterable[int]) -> Ints:
        """Forget all but the used asks, the resources that only others knew, and the ports that no
        waiting one asks for. Answers with the new number of each old ask."""
        renumbered = self._numbers.keep(used)
        self._port_asks, self.resources, self.row_of, self.rows = {}, [], {}, []
        self._with_ports.clear()
        self.heavy.clear()
        self._table, self._filled = np.zeros((0, 0), dtype=np.int64), 0
        self._stale.clear()
        self._add_resource(PODS)
        for ask, amounts in enumerate(self._numbers.values):
            self._add(ask, amounts)
        for ask in sorted(renumbered[sorted(set(waiting))].tolist()):
            self.want_ports(ask)
        return renumbered

    def _add(self, ask: int, amounts: Amounts) -> None:
        if any(much >= HEAVY for _, much in amounts):
            self.heavy.add(ask)
        for name, _ in amounts:
            if is_host_port(name):
                self._port_asks.setdefault(name, []).append(ask)
                self._with_ports.add(ask)
            elif name not in self.row_of:
                self._add_resource(name)
        self.rows.append(self._rows_of(amounts))

    def _add_resource(self, name: str) -> None:
        self.row_of[name] = len(self.resources)
        self.resources.append(name)

    def _rows_of(self, amounts: Amounts) -> tuple[tuple[int, int], ...]:
        row_of = self.row_of
        return tuple((row_of[name], much) for name, much in amounts if name in row_of)

    def _fill(self, ask: int) -> None:
        for row, much in self.rows[ask]:
            self._table[row, ask] = much
