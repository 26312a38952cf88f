# shellcheck shell=bash
# Tests of the daemon and the bot that are not a script on a map. Sourced by run.sh; each case_NAME
# gets an empty folder and reports faults with fail.
# shellcheck disable=SC2154  # build, port, server come from run.sh

# Runs the daemon, which must not start: its status is not 0, and its error is at most two lines with this text.
refused() { # dir, text, arguments...
    local dir=$1 text=$2 status
    shift 2
    timeout 60 "$build/edictd" "$@" >"$dir/server.out" 2>"$dir/server.log"
    status=$?
    if [ "$status" -eq 0 ] || [ "$status" -ge 124 ]; then
        fail "$dir" "edictd $*: ended with status $status"
    fi
    expect_text "$dir" server.log "$text"
    [ "$(grep -vc ' info: ' "$dir/server.log")" -le 2 ] || fail "$dir" "edictd $*: more than two lines of errors"
}

# Runs a bot that joins and walks for a moment; its test must pass.
visit() { # dir
    printf '%s\n' 'assert(bot:join("visitor"))' 'bot:wait(20)' 'bot:expect(bot:self().onground, "stands")' \
        'bot:leave()' >"$1/visit.lua"
    "$build/edict-bot" -q -c "127.0.0.1:$port" -t 60 "$1/visit.lua" >"$1/visit.out" 2>&1
    expect_status "$1" "a visitor" 0 $?
}

case_no_such_map() {
    refused "$1" no_such_map -p 0 +map no_such_map
    refused "$1" "no map" -p 0
    refused "$1" "../../etc/passwd" -p 0 +map ../../etc/passwd
}

case_map_source() { # a saved editor source is not a map yet
    refused "$1" "maps/walk1.map: a .map is a source; compile it with edict-mapc" -p 0 +map maps/walk1.map
    "$build/edict-probe" contents maps/walk1.map </dev/null >"$1/probe.out" 2>&1 && fail "$1" "edict-probe took a .map"
    expect_text "$1" probe.out "compile it with edict-mapc"
}

case_broken_map() { # any truncation is refused with the file and a reason
    local dir=$1 size
    for size in 0 3 4 100 123 124 1000 5000; do
        head -c "$size" "$build/maps/walk1.bsp" >"$dir/short.bsp"
        refused "$dir" "short.bsp" -p 0 +map "$dir/short.bsp"
    done
}

case_port_in_use() {
    start_server "$1" +map "$build/maps/walk1.bsp" || return
    timeout 60 "$build/edictd" -p "$port" +map "$build/maps/walk1.bsp" >"$1/second.out" 2>"$1/second.log"
    expect_status "$1" "a second server on one port" 1 $?
    expect_text "$1" second.log "$port"
    expect_text "$1" second.log "in use"
    visit "$1"
    stop_server "$1"
}

