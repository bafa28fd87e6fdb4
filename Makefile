# Two commands do everything: `make try` shows the product on this repository, `make test` proves it.
# `make help` lists the rest. Everything is set up on first use: .venv here, node_modules in client-vscode.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CLIENT := client-vscode

# Packages that the tests of real editors need from Debian; tests/editors/setup.sh installs them where it may.
EDITOR_PACKAGES := chromium neovim emacs-nox elpa-eglot vim vim-ale

.DEFAULT_GOAL := help
# With -j, two runs of tests would slow each other down and mix what they print.
.NOTPARALLEL:
.PHONY: help try test check unit editors bench quality truth fuzz docs pictures format vsix locked-wheels wheel clean

help: ## list what can be done
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Vademecum needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 (this is `$(PYTHON) --version`)."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[vectors,mcp]' --group dev
	@touch $@

$(CLIENT)/node_modules/.ready: $(CLIENT)/package-lock.json
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || { \
	  echo "The VS Code extension needs Node.js 20 or newer to be built and tested."; exit 1; }
	cd $(CLIENT) && npm ci --no-audit --no-fund --no-update-notifier
	@touch $@

try: $(BIN)/.ready ## remember, inject and search, on this very repository (in build/try, not in your home)
	@sh tests/try.sh $(BIN)/vademecum

test: unit editors ## every test: units, the server over pipes, the client, real editors

unit: $(BIN)/.ready $(CLIENT)/node_modules/.ready ## the tests that need no editor
	$(BIN)/python -m pytest tests --ignore tests/editors
	cd $(CLIENT) && npm test

editors: $(BIN)/.ready $(CLIENT)/node_modules/.ready ## the tests in real editors (installs them where it may)
	@sh tests/editors/setup.sh $(EDITOR_PACKAGES)
	$(BIN)/python -m pip install --quiet --group editors
	$(BIN)/python -m pytest tests/editors

check: $(BIN)/.ready $(CLIENT)/node_modules/.ready ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/unit/test_layers.py
	cd $(CLIENT) && npm run check

bench: $(BIN)/.ready ## how fast it is, on a small and a medium tree (docs/benchmarks.md)
	$(BIN)/python -m pip install --quiet --group bench
	cd tests && ../$(BIN)/python -m bench.speed small medium --cache ../build/bench

quality: $(BIN)/.ready ## how good the order of answers is, beside others (clones 18 repositories; half an hour at first)
	$(BIN)/python -m pip install --quiet --group bench
	cd tests && ../$(BIN)/python -m bench.quality --cache ../build/quality

docs: $(BIN)/.ready ## write the pages, the JSON Schema and VS Code's settings that come from the code anew
	$(BIN)/python docs/generate.py

pictures: $(BIN)/.ready $(CLIENT)/node_modules/.ready ## take the pictures of the documentation anew, in VS Code itself
	@sh tests/editors/setup.sh chromium
	$(BIN)/python -m pip install --quiet --group editors
	VADEMECUM_UPDATE_IMAGES=1 $(BIN)/python -m pytest tests/editors -m pictures

truth: $(BIN)/.ready ## that the index never lies: long random walks, killed and shared servers, a large tree, sessions (45 minutes)
	cd tests && ../$(BIN)/python -m bench.truth
	cd tests && ../$(BIN)/python -m bench.sharing
	cd tests && ../$(BIN)/python -m bench.large
	cd tests && ../$(BIN)/python -m bench.evidence.edits

fuzz: $(BIN)/.ready ## chance at the wire for ten minutes: bad frames, random params, bursts, cancellations, all sizes
	cd tests && ../$(BIN)/python -m bench.fuzz

format: $(BIN)/.ready ## let ruff lay out the Python code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel: $(BIN)/.ready ## build the wheel into dist/
	rm -f dist/vademecum-*.whl
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

vsix: $(BIN)/.ready $(CLIENT)/node_modules/.ready ## build the VS Code extension for this machine (TARGET=linux-arm64, …, universal, all)
	$(BIN)/python $(CLIENT)/packaging/vsix.py $(TARGET)

locked-wheels: $(BIN)/.ready ## choose anew which wheels the VS Code extension carries (client-vscode/packaging/wheels.txt)
	$(BIN)/python $(CLIENT)/packaging/wheels.py

clean: ## remove what was built here
	rm -rf $(VENV) build dist $(CLIENT)/dist $(CLIENT)/node_modules
