# Two goals matter: `make demo` shows what assay does, `make test` proves that it does it. Both install what they need
# (scripts/install), both end without a process left behind.

PAGE := crates/report/page
PAGE_SOURCES := $(shell find $(PAGE)/src $(PAGE)/index.html $(PAGE)/package.json $(PAGE)/vite.config.ts 2>/dev/null)
SMOKE := records/demo

.PHONY: help demo test bare fleet page build lint fuzz bench instructions sysbench-suite clean-records

help:
	@echo "make demo    build, measure a private MariaDB for four minutes, and draw the report"
	@echo "make test    every test: unit, golden, property, real servers, the page in a real browser"
	@echo "make bare    demo, then test, in a bare Debian 12 that is made for it, and what it lacked by name (as root)"
	@echo "make fleet   provision, load, run and stop every server build that is installed (assay servers)"
	@echo "make build   the release binary at target/release/assay, page included"
	@echo "make lint    formatting and clippy"
	@echo "SYSBENCH_TESTS=DIR make sysbench-suite    sysbench's own tests, of a checkout of its repository, against this program"
	@echo "make bench   the load against sysbench and the floor, a quarter of an hour: docs/performance.md"

demo:
	@scripts/install demo
	@$(MAKE) --no-print-directory build
	@rm -rf $(SMOKE)
	@target/release/assay run experiments/read-only-charsets.toml --scale smoke --out $(SMOKE); \
	 status=$$?; [ $$status -le 1 ] || exit $$status; \
	 echo; echo "The report: file://$(CURDIR)/$(SMOKE)/report.html"

build: page
	cargo build --release --locked -p assay

page: $(PAGE)/dist/index.html

$(PAGE)/node_modules/.installed: $(PAGE)/package-lock.json
	cd $(PAGE) && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.installed

$(PAGE)/dist/index.html: $(PAGE)/node_modules/.installed $(PAGE_SOURCES)
	cd $(PAGE) && npm run --silent build

test:
	@scripts/install test
	@$(MAKE) --no-print-directory page
	@scripts/test

# The README's commands on a machine that has nothing; not part of `make test`, because it takes its time.
bare:
	@scripts/bare

# Every build below $ASSAY_HOME and the distribution's own; `assay servers install BUILD...` brings more. `make test` does the
# same to the distribution's and the smallest download of each registry client.
fleet: page
	ASSAY_FLEET=installed cargo test --locked -p assay --test fleet

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

bench:
	@scripts/install bench
	@$(MAKE) --no-print-directory build
	cargo build --release --locked -p lab --example sham
	@bench/run.sh

# Instructions per operation of the load, against the number kept in bench/instructions.txt.
instructions:
	@bench/instructions.sh

# sysbench's own tests against this program: SYSBENCH_TESTS is a checkout of its repository.
sysbench-suite: page
	cargo build --locked -p assay
	@scripts/sysbench-suite
