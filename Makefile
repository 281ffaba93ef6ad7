# Needs only make and Python 3.11 or newer; each target installs the rest into .venv.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo $$p; break; }; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
ARGS ?=
# Each process has a run of files to itself, so that what a file sets up is seldom set up twice.
SHARE := --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help run test quick check words bench faults soak cover mutation audit setup clean

help:
	@echo "make run       serve on http://127.0.0.1:8000 with a demo match (ARGS='--port N')"
	@echo "make test      run the test suite, all but the slow tests"
	@echo "make quick     run what takes two minutes: no browser, no PostgreSQL, no whole matches"
	@echo "make check     format, lint, types, import contracts"
	@echo "make words     bring the German and French catalogues up to date with the sources"
	@echo "make bench     run the benchmarks"
	@echo "make faults    run the slow tests: long crash, fault and secrecy runs"
	@echo "make soak      play 500 matches for two hours (ARGS='--hours 0.1 --matches 50 --think 20')"
	@echo "make cover     run the test suite and measure branch coverage"
	@echo "make mutation  change the rules in small ways and see the tests notice"
	@echo "make audit     ask the index for newer versions and known faults of our packages"
	@echo "make setup     only install everything into .venv"
	@echo "make clean     remove .venv and every cache"

run: .venv/.ready-to-run
	@$(BIN)/python -m pbem.cli demo $(ARGS)

test: .venv/.ready-to-test
	@$(BIN)/python -m pytest -n 3 $(SHARE) -m "not slow" $(ARGS)

quick: .venv/.ready-to-test
	@$(BIN)/python -m pytest -n 2 $(SHARE) $(ARGS) \
		-m "not slow and not browser and not postgres and not whole"

check: .venv/.ready-to-test
	@echo "== ruff format"
	@$(BIN)/ruff format --check .
	@echo "== ruff check"
	@$(BIN)/ruff check .
	@echo "== mypy"
	@$(BIN)/mypy
	@echo "== import contracts"
	@$(BIN)/lint-imports --no-logo

words: .venv/.ready-to-run
	@$(BIN)/pybabel --quiet extract --mapping pyproject.toml --sort-output --add-location file \
		--omit-header --no-wrap --ignore-dirs '.*' \
		--keyword Refused --keyword Missing --keyword Stale --keyword Busy --keyword TooOften \
		--keyword NoRoom --keyword RulesChanged --keyword LostLink --keyword Words --keyword Counted:1,2 \
		--output pbem/translations/messages.pot pbem templates
	@$(BIN)/pybabel --quiet update --input-file pbem/translations/messages.pot \
		--output-dir pbem/translations --no-fuzzy-matching --ignore-obsolete --no-wrap \
		--ignore-pot-creation-date

bench: .venv/.ready-to-bench
	@$(BIN)/python -m tests.bench $(ARGS)

faults: .venv/.ready-to-test
	@rm -f build/faults.md
	@status=0; $(BIN)/python -m pytest -m slow --timeout 3600 $(ARGS) || status=$$?; \
		test ! -f build/faults.md || cat build/faults.md; exit $$status

soak: .venv/.ready-to-test
	@$(BIN)/python -m tests.faults.soak $(ARGS)

cover: .venv/.ready-to-test
	@$(BIN)/python -m pytest -n 3 $(SHARE) -m "not slow" --cov $(ARGS)

mutation: .venv/.ready-to-test
	@$(BIN)/mutmut run $(ARGS)

audit: .venv/.ready-to-test
	@$(BIN)/python -m pip check
	@$(BIN)/python -m pip list --outdated --disable-pip-version-check
	@$(BIN)/python -m venv .venv/audit && .venv/audit/bin/python -m pip --quiet install pip-audit
	@.venv/audit/bin/pip-audit --requirement tests/requirements.txt --no-deps --disable-pip

setup: .venv/.ready-to-test

clean:
	rm -rf .venv .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache mutants
	find engine pbem tests -name __pycache__ -prune -exec rm -rf {} +

.venv/.ready-to-run: deploy/requirements.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "pbem needs Python 3.11 or newer with its venv module" \
		"(on Debian: apt-get install python3-venv); none was found on PATH" >&2; exit 1; }
	@echo "setting up .venv with $(PYTHON)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) install -r deploy/requirements.txt
	@$(PIP) install --no-deps --editable .
	@touch $@

.venv/.ready-to-test: .venv/.ready-to-run tests/requirements.txt
	@echo "adding the tools for tests and checks to .venv"
	@$(PIP) install -r tests/requirements.txt
	@touch $@

.venv/.ready-to-bench: .venv/.ready-to-test tests/bench/requirements.txt
	@echo "adding the yardsticks of the benchmarks to .venv"
	@$(PIP) install -r tests/bench/requirements.txt
	@touch $@
