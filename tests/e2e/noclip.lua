-- map: walk1  bots: 1  seconds: 60  server: +set sv_cheats 1
-- map: walk1  bots: 1  seconds: 60  server: +set sv_cheats 1 +set sv_snapshot_ticks 3
-- Article 001: out of the map with noclip; switching it off puts the player back. Then fly.

assert(bot:join("mapper"))
bot:wait(60)

local function apart(a, b)
    return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 + (a.z - b.z) ^ 2)
end

local function cheat(name, wanted)
    bot:command(name)
    for _ = 1, 60 do
        bot:wait(1)
        if bot:self().movetype == wanted then
            return
        end
    end
    bot:expect(false, name .. ": expected " .. wanted .. ", found " .. bot:self().movetype)
end

local start = bot:self().origin
cheat("noclip", "noclip")
bot:move { forward = 1, yaw = 90 }
bot:wait(250)
bot:move {}
bot:wait(60)
local out = bot:self()
bot:expect(apart(out.origin, start) > 800, "flies through the wall, to " .. tostring(out.origin))
cheat("noclip", "walk")
bot:wait(20)
local back = bot:self()
bot:expect(apart(back.origin, start) < 1, "is back at the start, at " .. tostring(back.origin))
bot:expect(back.teleport ~= out.teleport, "receives the sign not to interpolate")

cheat("fly", "fly")
bot:move { up = 1 }
bot:wait(60)
bot:move {}
bot:wait(60)
local high = bot:self()
bot:expect(high.origin.z > start.z + 40 and not high.onground, "hovers at " .. high.origin.z)
cheat("fly", "walk")
bot:wait(120)
bot:expect(bot:self().onground, "and falls")

cheat("god", "walk")
cheat("setpos 0 0 -500", "walk")
bot:expect(apart(bot:self().origin, start) < 64, "setpos into the ground is refused")
