-- map: spawns  bots: 33  seconds: 30  server: +set sv_maxclients 33 +set sv_cull_los 0
-- 32 clients leave in the same tick; the remaining client sees all of them leave, and one join again.

assert(bot:join("crowd" .. bot.index))

local patience = 600
while #bot:others() < bot.count - 1 and patience > 0 do
    bot:wait(1)
    patience = patience - 1
end
bot:expect(#bot:others() == bot.count - 1, "all are there, found " .. #bot:others() + 1)

-- The first says when; the tick is far enough ahead for everybody to hear it in time.
local function when()
    for _ = 1, 400 do
        for _, event in ipairs(bot:events()) do
            local tick = event.type == "chat" and event.text:match("^leave at (%d+)$")
            if tick then
                return tonumber(tick)
            end
        end
        bot:wait(1)
    end
end

if bot.index == 1 then
    bot:wait(60) -- everybody has seen everybody
    bot:say("leave at " .. bot:tick() + 60)
end
local tick = when()
bot:expect(tick, "heard when to leave")
bot:wait(math.max(0, tick - bot:tick()))
bot:expect(bot:tick() - tick <= 2, "leaves in time, late by " .. bot:tick() - tick)

if bot.index > 1 then
    bot:leave()
    if bot.index == 2 then
        bot:wait(120)
        bot:expect(bot:join("again"), "comes back to the same server")
        bot:wait(60)
        bot:leave()
    end
    return
end

local left, gone_at = 0, nil
for _ = 1, 60 do
    bot:wait(1)
    for _, event in ipairs(bot:events()) do
        left = left + (event.type == "left" and 1 or 0)
    end
    if #bot:others() == 0 and left == bot.count - 1 then
        gone_at = bot:tick()
        break
    end
end
bot:expect(left == bot.count - 1, "heard 32 leave, found " .. left)
bot:expect(gone_at and gone_at - tick < 30, "and sees them gone within half a second")
for _ = 1, 300 do
    bot:wait(1)
    if #bot:others() == 1 then
        break
    end
end
bot:expect(#bot:others() == 1 and bot:others()[1].name == "again", "sees one come back")
bot:leave()
