# Kame Desktop. `make run` and `make test` need python3 >= 3.11 and make, and fetch the rest into .venv.
# Nothing is written outside this folder, except Debian packages when run as root.

.DEFAULT_GOAL := help
.PHONY: help run test lint pytest gpu format texts lock clean moved
.SUFFIXES:

# make run ARGS="--help"; make pytest ARGS="-k oracle -x"
ARGS =
# Debian packages (beyond the window's and the sound's libraries) that the tests need.
TEST_PACKAGES = pulseaudio libasound2-plugins xvfb xdotool x11-xkb-utils dbus-daemon
# make lock UPGRADE=--upgrade takes the newest releases; without it only what has to change changes.
UPGRADE =

BIN := .venv/bin
DONE := .venv/.done
# An environment knows its absolute path: one that was moved or copied here is made anew.
HERE := $(shell cat $(DONE)/here 2>/dev/null)
MOVED := $(if $(HERE),$(if $(filter-out x,$(subst $(CURDIR),x,$(HERE))),moved))
UV := $(BIN)/python scripts/uv.py

help:
	@echo "make run       start Kame Desktop           (ARGS=\"...\" are its arguments)"
	@echo "make test      format, lint, types, tests   (what .ci/run runs)"
	@echo "make lint      all of that but the tests"
	@echo "make pytest    the tests alone              (ARGS=\"...\" are pytest's arguments)"
	@echo "make gpu       add torch and moshi, for a GPU (several GB)"
	@echo "make format    format the code, mend what ruff can mend"
	@echo "make texts     take new texts of the window into assets/translations"
	@echo "make lock      pin the dependencies anew    (UPGRADE=--upgrade: the newest ones)"
	@echo "make clean     remove .venv and all caches"

run: $(DONE)/starter $(DONE)/project
	@exec $(BIN)/kame-desktop $(ARGS)

test: lint
	@$(MAKE) --no-print-directory pytest

lint: $(DONE)/dev $(DONE)/project
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/basedpyright

pytest: $(DONE)/dev $(DONE)/project $(DONE)/test-packages
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest $(ARGS)

format: $(DONE)/dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

texts: $(DONE)/dev
	@$(BIN)/python scripts/translations.py

lock: $(DONE)/bootstrap
	@sh scripts/lock.sh $(UPGRADE)

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- steps: a file in $(DONE) for each, made anew when what it depends on is newer -------------------------------------

# Exit code 3: something is missing, and was named, but most works without.
$(DONE)/libraries: scripts/system_libraries.py $(MOVED)
	@mkdir -p $(DONE)
	@sh scripts/host_python.sh scripts/system_libraries.py && touch $@ || [ $$? -eq 3 ]

$(DONE)/test-packages: Makefile $(DONE)/bootstrap
	@sh scripts/host_python.sh scripts/system_libraries.py --packages $(TEST_PACKAGES) && touch $@ || [ $$? -eq 3 ]

$(DONE)/bootstrap: requirements/bootstrap.txt scripts/bootstrap.sh $(MOVED) | $(DONE)/libraries
	@sh scripts/bootstrap.sh $(MOVED)
	@touch $@

$(DONE)/starter: requirements/starter.txt scripts/uv.py $(DONE)/bootstrap
	@echo "Installing requirements/starter.txt (1.3 GB on disk)"
	@$(UV) pip install --quiet --no-deps --require-hashes -r requirements/starter.txt
	@touch $@

$(DONE)/dev: requirements/dev.txt scripts/uv.py $(DONE)/bootstrap
	@echo "Installing requirements/dev.txt"
	@$(UV) pip install --quiet --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

$(DONE)/project: pyproject.toml scripts/uv.py $(DONE)/bootstrap
	@echo "Installing the kame-desktop command into .venv"
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

gpu: $(DONE)/starter $(DONE)/project
	@echo "Installing requirements/gpu.txt (several GB)"
	@$(UV) pip install --quiet --no-deps --require-hashes -r requirements/gpu.txt
