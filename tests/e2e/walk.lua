-- map: walk1  bots: 1  seconds: 60
-- map: walk1  bots: 1  seconds: 60  server: +set sv_tickrate 125
-- map: walk1  bots: 1  seconds: 60  server: +set sv_tickrate 20 +set pm_step_ms 10
-- map: walk1  bots: 1  seconds: 60  server: +set sv_snapshot_ticks 3
-- Walks at full speed and half speed, sideways and backwards, turns, stops, is stopped by a wall.

assert(bot:join("walker"))

local function seconds(s)
    bot:wait(math.max(1, math.floor(s * 1000 / bot:tick_ms())))
end

local function near(found, wanted, slack)
    return math.abs(found - wanted) <= slack
end

local function ticks(s)
    return s * 1000 // bot:tick_ms()
end

bot:expect(bot:goto_point(-128, 0, 24, ticks(4)), "gets to the middle")
bot:expect(bot:goto_point(-400, 0, 24, ticks(4)), "gets to the west wall")
seconds(0.5)

-- Full speed to the east: 500 units free until the block.
bot:move { forward = 1, yaw = 0 }
seconds(0.8)
local a = bot:self()
bot:expect(near(a.velocity.x, 320, 1), "runs 320 along +x, found " .. a.velocity.x)
bot:expect(near(a.velocity.y, 0, 1) and a.onground, "straight and on the ground")
bot:expect(near(a.yaw, 0, 0.1), "looks along +x, yaw " .. a.yaw)
local from = bot:self()
seconds(0.4)
local to = bot:self()
local measured = (to.origin.x - from.origin.x) / ((to.tick - from.tick) * bot:tick_ms() / 1000)
bot:expect(near(measured, 320, 3), "and covers 320 a second, found " .. measured)

-- Let go: friction stops it within 90 units.
bot:move {}
local let_go = bot:self().origin.x
for _ = 1, ticks(0.5) do -- until the server has the command
    bot:wait(1)
    local now = bot:self()
    if now.speed < 319 then
        break
    end
    let_go = now.origin.x
end
seconds(1.2)
local rest = bot:self()
bot:expect(rest.speed == 0, "stands after 1.2 s, speed " .. rest.speed)
bot:expect(near(rest.origin.x - let_go, 70, 30), "slid 70 or so, found " .. rest.origin.x - let_go)
seconds(0.3)
bot:expect(bot:self().origin.x == rest.origin.x, "and stays there")

-- Into the block at x 128: stopped 16 in front of it, and it slides along when held askew.
bot:move { forward = 1 }
seconds(1)
local wall = bot:self()
bot:expect(near(wall.origin.x, 112, 0.1), "stands at the block, x = " .. wall.origin.x)
bot:move { yaw = 60 }
seconds(0.4)
bot:expect(bot:self().origin.y > wall.origin.y + 40, "slides along it")
bot:move {}
seconds(0.8)

-- Turned by 90 degrees: forward is +y, right is +x, backwards is -y. Half speed is half.
bot:expect(bot:goto_point(0, 0, 24, ticks(3)), "gets back to the middle")
seconds(0.8)
bot:move { forward = 1, yaw = 90 }
seconds(0.5)
bot:expect(near(bot:self().velocity.y, 320, 2), "yaw 90 is +y, found " .. bot:self().velocity.y)
bot:move { forward = -1 }
seconds(0.8)
bot:expect(near(bot:self().velocity.y, -320, 2), "backwards, found " .. bot:self().velocity.y)
bot:move { forward = 0, side = -1 }
seconds(0.6)
bot:expect(near(bot:self().velocity.x, -320, 2), "to the left, found " .. bot:self().velocity.x)
bot:move { forward = 0.5, side = 0 }
seconds(0.8)
bot:expect(near(bot:self().velocity.y, 160, 2), "half speed, found " .. bot:self().velocity.y)
bot:leave()
