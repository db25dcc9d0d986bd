# Two goals matter: `make demo` shows what assay does, `make test` proves that it does it. Both install what they need
# (scripts/install), both end without a process left behind.

PAGE := crates/report/page
PAGE_SOURCES := $(shell find $(PAGE)/src $(PAGE)/index.html $(PAGE)/package.json $(PAGE)/vite.config.ts 2>/dev/null)
SMOKE := records/demo

.PHONY: help demo demo-page demo-program mpi test bare fleet page book build install uninstall deb lint fuzz bench sabotage aa instructions sysbench-suite clean-records

help:
	@echo "make demo    build, measure a private MariaDB for two minutes, and draw the report"
	@echo "make test    every test: unit, golden, property, real servers, the page in a real browser"
	@echo "make bare    demo, then test, in a bare Debian 12 that is made for it, and what it lacked by name (as root)"
	@echo "make fleet   provision, load, run and stop every server build that is installed (assay servers)"
	@echo "make build   the release binary at target/release/assay, page included"
	@echo "make mpi     a debug build that can be one rank of several, at target/debug/assay-mpi: docs/ranks.md"
	@echo "make install     put that binary, its completions, manual pages and experiments below PREFIX=/usr/local"
	@echo "make uninstall    take them away from there"
	@echo "make deb     a Debian package in target/debian, by cargo-deb, which is installed if it is missing"
	@echo "make book    docs/ as a book in target/book, by mdBook, which cargo installs if it is missing"
	@echo "make lint    formatting and clippy"
	@echo "make fuzz    libFuzzer on every parser of bytes, 20 minutes each at the lowest priority: docs/reliability.md"
	@echo "SYSBENCH_TESTS=DIR make sysbench-suite    sysbench's own tests, of a checkout of its repository, against this program"
	@echo "make bench   the load against sysbench and the floor, a quarter of an hour: docs/performance.md"
	@echo "make sabotage    harm done to real servers on purpose, and what is said of it, an hour, as root: docs/trust.md"
	@echo "make aa      records in which nothing differs, and what is said of them, a quarter of an hour: docs/trust.md"

# The program is built without its page while packages are fetched and the page is made, and then once more with it, which is two crates.
# The profile is for minutes, not for speed.
demo:
	@$(MAKE) --no-print-directory -j2 demo-page demo-program
	cargo build --profile demo --locked -p assay
	@rm -rf $(SMOKE)
	@target/demo/assay run experiments/read-only-charsets.toml --scale smoke --out $(SMOKE); \
	 status=$$?; [ $$status -le 1 ] || exit $$status; \
	 echo; echo "The report: file://$(CURDIR)/$(SMOKE)/report.html"

demo-page:
	@scripts/install demo
	@$(MAKE) --no-print-directory page

demo-program:
	cargo build --profile demo --locked -p assay

build: page
	cargo build --release --locked -p assay

# What `make build` built is installed; it is built here only where there is none, so that root needs no compiler:
#   make build && sudo make install       make build install PREFIX=~/.local       make install DESTDIR=/tmp/root PREFIX=/usr
PREFIX ?= /usr/local
BINARY ?= target/release/assay
PLACE = $(DESTDIR)$(PREFIX)
BASH_COMPLETIONS ?= $(PLACE)/share/bash-completion/completions
ZSH_COMPLETIONS ?= $(PLACE)/share/zsh/site-functions
FISH_COMPLETIONS ?= $(PLACE)/share/fish/vendor_completions.d

target/release/assay:
	@$(MAKE) --no-print-directory build

