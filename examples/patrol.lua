-- A script of edict-bot: walks about on any map, turns where it does not get on, and says what it
-- saw. Run it with: build/edict-bot -c 127.0.0.1:27500 -n 32 -t 60 examples/patrol.lua
assert(bot:join("patrol " .. bot.index))

local function level_distance(a, b)
    return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local yaw = bot:random(0, 359)
local walked, most_seen = 0, 0
for _ = 1, 20 do
    local before = bot:self().origin
    bot:move { forward = 1, yaw = yaw, jump = bot:self().dead }
    bot:wait(40) -- server ticks
    local moved = level_distance(before, bot:self().origin)
    walked = walked + moved
    most_seen = math.max(most_seen, #bot:others())
    if moved < 100 then
        yaw = yaw + bot:random(90, 270)
    end
end
bot:note(("walked %.0f units, saw %d others"):format(walked, most_seen))
bot:expect(walked > 500, "gets about, walked " .. walked)
bot:leave()
