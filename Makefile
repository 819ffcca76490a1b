# `make` alone explains itself: the text after ## is what `make help` prints.
.DEFAULT_GOAL := help
.PHONY: help demo man server test optimised check words bench counts cost fuzz tsan asan soak growth nightly format picture record clean

ARGS ?=
FILTER ?=
RUNS ?= 10000000
SECONDS ?= 600
TSAN ?= ChainAttachTests ChainBusTests PromiseRuntimeTests ChainInspectorTests
# Suites that run on random programs, logs, bytes and texts.
ASAN ?= PromiseRuntimeTests ChainBusTests ChainModelTests ChainWireTests
RANDOM = RandomProgramTests|RandomStreamTests|PropertyTests|HostileTests|RetentionTests|TableTests|LoadTests
# What runs inside of the observed program, and the model: all that users run optimised.
OPTIMISED ?= PromiseRuntimeTests PromiseFoundationTests ChainBusTests ChainEventsTests ChainInspectorTests \
	ChainModelTests ChainWireTests ChainTestingTests ChainInsightTests

ours = Sources Tests demos Benchmarks Package.swift
only = $(if $(FILTER),--filter '$(FILTER)')
# Plans of the packages that depend on this one: made before, they would miss its new files.
stale = Benchmarks/.build/release.yaml demos/server/.build/debug.yaml
# Tests read and write UTF-8 whatever the caller's locale is.
utf8 = LC_ALL=$(if $(filter Darwin,$(shell uname -s)),en_US.UTF-8,C.UTF-8)

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

# UTF-8 for the screen if no locale is set, as in a bare container.
demo: ## the dashboard on a demo, built for release (ARGS="NAME --seed 7" and more)
	@.ci/need ncursesw
	swift build -c release --product chainview
	@if [ -z "$$LC_ALL$$LC_CTYPE$$LANG" ]; then export LC_CTYPE=C.UTF-8; fi; \
	exec .build/release/chainview demo $(ARGS)

man: ## the manual page, as .build/chainview.1
	@.ci/need ncursesw
	@swift build -c release --product chainview
	@.build/release/chainview man > .build/chainview.1
	@echo "read it with: man -l .build/chainview.1"

server: ## a small HTTP server to attach to (ARGS="--port 8081")
	@rm -f $(stale)
	@swift build --package-path demos/server --product server
	@CHAINVIEW=1 exec demos/server/.build/debug/server $(ARGS)

test: ## every test (FILTER=Name for some)
	@.ci/need ncursesw vterm python3
	@rm -f $(stale)
	$(utf8) .ci/test $(only)
	$(if $(FILTER),,$(utf8) .ci/test --package-path demos/server)

# Each configuration has one folder, and builds its suites alone (CHAINVIEW_TARGETS, see Package.swift).
suites = CHAINVIEW_TARGETS='$(1)' $(utf8) .ci/test --scratch-path .build/$(2) $(only)

optimised: ## the suites of the embedded part and the model, optimised (OPTIMISED='Suite Suite' for others)
	@.ci/need vterm python3
	$(call suites,$(OPTIMISED),optimised) -c release -Xswiftc -enable-testing

check: ## formatting, compiler warnings, and the rules of the repository
	swift format lint --strict --recursive $(ours)
	@.ci/need ncursesw vterm
	@rm -f $(stale)
	.ci/build
	.ci/build --package-path demos/server
	swift test --skip-build --filter TidyTests

words: ## what the rules of words find fault with (FILTER=Sources/ChainModel for the files below a path)
	@CHAINVIEW_TARGETS=TidyTests CHAINVIEW_WORDS='$(FILTER)' swift test --scratch-path .build/tidy --filter WordTests/listing

bench: ## figures, one a line: NAME VALUE UNIT limit LIMIT ok|MISS (ARGS="bus promise" for some)
	@rm -f $(stale)
	swift run -c release --package-path Benchmarks bench $(ARGS)
	@.ci/need ncursesw vterm
	@for one in chainview AttachBench ScreenBench; do swift build -c release --product $$one || exit 1; done
	@.build/release/ScreenBench $(ARGS)
	@.build/release/AttachBench $(ARGS)
	@$(if $(ARGS),,Benchmarks/Counts/counts --goals)

counts: ## allocations, bytes, instructions against their limits (Benchmarks/Counts/limits), and leaks against none
	@Benchmarks/Counts/counts $(ARGS)

cost: ## what embedding costs: packages fetched, libraries linked, seconds of building, bytes
	@demos/server/cost

fuzz: ## the wire and the fold on RUNS=10000000 inputs made by libFuzzer (ARGS="-max_total_time=60" and more)
	@RUNS=$(RUNS) Benchmarks/Fuzz/fuzz $(ARGS)

tsan: ## the concurrent suites under ThreadSanitizer (TSAN='Suite Suite' for others)
	@.ci/need vterm
	$(call suites,$(TSAN),tsan) --sanitize=thread -Xswiftc -DTSAN

asan: ## the random programs, logs and bytes under AddressSanitizer, leaks too (ASAN='Suite Suite' for others)
	@.ci/need vterm
	LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/lsan:print_suppressions=0 \
	$(call suites,$(ASAN),asan) --sanitize=address $(if $(FILTER),,--filter '$(RANDOM)')

soak: ## random keys, sizes and load on the dashboard for SECONDS=600, then `make growth` for 20 minutes
	@.ci/need ncursesw vterm
	CHAINVIEW_SOAK=$(SECONDS) $(utf8) swift test --filter SoakTests
	.ci/growth 1200

growth: SECONDS = 60
growth: ## whether program and viewer grow at 200,000 events a second for SECONDS=60
	@.ci/need ncursesw vterm
	.ci/growth $(SECONDS)

nightly: ## what takes hours: 100 times the seeds, optimised and sanitized; then fuzz, soak, cost
	@.ci/nightly

format: ## brings all sources into the one format
	swift format --in-place --parallel --recursive $(ours)

picture: ## draws the README's picture of the dashboard anew, from a real frame
	@.ci/need ncursesw vterm
	CHAINVIEW_PICTURE=demos/chainview.svg $(utf8) swift test --filter PictureTests

record: ## rewrites the golden files from what the tests see: look at the difference (FILTER=Name for some)
	@.ci/need ncursesw vterm python3
	CHAINVIEW_RECORD=1 $(utf8) swift test $(only)

clean: ## removes what was built, and what failed tests left
	rm -rf .build Benchmarks/.build Benchmarks/Counts/.build Benchmarks/Fuzz/.build demos/server/.build
	find Tests -name '*.actual' -delete
