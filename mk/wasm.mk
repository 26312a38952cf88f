# The client library as WebAssembly: `make wasm`. Included by the Makefile.
# Debian packages: clang, lld, wasi-libc, libclang-rt-14-dev-wasm32; Node.js runs the tests.

WASM    := $(BUILD)/wasm
WASM_CC ?= clang
# 32-bit: sizes and counts of 64 bits become sizes of 32 bits, checked before they do.
WASM_CFLAGS := --target=wasm32-wasi -std=c17 -O2 -ffp-contract=off -fno-strict-aliasing -fno-common \
               -ffunction-sections -fdata-sections $(filter-out -Wno-format-truncation,$(WARN)) -Wno-shorten-64-to-32 -D_GNU_SOURCE -DVALIDATE=0 \
               -DXXH_INLINE_ALL -isystem $(WASM)/include -Iinclude -Icommon -Itools -Itests

# What the platform lacks is left out: sockets, names of hosts, files, standard error and libsodium.
# tools/wasm/platform.c has the few functions of these that the library calls.
WASM_LACKS := common/base/assert.c common/base/control_path.c common/base/file.c \
              common/base/option.c common/client/resolve.c common/client/udp.c
WASM_SRC   := $(filter-out $(WASM_LACKS) common/net/%,$(COMMON_SRC)) common/net/address.c \
              tools/wasm/platform.c tools/wasm/glue.c
wasm_obj   = $(patsubst %.c,$(WASM)/obj/%.o,$(1))

.PHONY: wasm wasm-golden
wasm: $(WASM)/edict_client.wasm $(WASM)/edict_client.json $(WASM)/edict_client.mjs

# xxhash.h alone: the other headers beside it are of this machine's C library.
$(WASM)/include/xxhash.h: /usr/include/xxhash.h
	@mkdir -p $(@D)
	@cp $< $@

$(WASM)/obj/%.o: %.c mk/wasm.mk $(WASM)/include/xxhash.h
	@mkdir -p $(@D)
	@echo "  cc $< (wasm)"
	@$(WASM_CC) $(WASM_CFLAGS) -MMD -MP -c $< -o $@

# Exports what the header declares, but the functions of sockets.
$(WASM)/edict_client.wasm: $(call wasm_obj,$(WASM_SRC)) $(BUILD)/client.syms
	@echo "  ld $@"
	@{ grep -vxE 'enet_.*|CL_NetCreate|CL_Resolve' $(BUILD)/client.syms; printf "%s\n" malloc free Js_TransportCreate \
	    Js_TransportDestroy Js_MapsCreate; } | sed 's/^/-Wl,--export=/' >$@.args
	@$(WASM_CC) --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all @$@.args $(filter %.o,$^) -o $@

# Places of the structs' fields, and the constants, for programs in other languages.
$(WASM)/edict_client.json: tools/wasm/layout.py $(BUILD)/edict/client.h
	@mkdir -p $(@D)
	@tools/wasm/layout.py $(WASM_CC) $(BUILD)/edict/client.h >$@

$(WASM)/edict_client.mjs: tools/wasm/edict_client.mjs
	@mkdir -p $(@D)
	@cp $< $@

# The golden runs of tests/golden/across.sh.
WASM_GOLDEN := $(call wasm_obj,tests/golden/move_main.c $(patsubst %,tests/lib/%_fixture.c,\
                 scene ibsp map golden brush_runs mesh mesh_runs))
$(WASM)/golden.wasm: $(WASM_GOLDEN) $(call wasm_obj,$(WASM_SRC))
	@echo "  ld $@"
	@$(WASM_CC) --target=wasm32-wasi $^ -o $@

wasm-golden: $(WASM)/golden.wasm

# Native programs of tests/wasm/session.sh.
WASM_TESTS := $(BUILD)/tests/wasm/bridge $(BUILD)/tests/wasm/replay
$(WASM_TESTS): $(BUILD)/tests/wasm/%: $(BUILD)/obj/tests/wasm/%.o $(LIBCOMMON)
	@mkdir -p $(@D)
	@echo "  ld $@"
	@$(CC) $(LDFLAGS_ALL) $^ -o $@ $(LIBS)

tests: $(WASM_TESTS)
