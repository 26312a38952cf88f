-- map: spawns  bots: 33  seconds: 90  server: +set sv_maxclients 33 +set sv_cull_los 0
-- 32 clients leave at the same moment; the remaining client sees all of them leave, and one join again.

assert(bot:join("crowd" .. bot.index))

local patience = 2000
while #bot:others() < bot.count - 1 and patience > 0 do
    bot:wait(1)
    patience = patience - 1
end
bot:expect(#bot:others() == bot.count - 1, "all are there, found " .. #bot:others() + 1)

bot:meet("everybody has seen everybody", bot.count, 3000) -- then all continue in one frame of the process
bot:events()
local tick = bot:tick()

if bot.index > 1 then
    bot:leave()
    if bot.index == 2 then
        bot:meet("the first has seen all go", 2, 3000)
        bot:wait(60)
        bot:expect(bot:join("again"), "comes back to the same server")
        bot:meet("the first has seen one come back", 2, 3000)
        bot:leave()
    end
    return
end

local left, gone_at = 0, nil
for _ = 1, 600 do
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
bot:expect(gone_at and gone_at - tick < 120, "and sees them gone within two seconds")
bot:meet("the first has seen all go", 2, 3000)
for _ = 1, 1500 do
    bot:wait(1)
    if #bot:others() == 1 then
        break
    end
end
bot:expect(#bot:others() == 1 and bot:others()[1].name == "again", "sees one come back")
bot:meet("the first has seen one come back", 2, 3000)
bot:leave()
