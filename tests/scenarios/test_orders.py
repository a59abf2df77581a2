"""Two jobs of which one fits at a time, their pods made in every possible alternation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from scenarios import playing
from scenarios.playing import Scenario

SIZES = {"j1": 4, "j2": 3}  # a parameter server and workers
ALL = sum(SIZES.values())


def alternations() -> Iterator[dict[str, list[str]]]:
    """Each way in which the pods of both may come, as times by job."""
    for mine in combinations(range(ALL), SIZES["j1"]):
        theirs = [at for at in range(ALL) if at not in mine]
        yield {"j1": [f"{at:02}" for at in mine], "j2": [f"{at:02}" for at in theirs]}


@pytest.mark.parametrize("server_comes", ["first", "last"])
@pytest.mark.parametrize("times", list(alternations()), ids=lambda times: "".join(times["j1"]))
def test_whoever_comes_in_between_one_runs_whole_and_the_other_waits_whole(
    times: dict[str, list[str]], server_comes: str
) -> None:
    gangs = {name: gang(name, times[name], server_comes) for name in SIZES}
    first = min(times, key=lambda name: times[name])
    second = "j2" if first == "j1" else "j1"
    steps = (
        {
            "add": {"nodes": {"n1..n4": {"cpu": 8, "gpu": 1}}, "gangs": gangs},
            "then": {
                "starts": [{first: SIZES[first]}],
                "waits": {second: {"pods": SIZES[second], "kind": "short"}},
            },
        },
        {
            "ended": [f"{first}-ps", f"{first}-w"],
            "then": {"starts": [{second: SIZES[second]}]},
        },
    )

    playing.play(Scenario("", (245,), "", steps))


def gang(name: str, times: list[str], server_comes: str) -> dict[str, object]:
    """A job whose members came at these times: a server without a GPU, workers with one each."""
    at = 0 if server_comes == "first" else -1
    workers = times[1:] if at == 0 else times[:-1]
    return {
        "dialect": "labels",
        "minimum": SIZES[name],
        "pods": [
            {"name": "ps", "cpu": 1, "created": [times[at]]},
            {"name": "w", "count": len(workers), "cpu": 1, "gpu": 1, "created": workers},
        ],
    }
