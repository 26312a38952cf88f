# edictd - build, test, install. `make help` lists the targets.

CC      ?= gcc
BUILD   ?= build
SAN     ?=
OPT     ?= -O2
VALIDATE ?= 0
PREFIX  ?= /usr/local
DESTDIR ?=
DEMO_S  ?= 30
PORT    ?= 27500

ifeq ($(origin CC),default)
CC := gcc
endif

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wvla -Wundef \
        -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Werror
CPPFLAGS_ALL := -D_GNU_SOURCE -DLIBBSD_OVERLAY -DVALIDATE=$(VALIDATE) -isystem /usr/include/bsd \
                -isystem /usr/include/lua5.4 -Icommon -Iserver -Itools -Itests $(CPPFLAGS)
# -ffp-contract=off: a fused multiply-add rounds once where others round twice.
CFLAGS_ALL := -std=c17 $(OPT) -g -ffp-contract=off -fno-strict-aliasing -fno-common -pthread $(WARN) $(CFLAGS)
LDFLAGS_ALL := -pthread $(LDFLAGS)
ifneq ($(SAN),)
CFLAGS_ALL += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS_ALL += -fsanitize=$(SAN)
endif
LIBS := -lenet -lbsd -lsodium -lzstd -lxxhash -lm

COMMON_SRC := $(wildcard common/*/*.c)
SERVER_SRC := $(filter-out server/main.c,$(wildcard server/*/*.c))
TEST_SRC   := $(wildcard tests/unit/*/*/test_*.c tests/sim/test_*.c)
TEST_LIB   := $(wildcard tests/lib/*.c)
BENCH_SRC  := $(wildcard tests/bench/bench_*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

LIBCOMMON := $(BUILD)/libedict-common.a
LIBSERVER := $(BUILD)/libedict-server.a
LIBTEST   := $(BUILD)/libedict-test.a

TOOL_NAMES := $(foreach t,mapc bot probe,$(if $(wildcard tools/$(t)/*.c),$(t)))
PROGRAMS := $(if $(wildcard server/main.c),$(BUILD)/edictd) $(patsubst %,$(BUILD)/edict-%,$(TOOL_NAMES))
TESTS    := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(BENCH_SRC))
MAPS     := $(patsubst maps/%.map,$(BUILD)/maps/%.bsp,$(wildcard maps/*.map))

.PHONY: all programs maps tests deps run demo test test-long lint bench fuzz golden install clean help
.SECONDARY:
.DELETE_ON_ERROR:

all: programs maps

programs: $(PROGRAMS)

maps: $(MAPS)

tests: $(TESTS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(LIBCOMMON): $(call obj,$(COMMON_SRC))
$(LIBSERVER): $(call obj,$(SERVER_SRC))
$(LIBTEST): $(call obj,$(TEST_LIB))
$(LIBCOMMON) $(LIBSERVER) $(LIBTEST):
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/edictd: $(BUILD)/obj/server/main.o $(LIBSERVER) $(LIBCOMMON)
	@echo "  ld $@"
	@$(CC) $(LDFLAGS_ALL) $^ -o $@ $(LIBS)

define tool_rule
$(BUILD)/edict-$(1): $(call obj,$(wildcard tools/$(1)/*.c)) $(LIBCOMMON)
	@echo "  ld $$@"
	@$$(CC) $$(LDFLAGS_ALL) $$^ -o $$@ $$(LIBS) $(if $(filter bot,$(1)),-llua5.4)
endef
$(foreach t,$(TOOL_NAMES),$(eval $(call tool_rule,$(t))))

# A unit test of tools/NAME links that tool's objects, all but its main.c.
tool_objs = $(call obj,$(filter-out %/main.c,$(wildcard tools/$(1)/*.c)))
define test_rule
$(BUILD)/$(patsubst %.c,%,$(1)): $(BUILD)/obj/$(patsubst %.c,%.o,$(1)) \
        $(if $(findstring tests/unit/tools/,$(1)),$(call tool_objs,$(word 4,$(subst /, ,$(1))))) \
        $(LIBTEST) $(LIBSERVER) $(LIBCOMMON)
	@mkdir -p $$(@D)
	@echo "  ld $$@"
	@$$(CC) $$(LDFLAGS_ALL) $$^ -o $$@ $$(LIBS) -lcmocka -llua5.4
endef
$(foreach t,$(TEST_SRC) $(BENCH_SRC),$(eval $(call test_rule,$(t))))

$(BUILD)/maps/%.bsp: maps/%.map $(BUILD)/edict-mapc
	@mkdir -p $(@D)
	$(BUILD)/edict-mapc $< -o $@

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
