# make demo   set up a local environment and run the guided example
# make test   set up everything and run all checks
# make bench  dissensus beside its peers, ratios printed and kept in bench/history
# make docs   build the documentation site
# make versions  the site of this version next to those of others, in public/
# make dist   wheel and sdist in dist/, checked, installed into an empty environment, tried
# make paper  the paper of paper/ as a page in build/ (needs pandoc)
# make hashed  the environment of CI: every package by the hash of its file
# make evidence  rebuild the tables behind the docs' claims, part by part (hours; stop and go on as you like)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test hashed bench docs versions dist paper evidence lint types clean
.DEFAULT_GOAL := test

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("dissensus needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	@touch $@

$(VENV)/.ready-test: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[test]'
	@touch $@ $(VENV)/.ready

hashed: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-ci.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(VENV)/.ready $(VENV)/.ready-test

demo: $(VENV)/.ready
	$(BIN)/dissensus demo

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/english.py

types: $(VENV)/.ready-test
	$(BIN)/mypy

test: lint types
	bash .ci/browser
	bash .ci/databases
	$(BIN)/python -m pytest -n 2 --dist worksteal  # builds the documentation strictly, too

bench: $(VENV)/.ready-test
	$(BIN)/python -m bench --keep

docs: $(VENV)/.ready-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

versions: $(VENV)/.ready-test
	$(BIN)/python tools/versions.py public --latest

dist: $(VENV)/.ready-test
	$(PIP) twine check-wheel-contents
	$(BIN)/python tools/dist.py dist --try

paper:
	bash tools/paper.sh build

evidence: $(VENV)/.ready-test
	$(BIN)/python tools/evidence.py

clean:
	rm -rf $(VENV) site build demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
