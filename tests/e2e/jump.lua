-- map: walk1  bots: 1  seconds: 60
-- map: walk1  bots: 1  seconds: 60  server: +set pm_step_ms 0
-- Jumps as high as the numbers say, once per press; onto the box of 40, not onto the box of 56.

assert(bot:join("jumper"))

-- Watches a bot for so many ticks. Returns its greatest height above the start, the number of its
-- landings, and the maximum number of ticks between two looks.
local function highest(ticks)
    local start, most, landed = bot:self().origin.z, 0, 0
    local was_up, last_tick, gap = false, bot:tick(), 0
    for _ = 1, ticks do
        bot:wait(1)
        local self = bot:self()
        gap, last_tick = math.max(gap, bot:tick() - last_tick), bot:tick()
        most = math.max(most, self.origin.z - start)
        if was_up and self.onground then
            landed = landed + 1
        end
        was_up = not self.onground
    end
    return most, landed, gap
end

-- Presses jump and watches. Once more if a busy machine kept the bot from looking for some ticks.
local function jump(ticks)
    local most, landed, gap
    for _ = 1, 5 do
        bot:move { jump = true }
        most, landed, gap = highest(ticks)
        if gap <= 4 then
            break
        end
        bot:move { jump = false }
        bot:wait(40)
    end
    return most, landed
end

bot:expect(bot:goto_point(-128, 0, 24, 300), "gets to a free place")
bot:wait(60)
local high, landings = jump(100)
-- 270 qu/s against 800 qu/s2: 45.6 at the top; steps of 8 or 16 ms lose up to 2.2 of it.
bot:expect(high > 43.2 and high < 45.7, "jumps 45 high, found " .. high)
bot:expect(landings == 1, "jump held down jumps once, landed " .. landings .. " times")
bot:move { jump = false }
bot:wait(10)
high = jump(60)
bot:expect(high > 43, "a new press jumps again, found " .. high)
bot:move {}
bot:wait(40)

-- The boxes lie along x = -224: 40 high at y 128..192, 56 high at y 256..320. From the face of a
-- box straight up, pressing on; then onto its top, if it got that high.
local function try_box(y)
    bot:expect(bot:goto_point(-128, y, 24, 300), "gets before the box")
    bot:move { forward = 1, yaw = 180 }
    bot:wait(40)
    bot:expect(math.abs(bot:self().origin.x + 176) < 0.1, "stands against it, x = " .. bot:self().origin.x)
    bot:move { jump = true }
    bot:wait(20)
    for _ = 1, 40 do
        bot:wait(1)
        if bot:self().onground then
            break
        end
    end
    bot:move {}
    bot:wait(40)
    return bot:self()
end
bot:goto_point(-128, 100, 24, 200)
local low = try_box(160)
bot:expect(math.abs(low.origin.z - 64) < 0.2, "stands on the box of 40, z = " .. low.origin.z)
bot:goto_point(-128, 160, 24, 200)
local tall = try_box(288)
bot:expect(math.abs(tall.origin.z - 24) < 0.2, "not on the box of 56, z = " .. tall.origin.z)
bot:leave()
