# `make help` prints the text after ##; it is the default.
.DEFAULT_GOAL := help
.PHONY: help demo man server orders test tracing optimised serverchecks check words exports perfetto bench counts cost fuzz tsan asan soak growth nightly format picture record api clean

ARGS ?=
CONFIGURATION ?= debug
FILTER ?=
SUITES ?=
RUNS ?= 10000000
SECONDS ?= 600
TSAN ?= ChainSystemTests ChainAttachTests ChainBusTests PromiseRuntimeTests ChainInspectorTests ChainTasksTests \
	ChainTestingTests ChainTracingTests DocumentationTests
# Suites with random programs, logs, bytes and texts.
ASAN ?= PromiseRuntimeTests ChainBusTests ChainModelTests ChainWireTests
RANDOM = RandomProgramTests|RandomStreamTests|PropertyTests|HostileTests|RetentionTests|TableTests|LoadTests

ours = Sources Tests demos Benchmarks Package.swift
# In a folder of its own, because `make demo` builds without -enable-testing.
# Built by `swift build` everywhere, because for release `swift test` compiles all of it again, with other flags.
optimised = -c release -Xswiftc -enable-testing --scratch-path .build/optimised
export CHAINVIEW_OPTIMISED = $(optimised)
flags = $(if $(filter release,$(CONFIGURATION)),$(optimised))
only = $(if $(FILTER),--filter '$(FILTER)') $(SKIP:%=--skip %)
# Build plans of packages that depend on this one. Removed before builds, because an old plan misses new files.
stale = Benchmarks/.build/release.yaml demos/server/.build/debug.yaml demos/orders/.build/debug.yaml
# A UTF-8 locale for tests, independent of the caller's.
utf8 = LC_ALL=$(if $(filter Darwin,$(shell uname -s)),en_US.UTF-8,C.UTF-8)

help: ## list all targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

# UTF-8 for the screen if no locale is set, as in a bare container.
demo: ## run the dashboard on a demo, built for release (ARGS="NAME --seed 7" and more)
	@.ci/need ncursesw zstd
	swift build -c release --product chainview
	@if [ -z "$$LC_ALL$$LC_CTYPE$$LANG" ]; then export LC_CTYPE=C.UTF-8; fi; \
	exec .build/release/chainview demo $(ARGS)

man: ## write the manual page to .build/chainview.1
	@.ci/need ncursesw zstd
	@swift build -c release --product chainview
	@.build/release/chainview man > .build/chainview.1
	@echo "read it with: man .build/chainview.1"

server: ## run a small HTTP server to attach to (ARGS="--port 8081")
	@rm -f $(stale)
	@swift build --package-path demos/server --product server
	@CHAINVIEW=1 exec demos/server/.build/debug/server $(ARGS)

orders: ## build a server and its client that trace (minutes), and test that one order is one tree over both
	@.ci/need ncursesw zstd python3
	@rm -f $(stale)
	@swift build --product chainview
	@swift build --package-path demos/orders
	@demos/orders/check

test: ## run every test (FILTER=Name for some, SKIP='Name Name' for all but some; CONFIGURATION=release)
	@.ci/need ncursesw zstd vterm python3
	@$(if $(filter no,$(SERVER)),,rm -f $(stale))
	$(if $(flags),CHAINVIEW_TARGETS='$(SUITES)' .ci/build $(flags))
	CHAINVIEW_TARGETS='$(SUITES)' $(utf8) .ci/test $(flags) $(if $(flags),--skip-build) $(only)
	$(if $(FILTER)$(SUITES)$(filter no,$(SERVER)),,$(utf8) .ci/test --package-path demos/server)

optimised: CONFIGURATION = release
optimised: test ## run every test, with everything that users run optimised (SUITES='Suite Suite' builds only these)

# Each configuration has one scratch folder and builds only its suites (CHAINVIEW_TARGETS, see Package.swift).
suites = CHAINVIEW_TARGETS='$(1)' $(utf8) .ci/test --scratch-path .build/$(2) $(only)

# What `check` and `test` do for it, and leave out with SERVER=no.
serverchecks: ## compile demos/server without a warning, and run its tests
	@rm -f $(stale)
	.ci/build --package-path demos/server
	$(utf8) .ci/test --package-path demos/server

tracing: ## run the tests of ChainTracing, of tasks in spans, and of its documentation, under its trait
	$(call suites,ChainTracingTests ChainTasksTests DocumentationTests,tracing) --traits Tracing --skip Example

check: ## check formatting, compiler warnings, and the rules of the repository
	swift format lint --strict --recursive $(ours)
	@.ci/need ncursesw zstd vterm
	@rm -f $(stale)
	.ci/build $(flags)
	$(if $(filter no,$(SERVER)),,.ci/build --package-path demos/server)
	swift test $(flags) --skip-build --filter TidyTests

