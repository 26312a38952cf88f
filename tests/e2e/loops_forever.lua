-- map: walk1  bots: 2  seconds: 60  status: 1
-- says: loops_forever.lua:11: ran 10.0 million instructions without a wait
-- says: loops_forever.lua bot 2: 1 of 1 expects passed
-- says: # 1 passed, 1 failed
-- A script that loops forever is stopped; the other scripts and the server continue.

assert(bot:join("loop" .. bot.index))
if bot.index == 1 then
    bot:wait(30)
    local n = 0
    local busy = pcall(function() while true do n = n + 1 end end)
    bot:note("never said " .. tostring(busy))
end
bot:wait(120)
bot:expect(bot:joined(), "is still there")
bot:leave()
