-- Run by case_relay_shots: bot 1 shoots through edict-relay where it sees bot 2, which strafes and
-- operates the server. Shots hit with lag compensation; without it, they miss.

local SHOTS <const> = 3
local is_shooter = bot.index == 1

assert(bot:join(is_shooter and "shooter" or "target"))
local TICKS_PER_S <const> = 1000 // bot:tick_ms()

local function other(name)
    for _, player in ipairs(bot:others()) do
        if player.name == name and player.solid == "slidebox" then
            return player
        end
    end
end

-- Waits until `test` returns true.
local function wait_for(what, seconds, test)
    for _ = 1, seconds * TICKS_PER_S do
        if test() then
            return
        end
        bot:wait(1)
    end
    error("waited for nothing: " .. what)
end

-- Strafes past the shooter at full speed. Returns the health that a shot costs.
local function under_fire(unlag_ms)
    local shots = 0
    bot:console("sv_maxunlag_ms " .. unlag_ms)
    bot:place(-450, 420, 25)
    bot:move { side = 1, yaw = 90 }
    wait_for("full speed", 4, function() return bot:self().origin.x > -200 end)
    bot:say("fire")
    wait_for("the shots", 4, function()
        for _, event in ipairs(bot:events()) do
            shots = shots + (event.type == "sound" and event.name:find("shotgun") and 1 or 0)
        end
        return shots >= SHOTS
    end)
    local lost = 100 - bot:self().health
    bot:say("hold")
    bot:move {}
    bot:note(("sv_maxunlag_ms %d: %d shots cost %d health"):format(unlag_ms, shots, lost))
    return lost / shots
end

local function respawn()
    bot:command("kill")
    wait_for("its death", 2, function() return bot:self().dead end)
    bot:move {}
    bot:wait(1100 // bot:tick_ms())
    bot:move { jump = true }
    wait_for("its respawn", 4, function() return not bot:self().dead end)
    bot:move {}
end

if not is_shooter then
    wait_for("the shooter", 10, function()
        local shooter = other("shooter")
        return shooter and math.abs(shooter.origin.y - 300) < 2
    end)
    local missed = under_fire(0)
    respawn()
    local hit = under_fire(250)
    bot:expect(missed <= 12, "without lag compensation, a shot costs " .. missed .. " of 24")
    bot:expect(hit >= 18, "with it, a shot costs " .. hit .. " of 24")
    bot:say("stop")
    bot:move { side = -1 }
    bot:wait(60)
    bot:leave()
    return
end

bot:place(0, 300, 25)
bot:expect(bot:aim_at(100, 400, 46) and not bot:aim_at(99), "aims at a point, but not at what is not there")
bot:expect(not pcall(bot.aim_at, bot, 1e9, 0, 0), "no such point")
bot:wait(20) -- a round trip
local me = bot:self()
bot:expect_eq({ me.yaw, me.pitch, 0 }, { 45, 0, 0 }, "looks there from its eyes", 0.5)
local order, shown = "hold", nil
while order ~= "stop" do
    local target = other("target")
    for _, event in ipairs(bot:events()) do
        order = event.type == "chat" and event.text or order
    end
    shown = target and bot:shown(target.number) or shown
    bot:move { attack = target ~= nil and bot:aim_at(target.number, 6) and order == "fire" }
    bot:wait(1)
end
bot:move { yaw = 10 } -- the view follows nobody now
bot:wait(20)
bot:expect_eq(bot:self().yaw, 10, "yaw", 0.1)
local rtt_ms = bot:stats().rtt_ms
bot:note("round trip " .. rtt_ms .. " ms")
bot:expect(rtt_ms >= 90, "the relay delays: round trip " .. rtt_ms .. " ms")
bot:expect(shown and shown.origin.y > 400 and shown.mins.z == -24, "the target is shown")
bot:expect(bot:shown(0) == nil and bot:shown(bot:self().slot) == nil, "neither the map nor itself is shown")
bot:leave()
