# SPDX-License-Identifier: GPL-2.0
#
# The module itself is built by Kbuild (the file of that name); this file is for
# people. "make help" lists the targets.

# The running kernel's headers, else the newest there are, real-time ones last.
RUNNING := $(shell uname -r)
HEADERS = $(shell ls -d /lib/modules/*/build 2>/dev/null | sort -rV)
KDIR ?= $(firstword $(wildcard /lib/modules/$(RUNNING)/build) \
	  $(foreach dir,$(HEADERS),$(if $(findstring -rt-,$(dir)),,$(dir))) $(HEADERS))
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	    "$(KDIR)/include/generated/utsrelease.h" 2>/dev/null)
VERSION = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

DESTDIR ?=
PREFIX ?= /usr
MANDIR ?= $(PREFIX)/share/man
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
BASHCOMPDIR ?= /etc/bash_completion.d
MODULEDIR ?= /lib/modules/$(RELEASE)/updates
DKMSDIR = /usr/src/symphony-$(VERSION)
INSTALL ?= install
MANPAGES = $(wildcard Documentation/man/*.8)

# "make -n" prints what it would do, also where a recipe hands on make's job slots.
DRY = $(if $(findstring n,$(firstword -$(MAKEFLAGS))),:)

export KDIR

all: modules plugin tools-if-possible	## build module, tc plugin, library and command
	@echo
	@echo "Built for kernel $(RELEASE). Next:"
	@if [ "$(RELEASE)" = "$(RUNNING)" ]; then \
		echo "  make install                             (as root)"; \
		echo "  tc qdisc add dev DEV root symphony       (as root)"; \
	else \
		echo "  make install                             (as root; then boot $(RELEASE):"; \
		echo "                                           $(RUNNING), which runs, cannot load it)"; \
	fi
	@echo "  make demo                                (in virtual time)"

help:			## list the targets
	@awk -F ':.*## *' '/^[a-z][a-z-]*:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "Variables: KDIR=$(KDIR)"
	@echo "           DESTDIR= PREFIX=$(PREFIX) MODULEDIR=$(MODULEDIR)"

modules: need-kdir	## build the module for the kernel headers in KDIR
	+@$(DRY) scripts/build-module "$(KDIR)"

plugin:			## build the plugin of tc
	@$(MAKE) --no-print-directory -s -C iproute2-plugin
	@mkdir -p out/plugin
	@cmp -s iproute2-plugin/q_symphony.so out/plugin/q_symphony.so || \
		cp iproute2-plugin/q_symphony.so out/plugin/
	@echo out/plugin/q_symphony.so

tools:			## build the library and the command symphony
	@missing=$$(scripts/tools-missing | paste -s -d ' '); [ -z "$$missing" ] || { \
		echo "make: library and command need more packages. Debian and Ubuntu:" >&2; \
		echo "make: apt-get install $$missing" >&2; exit 1; }
	@$(MAKE) --no-print-directory -s -C lib
	@$(MAKE) --no-print-directory -s -C tools
	@echo out/tools/symphony

# Module and plugin do without.
tools-if-possible:
	@if [ -z "$$(scripts/tools-missing)" ]; then \
		$(MAKE) --no-print-directory tools; \
	else \
		echo "Not built: the command symphony (make tools says what it needs)"; \
	fi

need-kdir:
	@[ -e "$(KDIR)/Makefile" ] || { \
		echo "make: no kernel headers in KDIR='$(KDIR)' (scripts/deps build)" >&2; exit 1; }
	@[ "$(RELEASE)" = "$(RUNNING)" ] || [ "$(origin KDIR)" != file ] || { \
		echo "make: no headers of the running kernel, $(RUNNING), are here. This builds for" >&2; \
		echo "make: $(RELEASE), a module that the running kernel cannot load. Debian and" >&2; \
		echo "make: Ubuntu: apt-get install linux-headers-$(RUNNING)" >&2; }

install: install-modules install-user	## install module, plugin, command and manual pages

install-modules: modules	## install the module for KDIR alone
	$(INSTALL) -d "$(DESTDIR)$(MODULEDIR)"
	$(INSTALL) -m 644 "out/$(RELEASE)/sch_symphony.ko" "$(DESTDIR)$(MODULEDIR)/"
	$(if $(DESTDIR),,PATH="$$PATH:/usr/sbin:/sbin" depmod "$(RELEASE)")

install-user: plugin tools-if-possible	## install all but the module
	@$(MAKE) --no-print-directory -C iproute2-plugin install
	$(INSTALL) -d "$(DESTDIR)$(BASHCOMPDIR)"
	$(INSTALL) -m 644 iproute2-plugin/tc-symphony.bash "$(DESTDIR)$(BASHCOMPDIR)/tc-symphony"
	$(INSTALL) -d "$(DESTDIR)$(MANDIR)/man8"
	$(if $(MANPAGES),$(INSTALL) -m 644 $(MANPAGES) "$(DESTDIR)$(MANDIR)/man8/")
	@[ -n "$$(scripts/tools-missing)" ] || $(MAKE) --no-print-directory install-tools

install-tools: tools	## install library and command alone
	@$(MAKE) --no-print-directory -C lib install
	@$(MAKE) --no-print-directory -C tools install

install-pyroute2:	## install the module that teaches pyroute2 symphony
	$(INSTALL) -d "$(DESTDIR)$(PYTHONDIR)"
	$(INSTALL) -m 644 python/pyroute2_symphony.py "$(DESTDIR)$(PYTHONDIR)/"

install-dkms-source:
	$(INSTALL) -d "$(DESTDIR)$(DKMSDIR)"
	cp -R dkms.conf Kbuild kernel include "$(DESTDIR)$(DKMSDIR)/"
	$(INSTALL) -d "$(DESTDIR)$(DKMSDIR)/scripts"
	$(INSTALL) scripts/kernel-compiler "$(DESTDIR)$(DKMSDIR)/scripts/"

install-dkms: install-user install-dkms-source	## let DKMS build the module for every kernel
	$(if $(DESTDIR),,dkms install --force symphony/$(VERSION))

deb:			## build Debian packages into out/deb
	@scripts/deb

uninstall:		## remove what these put there
	$(if $(DESTDIR),,@if command -v dkms >/dev/null && \
		[ -n "$$(dkms status symphony/$(VERSION))" ]; then \
		dkms remove symphony/$(VERSION) --all; fi)
	rm -rf "$(DESTDIR)$(DKMSDIR)"
	@for module in "$(DESTDIR)$(MODULEDIR)" "$(DESTDIR)"/lib/modules/*/updates; do \
		[ -e "$$module/sch_symphony.ko" ] || continue; \
		echo "rm $$module/sch_symphony.ko"; \
		rm "$$module/sch_symphony.ko" || exit 1; \
		release=$${module#/lib/modules/}; \
		$(if $(DESTDIR),:,PATH="$$PATH:/usr/sbin:/sbin" depmod "$${release%%/*}") || exit 1; \
	done
	@for dir in iproute2-plugin lib tools; do \
		$(MAKE) --no-print-directory -C "$$dir" uninstall || exit 1; done
	rm -f "$(DESTDIR)$(PYTHONDIR)/pyroute2_symphony.py" "$(DESTDIR)$(BASHCOMPDIR)/tc-symphony"
	rm -f $(MANPAGES:Documentation/man/%="$(DESTDIR)$(MANDIR)/man8/%")
	$(if $(DESTDIR),,@scripts/unload)

clean:			## remove everything that was built (the cache stays)
	rm -rf out
	@for dir in iproute2-plugin lib tools $(dir $(wildcard selftests/*/Makefile)); do \
		$(MAKE) --no-print-directory -s -C "$$dir" clean || exit 1; done

check:			## run all tests (scripts/check installs what they need)
	@scripts/run-tests full

check-fast:		## run the tests that together take less than two minutes
	@scripts/run-tests fast

check-all:		## all tests on all kernels: an hour more
	@scripts/run-tests all

check-debug:		## build kernels that look for faults, run the tests for them
	@scripts/run-tests debug

check-env:		## print what is found on this machine and what is missing
	@scripts/check-env

fuzz:			## fuzz parser, algorithm, queue and tc options (TIME=seconds, 600)
	@selftests/fuzz/run.sh keep $(or $(TIME),600)

soak:			## all at once on the kernel for debugging (TIME=seconds, 1800)
	@scripts/uml-test --debug --timeout $$(($(or $(TIME),1800) * 2 + 1800)) \
		selftests/attack/soak.sh $(or $(TIME),1800)

check-mutants:		## would the tests notice? one fault after the other in the module, half an hour
	@selftests/mutants/run.sh

lint:			## check the style of all files
	@scripts/lint

bench-netlink:		## measure what a dump of 16,384 jobs and symphony top cost
	@scripts/uml-test selftests/genl/genl.sh bench

bench:			## measure what a packet costs, beside the other qdiscs
	@selftests/bench/run.sh full

demo-rdma:		## RDMA traffic through a router in three virtual machines
	@selftests/rdma/demo

demo: plugin		## two flows and an all-reduce in virtual time, with and without symphony
	@scripts/testbed demo

reproduce: plugin	## all experiments, below an hour on two idle cores (FULL=1: the paper's size)
	@scripts/testbed reproduce $(if $(FULL),--full)

.PHONY: all help modules plugin tools tools-if-possible need-kdir install install-modules \
	install-user install-tools install-pyroute2 install-dkms-source install-dkms deb uninstall \
	clean check check-fast check-all check-debug check-env check-mutants fuzz soak lint bench bench-netlink \
	demo-rdma demo reproduce
