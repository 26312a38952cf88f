-- map: spawns  bots: 2  seconds: 120
-- A bot leaves and joins again three times; the other bot sees it and receives the messages.

local ROUNDS = 3
assert(bot:join("q" .. bot.index))

local function until_count(n, ticks)
    while #bot:others() ~= n and ticks > 0 do
        bot:wait(1)
        ticks = ticks - 1
    end
    return #bot:others() == n
end

if bot.index == 1 then
    local joined, left = 0, 0
    local function listen()
        for _, event in ipairs(bot:events()) do
            if event.name == "q2" then
                joined = joined + (event.type == "joined" and 1 or 0)
                left = left + (event.type == "left" and 1 or 0)
            end
        end
    end
    for round = 1, ROUNDS do
        bot:expect(until_count(1, 1500), "round " .. round .. ": q2 is there")
        listen()
        bot:expect(until_count(0, 1500), "round " .. round .. ": q2 is gone")
        listen()
    end
    bot:expect(until_count(1, 1500), "q2 is there in the end")
    listen()
    -- q2 may have been there before q1: then it was not heard joining the first time.
    bot:expect(left == ROUNDS, "heard it leave three times, found " .. left)
    bot:expect(joined >= ROUNDS and joined <= ROUNDS + 1, "and join, found " .. joined)
    bot:say("bye")
    bot:expect(until_count(0, 1500), "q2 has seen it, heard it, and left")
else
    for round = 1, ROUNDS do
        bot:expect(until_count(1, 1500), "round " .. round .. ": q1 is there")
        bot:wait(40)
        bot:leave()
        bot:expect(not pcall(bot.self, bot), "nothing to see after leaving")
        bot:wait(40)
        local ok, why = bot:join("q2")
        bot:expect(ok, "round " .. round .. ": comes back: " .. tostring(why))
        bot:wait(10)
        bot:expect(bot:self().health == 100 and bot:self().name == "q2", "and is well")
    end
    bot:expect(until_count(1, 1500), "q1 is still there")
    for _ = 1, 1500 do
        for _, event in ipairs(bot:events()) do
            if event.type == "chat" and event.text == "bye" then
                bot:leave()
                return
            end
        end
        bot:wait(1)
    end
    bot:expect(false, "q1 says bye")
end
bot:leave()
