-- map: walk1  bots: 3  seconds: 60  server: +set sv_maxclients 2
-- A full server refuses a client, and accepts the next one after a client has left.

local ok, why = bot:join("guest" .. bot.index)
if ok then
    bot:wait(100)
    -- Makes room as soon as it has been seen that there is none.
    bot:leave()
    bot:expect(true, "was in")
    return
end
bot:expect(why:find("full"), "the reason says that it is full: " .. why)
for _ = 1, 30 do
    bot:wait(20)
    ok, why = bot:join("guest" .. bot.index)
    if ok then
        break
    end
end
bot:expect(ok, "gets in later: " .. tostring(why))
bot:leave()
