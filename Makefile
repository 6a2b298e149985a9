# Two commands are enough: `make demo` and `make test`. Each sets up what it needs in .venv.
.PHONY: demo test unit live lint sweep bench clean
.DEFAULT_GOAL := help

VENV   := .venv
PYTHON := $(VENV)/bin/python
READY  := $(VENV)/.ready

help:  ## What can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 14

$(READY): pyproject.toml scripts/setup
	@scripts/setup $(VENV)
	@touch $(READY)

demo: $(READY)  ## A fleet of small bots falls ill and is healed before your eyes (about a minute)
	@$(VENV)/bin/watchdogctl demo

test: lint unit live  ## Everything: style, types, contracts, unit suite, stories on real processes and containers

lint: $(READY)  ## ruff, mypy strict, import contracts
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# Half of it waits: four workers keep two cores busy.
unit: $(READY)  ## The unit suite: under a minute on two cores
	$(PYTHON) -m pytest -m "not live and not sweep" -n 4

live: $(READY)  ## Stories on real processes and, as root with Docker installed, on real containers
	$(PYTHON) -m pytest -m live -n 2 --dist loadfile

sweep: $(READY)  ## Slow fault sweeps: a kill at every write (needs strace)
	$(PYTHON) -m pytest -m sweep

bench: $(READY)  ## Figures beside the goals
	$(PYTHON) -m bench.probe
	$(PYTHON) -m bench.store
	$(PYTHON) -m bench.docker

clean:  ## Remove what was set up
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
