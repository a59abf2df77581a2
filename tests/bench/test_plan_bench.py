"""The benchmark of planning still runs and still measures what it says; never how fast that is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tools import results
from tools.core_bench import loads, plain
from tools.core_bench.__main__ import told
from tools.core_bench.measuring import Measured
from tools.core_bench.rows import GANGS, SIZES, Row, rows

BENCH = Path(__file__).parents[2] / "tools" / "bench.py"
TINY = 0.004


@pytest.mark.slow
@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_every_row_can_be_measured_at_a_tiny_size(row: Row) -> None:
    found = row.measured(TINY)

    assert found.row == row.name
    assert found.figure > 0
    assert found.bar == row.bar
    assert found.ratio is None or found.ratio > 0


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_its_figures(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    options = ["--scale", str(TINY), "--json", str(figures)]

    ended = subprocess.run(
        [sys.executable, str(BENCH), "big-gangs", *options],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode in {0, 1}, ended.stderr
    assert "| 20 gangs x 500 pods, 5000 nodes" in ended.stdout
    assert [each["row"] for each in json.loads(figures.read_text("utf-8"))] == ["big-gangs"]


def test_all_pods_of_the_distinct_load_fit_and_no_two_asks_are_alike() -> None:
    load = loads.distinct(gangs=400, nodes=200, queues=20)

    plain.looped(load, at_most_seconds=60)

    asked = np.array([np.array(job.ask) * job.pods for job in load.jobs]).sum(axis=0)
    assert load.pods == 1_800
    assert len({job.ask for job in load.jobs}) == 400
    assert (asked <= load.snapshot.room.free.sum(axis=1)).all()


def test_nobody_of_the_backlog_fits() -> None:
    load = loads.backlog(gangs=50, nodes=100)
    free = load.snapshot.room.free

    held_by_each_node = (free // np.array(load.jobs[0].ask)[:, None]).min(axis=0)

    assert held_by_each_node.sum() == load.jobs[0].pods - 1


def test_the_same_load_is_made_again() -> None:
    first, again = (loads.distinct(gangs=40, nodes=20, queues=3, pools=2) for _ in range(2))

    assert first.jobs == again.jobs
    assert first.snapshot.gangs == again.snapshot.gangs
    assert first.snapshot.nodes.names == again.snapshot.nodes.names


def test_a_bar_is_met_by_more_of_a_rate_and_by_less_of_a_time() -> None:
    def met(figure: float, unit: str) -> bool | None:
        return Measured("row", "title", figure, unit, bar=50).is_met

    assert (met(60, "pods/s"), met(40, "pods/s")) == (True, False)
    assert (met(60, "ms"), met(40, "ms")) == (False, True)
    assert Measured("row", "title", 40, "ms").is_met is None


def test_the_growth_of_cost_is_told_as_a_power_of_the_size() -> None:
    nodes = [Measured(f"nodes-{size}", "", float(size), "us/gang") for size in SIZES]
    gangs = [Measured(f"gangs-{size}", "", 7.0, "us/gang") for size in GANGS]

    text = told([*nodes, *gangs])

    assert "power of nodes: 100 to 1,000: 1.00" in text
    assert "power of gangs: 100 to 1,000: 0.00" in text


def test_a_table_is_read_as_plain_text_and_as_markdown() -> None:
    text = results.table(("shape", "pods/s"), [("500 x 20", "1,500")])

    assert text == "| shape    | pods/s |\n|----------|-------:|\n| 500 x 20 |  1,500 |"
