-- map: walk1  bots: 1  seconds: 30  status: 1
-- says: not ok 1 - expect_fails.lua bot 1: 2 of 4 expects failed
-- says: # expect_fails.lua:11: expected: the sky is green (map walk1, tick 
-- says: # expect_fails.lua:14: expected: expect gives back what it got (map walk1, tick 
-- A failed expect does not stop the script, says where and why, and makes the run fail.

assert(bot:join("doubter"))
bot:wait(5)
bot:expect(bot:joined(), "is in")
local function claim()
    local same = bot:expect(false, "the sky is green") -- not a tail call: that has no line
    return same
end
bot:expect(claim(), "expect gives back what it got")
bot:expect(bot:joined(), "goes on")
bot:leave()