case_download() { # a bot without maps downloads the server's and predicts on it; later, it has the map
    local dir=$1 run
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    for run in first second; do
        timeout 100 "$build/edict-bot" -q -c "127.0.0.1:$port" --download "$dir/maps" tests/e2e/predict.lua \
            >"$dir/$run.out" 2>&1
        expect_status "$dir" "the $run bot" 0 $?
    done
    cmp -s "$build/maps/walk1.bsp" "$dir"/maps/*/walk1.bsp || fail "$dir" "the downloaded file differs"
    [ "$(grep -c 'downloads map walk1' "$dir/server.log")" = 1 ] || fail "$dir" "expected one download"
    stop_server "$dir"
    mkdir "$dir/refused"
    refused "$dir/refused" "expected http:// or https://" -p 0 +set sv_downloadurl ftp://x +map "$build/maps/walk1.bsp"
}

case_load() { # clients of the load program join, play and leave; one of another protocol would not
    local row
    start_server "$1" +set sv_snapshot_ticks 2 +map "$build/maps/walk1.bsp" || return
    "$build/edict-bot" -c "127.0.0.1:$port" --load 6 --seconds 1 --join-seconds 0 >"$1/load.csv" 2>"$1/load.err"
    expect_status "$1" "edict-bot --load" 0 $?
    for row in "clients in,6," "clients lost,0," "decode errors,0,"; do
        expect_text "$1" load.csv "load,$row"
    done
    grep -q "snapshots of the last client,[1-9]" "$1/load.csv" || fail "$1" "a client received no snapshots"
    grep -q "entities of a snapshot,[1-9]" "$1/load.csv" || fail "$1" "the snapshots had no entities"
    stop_server "$1"
}

case_relay_shots() { # at a round trip of 100 ms, a bot hits the strafing bot that it sees
    local dir=$1 relay at target
    start_server "$dir" +set sv_cheats 1 +set sv_snapshot_ticks 3 +set net_control "$dir/control" +map "$build/maps/walk1.bsp" || return
    start_relay "$dir" mobile,delay=45
    "$build/edict-bot" -c "127.0.0.1:$port" --control "$dir/control" -i 2 -t 40 tests/e2e/shots.lua >"$dir/target.out" 2>&1 &
    target=$!
    "$build/edict-bot" -c "$at" -i 1 -m "$build/maps" -t 40 tests/e2e/shots.lua >"$dir/shooter.out" 2>&1
    expect_status "$dir" "the shooter" 0 $?
    wait "$target"
    expect_status "$dir" "its target" 0 $?
    kill -TERM "$relay"
    wait "$relay"
    stop_server "$dir"
}

case_ipv6() {
    refused "$1" IPv4 -p 0 +set net_ip ::1 +map "$build/maps/walk1.bsp"
    "$build/edict-bot" -c "[::1]:27500" tests/e2e/join.lua >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot -c [::1]" 2 $?
    expect_text "$1" bot.err IPv4
    RES_OPTIONS="timeout:1 attempts:1" "$build/edict-bot" -c no-such-host.invalid tests/e2e/join.lua \
        >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot -c no-such-host.invalid" 2 $?
    expect_text "$1" bot.err 'host "no-such-host.invalid": '
}

case_check_only() {
    local dir=$1
    "$build/edictd" -n +map "$build/maps/walk1.bsp" +cvarlist net_ >"$dir/list.out" 2>/dev/null
    expect_text "$dir" list.out "net_port = "
    "$build/edictd" -n +map "$build/maps/walk1.bsp" >"$dir/good.out" 2>&1
    expect_status "$dir" "edictd -n with a good map" 0 $?
    printf 'sv_gravity 800\nset sv_friction many\n' >"$dir/bad.cfg"
    refused "$dir" "bad.cfg" -n -c "$dir/bad.cfg" +map "$build/maps/walk1.bsp"
    expect_text "$dir" server.log "sv_friction"
    expect_text "$dir" server.log ":2:"
}

case_examples() { # the examples that the README does not show; readme.py runs those of the README
    local dir=$1
    "$build/edict-probe" draw "$build/maps/arena.bsp" -o "$dir/my.svg" >"$dir/draw.out" 2>&1
    expect_status "$dir" "edict-probe draw" 0 $?
    "$build/edict-probe" view "$build/maps/foundry.bsp" --cut 420 --eye -900 -1300 1100 --at 0 0 0 \
        --fov 60 --path examples/path.csv --points examples/sweeps.csv -o "$dir/path.png" \
        >"$dir/view.out" 2>&1
    expect_status "$dir" "edict-probe view" 0 $?
    if [ -x "$build/edict-mesh" ]; then
        "$build/edict-mesh" examples/figure.gltf --scale 32 --controller aim=chest:turn_y:-30:30 \
            -o "$dir/figure.emesh" >"$dir/figure.out" 2>&1
        expect_status "$dir" "edict-mesh examples/figure.gltf" 0 $?
        "$build/edict-mesh" --info "$dir/figure.emesh" >"$dir/info.out" 2>&1
        expect_text "$dir" info.out "turn_y of chest, -30 to 30"
        # glTF allows a skin without inverseBindMatrices, but libassimp crashes on it.
        sed 's/"inverseBindMatrices":[0-9]*,//' examples/figure.gltf >"$dir/bare.gltf"
        "$build/edict-mesh" "$dir/bare.gltf" >"$dir/bare.out" 2>&1
        expect_status "$dir" "edict-mesh with a skin that libassimp does not read" 1 $?
        expect_text "$dir" bare.out "bare.gltf: libassimp crashed on this file (signal"
    fi
}

case_mesh_world() { # a model becomes a world: compiled, played on, predicted by its clients
    local dir=$1 what
    if [ ! -x "$build/edict-mesh" ]; then
        echo "edict-mesh was not built: libassimp-dev is not there" >"$dir/skipped"
        return
    fi
    awk 'BEGIN { # hills of 32 x 32 cells, y up, in metres
        for (i = 0; i <= 32; i++) for (k = 0; k <= 32; k++)
            print "v", k - 16, sin(i * 0.5) * 0.6 + cos(k * 0.4) * 0.7, i - 16
        for (i = 0; i < 32; i++) for (k = 1; k <= 32; k++) {
            a = i * 33 + k
            print "f", a, a + 33, a + 34, a + 1
        } }' >"$dir/hills.obj"
    printf 'v 0 0 0\nv 0 nan 0\nf 1 2 3\n' >"$dir/bad.obj"
    "$build/edict-mesh" "$dir/bad.obj" >"$dir/mesh.out" 2>&1
    expect_status "$dir" "edict-mesh with a bad file" 1 $?
    expect_text "$dir" mesh.out 'bad.obj:2: vertex 2: expected three finite numbers, found "nan"'
    for what in hills again; do
        "$build/edict-mesh" "$dir/hills.obj" --up y --scale 40 --one-sided -o "$dir/$what.emesh" >"$dir/mesh.out" 2>&1
        expect_status "$dir" edict-mesh 0 $?
    done
    expect_text "$dir" mesh.out "solid: 2048 triangles"
    cmp -s "$dir/hills.emesh" "$dir/again.emesh" || fail "$dir" "the same input gave other bytes"
    head -c 5000 "$dir/hills.emesh" >"$dir/short.emesh"
    refused "$dir" "short.emesh: byte 8: header: expected the file's size, 5000 bytes, found" -p 0 +map "$dir/short.emesh"
    start_server "$dir" +set sv_mappath "$dir" +map hills || return
    cat >"$dir/hills.lua" <<'LUA'
assert(bot:join("goat"))
local name, loaded = bot:map()
bot:expect(name == "hills" and loaded, "the map is loaded here")
bot:wait(30)
local start = bot:self().origin
bot:expect(bot:self().onground, "stands")
local far = 0
for step = 1, 60 do
    bot:move { forward = 1, yaw = step * 13, jump = step % 7 == 0 }
    for _ = 1, 5 do
        bot:wait(1)
        bot:predicted()
    end
    local o = bot:self().origin
    bot:expect(o.z > -60 and o.z < 160, "neither falls through nor flies: z " .. o.z)
    far = math.max(far, math.abs(o.x - start.x) + math.abs(o.y - start.y))
end
bot:expect(far > 80, "came far: " .. far)
local stats = bot:stats()
bot:expect(stats.predictions > 50, "predicted")
bot:expect(stats.mispredictions == 0, "mispredicted " .. stats.mispredictions)
bot:leave()
LUA
    "$build/edict-bot" -c "127.0.0.1:$port" -m "$dir" -t 30 "$dir/hills.lua" >"$dir/bot.out" 2>&1
    expect_status "$dir" "a bot on the mesh" 0 $?
    stop_server "$dir"
}

case_sighup() { # reads the config again, in mid-game
    local dir=$1 bot
    echo 'set sv_hostname "first"' >"$dir/server.cfg"
    start_server "$dir" -c "$dir/server.cfg" +map "$build/maps/walk1.bsp" || return
    cat >"$dir/gravity.lua" <<'LUA'
-- Falls so fast that it cannot jump any more, once the gravity has changed.
assert(bot:join("apple"))
bot:wait(10)
print("ready")
for _ = 1, 40 do
    bot:move { jump = true }
    bot:wait(4)
    local high = bot:self().origin.z
    bot:move { jump = false }
    bot:wait(8)
    if high < 35 and high > 24 and bot:self().onground then
        bot:note("heavy")
        bot:leave()
        return
    end
    bot:wait(20)
end
bot:expect(false, "the gravity changes")
LUA
    "$build/edict-bot" -c "127.0.0.1:$port" -t 60 "$dir/gravity.lua" >"$dir/bot.out" 2>&1 &
    bot=$!
    wait_for_text "$dir" bot.out 1 ready
    echo 'set sv_gravity 8000' >"$dir/server.cfg"
    kill -HUP "$server"
    wait "$bot"
    expect_status "$dir" edict-bot 0 $?
    echo 'set sv_gravity heavy' >"$dir/server.cfg"
    kill -HUP "$server"
    wait_for_text "$dir" server.log 1 "sv_gravity: expected"
    visit "$dir"
    stop_server "$dir"
}

case_sigterm() { # clients receive a goodbye, and their scripts fail with its reason
    local dir=$1 bot
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    printf '%s\n' 'assert(bot:join("sitter" .. bot.index))' 'print("sits") bot:wait(100000)' >"$dir/sit.lua"
    "$build/edict-bot" -c "127.0.0.1:$port" -n 4 -t 60 "$dir/sit.lua" >"$dir/bot.out" 2>&1 &
    bot=$!
    wait_for_text "$dir" bot.out 4 sits
    stop_server "$dir"
    wait "$bot"
    expect_status "$dir" edict-bot 1 $?
    expect_text "$dir" bot.out "sit.lua:2: dropped: "
    expect_text "$dir" bot.out "shutting down"
    expect_text "$dir" bot.out "# 0 passed, 4 failed"
}

case_random_bytes() { # rubbish on the port, before and while somebody plays
    local dir=$1 size bot
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    "$build/edict-bot" -c "127.0.0.1:$port" -n 2 -t 60 tests/e2e/memory.lua >"$dir/bot.out" 2>&1 &
    bot=$!
    for size in 1 2 3 4 8 12 16 27 28 40 64 100 576 1200 1400 4096 9000; do
        for _ in 1 2 3 4 5 6; do
            head -c "$size" /dev/urandom >"/dev/udp/127.0.0.1/$port"
        done
    done
    { printf '\377\377\377\377' && head -c 20 /dev/urandom; } >"/dev/udp/127.0.0.1/$port"
    wait "$bot"
    expect_text "$dir" bot.out "bot 2: 1 of 1 expects passed"
    visit "$dir"
    stop_server "$dir"
}

case_full_disk() { # the log cannot be written: play goes on
    local dir=$1
    start_server "$dir" +set log_file /dev/full +map "$build/maps/walk1.bsp" || return
    visit "$dir"
    visit "$dir"
    stop_server "$dir"
}

case_example_client() { # the smallest client names every event it gets
    start_server "$1" +map "$build/maps/walk1.bsp" || return
    timeout 60 "$build/edict-example" "127.0.0.1:$port" "$build/maps" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" edict-example 0 $?
    expect_text "$1" bot.out "connected 0: edictd"
    expect_text "$1" bot.out "active "
    expect_text "$1" bot.out "tick "
    stop_server "$1"
}

case_plug_in() { # the client library loaded at run time, by programs with and without an ENet of their own
    local dir=$1 library source="-std=gnu17 -D_GNU_SOURCE -Iinclude tests/e2e/plug_in_host.c"
    library=$(ls "$build"/libedict_client.so.*)
    # shellcheck disable=SC2086
    gcc $source -o "$dir/plain" && gcc -DWITH_ENET $source -o "$dir/enet" -lenet || fail "$dir" "gcc failed"
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    "$dir/plain" "$library" "127.0.0.1:$port" local >"$dir/plain.out" 2>&1
    expect_text "$dir" plain.out "joined"
    "$dir/enet" "$library" "127.0.0.1:$port" local >"$dir/refused.out" 2>&1
    expect_text "$dir" refused.out "load libedict_client with dlmopen(LM_ID_NEWLM, ...), or link it before libenet"
    expect_text "$dir" refused.out "own ENet works"
    "$dir/enet" "$library" "127.0.0.1:$port" namespace >"$dir/namespace.out" 2>&1
    expect_text "$dir" namespace.out "joined"
    expect_text "$dir" namespace.out "own ENet works"
    LD_PRELOAD=$PWD/$library "$dir/enet" "$library" "127.0.0.1:$port" local >"$dir/first.out" 2>&1
    expect_text "$dir" first.out "joined"
    expect_text "$dir" first.out "own ENet works"
    stop_server "$dir"
}

start_relay() { # dir, network: sets $relay, and $at to its address
    local tries=0
    : >"$1/relay.out" # there to be read before the relay writes
    "$build/edict-relay" -l 0 -t "127.0.0.1:$port" --network "$2" --seed 7 >"$1/relay.out" 2>"$1/relay.err" &
    relay=$!
    while ! grep -q ", network $2," "$1/relay.out" && [ $((tries += 1)) -lt 200 ]; do sleep 0.05; done
    at=$(sed -n "s/^edict-relay: \([0-9.:]*\) to .*, network $2, seed 7\$/\1/p" "$1/relay.out")
    at=${at:-127.0.0.1:9}
}

case_relay() { # two bots play through a bad network; the relay counts what it did, and ends by a signal
    local dir=$1 relay at
    printf '%s\n' 'assert(bot:join("far"))' 'bot:expect(bot:goto_point(-128, 64 * bot.index, 24, 600), "gets there")' \
        'bot:expect(bot:stats().rtt_ms >= 50, "rtt " .. bot:stats().rtt_ms)' 'bot:leave()' >"$dir/far.lua"
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    start_relay "$dir" mobile,delay=40
    "$build/edict-bot" -c "$at" -n 2 -m "$build/maps" -t 90 "$dir/far.lua" >"$dir/bot.out" 2>&1
    expect_status "$dir" "bots through the relay" 0 $?
    kill -TERM "$relay"
    wait "$relay"
    expect_status "$dir" "edict-relay after SIGTERM" 0 $?
    grep -qE '^clients: [2-9], of which 0 ' "$dir/relay.out" || fail "$dir" "the relay counted no clients"
    grep -qE '^down: [0-9]{2,} datagrams, .* [1-9][0-9]* delivered' "$dir/relay.out" || fail "$dir" "nothing was delivered"
    "$build/edict-relay" -l "$at" -t "$at" >"$dir/relay.out" 2>"$dir/relay.err"
    expect_status "$dir" "edict-relay to itself" 1 $?
    expect_text "$dir" relay.err "the relay itself listens at port ${at#*:}; expected the address of a server"
    "$build/edict-relay" -l 0 -t 127.0.0.1 --network 3g >"$dir/relay.out" 2>"$dir/relay.err"
    expect_status "$dir" "edict-relay with an unknown network" 2 $?
    expect_text "$dir" relay.err "expected KEY=VALUE or one of dsl, wifi, mobile, satellite, train"
    "$build/edict-bot" -c "127.0.0.1:$port" --network delay=40 -t 60 "$dir/far.lua" >"$dir/bot.out" 2>&1
    expect_status "$dir" "a bot with --network" 0 $?
    stop_server "$dir"
}

case_no_server() { # no answer is reported differently from a failed script
    printf '%s\n' 'local ok, why = bot:join("lost")' 'bot:note(tostring(ok) .. " " .. why)' >"$1/lost.lua"
    "$build/edict-bot" -c 127.0.0.1:9 -n 2 -t 20 "$1/lost.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" edict-bot 2 $?
    expect_text "$1" bot.out "lost.lua: could not join: "
    expect_text "$1" bot.out "# bot 2: false "
    "$build/edict-bot" -c 127.0.0.1:9 -t 2 "$1/lost.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot, with less time than a join has" 2 $?
    expect_text "$1" bot.out "lost.lua:1: no answer from the server; still running at the limit of 2 s (-t)"
    printf '%s\n' 'bot:expect(not bot:join("lost"), "nobody is there")' >"$1/lost.lua"
    "$build/edict-bot" -c 127.0.0.1:9 -t 20 "$1/lost.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot, when the script expects it" 0 $?
    printf 'bot:wait(5)\n' >"$1/idle.lua"
    "$build/edict-bot" -c LocalHost:9 -t 20 "$1/idle.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot, when the script never joins" 1 $?
    expect_text "$1" bot.out "not ok 1 - idle.lua bot 1: idle.lua: never joined; call bot:join()"
}

case_leak() { # a leaking map: files and exit status of edict-mapc
    sed 's/^"origin" "[^"]*"/"origin" "9000 0 0"/' maps/walk1.map >"$1/leak.map"
    "$build/edict-mapc" "$1/leak.map" >"$1/mapc.out" 2>&1
    expect_status "$1" "edict-mapc with a leak" 0 $?
    expect_text "$1" mapc.out "warning: leak: entity "
    [ -s "$1/leak.bsp" ] && [ -s "$1/leak.pts" ] || fail "$1" "expected leak.bsp and leak.pts"
    rm -f "$1/leak.bsp"
    "$build/edict-mapc" --leaktest "$1/leak.map" >"$1/mapc.out" 2>&1
    expect_status "$1" "edict-mapc --leaktest with a leak" 1 $?
    expect_text "$1" mapc.out "error: leak: entity "
    [ ! -e "$1/leak.bsp" ] || fail "$1" "expected no leak.bsp with --leaktest"
    "$build/edict-mapc" -wadpath "$1" "$1/leak.map" >"$1/mapc.out" 2>&1
    expect_status "$1" "edict-mapc -wadpath" 0 $?
    "$build/edict-mapc" --wadpath "$1/no" "$1/leak.map" >"$1/mapc.out" 2>&1
    expect_status "$1" "edict-mapc --wadpath without a folder" 2 $?
}

case_ci() { # scripted bots in CI: TAP read by prove, JUnit, a full server
    local dir=$1
    start_server "$dir" +set sv_maxclients 4 +set sv_cheats 1 +map "$build/maps/lift.bsp" || return
    "$build/edict-bot" -c "127.0.0.1:$port" -n 4 -t 60 -j "$dir/junit.xml" examples/lift.lua >"$dir/bot.out" 2>"$dir/bot.err"
    expect_status "$dir" "edict-bot examples/lift.lua" 0 $?
    expect_text "$dir" junit.xml '<testsuite name="lift.lua" tests="4" failures="0" errors="0"'
    if command -v prove >/dev/null; then
        prove -e "$build/edict-bot -c LocalHost:$port -n 4 -t 60" examples/lift.lua >"$dir/prove.out" 2>&1
        expect_status "$dir" "prove" 0 $?
        expect_text "$dir" prove.out "Result: PASS"
        printf '%s\n' 'assert(bot:join("Jürgen"))' 'bot:expect_eq(bot:self().velocity, {x = 1, y = 0, z = 0}, "<v> # skip\u{FFFE}\u{FFFF}")' >"$dir/bad.lua"
        prove -v -e "$build/edict-bot -c 127.0.0.1:$port -j $dir/bad.xml" "$dir/bad.lua" >"$dir/prove.out" 2>&1
        expect_status "$dir" "prove with a failed expect" 1 $?
        expect_text "$dir" prove.out "Tests: 1 Failed: 1"
        expect_text "$dir" bad.xml "bad.lua:2: &lt;v&gt; # skip��: expected (1 0 0), found (0 0 0) (map lift, tick "
        BIN=$build OUT=$dir/ci sh examples/ci.sh "$build/maps/lift.bsp" 4 examples/lift.lua >"$dir/ci.out" 2>&1
        expect_status "$dir" examples/ci.sh 0 $?
        expect_text "$dir" ci/lift.xml 'errors="0"'
    fi
    "$build/edict-bot" -c "127.0.0.1:$port" -n 6 -t 20 examples/patrol.lua >"$dir/bot.out" 2>"$dir/bot.err"
    expect_status "$dir" "edict-bot on a full server" 2 $?
    expect_text "$dir" bot.out "# 2 of 6 bots found the server full: raise its sv_maxclients, or wait until players leave"
    expect_text "$dir" bot.out "# 4 passed, 2 failed"
    stop_server "$dir"
}

case_local_address() { # bots at another address than 127.0.0.1, which sv_maxperaddress exempts
    local dir=$1
    start_server "$dir" +set sv_maxperaddress 2 +map "$build/maps/walk1.bsp" || return
    printf '%s\n' 'assert(bot:join("far" .. bot.index))' 'bot:note("in")' 'print("in")' 'bot:wait(150)' >"$dir/far.lua"
    "$build/edict-bot" -c "127.0.0.1:$port" -b 127.0.0.2 -n 3 -t 60 "$dir/far.lua" >"$dir/bot.out" 2>&1
    expect_status "$dir" "three bots at one address" 2 $?
    expect_text "$dir" bot.out "# 2 passed, 1 failed"
    "$build/edict-bot" -q -c "127.0.0.1:$port" -n 3 -t 60 "$dir/far.lua" >"$dir/quiet.out" 2>&1
    [ "$(cat "$dir/quiet.out")" = "# 3 passed, 0 failed" ] || fail "$dir" "edict-bot -q printed more than the summary"
    "$build/edict-bot" -c "127.0.0.1:$port" -b ::1 "$dir/far.lua" >"$dir/wrong.out" 2>&1
    expect_status "$dir" "edict-bot -b ::1" 2 $?
    expect_text "$dir" wrong.out "IPv6 is not supported"
    stop_server "$dir"
}

case_bad_script() {
    "$build/edict-bot" -c 127.0.0.1:9 "$1/none.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot without a script" 2 $?
    expect_text "$1" bot.err "none.lua"
    printf 'local a = 1\nlocal b = = 2\n' >"$1/syntax.lua"
    "$build/edict-bot" -c 127.0.0.1:9 "$1/syntax.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot with a script that does not compile" 1 $?
    expect_text "$1" bot.out "Bail out! syntax.lua:2: unexpected symbol"
    "$build/edict-bot" -c 127.0.0.1:9 -n many "$1/syntax.lua" >"$1/bot.out" 2>"$1/bot.err"
    expect_status "$1" "edict-bot -n many" 2 $?
    expect_text "$1" bot.err "expected a number in 1..512, found \"many\""
}

case_interrupt() { # Ctrl-C: goodbye, and failed
    local dir=$1 bot
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    printf '%s\n' 'assert(bot:join("sitter"))' 'print("sits") bot:wait(100000)' >"$dir/sit.lua"
    "$build/edict-bot" -c "127.0.0.1:$port" -t 60 "$dir/sit.lua" >"$dir/bot.out" 2>&1 &
    bot=$!
    wait_for_text "$dir" bot.out 1 sits
    kill -TERM "$bot"
    wait "$bot"
    expect_status "$dir" edict-bot 1 $?
    expect_text "$dir" bot.out "sit.lua:2: interrupted"
    stop_server "$dir"
}

case_maplist() { # a match to three frags, then the next map of the list, with everybody
    local dir=$1
    start_server "$dir" +set sv_mappath "$build/maps" +set sv_maplist "spawns foundry" \
        +set fraglimit 3 +map spawns || return
    "$build/edict-bot" -c "127.0.0.1:$port" -n 4 -t 180 -S "$seed" -m "$build/maps" tests/e2e/match.lua \
        >"$dir/bot.out" 2>"$dir/bot.err"
    expect_status "$dir" edict-bot 0 $?
    expect_text "$dir" bot.out "# bot 1: next map foundry"
    expect_text "$dir" bot.out "# bot 4: next map foundry"
    expect_text "$dir" bot.out "# 4 passed, 0 failed"
    [ -s "$dir/bot.err" ] && fail "$dir" "edict-bot wrote to standard error"
    stop_server "$dir"
}

case_demo() { # what make demo runs, for 6 s
    tools/bot/demo.sh "$build" "$build/maps/walk1.bsp" 6 >"$1/demo.out" 2>"$1/demo.err"
    expect_status "$1" demo.sh 0 $?
    expect_text "$1" demo.out "# 16 passed, 0 failed"
    expect_text "$1" demo.err "16 of 16 bots joined, 16 play"
    tail -n 1 "$1/demo.err" | grep -q "16 of 16 bots joined" || fail "$1" "the last status line forgets the bots"
    [ -z "$(sed -n 's/^ *\([0-9]* s\)  .* bots joined.*/\1/p' "$1/demo.err" | sort | uniq -d)" ] ||
        fail "$1" "a second has two status lines"
}

