# make serve   build the graph and serve it on 127.0.0.1:8000
# make test    lint, types and tests
# make setup   only the virtual environment, with .venv/bin/runatlas
# make bench   time the commands, validation on 1 to 100 copies of the data, hostile queries, and others' endpoints

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
PEERS := .venv-bench/ready

.PHONY: serve build test setup lock bench clean

# Your own statements: make serve OVERLAY=our-runs
OVERLAYS := $(foreach folder,$(OVERLAY),--overlay $(folder))

serve: build
	$(BIN)/runatlas serve

build: $(READY)
	$(BIN)/runatlas build $(OVERLAYS)

test: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n 2

setup: $(READY)

# Written last, so that an interrupted set-up is done again.
$(READY): pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Runatlas needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

# Needs uv, which the environment carries. No index host is written to any of the files.
lock: $(READY)
	$(BIN)/uv pip compile -q pyproject.toml --generate-hashes --universal --no-header -o requirements.txt
	$(BIN)/uv pip compile -q pyproject.toml --group dev --generate-hashes --universal --no-header -o requirements-dev.txt
	$(BIN)/uv pip compile -q pyproject.toml --group bench --generate-hashes --universal --no-header -o requirements-bench.txt

clean:
	rm -rf .venv .venv-bench build dist

bench: $(READY) $(PEERS)
	$(BIN)/python bench/commands.py
	$(BIN)/python bench/validation.py
	$(BIN)/python -m bench.hostile
	$(BIN)/python -m bench.endpoint

# The peers of the endpoint; one more, Virtuoso, is compared if the system has it.
$(PEERS): requirements-bench.txt
	rm -rf .venv-bench
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.txt
	touch $(PEERS)
