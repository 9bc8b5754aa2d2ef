# Everything a newcomer runs. `make demo` and `make test` set up whatever they need in .venv and .tools.
PYTHON ?= python3
JOBS ?= logical
BOOTSTRAP = $(PYTHON) tools/bootstrap.py
# The rooms whose tests need no database, no server and no browser, without the few that take long.
QUICK = tests/shared tests/client tests/mechanisms tests/server/mechanisms tests/server/words tests/server/counting \
	--deselect tests/mechanisms/test_contract.py --ignore tests/mechanisms/test_projective.py \
	--ignore tests/client/test_real_server.py --ignore tests/server/mechanisms/test_channel_bound.py \
	--ignore tests/server/words/test_languages.py

# What bootstrap.py set up comes first; a PYTHONPATH of the caller must not leak into it.
unexport PYTHONPATH
export PATH := $(CURDIR)/.venv/bin:$(CURDIR)/.tools/bin:$(PATH)

.DEFAULT_GOAL := help
.PHONY: help demo quick test check faults coverage fuzz bench phone browsers screenshots constraints sbom release clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## Start Hushpoll with a demonstration survey (PORT=8000 RESPONDENTS=10000)
	@$(BOOTSTRAP) server
	@# The shell outlives a Ctrl-C, or make would report it as an error.
	@trap : INT; hushpoll demo $(if $(PORT),--port $(PORT)) $(if $(RESPONDENTS),--respondents $(RESPONDENTS)) \
		|| { code=$$?; [ $$code -eq 130 ] || exit $$code; }

quick: ## Check what a change is likely to break, in less than a minute
	@$(BOOTSTRAP) test
	ruff check . && ruff format --check . && mypy && lint-imports
	cd client/js && npm run --silent check && node --test test/mechanisms.test.js test/question_types.test.js test/form.test.js
	pytest -n $(JOBS) --dist worksteal -q --hypothesis-profile quick $(QUICK)

test: ## Set up, check the code and run all tests
	@$(BOOTSTRAP) test
	@$(MAKE) --no-print-directory check
	cd client/js && node --test test/*.test.js
	pytest -n $(JOBS) --dist worksteal

check: ## Check style, types and imports of Python and JavaScript
	@$(BOOTSTRAP) test
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	cd client/js && npm run --silent check

faults: ## Run the long form of the fault tests
	@$(BOOTSTRAP) test
	pytest tests/faults tests/statistics -m slow

coverage: ## Print the coverage of intervals at the answers that they cover least
	@$(BOOTSTRAP) test
	python -m tests.statistics.coverage

fuzz: ## Send a million hostile inputs and print what was tried
	@$(BOOTSTRAP) fuzz
	cd client/js && HUSHPOLL_LONG=1 node test/mutants.test.js
	pytest tests/fuzz tests/browser/test_hostile_manifests.py -m slow

bench: ## Print the ratios of the benchmarks
	@$(BOOTSTRAP) server
	hushpoll bench

phone: ## Print how long a respondent with a slow phone waits
	@$(BOOTSTRAP) test
	python -m tests.browser.phone

browsers: ## Try the form in Firefox and WebKitGTK, where they are installed
	@$(BOOTSTRAP) test
	@python -m tests.engines -n $(JOBS) --dist worksteal

screenshots: ## Take the pictures of docs/images anew
	@$(BOOTSTRAP) test
	python -m tests.browser.screenshots

constraints: ## Pin the newest versions, with the hashes of all their files
	@$(BOOTSTRAP) test
	rm -rf .tools/pin && $(PYTHON) -m venv .tools/pin && .tools/pin/bin/pip install --quiet uv
	.tools/pin/bin/python tools/pin.py
	rm -rf .tools/pin

sbom: ## Print the bill of materials (CycloneDX)
	@$(BOOTSTRAP) server
	@python tools/sbom.py

release: ## Build a release into dist/ and print its checksums
	@$(BOOTSTRAP) test
	@python tools/release.py

clean: ## Remove everything that the other targets made
	rm -rf .venv .tools .demo dist client/js/node_modules client/js/LICENSE .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
