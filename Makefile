# `make` alone explains itself: the text after ## is what `make help` prints.
.DEFAULT_GOAL := help
.PHONY: help demo test check bench counts tsan format picture record clean

ARGS ?=
FILTER ?=
TSAN ?= ChainBusTests|PromiseRuntimeTests|ChainInspectorTests

ours = Sources Tests demos Benchmarks Package.swift
only = $(if $(FILTER),--filter '$(FILTER)')
# Tests read and write UTF-8 whatever the caller's locale is.
utf8 = LC_ALL=$(if $(filter Darwin,$(shell uname -s)),en_US.UTF-8,C.UTF-8)

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

# Where nobody chose a locale (a bare container), the screen gets UTF-8; a chosen one is left alone.
demo: ## the dashboard on a demo, built for release (ARGS="NAME --seed 7" and more)
	@.ci/need ncursesw
	swift build -c release --product chainview
	@if [ -z "$$LC_ALL$$LC_CTYPE$$LANG" ]; then export LC_CTYPE=C.UTF-8; fi; \
	exec .build/release/chainview demo $(ARGS)

test: ## every test (FILTER=Name for some)
	@.ci/need ncursesw vterm
	$(utf8) .ci/test $(only)

check: ## formatting, compiler warnings, and the rules of the repository
	swift format lint --strict --recursive $(ours)
	@.ci/need ncursesw vterm
	.ci/build
	swift test --skip-build --filter TidyTests

bench: ## figures, one a line: NAME VALUE UNIT limit LIMIT ok|MISS (ARGS="bus promise" for some)
	@rm -f Benchmarks/.build/release.yaml # a plan made before would miss new files
	swift run -c release --package-path Benchmarks bench $(ARGS)
	@$(if $(ARGS),,Benchmarks/Counts/counts --goals)

counts: ## allocations, bytes and instructions against their limits (Benchmarks/Counts/limits)
	@Benchmarks/Counts/counts

tsan: ## the concurrent suites under ThreadSanitizer (TSAN='Suite|Suite' for others)
	@.ci/need ncursesw vterm
	$(utf8) .ci/test --scratch-path .build/tsan --sanitize=thread -Xswiftc -DTSAN --filter '$(TSAN)'

format: ## brings all sources into the one format
	swift format --in-place --parallel --recursive $(ours)

picture: ## draws the README's picture of the dashboard anew, from a real frame
	@.ci/need ncursesw vterm
	CHAINVIEW_PICTURE=demos/chainview.svg $(utf8) swift test --filter PictureTests

record: ## rewrites the golden files from what the tests see: look at the difference (FILTER=Name for some)
	@.ci/need ncursesw vterm
	CHAINVIEW_RECORD=1 $(utf8) swift test $(only)

clean: ## removes what was built, and what failed tests left
	rm -rf .build Benchmarks/.build Benchmarks/Counts/.build
	find Tests -name '*.actual' -delete