case_status() { # of edict-bot on a terminal: a line that stays, unless results stand on the same terminal
    local dir=$1 bot
    start_server "$dir" +map "$build/maps/walk1.bsp" || return
    printf '%s\n' 'assert(bot:join("sitter"))' 'bot:wait(220)' >"$dir/sit.lua"
    bot="$build/edict-bot -c 127.0.0.1:$port -t 60 --status $dir/sit.lua"
    script -qec "$bot" /dev/null </dev/null | tr -d '\r' >"$dir/both.out"
    grep -q '^ *[0-9]* s  1 of 1 bots joined, 1 play' "$dir/both.out" || fail "$dir" "no status line while it plays"
    grep -q 'events.' "$dir/both.out" && fail "$dir" "a result follows the status on its line"
    script -qec "$bot >$dir/bot.out" /dev/null </dev/null >"$dir/status.out"
    expect_text "$dir" bot.out "# 1 passed, 0 failed"
    [ "$(grep -c 'bots joined' "$dir/status.out")" -eq 1 ] || fail "$dir" "the status line does not stay on one line"
    [ "$(grep -o '[0-9] s  1 of 1 bots joined, 1 play' "$dir/status.out" | wc -l)" -ge 2 ] ||
        fail "$dir" "the status line is never written again"
    stop_server "$dir"
}