install: $(BINARY)
	install -D -m 755 $(BINARY) $(PLACE)/bin/assay
	install -d $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) $(PLACE)/share/man/man1
	$(PLACE)/bin/assay completions bash >$(BASH_COMPLETIONS)/assay
	$(PLACE)/bin/assay completions zsh >$(ZSH_COMPLETIONS)/_assay
	$(PLACE)/bin/assay completions fish >$(FISH_COMPLETIONS)/assay.fish
	$(PLACE)/bin/assay man $(PLACE)/share/man/man1
	install -d $(PLACE)/share/doc/assay/docs/decisions
	find experiments -type f -exec install -D -m 644 {} $(PLACE)/share/assay/{} \;
	install -m 644 README.md ARCHITECTURE.md CONTRIBUTING.md LICENSE $(PLACE)/share/doc/assay
	install -m 644 docs/*.md $(PLACE)/share/doc/assay/docs
	install -m 644 docs/decisions/*.md $(PLACE)/share/doc/assay/docs/decisions

uninstall:
	rm -f $(PLACE)/bin/assay $(PLACE)/share/man/man1/assay.1 $(PLACE)/share/man/man1/assay-*.1
	rm -f $(BASH_COMPLETIONS)/assay $(ZSH_COMPLETIONS)/_assay $(FISH_COMPLETIONS)/assay.fish
	rm -rf $(PLACE)/share/assay $(PLACE)/share/doc/assay

# What the package holds is what `install` installs, in Debian's place for zsh. CARGO_DEB is for options; a quick look:
#   make deb BINARY=target/debug/assay CARGO_DEB='--profile dev --fast'
PACKAGE = $(dir $(BINARY))package
deb: $(BINARY)
	@cargo deb --version >/dev/null 2>&1 || { echo "installing cargo-deb, by cargo"; cargo install cargo-deb --locked; }
	@rm -rf $(PACKAGE)
	@$(MAKE) --no-print-directory install DESTDIR=$(PACKAGE) PREFIX=/usr \
	    ZSH_COMPLETIONS=$(PACKAGE)/usr/share/zsh/vendor-completions
	@gzip -9n $(PACKAGE)/usr/share/man/man1/*.1
	@rm $(PACKAGE)/usr/share/doc/assay/LICENSE # Debian's is called copyright, and cargo-deb writes it
	cargo deb --no-build --locked -p assay $(CARGO_DEB)

# Links and generated pages are proven first, because mdBook draws dead ones as they are.
book:
	@scripts/install book
	@cargo test --quiet --locked -p assay --test book
	PATH="$$HOME/.cargo/bin:$$PATH" mdbook build
	@echo "The book: file://$(CURDIR)/target/book/index.html"

page: $(PAGE)/dist/index.html

$(PAGE)/node_modules/.installed: $(PAGE)/package-lock.json
	cd $(PAGE) && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.installed

$(PAGE)/dist/index.html: $(PAGE)/node_modules/.installed $(PAGE_SOURCES)
	cd $(PAGE) && npm run --silent build

# Only the last crate differs from a build without it, so it takes the same folder, and its program another name.
mpi:
	@scripts/install ranks
	cargo build --locked -p assay --features mpi
	@mv target/debug/assay target/debug/assay-mpi

test:
	@scripts/install test
	@$(MAKE) --no-print-directory page
	@! command -v mpicc >/dev/null || $(MAKE) --no-print-directory mpi
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
	@! command -v mpicc >/dev/null || cargo clippy -p assay --features mpi --locked -- -D warnings

# FUZZ_SECONDS=60 make fuzz: a minute of CPU time for each target.
fuzz:
	@scripts/fuzz

bench:
	@scripts/install bench
	@$(MAKE) --no-print-directory build
	cargo build --release --locked -p lab --example sham
	@bench/run.sh

# FIGURES=FILE and MINUTES=N for slices: see the heads of trust/*.py.
sabotage: $(BINARY)
	@trust/sabotage.py

aa: $(BINARY)
	@trust/aa.py

# Instructions per operation of the load, against the number kept in bench/instructions.txt.
instructions:
	@bench/instructions.sh

# sysbench's own tests against this program: SYSBENCH_TESTS is a checkout of its repository.
sysbench-suite: page
	cargo build --locked -p assay
	@scripts/sysbench-suite
