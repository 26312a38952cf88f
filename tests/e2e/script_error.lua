-- map: walk1  bots: 2  seconds: 30  status: 1
-- says: not ok
-- says: script_error.lua bot 1: script_error.lua:14: attempt to index a nil value
-- says: ok 1 - script_error.lua bot 2: 1 of 1 expects passed
-- says: # 1 passed, 1 failed
-- A script that fails names its file and line, and fails alone.

assert(bot:join("clumsy" .. bot.index))
if bot.index == 2 then
    bot:expect(true, "this one is fine")
else
    bot:wait(60)
    local nothing = bot:self().no_such_field
    bot:note("never said " .. nothing.x)
end
bot:leave()
