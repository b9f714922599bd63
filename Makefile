# `make test` and `make demo` each work on a fresh clone by themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
LARGE  := plugins/grpo-env-ray
DISTS  := . $(filter-out $(LARGE),$(patsubst %/pyproject.toml,%,$(wildcard plugins/*/pyproject.toml example_envs/*/pyproject.toml)))
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pytest keeps the tests that it has compiled: each worker would compile all of them in every run.
unexport PYTHONDONTWRITEBYTECODE
# A build in a temporary environment must not pick up pins for what it does not use.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt
# Each worker takes a stretch of the tests, and then from the one that has most left. One more than there are cores: some
# tests wait for processes and servers.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 1)')
SPREAD := -n $(WORKERS) --maxprocesses 8 --dist worksteal

# What the packages in LARGE bring takes much room; their quick tests need none of it.
.PHONY: help install ray deepspeed test coverage test-slow test-browser demo lint types bench coverage-of-envs docs docs-serve clean

help: ## show this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

install: $(READY) ## make .venv and install everything into it, editable

$(READY): pyproject.toml constraints.txt Makefile $(wildcard example_envs/*/pyproject.toml plugins/*/pyproject.toml)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (a minute or two the first time)"
	@$(PIP_INSTALL) --upgrade 'pip>=25.1'
	@$(PIP_INSTALL) --group dev $(foreach dist,$(DISTS),--editable $(dist))
	@$(PIP_INSTALL) --no-deps $(foreach dist,$(LARGE),--editable $(dist))
# As pip does for what it copies: hundreds of tests start processes, and where PYTHONDONTWRITEBYTECODE is set none would.
	@$(BIN)/python -m compileall -q grpo_env_sdk plugins example_envs -x scaffold/templates
	@touch $(READY)

ray: $(READY) ## install Ray too (200 MB), for the slow tests on a cluster
	@$(PIP_INSTALL) --editable plugins/grpo-env-ray

deepspeed: $(READY) ## install DeepSpeed too, for the slow tests of ZeRO
	$(PIP_INSTALL) deepspeed

test: $(READY) ## run the tests, on all cores
	$(BIN)/python -m pytest $(SPREAD) $(ARGS)

coverage: $(READY) ## run them with coverage, which takes twice the time
	$(BIN)/python -m pytest $(SPREAD) --cov --cov-report=term $(ARGS)

test-slow: $(READY) ## run also what is marked slow
	$(BIN)/python -m pytest -m 'not gpu and not browser' $(ARGS)

test-browser: $(READY) ## run what reads the page in a real Chromium, which Debian calls chromium
	$(BIN)/python -m pytest -m browser $(ARGS)

demo: $(READY) ## see an agent learn: a small model, created on the fly and trained on hotel-v1 by GRPO
	$(BIN)/grpo-env train hotel-v1

lint: $(READY) ## ruff, formatting included
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict
	$(BIN)/mypy

bench: $(READY) ## measure, print the tables, and keep them in docs/benchmarks.md
	$(BIN)/python -m tests.benchmarks

coverage-of-envs: $(READY) ## what each adapter offers, and what of it works
	$(BIN)/python -m tests.coverage_of_envs $(ARGS)

docs: $(READY) ## build the site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-serve: $(READY) ## read the site while writing it
	$(BIN)/mkdocs serve

clean: ## remove what the other targets made
	rm -rf $(VENV) site .coverage .pytest_cache .mypy_cache .ruff_cache