case_operator() { # edict-bot starts a server; its scripts give the operator's commands
    local dir=$1 bot child tries=0
    cat >"$dir/operator.lua" <<'LUA'
assert(bot:join("bot" .. bot.index))
bot:meet("all", 2, 2000)
if bot.index == 1 then
    bot:console("set sv_gravity 100; say hello")
    local gravity
    for _ = 1, 100 do -- a cvar of the simulation changes in the next tick
        gravity = bot:console("sv_gravity")[1]
        if gravity:find('^sv_gravity = "100" %(') then break end
        bot:wait(10)
    end
    bot:expect(gravity:find('^sv_gravity = "100" %('), gravity)
    local lines, lost = bot:console("koth_reset")
    bot:expect(#lines == 1 and lines[1]:find("all points are 0", 1, true), "the game's reply: " .. tostring(lines[1]))
    bot:expect_eq(lost, 0)
    bot:console("map stairs")
    bot:expect(bot:console("status")[1]:find("map stairs ", 1, true), "the new map")
end
local good, why = pcall(function() bot:console("no_such") end)
bot:expect(not good and why:find('^operator.lua:%d+: bot:console: "no_such": unknown command'), why)
good, why = pcall(bot.console, bot, "status", 0)
bot:expect(not good and why:find("no answer in time", 1, true), tostring(why))
bot:expect(not pcall(bot.console, bot, "status\nquit"), "takes one line")
bot:meet("changed", 2, 2000)
local said = false
for _, e in ipairs(bot:events()) do said = said or e.type == "chat" and e.text == "hello" end
bot:expect(said, "the operator spoke")
bot:leave()
LUA
    "$build/edict-bot" -n 2 -t 60 "$dir/operator.lua" -- -g koth +set sv_mappath "$build/maps" +map walk1 \
        >"$dir/bot.out" 2>"$dir/bot.err"
    expect_status "$dir" "edict-bot with a server" 0 $?
    expect_text "$dir" bot.err "shutting down"
    "$build/edict-bot" -t 30 "$dir/operator.lua" -- +map no_such_map >"$dir/none.out" 2>"$dir/none.err"
    expect_status "$dir" "edict-bot with a server that does not start" 2 $?
    expect_text "$dir" none.err "edictd: ended before it accepted clients: the server ended with exit status 1"
    printf '%s\n' 'bot:console("quit")' 'bot:console("status")' >"$dir/quit.lua"
    "$build/edict-bot" -t 30 "$dir/quit.lua" -- +map "$build/maps/walk1.bsp" >"$dir/quit.out" 2>"$dir/quit.err"
    expect_status "$dir" "edict-bot after quit" 1 $?
    grep -q 'quit.lua:[12]: bot:console: ".*": the server has ended' "$dir/quit.out" || fail "$dir" "no error after quit"
    start_server "$dir" +set net_control "$dir/sock" +map "$build/maps/walk1.bsp" || return
    echo 'assert(bot:join("a")) bot:expect(bot:console("status")[1]:find("map walk1 ", 1, true), "the map")' >"$dir/status.lua"
    "$build/edict-bot" -c "127.0.0.1:$port" --control "$dir/sock" -t 30 "$dir/status.lua" >"$dir/control.out" 2>&1
    expect_status "$dir" "edict-bot --control SOCKET" 0 $?
    "$build/edict-bot" -c "127.0.0.1:$port" --control "$port" -t 30 "$dir/status.lua" >"$dir/control.out" 2>&1
    expect_status "$dir" "edict-bot --control PORT, whose socket is elsewhere" 2 $?
    expect_text "$dir" control.out "no server found in"
    stop_server "$dir"
    printf '%s\n' 'assert(bot:join("a"))' 'print("joined")' 'bot:wait(100000)' >"$dir/stay.lua"
    stdbuf -oL "$build/edict-bot" -t 60 "$dir/stay.lua" -- +map "$build/maps/walk1.bsp" >"$dir/stay.out" 2>&1 &
    bot=$!
    while ! grep -qs joined "$dir/stay.out" && [ $((tries += 1)) -le 600 ]; do
        sleep 0.05
    done
    child=$(pgrep -P "$bot") || fail "$dir" "edict-bot has no server"
    kill -KILL "$bot"
    wait "$bot" 2>/dev/null
    while kill -0 "$child" 2>/dev/null && [ $((tries += 1)) -le 1200 ]; do
        sleep 0.05
    done
    kill -KILL "$child" 2>/dev/null && fail "$dir" "the server outlived a killed edict-bot"
}
