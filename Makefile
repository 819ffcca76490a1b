# SPDX-License-Identifier: MIT
# `make help` prints the text after ##; it is the default.
.DEFAULT_GOAL := help
.PHONY: help demo release install man server orders test tracing serverchecks check words exports perfetto bench counts cost fuzz tsan asan soak growth nightly format picture record api clean

ARGS ?=
CONFIGURATION ?= release
PREFIX ?= /usr/local
DESTDIR ?=
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
# In a folder of its own, because users build without -enable-testing; and without debug information, which takes a fifth
# of the time. Built by `swift build` everywhere, because for release `swift test` compiles all of it again, with other
# flags.
optimised = -c release -Xswiftc -enable-testing -Xswiftc -gnone --scratch-path .build/optimised
export CHAINVIEW_OPTIMISED = $(optimised)
flags = $(if $(filter debug,$(CONFIGURATION)),,$(optimised))
only = $(if $(FILTER),--filter '$(FILTER)') $(SKIP:%=--skip %)
# Build plans of packages that depend on this one. Removed before builds, because an old plan misses new files.
stale = Benchmarks/.build/release.yaml demos/server/.build/debug.yaml demos/orders/.build/debug.yaml
# A UTF-8 locale for tests, independent of the caller's.
comma = ,
linux = $(filter Linux,$(shell uname -s))
preload = libChainPreload.so
utf8 = LC_ALL=$(if $(linux),C.UTF-8,en_US.UTF-8)
# A build that is run once or twice needs neither an index nor debug information.
quick = --scratch-path .build/quick --disable-index-store -Xswiftc -gnone -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2

help: ## list all targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

# Not optimised, because the demos make a few hundred events a second, and the optimiser takes two thirds of a build. UTF-8
# for the screen if no locale is set, as in a bare container.
demo: ## build without optimising, and run the dashboard on a demo (ARGS="NAME --seed 7" and more)
	@.ci/need ncursesw zstd
	@.ci/progress "Building chainview, not optimised (make release optimises)" swift build --product chainview $(quick)
	@if [ -z "$$LC_ALL$$LC_CTYPE$$LANG" ]; then export LC_CTYPE=C.UTF-8; fi; \
	exec .build/quick/debug/chainview demo $(ARGS)

release: ## build chainview and the library of `run --tasks`, optimised, and print where they are
	@.ci/need ncursesw zstd
	@.ci/progress "Building chainview, optimised" swift build -c release --product chainview
	@$(if $(linux),.ci/progress "Building $(preload), optimised" swift build -c release --product ChainPreload)
	@.build/release/chainview man >.build/release/chainview.1
	@for shell in bash zsh fish; do \
		.build/release/chainview --generate-completion-script $$shell >.build/release/chainview.$$shell || exit; done
	@echo "$(CURDIR)/.build/release/chainview$(if $(linux), and $(preload) beside it)"
	@echo "sudo make install copies them to $(PREFIX); make install PREFIX=DIR to another folder."

# Copies, in the order FILE, FOLDER below PREFIX, NAME.
install: ## copy what `make release` has built below PREFIX=/usr/local; builds nothing
	@for file in chainview chainview.1 chainview.bash chainview.zsh chainview.fish $(if $(linux),$(preload)); do \
		[ -f ".build/release/$$file" ] || { echo "Nothing is installed: $$file is not built yet. Run make release first, without sudo." >&2; exit 69; }; done
	@copy() { install -d "$(DESTDIR)$(PREFIX)/$$2" && install -m "$$4" ".build/release/$$1" "$(DESTDIR)$(PREFIX)/$$2/$$3"; }; set -e; \
	copy chainview bin chainview 755; \
	$(if $(linux),copy $(preload) lib $(preload) 644;) \
	copy chainview.1 share/man/man1 chainview.1 644; \
	copy chainview.bash share/bash-completion/completions chainview 644; \
	copy chainview.zsh share/zsh/site-functions _chainview 644; \
	copy chainview.fish share/fish/vendor_completions.d chainview.fish 644
	@echo "Installed in $(DESTDIR)$(PREFIX): bin/chainview$(if $(linux),$(comma) lib/$(preload)), the manual page and completions."

