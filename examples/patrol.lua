-- patrol.lua: walks about on any map, turns at walls, and counts the players it sees.
-- Run it with: edict-bot -c 127.0.0.1:27500 -n 8 examples/patrol.lua
assert(bot:join("patrol " .. bot.index))

local function level_distance(a, b)
    return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local yaw = bot:random(0, 359)
local walked, most_seen, legs = 0, 0, 0
while legs < 20 and bot:time_left() > 2 do -- ends in time, whatever option -t says
    local before = bot:self().origin
    bot:move { forward = 1, yaw = yaw, jump = bot:self().dead }
    bot:wait(40) -- server ticks
    local moved = level_distance(before, bot:self().origin)
    walked = walked + moved
    legs = legs + 1
    most_seen = math.max(most_seen, #bot:others())
    if moved < 100 then
        yaw = yaw + bot:random(90, 270)
    end
end
bot:note(("walked %.0f units, saw at most %d others"):format(walked, most_seen))
bot:expect(walked > 25 * legs, ("walks %d legs, walked %.0f units"):format(legs, walked))
bot:leave()
