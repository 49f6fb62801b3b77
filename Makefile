# Everything a contributor runs, by name. `make` alone lists the targets.
# Override the interpreter with `make setup PYTHON=python3.13`.

PYTHON ?= python3
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
# Search by meaning takes 60 MB more; `make setup SEMANTIC=` leaves it out.
SEMANTIC ?= yes
MEANING := $(if $(SEMANTIC),$(VENV)/.meaning)
OBJECTS := $(VENV)/.objects
CLIENTS := tests/clients/node_modules/.ready
PAGE := web/node_modules/.ready
# A worker more than there are cores, as tests also wait: for disks, servers and each other.
PYTEST := $(BIN)/pytest -n $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))
# Of which day `make test` takes the share, and `make check` then the rest.
DAY := $(shell echo $$(($$(date +%s) / 86400)))
# Tests start many programs, each of which would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# A sample of the tests that run our programs, for which `make test` asks the launcher.
COLD := tests/launcher tests/cli tests/mcp/test_stdio.py tests/mcp/test_http.py tests/http/test_page_login.py
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --custom-compile-command "make lock"
COMPILE := $(BIN)/uv pip compile pyproject.toml $(LOCK)
TEAM := --extra postgres --extra objects --extra otel
COMPILE_BUILD := $(BIN)/uv pip compile --group pyproject.toml:build $(LOCK)
COMPILE_OBJECTS := $(BIN)/uv pip compile --group pyproject.toml:objects $(LOCK)
step = @printf '\n==> %s\n' "$(1)"

.PHONY: help setup develop serve test check format format-check lint types imports generate generated \
	clients page page-current screenshots demo test-slow hosts release-check check-faults mutants bench bench-growth bench-peers lock lock-upgrade build clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(RUNS) $(MEANING) ## Make .venv with what running needs

develop: $(READY) ## Add what the tests and the gate need

# Installs what a lock names. Shows how far it is; what pip said is shown only if it failed.
install = @PYTHONUNBUFFERED=1 $(BIN)/python -m pip install --disable-pip-version-check \
	--require-hashes --no-deps -r $(1) $(2) 2>&1 | tee $(VENV)/install.log | awk -v of=$$(grep -c == $(1)) \
	-v shows=$$(test -t 2 && echo yes || true) '\
	/^(Collecting|Processing|Requirement already|Ignoring)/ { n++; if (shows) printf "\r    %d of %d", n, of; fflush() } \
	/^Installing collected/ { if (shows) printf "\r    %d of %d, unpacking", n, of; fflush() } \
	END { if (shows) printf "\r                              \r" }' \
	|| { tail -n 20 $(VENV)/install.log; echo "The packages could not be installed; pip says why above." >&2; exit 1; }

