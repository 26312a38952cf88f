# The client library, and what `make install` copies. Included by the Makefile.
# A packager sets DESTDIR, PREFIX and, where they differ, the folders below.

PREFIX     ?= /usr/local
DESTDIR    ?=
bindir     ?= $(PREFIX)/bin
libdir     ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir    ?= $(PREFIX)/share
mandir     ?= $(datadir)/man
docdir     ?= $(datadir)/doc/edictd
moduledir  ?= $(libdir)/edictd
unitdir    ?= $(PREFIX)/lib/systemd/system
INSTALL    ?= install

VERSION := $(shell sed -n 's/.*define EDICTD_VERSION "\(.*\)"/\1/p' common/base/version.h)
# Before 1.0, each minor version may change the structs of the client library.
SYMBOL_VERSION := EDICT_CLIENT_$(basename $(VERSION))
SONAME  := libedict_client.so.$(firstword $(subst ., ,$(VERSION)))

# ---- the client library ----

CLIENT_LIB := $(BUILD)/libedict_client.a $(BUILD)/libedict_client.so.$(VERSION)

# The one header that is installed: with the types that the library shares with the server.
$(BUILD)/edict/client.h: include/edict/client.h include/edict/types.h
	@mkdir -p $(@D)
	@sed -e '/^#include "edict\/types.h"/{r include/edict/types.h' -e 'd}' $< >$@

# Public symbols: the functions that the header declares, and ENet's functions that we replace.
$(BUILD)/client.syms: $(BUILD)/edict/client.h
	@grep -oE '\bCL_[A-Za-z0-9]+\(' $< | tr -d '(' >$@.words
	@printf '%s\n' enet_socket_send enet_socket_receive enet_time_get enet_time_set >>$@.words
	@sort -u $@.words >$@
	@rm $@.words

# One object with the parts of the common code that the public symbols need; all others are local.
$(BUILD)/client.o: $(BUILD)/client.syms $(LIBCOMMON)
	@echo "  ld $@"
	@sed 's/^/-Wl,-u,/' $< >$@.args
	@$(CC) -r -nostdlib @$@.args $(LIBCOMMON) -o $@
	@objcopy --keep-global-symbols=$< $@

$(BUILD)/libedict_client.a: $(BUILD)/client.o
	@rm -f $@
	@ar rcs $@ $<

# -Bsymbolic: a function of the host program with the same name does not replace the library's.
$(BUILD)/libedict_client.so.$(VERSION): $(BUILD)/client.o
	@sed '1i $(SYMBOL_VERSION) {global:' $(BUILD)/client.syms | sed '1!s/$$/;/; $$a local: *; };' >$(BUILD)/client.map
	@$(CC) -shared $(LDFLAGS_ALL) -Wl,-soname,$(SONAME) -Wl,-z,defs -Wl,-Bsymbolic \
	    -Wl,--version-script=$(BUILD)/client.map $< -o $@ $(LIBS)

client-library: $(CLIENT_LIB) $(BUILD)/edict/client.h

# ---- man pages ----

MAN := $(patsubst docs/man/%,$(BUILD)/man/%,$(wildcard docs/man/*.[158]))

$(BUILD)/man/%: docs/man/%
	@mkdir -p $(@D)
	@cp $< $@

# The list of cvars in this page comes from the server.
$(BUILD)/man/edictd.cfg.5: docs/man/edictd.cfg.5 $(BUILD)/edictd $(BUILD)/maps/arena.bsp
	@mkdir -p $(@D)
	@tools/cvar_man.sh $(BUILD)/edictd $(BUILD)/maps/arena.bsp <$< >$@

man: $(MAN)

# ---- install ----

# Headers of game modules: what game_api.h includes below common/ and server/. client.h needs none.
public_headers = $(sort $(filter common/%.h server/%.h,$(shell $(CC) -MM -DVALIDATE=0 -Iinclude \
                 -Icommon -Iserver include/edict/game_api.h)))
INSTALLED = $(filter-out %/edict-example %/edict-figure,$(PROGRAMS))
INSTALL_ENV = INSTALL="$(INSTALL)" DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" bindir="$(bindir)" \
              libdir="$(libdir)" includedir="$(includedir)" datadir="$(datadir)" mandir="$(mandir)" \
              docdir="$(docdir)" moduledir="$(moduledir)" unitdir="$(unitdir)" VERSION="$(VERSION)" SONAME="$(SONAME)" \
              BUILD="$(BUILD)" PROGRAMS="$(INSTALLED)" MODULES="$(MODULES)" MAPS="$(MAPS)" MESHES="$(MESHES)" \
              HEADERS="$(public_headers)" MAN="$(MAN)"

install: all
	@$(INSTALL_ENV) tools/install.sh install

# Removes what `make install` with the same variables writes.
uninstall:
	@$(INSTALL_ENV) tools/install.sh uninstall
