# make demo and make test are all that a newcomer needs; each sets up what it lacks.
.PHONY: setup dev demo test unit e2e lint bench chaos gate-all clean-demo
PY := .venv/bin/python

setup:
	@scripts/setup.sh

dev:
	@scripts/setup.sh dev

demo: export DOMAINS ?= swe
demo:
	@scripts/demo.sh

test: unit e2e

unit: dev
	$(PY) -m pytest -n auto --dist worksteal --ignore tests/e2e -m "not e2e and not slow and not chaos"

e2e: dev
	$(PY) -m pytest -m "(e2e or slow) and not chaos" --durations=15

lint: dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench: dev
	$(PY) bench/gate.py
	$(PY) bench/rate.py
	$(PY) bench/boxes.py
	$(PY) bench/calibration.py
	$(PY) bench/agents.py
	$(PY) bench/office.py

chaos: dev
	$(PY) -m pytest -m chaos tests/e2e

DOMAIN ?= swe
gate-all: dev
	$(PY) bench/gate_all.py --domain $(DOMAIN)

clean-demo:
	rm -rf runs/demo
