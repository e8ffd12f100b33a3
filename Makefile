# Everything that is done with this repository starts here; `make` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The steps of a target run in the order they are written: they share two cores and one terminal.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# A checkout that belongs to another user, as in a container of CI, has no version that git would tell Go.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)

TOOL := go tool -modfile=tools/go.mod
STEP := tools/step
BIN := tools/js/node_modules/.bin
GO_FOLDERS := $(wildcard bench client e2e house parity server shared)
# Listed by make, because what Node makes of a folder differs between its versions.
JS_TESTS := $(wildcard extension/test/*.test.js extension/test/*/*.test.js docs/examples/*.test.mjs)
# Tests that need a database share one cluster that lives as long as the step.
CLUSTER := go run ./server/postgres/pgtest/withcluster --
# `make check` vets everything once.
GO_TEST := go test -vet=off
# Go begins the tests of packages in this order, two at a time: what takes longest is not to begin last, alone.
GO_TESTED := ./server/api ./server/postgres ./server/send ./server/postgres/local ./server/... ./shared/... ./client/...
# How long a program of tests under the race detector waits for races of what still runs when its tests are over. The detector's
# own second is a third of a minute for all packages.
RACE_LINGER_MS := 100
# Tests that compute for seconds in one goroutine: the race detector can find nothing in them, and they take ten times as long
# under it. Its build leaves their files out, by the tag !race; a house rule sees that each stands here.
ALONE := TestFramesAsTheExtensionHasThem|FuzzFrame|FuzzReport|TestAlteredReceiptsFail
ALONE_IN := ./server/gateway ./server/receipt

# Bounds of one step, above its budget so that a slow machine is not a failure.
GO_TIMEOUT := 300s
PARITY_TIMEOUT := 180s
E2E_TIMEOUT := 900s
E2E_FULL_TIMEOUT := 2400s
CHAOS_TIMEOUT := 4h
# Worlds of the simulation at one time: each waits for Postgres for a third of its time.
SIM_AT_ONCE := 6
# All of them: which go first, and how many browsers run at once, the tests settle among themselves.
E2E_AT_ONCE := 100

##@ Use

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: deps ## see sends go through a real browser, and one that must not go twice (ONCE=1 ends when done)
	@go run ./e2e/demo

# Postgres does not run as root, and its user cannot pass root's closed home folder: root's data stands where the data of
# services stands.
.PHONY: serve
serve: export SENDONCE_DATA ?= $(if $(filter 0,$(shell id -u)),/var/lib/sendonce,$(CURDIR)/sendonce-data)
serve: build/sendonce ## run the server, on its own Postgres unless DATABASE_URL is set
	@exec build/sendonce serve

.PHONY: sandbox
sandbox: export SENDONCE_DATA ?= $(if $(filter 0,$(shell id -u)),/var/lib/sendonce-sandbox,$(CURDIR)/sendonce-sandbox)
sandbox: build/sendonce ## try everything without LinkedIn and without a browser: both are made up
	@exec build/sendonce serve --sandbox

.PHONY: extension
extension: ## make the loadable folder and the store zip in build/
	@go run ./house/pack extension build

##@ Change

.PHONY: test
test: deps check test-go test-js test-parity test-sim test-e2e ## run everything that a change must pass
	@echo "==> make test: all passed"

# Tests make much garbage in small heaps: to collect it less often costs memory that there is.
test-go test-parity test-sim: export GOGC ?= 400

.PHONY: test-go
test-go: export GORACE ?= atexit_sleep_ms=$(RACE_LINGER_MS)
test-go: ## run the Go tests of the server under the race detector
	@$(STEP) "Go tests, race detector" $(CLUSTER) $(GO_TEST) -race -timeout $(GO_TIMEOUT) $(GO_TESTED)

.PHONY: test-js
test-js: ## run the extension's own tests in Node
	@$(STEP) "JavaScript tests" node --test $(JS_TESTS)

.PHONY: test-parity
test-parity: ## hold what Go, JavaScript and Postgres say against each other
	@$(STEP) "parity" $(CLUSTER) $(GO_TEST) -timeout $(PARITY_TIMEOUT) ./parity ./parity/search/...
	@$(STEP) "long comparisons" $(GO_TEST) -timeout $(PARITY_TIMEOUT) -run '^($(ALONE))$$' $(ALONE_IN)

.PHONY: test-sim
test-sim: ## live through a few seeds of the simulation (make sim lives through many)
	@$(STEP) "simulation" $(CLUSTER) $(GO_TEST) -parallel $(SIM_AT_ONCE) -timeout $(PARITY_TIMEOUT) ./parity/sim

.PHONY: test-e2e
test-e2e: ## run the product in a real browser, against the stand-in LinkedIn
	@$(STEP) "real browser" $(CLUSTER) $(GO_TEST) -parallel $(E2E_AT_ONCE) -timeout $(E2E_TIMEOUT) ./e2e/...

.PHONY: e2e-full
e2e-full: deps ## run the whole fault matrix in real browsers (up to 20 minutes; make test runs a sample of it)
	@$(STEP) "whole fault matrix" $(CLUSTER) $(GO_TEST) -tags full -parallel $(E2E_AT_ONCE) -timeout $(E2E_FULL_TIMEOUT) ./e2e/...

.PHONY: check
check: deps extension ## run the checks that need no database and no browser
	@$(STEP) "format" bash -c 'wrong=$$($(TOOL) gofumpt -l $(GO_FOLDERS)); [ -z "$$wrong" ] || { echo "run make fmt; not formatted:"; echo "$$wrong"; exit 1; }'
	@$(STEP) "go vet" go vet -tags full,chaos ./...
	@$(STEP) "staticcheck" $(TOOL) staticcheck -tags full,chaos ./...
	@$(STEP) "generated from the table" go run ./shared/generate -check
	@$(STEP) "house rules" $(GO_TEST) -timeout 60s ./house/... ./bench/mutants
	@$(STEP) "types of the extension" $(BIN)/tsc -p extension/tsconfig.json
	@$(STEP) "lint of the extension" tools/lint-extension

.PHONY: fmt
fmt: ## format the Go code
	@$(TOOL) gofumpt -w $(GO_FOLDERS)

.PHONY: generate
generate: ## write what is made from the table and from SQL (the first time builds sqlc, two minutes)
	@$(STEP) "from the table" go run ./shared/generate
	@$(STEP) "from SQL" $(TOOL) sqlc generate -f server/postgres/sqlc.yaml

.PHONY: verify
verify: ## fail if something generated is out of date
	@$(STEP) "from the table" go run ./shared/generate -check
	@$(STEP) "from SQL" $(TOOL) sqlc diff -f server/postgres/sqlc.yaml

##@ Measure

.PHONY: bench
bench: deps ## measure against peers and the physical limit
	@go run ./bench

.PHONY: fuzz
fuzz: MINUTES := 10
fuzz: ## throw made-up input at every parser, MINUTES=10 at each
	@$(STEP) "fuzzing" tools/fuzz $(MINUTES)

.PHONY: chaos
chaos: export TIMES ?= 10
chaos: ONLY ?= ^TestChaos
chaos: ## kill, cut, fill and restore real parts, TIMES=10 each (ONLY=regexp picks tests; UPDATE=1 writes docs/proof.md)
	@tools/deps pgbouncer
	@$(STEP) "real faults" $(CLUSTER) $(GO_TEST) -v -tags full,chaos -run '$(ONLY)' -parallel $(E2E_AT_ONCE) -timeout $(CHAOS_TIMEOUT) ./e2e/

.PHONY: cost
cost: export TIMES ?= 20
cost: deps ## see how often safety asks a person, over every answer TIMES=20 (UPDATE=1 writes docs/proof.md)
	@$(STEP) "cost of safety" $(CLUSTER) $(GO_TEST) -v -tags full,chaos -run '^TestCostOfSafety' -parallel $(E2E_AT_ONCE) -timeout $(CHAOS_TIMEOUT) ./e2e/

.PHONY: mutants
mutants: deps ## break each guard on purpose and see a test notice
	@go run ./bench/mutants

.PHONY: search
search: ## look for two copies breadth first: without each rule they appear, with all none (STATES=n bounds it)
	@go run ./parity/search/bounded

.PHONY: soak
soak: MINUTES := 30
soak: deps ## keep a server under load and faults for MINUTES=30 and see that nothing grows
	@MINUTES=$(MINUTES) go run ./bench/soak

.PHONY: sim
sim: SEEDS := 1000
sim: SEED :=
sim: ## live through SEEDS=1000 seeds of faults on the real code; SEED=x lives and tells one again
	@go test -vet=off -c -o build/sim.test ./parity/sim
	@GOGC=1000 $(CLUSTER) build/sim.test -test.run Seeds -test.timeout 0 -test.parallel $(SIM_AT_ONCE) \
		$(if $(SEED),-seed $(SEED) -seeds 1 -tell -test.v,-seeds $(SEEDS))

##@ Prepare

.PHONY: deps
deps: ## install what is missing: Chromium, Postgres, a C compiler, Node and the checks' packages
	@tools/deps

.PHONY: build/sendonce
build/sendonce:
	@go build -o $@ ./server
