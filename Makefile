# make demo      the whole of it on real data, from nothing
# make test      every test there is
# make torture   random cases, other ones each day; crashes, faults and malice in all their forms: hours
# make studio    the pages of a database in the browser
# make server    what gives containers to others over HTTPS: only who runs one needs it
# make install   PREFIX=/usr/local DESTDIR=
# make build, make bench, make lint, make format
# make deb       a Debian package, in dist/
# make tarball   one that runs where it is unpacked, in dist/
# make picture   of a session, for the README; whenever its output looks different
# make order     what lies where in the program; before a release

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
PYTHON ?= /usr/bin/python3
SEA := .build/release/sea
S3 := .build/release/sea-remote-s3
XLSX := .build/release/sea-read-xlsx
SERVER := .build/release/sea-server
STUDIO := .build/release/sea-studio
S3_SERVERS := .build/s3-servers
STUDIO_TOOLS := .build/studio-tools
# Other names of the helper for S3, by which it reaches something else.
NAMES := rclone sea+https sea+http

BUILD_PACKAGES := libsqlite3-dev libssl-dev libarchive-dev libmagic-dev libzstd-dev liblzma-dev libbz2-dev zlib1g-dev pkg-config
HELPER_PACKAGES := libcurl4-openssl-dev libexpat1-dev
DEMO_PACKAGES := iso-codes python3
TEST_PACKAGES := codespell less tzdata python3 python3-venv python3-cryptography python3-jsonschema sqlite3 jq mandoc man-db strace exfat-fuse exfatprogs fusefat dosfstools \
  zstd xz-utils mtools libarchive-tools openssh-server openssh-client curl openssl avahi-daemon avahi-utils dbus iproute2 zsh fish valgrind chromium
PACKAGING_PACKAGES := dpkg-dev binutils fakeroot xz-utils lintian
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

SWIFT_FLAGS ?=
# Without a digest of how each object was compiled, and without the folder: the same sources give the same bytes in any.
TEST_FLAGS = $(SWIFT_FLAGS) -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
# Tests are found and find their files by the folder.
FLAGS = $(TEST_FLAGS) -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.

.PHONY: docs build server studio demo test torture packages lint format bench order picture install uninstall clean deb tarball

build:
	$(call need,$(BUILD_PACKAGES) $(HELPER_PACKAGES))
	@command -v $(SWIFT) >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux/debian/12/" >&2; exit 1; }
	$(SWIFT) build -c release --product sea $(FLAGS)
	$(SWIFT) build -c release --product sea-remote-s3 $(FLAGS)
	$(SWIFT) build -c release --product sea-read-xlsx $(FLAGS)

# What these need is fetched and compiled only here; all else is compiled once for them and for `sea`.
server studio:
	$(call need,$(BUILD_PACKAGES))
	SEA_HELPERS=1 $(SWIFT) build -c release --product sea-$@ $(FLAGS)

# What programs read of the library: from the comments and articles of Sources/SeaKit.
docs:
	$(SWIFT) build --target SeaKitFoundation
	BUILD=.build/debug Tests/docs.sh .build/docs
	@echo "see .build/docs: docc preview, or any web server"

demo: build
	$(call need,$(DEMO_PACKAGES))
	@PATH="$(CURDIR)/.build/release:$$PATH" demo/demo.sh

packages:
	$(call need,$(BUILD_PACKAGES) $(HELPER_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES) $(PACKAGING_PACKAGES))
	@$(MAKE) --no-print-directory $(S3_SERVERS)/requirements.txt $(STUDIO_TOOLS)/requirements.txt

# The servers that tests talk to, from PyPI.
$(S3_SERVERS)/requirements.txt: Tests/s3/requirements.txt
	rm -rf $(S3_SERVERS)
	$(PYTHON) -m venv $(S3_SERVERS)
	$(S3_SERVERS)/bin/pip install -q --disable-pip-version-check -r $<
	cp $< $@

# What finds barriers in pages, from PyPI: a script for browsers, which pip only carries.
$(STUDIO_TOOLS)/requirements.txt: Tests/studio/requirements.txt
	rm -rf $(STUDIO_TOOLS)
	$(PYTHON) -m venv $(STUDIO_TOOLS)
	$(STUDIO_TOOLS)/bin/pip install -q --disable-pip-version-check --no-deps --target $(STUDIO_TOOLS) -r $<
	cp $< $@

# One build of program and tests, then everything in one pool; Tests/run.py says what and how. The seed of random cases is
# fixed, so that the outcome is the same on any day.
test: packages
	@SWIFT="$(SWIFT)" SWIFT_FLAGS="$(TEST_FLAGS)" Tests/run.py --all

