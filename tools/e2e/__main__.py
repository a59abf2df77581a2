"""Runs what is asked for, and prints the tables; progress goes to standard error."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import uvloop
from real import control_plane

from tools import results
from tools.e2e import arriving, filling, report, restarting, shapes
from tools.e2e.arriving import Arrived, Pace
from tools.e2e.contenders import Bare, Contender, Fullcrew, KubeScheduler
from tools.e2e.filling import Filled
from tools.e2e.ground import Grounds
from tools.e2e.restarting import Restarted
from tools.e2e.shapes import Shape

ROOT = Path(__file__).resolve().parents[2]
SHAPES = "10000x1,500x20,20x500,1x10000"
QUICK_SHAPES = "2000x1,4x500"
PARTS = ("fill", "arrival", "restart")
CONTENDERS = (report.OURS, report.CEILING, report.RIVAL)


@dataclass
class Found:
    """All that was measured so far, as values and as text."""

    fills: list[Filled] = field(default_factory=list)
    arrivals: list[Arrived] = field(default_factory=list)
    restart: Restarted | None = None

    def told(self, pace: Pace) -> str:
        """The tables that there is something for, and the judgement."""
        parts = []
        if self.fills:
            parts += ["## Filling", report.of_fills(self.fills)]
        if self.arrivals:
            parts += ["## Steady arrival", report.of_arrivals(self.arrivals, pace)]
        if self.restart:
            parts += ["## Restart", report.of_restart(self.restart)]
        if bars := report.bars(self.fills, self.restart):
            parts += ["## Bars", report.of_bars(bars)]
        return "\n\n".join(parts)


class Bench:
    """The measurements one after the other, contenders in turns within each round."""

    def __init__(self, asked: argparse.Namespace, grounds: Grounds) -> None:
        self._asked = asked
        self._grounds = grounds
        self._began = time.monotonic()
        self.found = Found()
        self._never_ready: set[tuple[str, str]] = set()

    async def run(self) -> None:
        """The parts that were asked for."""
        if "fill" in self._asked.only:
            for number in range(self._asked.rounds):
                for shape in shapes.parsed(self._asked.shapes):
                    await self._round(shape, number)
        if "arrival" in self._asked.only:
            for name in self._asked.contenders:
                await self._arrive(name)
        if "restart" in self._asked.only:
            await self._restart()

    async def _round(self, shape: Shape, number: int) -> None:
        """The bare client repeats the writes that Fullcrew made just before."""
        for name in self._asked.contenders:
            is_spared = name == report.RIVAL and number >= self._asked.rival_rounds
            if is_spared or self._has_failed(shape, name):
                continue
            self._say(f"round {number + 1}: {shape}, {name}")
            longest = self._asked.longest
            contender = self._contender(name, shape)
            objects = f"{shape}, {contender.dialect}"
            made = self._grounds.with_objects(objects, partial(contender.form, shape))
            try:
                async with made as ground:
                    fill = await filling.filled(ground, shape, contender, longest_seconds=longest)
            except RuntimeError as error:  # kube-scheduler with many gangs may never get ready
                self._never_ready.add((str(shape), name))
                self._say(f"  given up: {str(error).splitlines()[0]}")
                continue
            self.found.fills.append(fill)
            told = f"{fill.rate:,.0f} pods/s, {fill.cpu_micro_each:.0f} us CPU/pod"
            self._say(f"  {fill.bound:,} bound in {fill.bound_seconds:.2f} s, {told}")

    def _has_failed(self, shape: Shape, name: str) -> bool:
        """Who does not come to an end once is not waited for again."""
        return (str(shape), name) in self._never_ready or any(
            not fill.is_whole
            for fill in self.found.fills
            if (fill.shape, fill.contender) == (str(shape), name)
        )

    def _contender(self, name: str, shape: Shape | None) -> Contender:
        if name == report.OURS:
            return Fullcrew(self._asked.profile)
        if name == report.RIVAL:
            return KubeScheduler()
        ours = [
            fill.writes
            for fill in self.found.fills
            if (fill.shape, fill.contender) == (str(shape), report.OURS)
        ]
        return Bare(shape, ours[-1] if ours else {})

    async def _arrive(self, name: str) -> None:
        self._say(f"steady arrival: {name}")
        async with self._grounds.with_objects("nodes alone", tuple) as ground:
            found = await arriving.arrived(ground, self._contender(name, None), self._asked.pace)
        self.found.arrivals.append(found)
        self._say(f"  p50 {found.p50_ms:.1f} ms, p99 {found.p99_ms:.1f} ms")

    async def _restart(self) -> None:
        self._say("restart")
        pods, nodes = self._asked.standing, self._asked.nodes
        objects = partial(shapes.bound, pods, nodes=nodes)
        async with self._grounds.with_objects("bound pods", objects) as ground:
            rounds = self._asked.rounds
            self.found.restart = await restarting.restarted(ground, pods=pods, rounds=rounds)
        found = self.found.restart
        first, listed = found.first_bind_seconds, found.list_seconds
        self._say(f"  first bind after {first:.2f} s, a bare list {listed:.2f} s")

    def _say(self, line: str) -> None:
        sys.stderr.write(f"{time.monotonic() - self._began:6.0f} s  {line}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """What the options say; 1 if a bar is not met."""
    asked = _asked(arguments)
    built = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "control_plane" / "build.py")],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if built.returncode:
        return built.returncode
    with tempfile.TemporaryDirectory(prefix="fullcrew-bench-") as place:
        grounds = Grounds(Path(built.stdout.strip()), Path(place), nodes=asked.nodes)
        bench = Bench(asked, grounds)
        try:
            uvloop.run(bench.run())
        finally:  # what took minutes to find is told even if the rest fails
            _tell(bench.found, asked, control_plane.version(Path(built.stdout.strip())))
    told = report.bars(bench.found.fills, bench.found.restart)
    return int(any(not bar.is_met for bar in told))


def _tell(found: Found, asked: argparse.Namespace, release: Mapping[str, object]) -> None:
    versions = ", ".join(f"{name} {release[name]}" for name in ("kubernetes", "etcd"))
    text = f"{asked.nodes:,} nodes, {versions}.\n\n{found.told(asked.pace)}"
    sys.stdout.write(f"{results.machine()}\n{text}\n")
    if asked.json:
        asked.json.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")
    if asked.write:
        path = results.written("e2e", "How fast a real API server is filled", text)
        sys.stderr.write(f"{path}\n")


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/bench_e2e.py", description="how fast a real API server is filled"
    )
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--shapes", default=SHAPES, help=f"GANGSxMEMBERS,... ({SHAPES})")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rival-rounds", type=int, default=3, help="of them with kube-scheduler")
    parser.add_argument("--only", type=_several(PARTS), default=list(PARTS), help=",".join(PARTS))
    parser.add_argument(
        "--contenders", type=_several(CONTENDERS), default=list(CONTENDERS), help="a list"
    )
    parser.add_argument("--pace", type=_pace, default=Pace(200, 15), help="PODS_PER_SECONDxSECONDS")
    parser.add_argument("--standing", type=int, default=30_000, help="bound pods at the restart")
    parser.add_argument("--longest", type=float, default=120, help="seconds for one filling")
    parser.add_argument("--quick", action="store_true", help="two small shapes, one round")
    parser.add_argument("--write", action="store_true", help="keep the tables: benchmarks/results")
    parser.add_argument("--profile", type=Path, help="of Fullcrew's last turn, for pstats")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.shapes, asked.rounds, asked.standing = QUICK_SHAPES, 1, 5_000
        asked.pace = Pace(200, 5)
    return asked


class _several:  # noqa: N801 - it is a type of argument
    """A list of words, each of which is known."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known

    def __call__(self, text: str) -> list[str]:
        words = [word.strip() for word in text.split(",")]
        if unknown := [word for word in words if word not in self._known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(self._known)}")
        return words


def _pace(text: str) -> Pace:
    rate, _, seconds = text.partition("x")
    return Pace(float(rate), float(seconds))


if __name__ == "__main__":
    sys.exit(main())
