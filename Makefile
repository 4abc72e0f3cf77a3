# make demo   sets up, grades the sample class, shows the table and where the pages are
# make test   sets up, runs the kit's own tests
# make campaign   grades answers without an idea and attacks: who earns more than they deserve?

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test campaign setup lint clean

# The sample class holds submissions that cannot be graded (exit code 1); that is what it shows.
demo: .venv/.ready
	@$(BIN)/autograder grade autograder/chapter04/sample_class --out demo || test $$? -eq 1

test: .venv/.ready-for-tests
	$(BIN)/python -m pytest tests -n 3 --dist loadfile --no-loadscope-reorder

# Points earned against points deserved: answers without an idea, and ways to get at the grader's answers.
campaign: .venv/.ready-for-tests
	$(BIN)/python -m tests.campaign
	$(BIN)/python -m pytest tests -m endurance -n 2 --dist loadfile

setup: .venv/.ready

lint: .venv/.ready-for-tests
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf .venv demo feedback release build dist *.egg-info

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed. Name it: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	  echo "Python cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

.venv/.ready: .venv/bin/python requirements.txt pyproject.toml
	@echo "Installing what the kit needs into .venv (once; it takes some minutes) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt --editable .
	@touch $@

.venv/.ready-for-tests: .venv/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@
