-- map: spawns  bots: 1  seconds: 90
-- goto_point: arrives across the map, says so when it cannot, and stops there.

assert(bot:join("goer"))

local function away(x, y)
    local o = bot:self().origin
    return math.sqrt((o.x - x) ^ 2 + (o.y - y) ^ 2)
end

bot:goto_point(0, 0, 24, 300)
local corners = { { 0, -480 }, { 480, 0 }, { 0, 480 }, { -480, 0 }, { 0, 0 }, { 480, 480 }, { 0, 0 } }
-- The path into the corner passes a pillar: first beside it.
for i, corner in ipairs(corners) do
    if corner[1] == 480 and corner[2] == 480 then
        bot:goto_point(0, 480, 24, 200)
    end
    local from = bot:tick()
    local far = away(corner[1], corner[2])
    local there = bot:goto_point(corner[1], corner[2], 24, 300)
    bot:expect(there == true or i == #corners, ("corner %d: arrives"):format(i))
    if there then
        bot:expect(away(corner[1], corner[2]) <= 16, "is there")
        local took_s = (bot:tick() - from) * bot:tick_ms() / 1000
        bot:expect(took_s < far / 320 + 1.2, ("in %.2f s for %.0f units"):format(took_s, far))
    end
end

-- The last path, from the corner straight through the pillar, is blocked.
bot:goto_point(480, 480, 24, 300)
bot:wait(40)
local from = bot:tick()
bot:expect(bot:goto_point(-480, -480, 24, 120) == false, "does not walk through a pillar")
local took = bot:tick() - from
bot:expect(took >= 120 and took < 180, "gives up after 120 ticks, found " .. took) -- a busy machine wakes it late
bot:wait(60)
bot:expect(bot:self().speed == 0, "and stands still afterwards, speed " .. bot:self().speed)
local here = bot:self().origin
bot:expect(bot:goto_point(here.x, here.y, 24, 0) == true, "it is where it is, without any time")
bot:expect(bot:goto_point(here.x + 40, here.y, 24, 0) == false, "and nowhere else")
bot:expect(bot:goto_point(here.x, here.y, 124, 30) == false, "nor 100 higher")
bot:leave()
