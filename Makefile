# Everything is a target here; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

export CGO_ENABLED := 0

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
GOBUILD  := go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)'
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0

# a number of tries, not a time: a deadline that falls on a busy machine would
# fail a target that found nothing
FUZZTIME ?= 300x
BENCH    ?= .
MUTANTS  ?= 30
SEED     ?= 1
# the packages whose tests must notice a change, and the rooms, whose tests are
# the stories of the service on the store that is quickest
MUTATED  ?= ./delta ./anchor ./assembly ./playbook ./policy ./lineage ./roster ./stalemate ./harvest ./automation ./retrieval
ROOMS    ?= $(patsubst %,./internal/app/%,kernel ledger tasks contexts lessons sessions disputes upkeep history access overview firings notices reviews runs)
# what breaks a clause is changed in these and in the rooms
CLAUSED  ?= ./artifact ./assembly ./automation ./lineage ./playbook ./policy
# by the tests of the service and of what agents have of it; not those on the
# other stores, nor those of several processes, nor the same stories once more
ROOMTESTS   ?= ./internal/app ./internal/mcpserver
NOROOMTESTS ?= OnSQLite|OnPostgreSQL|Faults|TwoServers|ToPostgreSQL|SoonAtTheLargest|OverMCP
# where goroutines meet; the protocol packages have none, which archtest checks
CONCURRENT ?= ./internal/app ./internal/app/kernel ./internal/store/... ./internal/runner ./internal/httpapi ./internal/mcpserver ./internal/mail ./internal/embed ./internal/patchfs
# SQLite's own code has no goroutine and no lock: its locks are those of modernc.org/libc,
# its callers in modernc.org/sqlite, and both are watched. It took most of the time.
UNWATCHED := modernc.org/sqlite/lib=-race=false -d=checkptr=0
PKG      ?= ./...

.PHONY: help build demo test test-programs race check soak bench fuzz mutants lint format release released screens generate

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 15

build: ## build bin/brenner, one static binary
	@mkdir -p bin
	$(GOBUILD) -o bin/brenner ./cmd/brenner

demo: build ## build, then tell the whole story on a scratch project
	bin/brenner demo

test: ## run every test; installs PostgreSQL and a browser where it can
	scripts/test

test-programs: ## start the real Claude Code and Codex against a scripted model; installs them from npm where missing
	scripts/test-programs

race: ## run the short tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race '-gcflags=$(UNWATCHED)' -vet=off -short -p 4 -timeout 30m $(CONCURRENT)

check: ## everything CI runs: format, vet, layers, other systems, lint, race, fuzz, tests
	scripts/check

soak: ## every test, the fault tests in full: kill -9 loops, many processes
	BRENNER_SOAK=1 go test -count=1 -timeout 2h $(PKG)

bench: ## measure, and write docs/benchmarks.md; with BENCH=regexp or PKG=./package only print
	$(if $(filter command environment,$(origin BENCH) $(origin PKG)),\
	go test -run '^$$' -bench '$(BENCH)' -timeout 1h $(PKG),\
	scripts/test --prepare && go run ./internal/benchdoc)

fuzz: ## fuzz every target, FUZZTIME tries each
	scripts/fuzz '$(FUZZTIME)'

mutants: ## change the code in small places and see whether a test notices; MUTANTS=n of a package, SEED=s
	go run ./internal/mutants -max -1 -hand internal/mutants/byhand.txt -tests ./internal/app $(CLAUSED) $(ROOMS)
	go run ./internal/mutants -max $(MUTANTS) -seed $(SEED) $(MUTATED)
	go run ./internal/mutants -max $(MUTANTS) -seed $(SEED) -tests ./check ./claim
	go run ./internal/mutants -max $(MUTANTS) -seed $(SEED) -whole $(addprefix -tests ,$(ROOMTESTS)) -skip '$(NOROOMTESTS)' $(ROOMS)

lint: ## golangci-lint and gofumpt, as named in .golangci.yml
	$(GOLANGCI) run

format: ## rewrite the Go files as gofumpt wants them
	$(GOLANGCI) fmt

release: ## build every platform into dist/, with checksums
	scripts/release '$(VERSION)'

released: build ## keep what the newest migration makes: its checksums, databases and an export (needs PostgreSQL)
	BRENNER_UPDATE=1 go test -count=1 -run 'TestMigrations_ReleasedOnesNeverChange|TestReleased_EverySchemaIsKept' ./internal/store ./cmd/brenner
	BRENNER_UPDATE=1 go test -count=1 -run TestReleased_DigestsKeepTheirVersion ./cmd/brenner

screens: build ## take the pictures of docs/screens from the pages of the demo (needs Chromium)
	go run ./internal/screens inbox=/ review=/review/oxygen-log knowledge=/knowledge lineage=/lineage/memo-biology session=/sessions/RS-larr

generate: ## rewrite what is made from the code: documents, the methods of the HTTP client
	go run ./internal/docgen
