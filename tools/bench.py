"""How fast a plan is made, beside a plain loop over pods and nodes in the same run.

    python tools/bench.py [ROW...] [--list] [--quick] [--write] [--profile ROW]

Each row runs in an interpreter of its own, so that its memory is its own; `--write` adds the table
to benchmarks/results. The work is in the package `tools.core_bench` beside this file.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT)]
    runpy.run_module("tools.core_bench", run_name="__main__")
