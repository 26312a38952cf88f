-- map: walk1  bots: 1  seconds: 2  status: 1
-- says: too_long.lua bot 1: too_long.lua:8: still running at the limit of 2 s (-t)
-- A script that does not end in time has failed, and the report names its current line.

assert(bot:join("slow"))
while true do
    local before = bot:tick()
    bot:wait(10)
    assert(bot:tick() > before)
end
