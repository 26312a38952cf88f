-- fight.lua: the load of server.sh. Bots shoot at the nearest player and wander about on any map.

local ok, why = bot:join("fighter" .. bot.index)
if not ok then
    error("could not join: " .. why)
end

local TICKS_PER_S = 1000 // bot:tick_ms()
local SIGHT = 1200 -- units; farther players are ignored
local left = math.max(1, bot.seconds - 2) * TICKS_PER_S
local seen = bot:tick()
local yaw = bot:random(0, 359)
local told, rides = 0, 0

local function wait(ticks)
    bot:wait(ticks)
    local now = bot:tick() -- begins again with each map
    left = left - math.max(ticks, now - seen)
    seen = now
end

local function is_mate(other)
    local team = bot:player().team
    return team > 0 and other.slot and other.fields.team == team
end

local function nearest(me)
    local best, best_distance
    for _, other in ipairs(bot:others()) do
        local dx, dy, dz = other.origin.x - me.origin.x, other.origin.y - me.origin.y, other.origin.z - me.origin.z
        local distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        local near = distance < SIGHT and (not best or distance < best_distance)
        if near and other.solid == "slidebox" and not is_mate(other) then
            best, best_distance = { dx = dx, dy = dy, dz = dz }, distance
        end
    end
    return best, best_distance
end

-- The first bot is the reporter.
local function listen()
    for _, event in ipairs(bot:events()) do
        if event.type == "print" and bot.index == 1 then
            told = told + 1
            bot:note(event.text)
        end
    end
end

local function report()
    local line = {}
    for slot = 1, bot.count do
        local player = bot:player(slot)
        if player then
            line[#line + 1] = ("%d: %d"):format(slot, player.score)
        end
    end
    bot:note("frags by slot  " .. table.concat(line, "  "))
end

local function fight(enemy, distance)
    bot:move {
        forward = distance > 150 and 1 or -0.5,
        side = bot:random() < 0.5 and 1 or -1,
        yaw = math.deg(math.atan(enemy.dy, enemy.dx)),
        pitch = -math.deg(math.atan(enemy.dz, math.max(1, distance))),
        attack = true,
        jump = bot:random() < 0.1,
    }
    wait(TICKS_PER_S // 8)
    bot:move { jump = false }
end

local function wander(me)
    local swims = me.waterlevel >= 2
    bot:move {
        forward = 1,
        side = 0,
        yaw = yaw,
        pitch = swims and -30 or 0, -- look up, to swim up
        attack = me.dead, -- a button brings the dead back
        jump = swims or me.dead or bot:random() < 0.25,
    }
    wait(TICKS_PER_S // 4)
    bot:move { jump = false, attack = false } -- a jump needs a new press of the key
end

while left > 0 do
    local before = bot:self()
    local enemy, distance = nearest(before)
    if enemy and not before.dead then
        fight(enemy, distance)
    else
        wander(before)
    end
    listen()
    local after = bot:self()
    local dx, dy = after.origin.x - before.origin.x, after.origin.y - before.origin.y
    if dx * dx + dy * dy < 16 * 16 then
        yaw = yaw + bot:random(90, 270) -- a wall: turn round
        bot:move { forward = 1, yaw = yaw, attack = false, jump = true }
        wait(TICKS_PER_S // 3)
    else
        yaw = yaw + bot:random(-20, 20)
    end
    if after.ground > 0 then
        rides = rides + 1
    end
end

if bot.index == 1 then
    report()
end
bot:note(("stood on something that moves %d times"):format(rides))
bot:leave()
