# One door for each chore; `make` alone lists them. CI knocks at two: test and check-real.
# Needs Python 3.11 or later, git and make. PYTHON=... names an interpreter of your choice.

VENV := .venv
PY := $(VENV)/bin/python
# Made once for a place, a list of wishes and a list of pins; made again when one of them changes.
MADE := $(VENV)/.made-$(shell { pwd; cat pyproject.toml constraints.txt; } | cksum | cut -d' ' -f1)
PYTEST := $(PY) -m pytest
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := doors
.PHONY: doors demo test check lint format types tests check-real control-plane bench bench-e2e \
        soak accept constraints environment clean

doors: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile \
	  | awk -F'|' '{ printf "  make %-14s %s\n", $$1, $$2 }'

demo: $(MADE) ## the point of it in a minute: the seeds' stories, planned on this machine
	@$(PY) tools/demo.py

test: check ## what every commit passes; the same as check

check: lint types tests ## lint, types and all tests that need no cluster; ten minutes at most

lint: $(MADE) ## ruff: rules and layout, nothing is changed
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet . || { echo "try: make format"; exit 1; }

format: $(MADE) ## ruff: put the layout right, mend what can be mended
	@$(PY) -m ruff check --quiet --fix . ; $(PY) -m ruff format .

types: $(MADE) ## mypy, strict, over all of it
	@$(PY) -m mypy --no-error-summary

tests: $(MADE) ## only the tests that need no cluster
	@$(PYTEST) -m "not real and not soak"

check-real: $(MADE) ## tests on a real kube-apiserver and etcd; builds them first, needs Go
	@$(PY) tools/control_plane/build.py > /dev/null || { code=$$?; [ $$code = 69 ] && [ -z "$$CI" ]; }
	@$(PYTEST) -m "real and not soak" -rs

control-plane: $(MADE) ## build etcd and Kubernetes; minutes once, then kept outside the tree
	@$(PY) tools/control_plane/build.py

bench: $(MADE) ## how fast a plan is made, beside a plain loop over pods and nodes
	@$(PY) tools/bench.py

bench-e2e: $(MADE) control-plane ## how fast a real API server is filled, beside its own ceiling
	@$(PY) tools/bench_e2e.py

soak: $(MADE) control-plane ## the long runs: many kills, many seeds
	@$(PYTEST) -m soak

accept: $(MADE) ## rewrite golden files and rendered pages; then read the diff
	@$(PYTEST) -m "not real and not soak" --accept -p no:randomly tests/docs tests/cli

constraints: $(MADE) ## choose the pins anew, for every Python we support
	@$(PY) -m pip install --quiet uv
	@$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	  --upgrade --all-extras --no-emit-index-url --custom-compile-command "make constraints" \
	  --output-file constraints.txt pyproject.toml

environment: $(MADE) ## only the private environment in .venv

clean: ## forget the environment and every cache in the tree
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The build's own tools are pinned with the rest, so the package is built in this environment.
$(MADE):
	@echo "making $(VENV) from constraints.txt: once, about half a minute" >&2
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	  $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || continue; \
	  exec $$python -m venv $(VENV); \
	done; echo "no Python 3.11 or later on PATH; try: make PYTHON=/path/to/python3" >&2; exit 1
	@$(PY) -m pip install --quiet -c constraints.txt hatchling editables
	@$(PY) -m pip install --quiet -c constraints.txt --no-build-isolation -e '.[dev]'
	@rm -f $(VENV)/.made-* && touch $@
