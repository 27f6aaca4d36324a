# make demo and make test are all that a newcomer needs; each sets up what it lacks.
.PHONY: setup demo test lint bench chaos gate-all clean-demo
PY := .venv/bin/python

setup:
	@scripts/setup.sh

dev:
	@scripts/setup.sh dev

demo:
	@scripts/demo.sh

test: dev
	$(PY) -m pytest

unit: dev
	$(PY) -m pytest -m "not e2e"

lint: dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench: dev
	$(PY) bench/gate.py

chaos: dev
	$(PY) -m pytest -m chaos -o addopts="--import-mode=importlib -ra" tests/e2e/test_run_chaos.py

DOMAIN ?= swe
gate-all: dev
	$(PY) bench/gate_all.py --domain $(DOMAIN)

clean-demo:
	rm -rf runs/demo
