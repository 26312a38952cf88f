-- map: walk1  bots: 2  seconds: 60  status: 1
-- says: memory.lua:10: not enough memory: a script may use 8192 KiB
-- says: bot 2: 1 of 1 expects passed
-- A script that allocates without end is stopped; other scripts continue.

assert(bot:join("hungry" .. bot.index))
local hoard = {}
while bot.index == 1 do
    bot:wait(0)
    hoard[#hoard + 1] = ("x"):rep(100000) .. #hoard
end
bot:wait(60)
bot:expect(bot:joined(), "is still there")
bot:leave()
