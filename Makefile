# make demo      the whole of it on real data, from nothing
# make test      every test there is
# make install   PREFIX=/usr/local DESTDIR=
# make build, make bench, make lint, make format

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
PYTHON ?= /usr/bin/python3
SEA := .build/release/sea
SUMMARY := .build/test-summary

BUILD_PACKAGES := libsqlite3-dev libssl-dev libarchive-dev libmagic-dev libzstd-dev liblzma-dev libbz2-dev zlib1g-dev pkg-config
DEMO_PACKAGES := iso-codes python3
TEST_PACKAGES := python3 python3-cryptography python3-jsonschema jq mandoc man-db strace exfat-fuse exfatprogs fusefat dosfstools \
  zstd xz-utils mtools libarchive-tools
BENCH_PACKAGES := python3 git sqlite3 openssl gcc libc6-dev zstd libarchive-tools restic borgbackup

# Installs what is missing with apt, and asks for no password if nothing is.
define need
	@missing=; for p in $(1); do \
	  dpkg-query -W -f='$${db:Status-Status}' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  sudo=; if [ "$$(id -u)" -ne 0 ]; then sudo=sudo; fi; \
	  echo "installing:$$missing"; \
	  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null; fi
endef

# All scripts once more with sealed databases. Of those that break things at every place, which take minutes, only the
# damaged database runs again: faults of system calls and crashes lie below the sealing, a put is one transaction whatever
# its bytes are. Hostile bundles bring their own database. What t0040 and the pages show says itself what is sealed.
SEALED_SCRIPTS = $(filter-out %/t0040-json.sh %/t0900-man-examples.sh %/t7020-faults.sh %/t7030-crash-states.sh %/t8600-hostile.sh, $(wildcard Tests/scripts/t[0-9]*.sh))

.PHONY: build demo test packages lint format bench install uninstall clean

build:
	$(call need,$(BUILD_PACKAGES))
	@command -v $(SWIFT) >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux/debian/12/" >&2; exit 1; }
	$(SWIFT) build -c release --product sea

demo: build
	$(call need,$(DEMO_PACKAGES))
	@PATH="$(CURDIR)/.build/release:$$PATH" demo/demo.sh

packages:
	$(call need,$(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES))

test: packages lint
	@mkdir -p .build; : >$(SUMMARY)
	$(SWIFT) test 2>&1 | tee .build/test-swift.log
	@grep -h 'Test run with' .build/test-swift.log | tail -1 | sed 's/^[^T]*/swift: /' >>$(SUMMARY)
	$(SWIFT) build -c release --product sea
	SEAL=0 Tests/scripts/run.sh 2>&1 | tee .build/test-scripts.log
	@echo "scripts: $$(tail -1 .build/test-scripts.log)" >>$(SUMMARY)
	SEA_TEST_SEALED=1 $(SWIFT) test --filter SeaKitTests 2>&1 | tee .build/test-swift-sealed.log
	@grep -h 'Test run with' .build/test-swift-sealed.log | tail -1 | sed 's/^[^T]*/swift, sealed: /' >>$(SUMMARY)
	SEAL=1 Tests/scripts/run.sh $(SEALED_SCRIPTS) 2>&1 | tee .build/test-scripts-sealed.log
	@echo "scripts, sealed: $$(tail -1 .build/test-scripts-sealed.log)" >>$(SUMMARY)
	$(PYTHON) Tests/reader/make_vectors.py --check | tee .build/test-vectors.log
	@echo "second reader: $$(tail -1 .build/test-vectors.log)" >>$(SUMMARY)
	@echo "manual: $$(ls man | wc -l) pages, no warning" >>$(SUMMARY)
	@echo; cat $(SUMMARY)

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	mandoc -Tlint -W warning man/*

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

bench: build
	$(call need,$(BENCH_PACKAGES))
	@SEA="$(CURDIR)/$(SEA)" Benchmarks/run.sh

install:
	@test -x $(SEA) || $(MAKE) build
	install -D -m 755 $(SEA) "$(DESTDIR)$(PREFIX)/bin/sea"
	@for page in man/*.[157]; do install -D -m 644 "$$page" "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}"; done
	@for schema in schemas/*.json; do install -D -m 644 "$$schema" "$(DESTDIR)$(PREFIX)/share/sea/$$schema"; done
	install -D -m 644 completions/sea.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/sea"
	install -D -m 644 completions/_sea "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sea"
	install -D -m 644 completions/sea.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sea.fish"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/sea"
	rm -rf "$(DESTDIR)$(PREFIX)/share/sea/schemas"
	@for page in man/*.[157]; do rm -f "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}"; done
	rm -f "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/sea" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sea" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sea.fish"

clean:
	rm -rf .build
