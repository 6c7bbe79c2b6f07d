# Commands for working on Hush. `make` alone lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules --no-print-directory

# Everything is built as a release is: without C, and without the path of this folder,
# so that tests, linters, worktrees and a release share what is compiled.
export CGO_ENABLED := 0
export GOFLAGS ?= -trimpath

# Packages to work on, as in `make test PKG=./vault/...`. ./... has the tools of the
# project as well, which are a module of their own; tools/hush/load is one of them.
PKG ?= ./...
# Tests that must not be skipped: names as in `needs NAME: ...`, or all.
TEST_REQUIRE ?=
# More arguments for go test, as in `make test TEST_FLAGS='-run Reveal'`.
TEST_FLAGS ?=
# Stages of `make check` and `make full` to run alone, separated by commas, by the names
# in their summary: `make full ONLY='fuzz,packages'`. Without it all of them run.
export ONLY ?=
# How often, or how long (1m), each fuzz target runs. A number ends exactly; at
# the end of a time go test now and then fails with "context deadline exceeded"
# though no input did.
FUZZTIME ?= 20000x
# How long, or how often (1x), each benchmark runs.
BENCHTIME ?= 1s
# What `make bench` runs, as go test's -bench.
BENCH ?= .
# Arguments of the server.
ARGS ?=

# The linters are a module of their own, so that no user of Hush downloads them. So are
# the tools of the project, in tools/hush.
TOOL := go tool -modfile=tools/go.mod

.PHONY: help
help: ## List these commands
	@echo 'Usage: make COMMAND'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the server; ARGS='--listen :8080' for more flags
	go run ./cmd/hush serve $(ARGS)

.PHONY: test
test: ## Run the quick tests, and say what was skipped and what other runs have; PKG, TEST_FLAGS, TEST_REQUIRE
	@TEST_REQUIRE='$(TEST_REQUIRE)' scripts/test.sh -short $(TEST_FLAGS) $(PKG)

.PHONY: check
check: ## Run what a change must pass: test, programs, race detector, PostgreSQL, Chromium, lint; ONLY
	@scripts/check.sh

.PHONY: full
full: ## Run everything: kills, faults, power loss, three browsers, releases, long fuzzing; ONLY
	@scripts/full.sh

# The suites that run on either store. Those of faults have servers of their own.
SUITES = $(shell go list ./vault/... ./handlers/... ./routes/... ./server/booted ./server/kills ./server/proxies ./cmd/hush/... | grep -v '/vault/fault')

.PHONY: test-postgres
test-postgres: ## Run the suites on PostgreSQL, which must be installed; PKG, TEST_FLAGS, TEST_REQUIRE
	@STORE=postgres TEST_REQUIRE='$(TEST_REQUIRE)' scripts/test.sh $(TEST_FLAGS) $(if $(filter ./...,$(PKG)),$(SUITES),$(PKG))

.PHONY: bench
bench: ## Run the Go benchmarks; PKG, BENCH, BENCHTIME
	scripts/bench.sh -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem $(PKG)

.PHONY: bench-guard
bench-guard: ## Compare the processor time of hot calls with the baseline; RUNS, COUNT, MARGIN, BENCH_GUARD=print|write
	@scripts/bench-guard.sh

# Flags of `make trip`: -list names the functions, -write makes the counts the limit.
TRIP ?=

.PHONY: trip
trip: ## Count what one share and one reveal enter, and fail above scripts/trip.txt; TRIP=-list|-write
	go run -C tools/hush ./trip $(TRIP)

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME; PKG
	@FUZZTIME='$(FUZZTIME)' scripts/fuzz.sh $(PKG)

.PHONY: lint
lint: lint-go lint-proto lint-words ## Check the code, the contract and their words

# golangci-lint runs vet as well.
.PHONY: lint-go
lint-go:
	@unformatted=$$(find . -name '*.go' -not -path '*/.*' -not -path '*/node_modules/*' -exec gofmt -l {} +); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(TOOL) golangci-lint run ./...
	go tool -C tools/hush -modfile=../go.mod golangci-lint run --config ../../.golangci.yml ./...
	go mod tidy -diff
	go mod tidy -C tools/hush -diff

.PHONY: lint-proto
lint-proto:
	@scripts/buf-offline.sh
	$(TOOL) buf lint
	$(TOOL) buf format --diff --exit-code
	@scripts/breaking.sh

.PHONY: lint-words
lint-words:
	@scripts/check-words.sh

.PHONY: generate
generate: ## Write gen/, openapi/, the page of settings and the table of docs/api.md anew from proto/, the routes, the recorded exchanges and the settings
	@scripts/buf-offline.sh
	$(TOOL) buf generate
	gofmt -w gen
	go run -C tools/hush ./openapi
	go test -run '^TestReferenceOfSettings$$' ./server/settings -update
	go test -run '^TestTableOfOperations$$' ./cmd/hush -api.update

.PHONY: check-generated
check-generated: generate ## Fail if gen/, openapi/, the page of settings or that of the API is not what make generate gives
	@stale=$$(git status --porcelain -- gen openapi docs/operations/settings.md docs/api.md); \
	if [ -n "$$stale" ]; then echo "gen/, openapi/, the page of settings or docs/api.md is stale; commit what make generate wrote:"; echo "$$stale"; exit 1; fi

