# Everything a contributor runs, by name. `make` alone lists the targets.
# Override the interpreter with `make setup PYTHON=python3.13`.

PYTHON ?= python3
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENTS := tests/clients/node_modules/.ready
PAGE := web/node_modules/.ready
PYTEST := $(BIN)/pytest -n auto
# Tests start many programs, each of which would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
# A sample of the tests that run our programs, for which `make test` asks the launcher.
COLD := tests/launcher tests/cli tests/mcp/test_stdio.py tests/mcp/test_http.py tests/http/test_door.py
step = @printf '\n==> %s\n' "$(1)"

.PHONY: help setup serve test check format format-check lint types imports generate generated \
	clients page page-current screenshots demo test-slow check-faults bench lock lock-upgrade build clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv with everything locked in requirements/dev.txt

$(READY): pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Hansard needs Python 3.11 or newer, and '$(PYTHON)' is not." \
			"Name another with: make setup PYTHON=python3.12" >&2; exit 1; }
	$(call step,Installing the locked dependencies into $(VENV))
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes \
		-r requirements/dev.txt | { grep -vE '^(Requirement already|Ignoring|Looking)' || true; }
	$(call step,Installing hansard itself)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	@touch $@

serve: setup ## Start the server
	$(BIN)/hansard serve

test: setup ## Run the fast tests, in random order, on every core
	$(call step,Fast tests)
	$(PYTEST) --quarter today -m "not slow and not clients"

check: format-check lint types imports generated page-current test test-slow ## Run the whole gate

format: setup ## Rewrite the code in the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check: setup
	$(call step,Format)
	$(BIN)/ruff format --check .

lint: setup
	$(call step,Lint)
	$(BIN)/ruff check .

types: setup
	$(call step,Types)
	$(BIN)/mypy src tests $(wildcard bench)

imports: setup
	$(call step,Import contracts)
	$(BIN)/lint-imports

generate: setup ## Remake the schemas and reference pages from the catalog
	$(BIN)/python -m hansard.cli.generate

# Compares contents before and after, so that a new file counts, and so does a checkout without Git.
generated: setup
	$(call step,Generated files are up to date)
	@prints() { find schema docs -type f -exec cksum {} + 2>/dev/null | sort -k 3 || true; }; \
	before=$$(prints); \
	$(MAKE) --no-print-directory generate; \
	if ! diff <(echo "$$before") <(prints); then \
		echo "These generated files were stale and have now been remade: commit them." >&2; exit 1; fi

clients: setup $(CLIENTS) ## Install the Node clients that the tests talk to us with

$(CLIENTS): tests/clients/package.json tests/clients/package-lock.json
	@command -v npm >/dev/null || { echo "The client tests need Node and npm; install them first." >&2; exit 1; }
	$(call step,Installing the Node clients)
	npm ci --prefix tests/clients
	@touch $@

# What the page is built with. Running it needs none of this: the built page is in the package.
$(PAGE): web/package.json web/package-lock.json
	@command -v npm >/dev/null || { echo "Building the page needs Node and npm; install them first." >&2; exit 1; }
	$(call step,Installing what builds the page)
	npm ci --prefix web
	@touch $@

page: setup $(PAGE) ## Build the page into the package, and print its sizes
	npm run --silent --prefix web build

page-current: setup $(PAGE)
	$(call step,The page is what its sources give)
	npm run --silent --prefix web check
	npm run --silent --prefix web test
	@prints() { find src/hansard/http/page -type f -exec cksum {} + | sort -k 3; }; \
	before=$$(prints); \
	$(MAKE) --no-print-directory page >/dev/null; \
	if ! diff <(echo "$$before") <(prints); then \
		echo "The built page was stale and has now been remade: commit it." >&2; exit 1; fi

screenshots: setup $(PAGE) ## Take the pictures of the documentation
	$(BIN)/python -m tests.browser.screenshots

demo: setup ## Serve the page on an example project
	$(BIN)/hansard demo build/demo

test-slow: setup clients $(PAGE) ## Run what `make test` leaves out: slow tests, foreign clients, all of PostgreSQL
	$(call step,Slow tests and foreign clients and everything on PostgreSQL)
	$(PYTEST) -m "slow or clients or postgres" --durations 5
	$(call step,Programs started anew)
	HANSARD_TEST_COLD=1 $(PYTEST) -m "not slow and not clients and not postgres" $(COLD)

check-faults: setup ## Try every fault at every single point; takes hours
	$(call step,Every fault)
	HANSARD_FAULTS=all $(PYTEST) -m "slow or fault"

bench: setup ## Measure
	$(BIN)/python -m bench

lock: setup ## Remake requirements/*.txt after a change in pyproject.toml
	$(COMPILE) --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) --constraints requirements/dev.txt -o requirements/runtime.txt

lock-upgrade: setup ## Move every locked dependency to its newest version
	$(COMPILE) --upgrade --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) --upgrade --constraints requirements/dev.txt -o requirements/runtime.txt

build: setup ## Build the wheel and the source archive into dist/
	$(BIN)/python -m hatchling build

clean: ## Remove everything that is made
	rm -rf $(VENV) dist build tests/clients/node_modules web/node_modules web/dist .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