man: release ## write the manual page to .build/release/chainview.1
	@echo "read it with: man .build/release/chainview.1"

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

# SUITES='Suite Suite' builds only these.
test: ## run every test, optimised (FILTER=Name for some, SKIP=Name for all but some; CONFIGURATION=debug)
	@.ci/need ncursesw zstd vterm python3
	@CHAINVIEW_TARGETS='$(SUITES)' .ci/build "Building the tests, $(if $(flags),optimised,not optimised)" $(flags)
	CHAINVIEW_TARGETS='$(SUITES)' $(utf8) .ci/test $(flags) --skip-build $(only)

# Each configuration has one scratch folder and builds only its suites (CHAINVIEW_TARGETS, see Package.swift).
suites = CHAINVIEW_TARGETS='$(1)' $(utf8) .ci/test --scratch-path .build/$(2) $(only)

serverchecks: ## compile demos/server without a warning, and run its tests
	@rm -f $(stale)
	@.ci/build "Building demos/server and its tests" --package-path demos/server
	$(utf8) .ci/test --package-path demos/server --skip-build

tracing: ## run the tests of ChainTracing, of tasks in spans, and of its documentation, under its trait
	$(call suites,ChainTracingTests ChainTasksTests DocumentationTests,tracing) --traits Tracing --skip Example

check: ## check formatting, compiler warnings, and the rules of the repository
	swift format lint --strict --recursive $(ours)
	@$(MAKE) --no-print-directory test FILTER=TidyTests

words: ## list breaches of the rules of words (FILTER=Sources/Observe/ChainModel for the files below a path)
	@CHAINVIEW_TARGETS=TidyTests CHAINVIEW_WORDS='$(FILTER)' swift test --scratch-path .build/tidy --filter WordTests/listing

exports: ## have Perfetto, a collector, Graphviz, Mermaid and a browser read what `chainview export` writes
	@.ci/need ncursesw python3
	@swift build --product chainview
	@Tests/ExportProof/prove .build/debug/chainview otlp perfetto graphs page

perfetto: ## load an exported trace into the real Perfetto, and compare its answers to SQL
	@.ci/need ncursesw python3
	@swift build --product chainview
	@Tests/ExportProof/prove .build/debug/chainview perfetto

bench: ## print figures, NAME VALUE UNIT, and ratios that hold on any machine, NAME/PEER RATIO x limit LIMIT ok|MISS (ARGS="bus promise" for some)
	@rm -f $(stale)
	swift run -c release --package-path Benchmarks bench $(ARGS)
	@.ci/need ncursesw zstd vterm
	@for one in chainview AttachBench ScreenBench TaskBench OutsideBench; do swift build -c release --product $$one || exit 1; done
	@.build/release/ScreenBench $(ARGS)
	@.build/release/AttachBench $(ARGS)
	@.build/release/TaskBench $(ARGS)
	@.build/release/OutsideBench $(ARGS)
	@$(if $(ARGS),,Benchmarks/Counts/counts --goals)

counts: ## print the lines of code; check allocations, bytes and instructions against Benchmarks/Counts/limits, and leaks
	@Benchmarks/Counts/lines
	@Benchmarks/Counts/counts $(ARGS)

cost: ## print what embedding costs: packages fetched, libraries linked, seconds of building, bytes
	@demos/server/cost

fuzz: ## feed the wire, the fold and the dashboard RUNS=10000000 inputs of libFuzzer (ARGS="-max_total_time=60" and more)
	@RUNS=$(RUNS) Benchmarks/Fuzz/fuzz $(ARGS)

# Under the trait Tracing, so that its suites need no build of their own. One test at a time, because unoptimised generic
# code asks Swift's runtime for types at each step, under one lock: in parallel the tests take 284 s of processors and
# 183 s, one by one 167 s and 177 s.
# Threads of the inspector that the exit of a program ends are not joined.
tsan: export TSAN_OPTIONS = report_thread_leaks=0
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
	.ci/growth 300 --storm --view each

growth: SECONDS = 120
growth: ## measure memory of program and viewer at 200,000 events a second for SECONDS=120; ARGS="--storm --view each"
	@.ci/need ncursesw zstd vterm
	.ci/growth $(SECONDS) $(ARGS)

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
