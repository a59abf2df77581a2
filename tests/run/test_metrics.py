"""The table of metrics, and the page that is rendered from it."""

from __future__ import annotations

import math

import pytest
from accepted import Accepted

from docs import blocks
from fullcrew import errors
from fullcrew.run import metrics
from fullcrew.run.metrics import Counted, Metrics, Sort


def test_the_page_of_metrics_is_rendered_from_the_code(accepted: Accepted) -> None:
    accepted.compare(blocks.ROOT / "docs" / "operating" / "metrics.md", metrics.page())


@pytest.mark.parametrize("row", metrics.TABLE, ids=lambda row: row.name)
def test_every_metric_is_exposed(row: metrics.Metric) -> None:
    text = Metrics().text().decode()

    assert f"# TYPE fullcrew_{row.name} {row.sort}" in text
    assert row.name.endswith("_total") == (row.sort is Sort.COUNTER)


def test_two_processes_in_one_do_not_meet() -> None:
    one, other = Metrics(), Metrics()

    one.count("starts_total", 3)

    assert one.value("starts_total") == 3
    assert other.value("starts_total") == 0


def test_a_gauge_set_anew_forgets_what_is_gone() -> None:
    told = Metrics()
    told.set_all("waiting_gangs", {("placement", "short"): 3})

    told.set_all("waiting_gangs", {("quota", "limit"): 1})

    assert told.value("waiting_gangs", stage="placement", kind="short") == 0
    assert told.value("waiting_gangs", stage="quota", kind="limit") == 1


def test_a_metric_is_what_it_is() -> None:
    told = Metrics()

    with pytest.raises(errors.Bug):
        told.count("is_leader")
    with pytest.raises(errors.Bug):
        told.set("starts_total", 1)
    with pytest.raises(errors.Bug):
        told.observe("starts_total", 1)


def test_a_counter_is_told_by_its_labels_in_any_order() -> None:
    told = Metrics()

    told.count("status_writes_total", object="pod", outcome="written")
    told.count("status_writes_total", outcome="written", object="pod")
    told.count("status_writes_total", object="pod", outcome="failed")

    assert told.value("status_writes_total", object="pod", outcome="written") == 2
    assert told.value("status_writes_total", object="pod", outcome="failed") == 1


def test_what_somebody_else_counts_is_exposed_as_a_histogram() -> None:
    told = Metrics()

    told.ask("request_seconds", lambda: [Counted(("bind", "done"), {0.1: 2, math.inf: 1}, 7.0)])

    text = told.text().decode()
    assert 'fullcrew_request_seconds_bucket{lane="bind",le="0.1",outcome="done"} 2.0' in text
    assert 'fullcrew_request_seconds_bucket{lane="bind",le="+Inf",outcome="done"} 3.0' in text
    assert 'fullcrew_request_seconds_count{lane="bind",outcome="done"} 3.0' in text
    assert 'fullcrew_request_seconds_sum{lane="bind",outcome="done"} 7.0' in text
