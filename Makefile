# edictd - build, test, install. `make help` lists the targets.

CC      ?= gcc
BUILD   ?= build
SAN     ?=
OPT     ?= -O2
VALIDATE ?= 0
DEMO_S  ?= 30
PORT    ?= 27500
MAP     ?= arena
BOTS    ?= 4
DEMO_MAP ?= foundry

ifeq ($(origin CC),default)
CC := gcc
endif

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wvla -Wundef \
        -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Werror
# gcc guesses about snprintf, which cuts on purpose where it can; its guesses change with -O and SAN.
WARN += $(if $(findstring clang,$(CC)),,-Wno-format-truncation)
CPPFLAGS_ALL := -D_GNU_SOURCE -DLIBBSD_OVERLAY -DVALIDATE=$(VALIDATE) -isystem /usr/include/bsd \
                -isystem /usr/include/lua5.4 -Iinclude -Icommon -Iserver -Itools -Itests $(CPPFLAGS)
# Against faults that an attacker could use; tests/e2e/service.py checks what was built.
HARDEN := -fstack-protector-strong $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-fcf-protection) \
          $(if $(SAN)$(filter -O0,$(OPT)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# -ffp-contract=off: a fused multiply-add rounds once where a multiply and an add round twice.
# -fPIC: the same objects go into the programs, the game modules and the client library.
CFLAGS_ALL := -std=c17 $(OPT) -g -ffp-contract=off -fno-strict-aliasing -fno-common -fPIC \
              -fno-semantic-interposition -pthread $(HARDEN) $(WARN) $(CFLAGS)
# gold links the many test programs in half the time (but warns of clang's sanitizers).
GOLD := $(if $(and $(SAN),$(findstring clang,$(CC))),,$(if $(shell command -v ld.gold),-fuse-ld=gold))
LDFLAGS_ALL := -pthread -Wl,-z,relro,-z,now,-z,noexecstack $(GOLD) $(LDFLAGS)
ifneq ($(SAN),)
CFLAGS_ALL += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS_ALL += -fsanitize=$(SAN)
endif
LIBS := -lenet -lbsd -lsodium -lxxhash -lzstd -lm

COMMON_SRC := $(wildcard common/*/*.c common/collide/*/*.c)
# Models of the reference game, as C: edict-figure writes them, so they are not in the repository.
FIGURE_SRC := $(BUILD)/figure_data.c $(BUILD)/dog_data.c
SERVER_SRC := $(filter-out server/main.c,$(wildcard server/*/*.c)) $(FIGURE_SRC)
TEST_SRC   := $(wildcard tests/sim/test_*.c tests/unit/*/*/test_*.c) # the long ones first
TEST_LIB   := $(wildcard tests/lib/*.c)
BENCH_SRC  := $(filter-out tests/bench/bench_peers%,$(wildcard tests/bench/bench_*.c))
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

LIBCOMMON := $(BUILD)/libedict-common.a
LIBSERVER := $(BUILD)/libedict-server.a
LIBTEST   := $(BUILD)/libedict-test.a

# edict-mesh reads models through libassimp; where it is missing, all else is built.
ASSIMP := $(wildcard /usr/include/assimp/cimport.h)
TOOL_NAMES := mapc bot probe figure ctl relay $(if $(ASSIMP),mesh)
PROGRAMS := $(BUILD)/edictd $(patsubst %,$(BUILD)/edict-%,$(TOOL_NAMES)) $(BUILD)/edict-example
TESTS    := $(patsubst %.c,$(BUILD)/%,$(filter-out $(if $(ASSIMP),,tests/unit/tools/mesh/%),$(TEST_SRC)))
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(BENCH_SRC))
# Games as shared objects: the reference game, and every folder below it.
MODULES  := $(BUILD)/game_arena.so $(patsubst server/game/%/,$(BUILD)/game_%.so,$(wildcard server/game/*/))
# Modules that tests load.
TEST_MODULES := $(patsubst tests/modules/%.c,$(BUILD)/tests/modules/%.so,$(wildcard tests/modules/*.c))
# (level editors leave NAME-compile.map beside what they compile)
ATTACK   := $(addprefix $(BUILD)/tests/attack/,attack players clock.so)
MAPS     := $(patsubst maps/%.map,$(BUILD)/maps/%.bsp,$(filter-out %-compile.map,$(wildcard maps/*.map)))
MESHES   := $(if $(ASSIMP),$(patsubst maps/%.obj,$(BUILD)/maps/%.emesh,$(wildcard maps/models/*.obj)))

.PHONY: FORCE all programs modules maps client-library man tests list-tests deps build-deps run demo test \
        test-long attack lint bench bench-load bench-peers deps-peers deps-maps fuzz fuzz-programs golden install \
        uninstall clean help
.SECONDARY:
.DELETE_ON_ERROR:

all: programs modules maps client-library man

programs: $(PROGRAMS)
	@$(if $(ASSIMP),,echo "edict-mesh is left out: libassimp-dev is not there (make deps)")

modules: $(MODULES)

maps: $(MAPS) $(MESHES)

tests: $(TESTS) $(MODULES) $(TEST_MODULES) $(ATTACK)

# Other flags than the last time: everything is compiled again. A new stamp is older than any object.
# Two makes may run at once in one folder, so the new text has a name of its own.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; echo $(CC) $(subst ",\",$(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL)) >$$new; \
	    if cmp -s $$new $@; then rm $$new; elif [ -e $@ ]; then mv $$new $@; else mv $$new $@; touch -d @0 $@; fi

FORCE:

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# TEST_OPT: options of unit and simulation tests. With -O1 they compile in two thirds of the time of
# -O2 and run as fast; with sanitizers, -O0 compiles them in half the time.
TEST_OPT ?= $(if $(filter -O2 -O3,$(OPT)),-O1)
$(patsubst $(BUILD)/%,$(BUILD)/obj/%.o,$(TESTS)): private CFLAGS_ALL += $(TEST_OPT)

# The kernels of meshes are compiled a second time, for x86-64 CPUs with AVX2 (collide/lanes.h).
KERNEL8 := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),$(BUILD)/obj/common/collide/mesh/mesh_kernel8.o)
$(BUILD)/obj/%8.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  cc $< (AVX2)"
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -DLANES=8 -mavx2 -mbmi2 -mfma -MMD -MP -c $< -o $@

$(LIBCOMMON): $(call obj,$(COMMON_SRC)) $(KERNEL8)
$(LIBSERVER): $(call obj,$(SERVER_SRC))
$(LIBTEST): $(call obj,$(TEST_LIB))
$(LIBCOMMON) $(LIBSERVER) $(LIBTEST):
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcs $@ $^

$(PROGRAMS): private LDFLAGS_ALL += -pie

# edictd is optimised as a whole (-flto), which saves 6 % of its time. Its objects are of their own,
# because linking each test like this would take minutes.
LTO ?= $(if $(SAN)$(filter -O0 -O1,$(OPT))$(findstring clang,$(CC)),,-flto=auto)
$(BUILD)/lto/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  cc $< (-flto)"
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LTO) -MMD -MP -c $< -o $@

WHOLE := $(patsubst %.c,$(BUILD)/lto/%.o,server/main.c $(SERVER_SRC) $(COMMON_SRC)) $(KERNEL8)
$(BUILD)/edictd: $(if $(LTO),$(WHOLE),$(BUILD)/obj/server/main.o $(LIBSERVER) $(LIBCOMMON))
	@echo "  ld $@"
	@$(CC) $(LDFLAGS_ALL) $(if $(LTO),$(LTO) $(OPT) -fuse-ld=bfd) $^ -o $@ $(LIBS) -ljansson -lseccomp

# The smallest client there is, from the client library's documentation.
$(BUILD)/edict-example: $(BUILD)/obj/examples/example_client.o $(LIBCOMMON)
	@echo "  ld $@"
	@$(CC) $(LDFLAGS_ALL) $^ -o $@ $(LIBS)

# edict-bot gives commands as edict-ctl does.
bot_objs = $(if $(filter bot,$(1)),$(call obj,tools/ctl/link.c tools/ctl/sockets.c))
define tool_rule
$(BUILD)/edict-$(1): $(call obj,$(wildcard tools/$(1)/*.c)) $(call bot_objs,$(1)) $(LIBCOMMON)
	@echo "  ld $$@"
	@$$(CC) $$(LDFLAGS_ALL) $$^ -o $$@ $$(LIBS) $(if $(filter bot,$(1)),-llua5.4) $(if $(filter probe,$(1)),-lpng) \
	    $(if $(filter ctl,$(1)),-ledit -ljansson)
endef
$(foreach t,$(TOOL_NAMES),$(eval $(call tool_rule,$(t))))

$(BUILD)/%_data.c: $(BUILD)/edict-figure
	@$(BUILD)/edict-figure --c $(if $(filter dog,$*),--dog) $@

# Test programs share the common code, the server and the fixtures as one library: 313 static links
# would take 60 s of CPU and 3 GB. -Bsymbolic-functions: calls within it stay direct.
TESTED := $(BUILD)/libedict-tested.so
$(TESTED): $(LIBTEST) $(LIBSERVER) $(LIBCOMMON)
	@echo "  ld $@"
	@$(CC) -shared $(LDFLAGS_ALL) -Wl,-soname,$(@F) -Wl,-Bsymbolic-functions -Wl,--whole-archive $^ \
	    -Wl,--no-whole-archive -o $@ $(LIBS) -ljansson -lseccomp -lcmocka

# A unit test of tools/NAME links that tool's objects, all but its main.c. Before libenet: net/enet_seam.c.
tool_objs = $(call obj,$(filter-out %/main.c,$(wildcard tools/$(1)/*.c))) $(call bot_objs,$(1))
up = $(subst $() ,,$(foreach folder,$(subst /, ,$(patsubst %/,%,$(dir $(1)))),/..))
define test_rule
$(BUILD)/$(patsubst %.c,%,$(1)): $(BUILD)/obj/$(patsubst %.c,%.o,$(1)) \
        $(if $(findstring tests/unit/tools/,$(1)),$(call tool_objs,$(word 4,$(subst /, ,$(1))))) $(TESTED)
	@mkdir -p $$(@D)
	@echo "  ld $$@"
	@$$(CC) $$(LDFLAGS_ALL) '-Wl,-rpath,$$$$ORIGIN$(call up,$(1))' $$^ -o $$@ $$(LIBS) -ljansson \
	    -lseccomp -lcmocka -llua5.4 -lpng $(if $(findstring tools/ctl/,$(1)),-ledit)
endef
$(foreach t,$(TEST_SRC),$(eval $(call test_rule,$(t))))

# What a test loads when it runs, so that each can be built alone. With sanitizers, tests load the
# maps of the plain build.
tests_with = $(patsubst %.c,$(BUILD)/%,$(shell grep -lE '$(1)' $(TEST_SRC)))
MAP_FIXTURES := $(notdir $(basename $(shell grep -l Test_BuildFolder $(TEST_LIB))))
$(call tests_with,/[^"]*\.so"): | $(MODULES) $(TEST_MODULES)
$(if $(SAN),,$(call tests_with,$(subst $() ,|,Test_BuildFolder $(MAP_FIXTURES)))): | $(MAPS) $(MESHES)

$(BUILD)/tests/bench/bench_mapc: $(call tool_objs,mapc)
$(BENCHES): $(BUILD)/%: $(BUILD)/obj/%.o $(LIBTEST) $(LIBSERVER) $(LIBCOMMON)
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(LDFLAGS_ALL) $(filter %.o,$^) $(filter %.a,$^) -o $@ $(LIBS) -ljansson -lseccomp -lcmocka

MESH_PROGRAMS := $(filter %/edict-mesh $(BUILD)/tests/unit/tools/mesh/%,$(PROGRAMS) $(TESTS))
ifneq ($(MESH_PROGRAMS),)
$(MESH_PROGRAMS): LIBS += -lassimp -ljansson
$(MESH_PROGRAMS): $(call obj,tools/mapc/texture.c)
endif

# tests/attack: the attacks, which share no code with the product, and honest players.
$(BUILD)/tests/attack/attack: $(call obj,$(filter-out %/players.c %/clock.c,$(wildcard tests/attack/*.c)))
$(BUILD)/tests/attack/players: $(call obj,tests/attack/players.c) $(LIBCOMMON)
$(BUILD)/tests/attack/clock.so: $(call obj,tests/attack/clock.c)
$(BUILD)/tests/attack/clock.so: LDFLAGS_ALL += -shared
$(ATTACK):
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(LDFLAGS_ALL) $^ -o $@ $(LIBS)

# Game modules: a module contains the common objects it needs and exports its table only.
define module_rule
$(1): $(call obj,$(2)) $(LIBCOMMON) server/game/exports.map
	@mkdir -p $$(@D)
	@echo "  ld $$@"
	@$$(CC) -shared $$(LDFLAGS_ALL) $(if $(SAN),,-Wl$(COMMA)-z$(COMMA)defs) \
	    -Wl$(COMMA)--version-script=server/game/exports.map $$(filter %.o %.a,$$^) -o $$@ -lbsd -lm
endef
COMMA := ,
$(eval $(call module_rule,$(BUILD)/game_arena.so,$(wildcard server/game/*.c) $(FIGURE_SRC)))
$(foreach m,$(filter-out %/game_arena.so,$(MODULES)),$(eval $(call module_rule,$(m),\
    $(wildcard $(patsubst $(BUILD)/game_%.so,server/game/%/*.c,$(m))))))

$(foreach m,$(TEST_MODULES),$(eval $(call module_rule,$(m),\
    $(patsubst $(BUILD)/tests/modules/%.so,tests/modules/%.c,$(m)))))

$(BUILD)/maps/%.bsp: maps/%.map $(BUILD)/edict-mapc
	@mkdir -p $(@D)
	$(BUILD)/edict-mapc $< -o $@

# Maps for load tests: city, city_8 (smaller), hall, rooms_1, rooms_4.
$(BUILD)/crowd/%.map: tools/crowdmap.py
	@mkdir -p $(@D)
	tools/crowdmap.py $(subst _, --size ,$*) -o $@

$(BUILD)/crowd/%.bsp: $(BUILD)/crowd/%.map $(BUILD)/edict-mapc
	$(BUILD)/edict-mapc -q $< -o $@

$(BUILD)/maps/%.emesh: maps/%.obj $(BUILD)/edict-mesh
	@mkdir -p $(@D)
	$(BUILD)/edict-mesh -q $< -o $@

list-tests:
	@echo $(TESTS)

include mk/install.mk
include mk/wasm.mk

# ---- running ----

deps:
	@tools/deps.sh

build-deps:
	@tools/deps.sh build

run: build-deps
	@$(MAKE) -s -j2 programs modules maps
	@exec tools/run.sh $(BUILD) $(BUILD)/edictd -p $(PORT) +set bots $(BOTS) +map $(MAP)

demo: build-deps
	@$(MAKE) -s -j2 programs modules maps
	@exec tools/run.sh $(BUILD) tools/bot/demo.sh $(BUILD) $(DEMO_MAP) $(DEMO_S)

# ---- checking ----

test: deps
	@BUILD=$(BUILD) tests/suite.sh

test-long: deps
	@tools/deps.sh long
	-@tools/deps.sh engines
	@BUILD=$(BUILD) EDICTD_LONG=1 FUZZ_RUNS=2000000 tests/suite.sh

# Attacks on a real server, 8 s each: about 15 minutes. ROWS="cookies idle" runs only these.
attack: programs maps $(ATTACK)
	@BUILD=$(BUILD) tests/attack/attack.py --long $(ROWS)

lint: tests programs
	@tools/lint/lint.py --build $(BUILD)

bench: programs maps $(BUILD)/crowd/city.bsp $(BUILD)/crowd/hall.bsp $(BENCHES)
	@echo "bench,case,value,unit,peer,peer_value"
	@for b in $(BENCHES) $(wildcard tests/bench/*.sh); do BUILD=$(BUILD) $$b || exit 1; done

# The daemon under up to 1,000 clients: about 8 minutes. LOAD="city-128 peers" runs only these.
$(BUILD)/tests/bench/echo: tests/bench/echo.c
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $< -o $@ -lenet

bench-load: programs modules $(BUILD)/tests/bench/echo $(patsubst %,$(BUILD)/crowd/%.bsp,city city_8 hall rooms_1 rooms_4)
	@echo "bench,case,value,unit,peer,peer_value"
	@BUILD=$(BUILD) tests/bench/load.py $(LOAD)

# Beside other libraries, where they are installed (make deps-peers). The only C++ there is.
PEERS_OBJ := $(call obj,$(wildcard tests/bench/bench_peers*.c)) $(BUILD)/obj/tests/bench/bench_peers_bullet.o

$(BUILD)/obj/tests/bench/bench_peers_bullet.o: tests/bench/bench_peers_bullet.cpp tests/bench/bench_peers.h
	@mkdir -p $(@D)
	@echo "  c++ $<"
	@$(CXX) $(OPT) -g -isystem /usr/include/bullet -c $< -o $@

$(BUILD)/bench_peers: $(PEERS_OBJ) $(LIBTEST) $(LIBCOMMON)
	@echo "  ld $@"
	@$(CXX) $(LDFLAGS_ALL) $^ -o $@ -lembree3 -lode -lBulletCollision -lLinearMath $(LIBS)

deps-peers:
	@tools/deps.sh peers

# Quake III maps that the visible data has answers and figures for.
deps-maps:
	@tools/deps.sh maps

bench-peers:
	@if [ -e /usr/include/embree3/rtcore.h ] && [ -e /usr/include/ode/ode.h ] && \
	    [ -e /usr/include/bullet/btBulletCollisionCommon.h ]; then \
	    $(MAKE) -s $(BUILD)/bench_peers && echo "bench,case,value,unit,peer,peer_value" && \
	    BUILD=$(BUILD) $(BUILD)/bench_peers; \
	else echo "bench-peers: SKIPPED: no Embree, ODE or Bullet: make deps-peers installs them"; fi

golden: tests
	@for t in $(TESTS); do GOLDEN=1 $$t >/dev/null 2>&1; done; git status --short tests/golden

# libFuzzer targets: clang only, everything compiled with its coverage in a build folder of its own.
FUZZ_SRC  := $(filter-out $(if $(ASSIMP),,%/fuzz_rig.c %/fuzz_mdl.c %/fuzz_obj.c %/fuzz_gltf.c),$(wildcard tests/fuzz/fuzz_*.c))
FUZZERS   := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ_SRC))
FUZZ_RUNS ?= 1000000
FUZZ_S    ?= 60
FUZZ_OPT  ?= -O1
FUZZ_JOBS ?= 2

define fuzz_rule
$(BUILD)/$(1): $(call obj,tests/fuzz/$(1).c) $(if $(filter %mapc %wad,$(1)),$(call tool_objs,mapc)) \
        $(if $(filter %rig %mdl %obj %gltf,$(1)),$(call tool_objs,mesh) $(call obj,tools/mapc/texture.c)) \
        $(if $(filter %ctl,$(1)),$(call obj,tools/ctl/complete.c tools/ctl/link.c)) \
        $(if $(findstring csv,$(1)),$(call tool_objs,probe)) $(LIBTEST) $(LIBSERVER) $(LIBCOMMON)
	@$$(CC) $$(LDFLAGS_ALL) -fsanitize=fuzzer $$^ -o $$@ $$(LIBS) -ljansson -lseccomp -lcmocka $(if $(findstring csv,$(1)),-lpng) $(if $(filter %rig %mdl %obj %gltf,$(1)),-lassimp)
endef
$(foreach t,$(patsubst tests/fuzz/%.c,%,$(FUZZ_SRC)),$(eval $(call fuzz_rule,$(t))))

fuzz-programs: $(FUZZERS)

fuzz:
	@$(MAKE) -s BUILD=$(BUILD)/fuzz CC=clang OPT=$(FUZZ_OPT) SAN=fuzzer-no-link,address,undefined fuzz-programs
	@printf '%s\n' $(notdir $(FUZZERS)) | xargs -P $(FUZZ_JOBS) -I F \
	    tests/fuzz/run.sh $(BUILD)/fuzz/F $(FUZZ_RUNS) $(FUZZ_S)

help:
	@echo "make              build everything into $(BUILD)/"
	@echo "make run          install missing packages, build, start a server (MAP=$(MAP) PORT=$(PORT) BOTS=$(BOTS))"
	@echo "make demo         the same with 16 bots, for DEMO_S=$(DEMO_S) seconds"
	@echo "make test         install missing packages, build and check everything; last line: N passed, N failed"
	@echo "make test-long    make test with larger counts, maps in other engines, and a bare Debian 12 (root)"
	@echo "make install      install below PREFIX=$(PREFIX); make uninstall removes it again"
	@echo "                  also set: DESTDIR bindir libdir includedir datadir mandir docdir moduledir unitdir"
	@echo "make wasm         build the client library as WebAssembly into $(BUILD)/wasm/"
	@echo "make attack       attack a real server on loopback and measure its players (ROWS=NAME...)"
	@echo "make lint         check the house rules, clang-format and clang-tidy"
	@echo "make fuzz         run each fuzz target for FUZZ_RUNS inputs or FUZZ_S seconds"
	@echo "make bench        measure; prints CSV: bench,case,value,unit,peer,peer_value"
	@echo "make bench-load   measure a server with 32 to 1,000 clients (LOAD=CASE...)"
	@echo "make bench-peers  compare meshes with Bullet, ODE and Embree (make deps-peers installs them)"
	@echo "make golden       write the golden files again, after an intended change"
	@echo "make deps         install the packages of make test; deps-maps: Quake III maps for more tests"
	@echo "make clean        remove $(BUILD)/"
	@echo "variables         CC=gcc|clang OPT=-O2 SAN=address,undefined BUILD=build"
	@echo "                  VALIDATE=N checks the whole world in every Nth tick"

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj $(BUILD)/lto $(BUILD)/pic $(BUILD)/wasm -name '*.d' 2>/dev/null)