# What chance, crashes, faults and malice can do, fifty times as much of it as in `make test`. It takes hours. The seed is the
# day; it is printed, and SEA_TEST_SEED repeats it.
torture: packages
	@SWIFT="$(SWIFT)" SWIFT_FLAGS="$(TEST_FLAGS)" SEA_TEST_MORE="$${SEA_TEST_MORE:-50}" Tests/run.py --torture

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Examples Benchmarks/kit Benchmarks/kit-grdb/Package.swift Benchmarks/kit-grdb/Sources Helpers/Sources
	mandoc -Tlint -W warning man/*

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Examples Benchmarks/kit Benchmarks/kit-grdb/Package.swift Benchmarks/kit-grdb/Sources Helpers/Sources

# With BEFORE=/path/to/an/older/sea each line says as well what that one takes, in the same run.
BEFORE ?=
bench: build
	$(call need,$(BENCH_PACKAGES))
	@SEA="$(CURDIR)/$(SEA)" BEFORE="$(BEFORE)" Benchmarks/run.sh

order:
	$(call need,$(BUILD_PACKAGES) python3 valgrind)
	SWIFT="$(SWIFT)" SWIFT_FLAGS="$(FLAGS)" $(PYTHON) Benchmarks/order.py

picture: build
	$(PYTHON) docs/terminal.py $(SEA) docs/terminal.svg

install:
	@test -x $(SEA) && test -x $(S3) && test -x $(XLSX) || $(MAKE) build
	install -D -m 755 $(SEA) "$(DESTDIR)$(PREFIX)/bin/sea"
	install -D -m 755 $(S3) "$(DESTDIR)$(PREFIX)/bin/sea-remote-s3"
	install -D -m 755 $(XLSX) "$(DESTDIR)$(PREFIX)/bin/sea-read-xlsx"
	@for name in $(NAMES); do ln -sf sea-remote-s3 "$(DESTDIR)$(PREFIX)/bin/sea-remote-$$name"; done
	@for page in man/*.[157]; do install -D -m 644 "$$page" "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}"; done
	@ln -sf "sea-remote-sea+https.1" "$(DESTDIR)$(PREFIX)/share/man/man1/sea-remote-sea+http.1"
	@for schema in schemas/*.json; do install -D -m 644 "$$schema" "$(DESTDIR)$(PREFIX)/share/sea/$$schema"; done
	install -D -m 755 Helpers/samples/sea-remote-folder "$(DESTDIR)$(PREFIX)/share/sea/samples/sea-remote-folder"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/user"
	sed 's|@PREFIX@|$(PREFIX)|' systemd/sea-watch@.service >"$(DESTDIR)$(PREFIX)/lib/systemd/user/sea-watch@.service"
	@if [ -x $(STUDIO) ]; then install -D -m 755 $(STUDIO) "$(DESTDIR)$(PREFIX)/bin/sea-studio"; fi
	@if [ -x $(SERVER) ]; then install -D -m 755 $(SERVER) "$(DESTDIR)$(PREFIX)/bin/sea-server" && \
	  install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system" && \
	  sed 's|@PREFIX@|$(PREFIX)|' systemd/sea-server.service >"$(DESTDIR)$(PREFIX)/lib/systemd/system/sea-server.service" && \
	  install -D -m 644 completions/sea-server.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/sea-server" && \
	  install -D -m 644 completions/_sea-server "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sea-server" && \
	  install -D -m 644 completions/sea-server.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sea-server.fish"; fi
	install -D -m 644 completions/sea.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/sea"
	install -D -m 644 completions/_sea "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sea"
	install -D -m 644 completions/sea.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sea.fish"

deb: studio
deb tarball: build
	$(call need,$(PACKAGING_PACKAGES))
	@packaging/package.sh $@ dist

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/sea" "$(DESTDIR)$(PREFIX)/bin/sea-remote-s3" "$(DESTDIR)$(PREFIX)/bin/sea-read-xlsx" "$(DESTDIR)$(PREFIX)/bin/sea-server" \
	  "$(DESTDIR)$(PREFIX)/bin/sea-studio"
	@for name in $(NAMES); do rm -f "$(DESTDIR)$(PREFIX)/bin/sea-remote-$$name"; done
	rm -f "$(DESTDIR)$(PREFIX)/lib/systemd/system/sea-server.service"
	rm -rf "$(DESTDIR)$(PREFIX)/share/sea/schemas" "$(DESTDIR)$(PREFIX)/share/sea/samples" "$(DESTDIR)$(PREFIX)/lib/systemd/user/sea-watch@.service"
	@for page in man/*.[157]; do rm -f "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}"; done
	rm -f "$(DESTDIR)$(PREFIX)/share/man/man1/sea-remote-sea+http.1"
	@for name in sea sea-server; do rm -f "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$name" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$name.fish"; done

clean:
	rm -rf .build
