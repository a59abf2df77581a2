"""How fast a real API server is filled: Fullcrew, a bare client (the ceiling) and kube-scheduler.

    python tools/bench_e2e.py [--nodes 1000] [--shapes 10000x1,500x20] [--rounds 3] [--only fill]

The work is in the package `tools.e2e` beside this file; it starts control planes as the tests do,
so it wants the repository and its `tests` on the path, which is what happens here.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    runpy.run_module("tools.e2e", run_name="__main__")