words: ## list breaches of the rules of words (FILTER=Sources/ChainModel for the files below a path)
	@CHAINVIEW_TARGETS=TidyTests CHAINVIEW_WORDS='$(FILTER)' swift test --scratch-path .build/tidy --filter WordTests/listing

exports: ## have Perfetto, a collector, Graphviz, Mermaid and a browser read what `chainview export` writes
	@.ci/need ncursesw python3
	@swift build --product chainview
	@Tests/ExportProof/prove .build/debug/chainview otlp perfetto graphs page

perfetto: ## load an exported trace into the real Perfetto, and compare its answers to SQL
	@.ci/need ncursesw python3
	@swift build --product chainview
	@Tests/ExportProof/prove .build/debug/chainview perfetto

bench: ## print figures, one a line: NAME VALUE UNIT limit LIMIT ok|MISS (ARGS="bus promise" for some)
	@rm -f $(stale)
	swift run -c release --package-path Benchmarks bench $(ARGS)
	@.ci/need ncursesw zstd vterm
	@for one in chainview AttachBench ScreenBench TaskBench; do swift build -c release --product $$one || exit 1; done
	@.build/release/ScreenBench $(ARGS)
	@.build/release/AttachBench $(ARGS)
	@.build/release/TaskBench $(ARGS)
	@$(if $(ARGS),,Benchmarks/Counts/counts --goals)

counts: ## check allocations, bytes and instructions against Benchmarks/Counts/limits, and that nothing leaks
	@Benchmarks/Counts/counts $(ARGS)

cost: ## print what embedding costs: packages fetched, libraries linked, seconds of building, bytes
	@demos/server/cost

fuzz: ## feed the wire, the fold and the dashboard RUNS=10000000 inputs of libFuzzer (ARGS="-max_total_time=60" and more)
	@RUNS=$(RUNS) Benchmarks/Fuzz/fuzz $(ARGS)

# Under the trait Tracing, so that its suites need no build of their own. One test at a time, because unoptimised generic
# code asks Swift's runtime for types at each step, under one lock: in parallel the tests take 284 s of processors and
# 183 s, one by one 167 s and 177 s.
tsan: ## run the concurrent suites, and those of ChainTracing, under ThreadSanitizer (TSAN='Suite Suite' for others)
	@.ci/need vterm
	$(call suites,$(TSAN),tsan) --traits Tracing --sanitize=thread -Xswiftc -DTSAN --skip Example --no-parallel

asan: ## run the random suites under AddressSanitizer and LeakSanitizer (ASAN='Suite Suite' for others)
	@.ci/need vterm
	LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/lsan:print_suppressions=0 \
	$(call suites,$(ASAN),asan) --sanitize=address $(if $(FILTER),,--filter '$(RANDOM)')

soak: ## feed the dashboard random keys and load for SECONDS=600, make 20,000 tasks a second as long; then `make growth`
	@.ci/need ncursesw zstd vterm
	CHAINVIEW_SOAK=$(SECONDS) $(utf8) swift test --filter SoakTests
	swift build -c release --product TaskProbe
	.build/release/TaskProbe soak $(SECONDS)
	.ci/growth 1200
	.ci/growth 1200 200000 50

growth: SECONDS = 60
growth: ## measure memory of program and viewer at 200,000 events a second for SECONDS=60
	@.ci/need ncursesw zstd vterm
	.ci/growth $(SECONDS)

nightly: ## run the tests that take hours: 100 times the seeds, optimised and sanitized; then fuzz, soak, cost
	@.ci/nightly

format: ## format all sources
	swift format --in-place --parallel --recursive $(ours)

picture: ## redraw the README's picture of the dashboard from a real frame
	@.ci/need ncursesw zstd vterm
	CHAINVIEW_PICTURE=demos/chainview.svg $(utf8) swift test --filter PictureTests

record: ## rewrite the golden files: look at the difference (FILTER=Name for some)
	@.ci/need ncursesw zstd vterm python3
	CHAINVIEW_RECORD=1 $(utf8) swift test $(only)

api: ## record the public interface of each product in Tests/Interfaces: look at the difference
	CHAINVIEW_TARGETS=DocumentationTests CHAINVIEW_RECORD=1 $(utf8) swift test --filter InterfaceTests
	CHAINVIEW_RECORD=1 $(call suites,DocumentationTests,tracing) --traits Tracing --filter InterfaceTests

clean: ## remove build folders and the leftovers of failed tests
	rm -rf .build Benchmarks/.build Benchmarks/Counts/.build Benchmarks/Fuzz/.build demos/server/.build demos/orders/.build
	find Tests -name '*.actual' -delete