$(RUNS): pyproject.toml requirements/runtime.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Hansard needs Python 3.11 or newer, and '$(PYTHON)' is not." \
			"Name another with: make setup PYTHON=python3.12" >&2; exit 1; }
	$(call step,Installing what Hansard runs with into $(VENV) (once; a minute or less))
	@$(PYTHON) -m venv $(VENV)
	$(call install,requirements/runtime.txt)
	@# What builds the package is locked too, and needed only for this moment.
	$(call install,requirements/build.txt,--target $(VENV)/build --upgrade)
	@PYTHONPATH=$(VENV)/build $(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps \
		--no-build-isolation -e . >$(VENV)/install.log 2>&1 || { cat $(VENV)/install.log; exit 1; }
	@rm -rf $(VENV)/build
	@touch $@

# Without it search finds words: no reason not to start.
$(VENV)/.meaning: $(RUNS) requirements/semantic.txt
	$(call step,Adding search by meaning (once; SEMANTIC= leaves it out))
	-$(call install,requirements/semantic.txt) && touch $@
	@test -e $@ || echo "Search finds words only, until this can be installed." >&2

$(READY): $(RUNS) requirements/dev.txt
	$(call step,Adding what the tests and the gate use (once; a minute or two))
	$(call install,requirements/dev.txt)
	@touch $@

$(OBJECTS): $(READY) requirements/objects.txt
	$(call step,Adding an object store to test with (once))
	$(call install,requirements/objects.txt)
	@touch $@

serve: setup ## Start the server
	$(BIN)/hansard serve

test: develop ## Run the tests of the day, in random order, on every core
	$(call step,Tests of the day)
	$(PYTEST) --share $(DAY)

check: format-check lint types imports generated page-current test test-slow ## Run the whole gate

format: develop ## Rewrite the code in the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check: develop
	$(call step,Format)
	$(BIN)/ruff format --check .

lint: develop
	$(call step,Lint)
	$(BIN)/ruff check .

types: develop
	$(call step,Types)
	$(BIN)/mypy src tests $(wildcard bench)

imports: develop
	$(call step,Import contracts)
	$(BIN)/lint-imports

generate: develop ## Remake the schemas and reference pages from the catalog
	$(BIN)/python -m hansard.cli.generate

# Compares contents before and after, so that a new file counts, and so does a checkout without Git.
generated: develop
	$(call step,Generated files are up to date)
	@prints() { find schema docs plugins web/src/shapes.ts .agents .claude-plugin .github src/hansard/*/made -type f -exec cksum {} + 2>/dev/null | sort -k 3 || true; }; \
	before=$$(prints); \
	$(MAKE) --no-print-directory generate; \
	if ! diff <(echo "$$before") <(prints); then \
		echo "These generated files were stale and have now been remade: commit them." >&2; exit 1; fi

clients: develop $(CLIENTS) ## Install the Node clients that the tests talk to us with

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

page: develop $(PAGE) ## Build the page into the package, and print its sizes
	npm run --silent --prefix web build

page-current: develop $(PAGE)
	$(call step,The page is what its sources give)
	npm run --silent --prefix web check
	npm run --silent --prefix web test
	@prints() { find src/hansard/http/page -type f -exec cksum {} + | sort -k 3; }; \
	before=$$(prints); \
	$(MAKE) --no-print-directory page >/dev/null; \
	if ! diff <(echo "$$before") <(prints); then \
		echo "The built page was stale and has now been remade: commit it." >&2; exit 1; fi

screenshots: develop $(PAGE) ## Take the pictures of the documentation
	$(BIN)/python -m tests.browser.screenshots

demo: setup ## Serve the page on an example project
	$(BIN)/hansard demo build/demo

test-slow: develop clients $(PAGE) $(OBJECTS) ## Run what `make test` leaves: slow tests, foreign clients, all cases
	$(call step,All other tests)
	$(PYTEST) --rest $(DAY) --durations 5
	$(call step,Programs started anew)
	HANSARD_TEST_COLD=1 $(PYTEST) -m "not slow and not clients and not postgres" $(COLD)

release-check: develop build ## Build what is shipped, and have its readers check it
	$(call step,Fetching what reads it)
	$(BIN)/python -m tests.hosts.installing claude-code codex copilot gemini mcpb node
	$(call step,What is shipped)
	$(PYTEST) -m release tests/shipped

# Fetched into the user's cache, or HANSARD_HOSTS_CACHE, since they are large and the same for all clones.
hosts: develop ## Drive real hosts (Claude Code, Codex ...) against a scripted model
	$(call step,Fetching hosts (more than 1 GB the first time))
	$(BIN)/python -m tests.hosts.installing $(HOSTS)
	$(call step,Real hosts)
	HANSARD_TEST_HOSTS="$(HOSTS)" $(PYTEST) -m hosts tests/hosts

check-faults: develop ## Try every fault at every single point; takes hours
	$(call step,Every fault)
	HANSARD_FAULTS=all $(PYTEST) -m "slow or fault"

mutants: develop ## Put 200 small faults into the source, and print those that no test notices
	$(BIN)/python -m tests.mutants

bench: develop clients ## Measure, beside floors, and remake docs/benchmarks.md
	$(BIN)/python -m bench.report

bench-growth: develop clients ## Measure how records grow up to 100,000; filling takes minutes
	$(BIN)/python -m bench.report growing_large

bench-peers: develop clients ## Measure others beside it; they are installed into build/peers
	$(BIN)/python -m bench.report peers

lock: develop ## Remake requirements/*.txt after a change in pyproject.toml
	$(COMPILE) --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) --constraints requirements/dev.txt -o requirements/runtime.txt
	$(COMPILE) --extra semantic --constraints requirements/dev.txt -o requirements/semantic.txt
	$(COMPILE) $(TEAM) --constraints requirements/dev.txt -o requirements/team.txt
	$(COMPILE_BUILD) --constraints requirements/dev.txt -o requirements/build.txt
	$(COMPILE_OBJECTS) -o requirements/objects.txt

lock-upgrade: develop ## Move every locked dependency to its newest version
	$(COMPILE) --upgrade --all-extras --group dev -o requirements/dev.txt
	$(COMPILE) --upgrade --constraints requirements/dev.txt -o requirements/runtime.txt
	$(COMPILE) --extra semantic --upgrade --constraints requirements/dev.txt -o requirements/semantic.txt
	$(COMPILE) $(TEAM) --upgrade --constraints requirements/dev.txt -o requirements/team.txt
	$(COMPILE_BUILD) --upgrade --constraints requirements/dev.txt -o requirements/build.txt
	$(COMPILE_OBJECTS) --upgrade -o requirements/objects.txt

build: develop ## Build the wheel, the source archive and the bundle into dist/
	rm -rf dist
	$(BIN)/python -m hatchling build
	@# A bundle is an archive of what `make generate` made.
	$(BIN)/python -m zipfile -c dist/hansard.mcpb plugins/mcpb/*

clean: ## Remove everything that is made
	rm -rf $(VENV) dist build tests/clients/node_modules web/node_modules web/dist .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
