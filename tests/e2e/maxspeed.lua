-- map: walk1  bots: 1  seconds: 60  server: +set sv_maxspeed 500
-- map: walk1  bots: 1  seconds: 60  server: +set sv_maxspeed 200
-- forward = 1 is full speed, whatever the server's full speed is; half of it is half.

assert(bot:join("runner"))
bot:goto_point(-128, 0, 24, 400)
bot:goto_point(-200, 0, 24, 600)
bot:wait(60)

-- The highest speed within 25 ticks, as it came to be: a moment without commands only lowers it.
local function speed(forward)
    local reached = 0
    bot:move { forward = forward, yaw = 0 }
    for _ = 1, 25 do
        bot:wait(1)
        local now = bot:self().velocity.x
        if math.abs(now) > math.abs(reached) then
            reached = now
        end
    end
    bot:move {}
    bot:wait(60)
    return reached
end

local half = speed(0.5)
local full = speed(-1)
bot:note(("half %.1f, full %.1f"):format(half, full))
bot:expect(math.abs(full + 500) < 2 or math.abs(full + 200) < 2, "full speed, found " .. full)
bot:expect(math.abs(half + full / 2) < 2, ("half of it, found %.1f of %.1f"):format(half, full))
bot:leave()