.PHONY: check-openapi
check-openapi: ## Check the OpenAPI description with a validator and a client that is generated anew
	$(TOOL) oapi-codegen --config openapi/check/client/generate.yaml openapi/openapi.yaml
	cd openapi/check && go vet ./... && go test ./...

# npm leaves a list of what it installed in the folder.
web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

.PHONY: web
web: web/node_modules/.package-lock.json ## Build web/dist, the client in the browser; needs Node
	cd web && npm run build

.PHONY: check-web
check-web: web ## Check and test the client, and fail if web/dist is not what it gives
	@scripts/buf-offline.sh
	cd web && npm run generate
	cd web && npm run check
	cd web && npm test
	node web/scripts/e2e-size.mjs
	cd web && node scripts/restore.mjs
	@stale=$$(git status --porcelain -- web/dist web/src/gen); \
	if [ -n "$$stale" ]; then echo "web/dist or web/src/gen is stale; commit what make web and npm run generate wrote:"; echo "$$stale"; exit 1; fi

.PHONY: screenshots
screenshots: web ## Picture every page in .tmp/screenshots/, and renew those of the documents; needs Node and Chromium
	TEST_REQUIRE=browser scripts/test.sh -count=1 -run '^TestBrowser$$' ./cmd/hush -browser.task=screenshots
	cd docs/screenshots && for name in *.png; do cp "../../.tmp/screenshots/$$name" "$$name"; done

.PHONY: terminal
terminal: ## Write docs/terminal.svg, the picture of the terminal, anew from what the commands print
	go test -count=1 -run '^TestPictureOfTheTerminal$$' ./cmd/hush -terminal.update

.PHONY: man
man: ## Write the manual pages to .tmp/man
	go run ./cmd/hush man .tmp/man

.PHONY: tools
tools: ## Build the linters, which takes some minutes the first time
	$(TOOL) buf --version
	$(TOOL) golangci-lint version
	$(TOOL) oapi-codegen --version
	$(TOOL) protoc-gen-connect-openapi --version

# What `make vet-systems` checks, as GOOS/GOARCH: one of each system that is not
# this one. The other processor takes minutes more, and differs in no file of ours.
# With -trimpath it uses what a release has compiled.
VET ?= darwin/arm64 freebsd/amd64

.PHONY: vet-systems
vet-systems: ## Check that code and tests compile for other systems; VET='linux/arm64 darwin/amd64'
	@for target in $(VET); do \
		echo "go vet for $$target"; \
		for folder in . tools/hush; do \
			CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go vet -C $$folder -trimpath ./...; \
		done; \
	done

# The file with the OpenSSH key that signs a release.
RELEASE_KEY ?=

.PHONY: release
release: ## Build the files of a release in dist/; RELEASE_KEY=FILE signs them
	@mkdir -p .tmp
	go build -C tools/hush -o ../../.tmp/release ./release
	.tmp/release -key '$(RELEASE_KEY)'
	@[ -n '$(RELEASE_KEY)' ] || echo 'dist/SHA256SUMS is not signed: RELEASE_KEY is not set'

.PHONY: check-release
check-release: ## Build the files of a release from HEAD twice, compare them and check their signature
	scripts/check-release.sh

# The architectures of `make image`.
IMAGE_ARCHS ?= amd64 arm64

.PHONY: image
image: ## Lay out the files of a release's container image in .tmp/image, for deploy/container
	@scripts/image.sh .tmp/image $(IMAGE_ARCHS)

.PHONY: check-packages
check-packages: ## Install, upgrade, run and remove the packages that check-release made; needs root and Debian
	scripts/check-packages.sh

# What the stripped binary for linux/amd64 may take, in bytes: 36 MB, 2 for
# backups with age, the spent log, doctor and root keys, 0.6 for claims and
# pages that encrypt on the device, 0.7 for invites and the administration of
# accounts, 0.7 for pages that are stored compressed as well, in twelve languages,
# 1.3 of room, 3.3 for the client's commands with the keyring of the system, and 0.3 for
# pages with first words of their own, About, security and what the result shows, and
# 1.8 for requests: their service and commands, HPKE, and pages in twelve languages.
SIZE_BUDGET := 45400000

.PHONY: size
size: ## Say how large the server's binary is, and fail above SIZE_BUDGET
	@mkdir -p .tmp
	@for strip in '' '-s -w'; do \
		CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -ldflags "$$strip" -o .tmp/hush ./cmd/hush; \
		size=$$(wc -c <.tmp/hush); \
		printf 'hush %-8s %5d.%d MB\n' "$${strip:-whole}" $$((size / 1000000)) $$((size / 100000 % 10)); \
	done; \
	if [ "$$size" -gt $(SIZE_BUDGET) ]; then \
		echo "the stripped binary has $$size bytes, over the budget of $(SIZE_BUDGET): remove $$((size - $(SIZE_BUDGET))) bytes, or raise SIZE_BUDGET in the Makefile with a reason"; exit 1; fi
