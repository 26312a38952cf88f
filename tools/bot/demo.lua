-- demo.lua: what `make demo` runs. The bots fight all players they see, ride the turning disc of the
-- map foundry, and end before the time limit (-t). On other maps they fight and wander about.
-- The first bot reports deaths and, at the end, a scoreboard.
assert(bot:join("fighter" .. bot.index))

local TICKS_PER_S = 1000 // bot:tick_ms()
local TURN_TICKS = math.max(1, TICKS_PER_S // 40) -- ticks between two decisions
local SIGHT = 900 -- units; bots ignore players farther away
local AIM_AHEAD_S = 0.05 -- bots aim this far ahead, because snapshots are that old
local ROCKETS, ROCKET_SPEED = 7, 1000 -- weapon number in the reference game; units a second
local REPORTER = 1
local RIDE_S = bot.seconds / 4 -- the fight ends so long before the limit; then the others ride
local on_foundry = bot:map() == "foundry"
local deaths_seen, rides, riding = 0, 0, false
local scores = {} -- by name; players who have left stay listed
local goal, goal_turns = { x = 0, y = 0 }, 0

local function level_distance(a, b)
    return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local function is_mate(slot)
    local me, other = bot:player(), slot and bot:player(slot)
    return me and other and me.team > 0 and other.team == me.team
end

-- Returns the nearest living enemy and its distance. Enemies on another floor count as farther away.
local function nearest_enemy(me)
    local best, best_distance = nil, SIGHT
    for _, other in ipairs(bot:others()) do
        local height = math.abs(other.origin.z - me.origin.z)
        local distance = level_distance(other.origin, me.origin) + 2 * height
        if distance < best_distance and other.solid == "slidebox" and not is_mate(other.slot) then
            best, best_distance = other, distance
        end
    end
    return best, best_distance
end

-- Returns the next goal on foundry: out of a side room into the hall, then a point on the disc.
local function foundry_goal(at)
    local outside_x, outside_y = math.abs(at.x) > 770, math.abs(at.y) > 770
    if outside_y and math.abs(at.x) > 40 then
        return { x = 0, y = at.y > 0 and 900 or -860 }
    elseif outside_x and math.abs(at.y) > 40 then
        return { x = at.x > 0 and 800 or -860, y = 0 }
    end
    if bot:player().fields.weapon ~= ROCKETS then
        return { x = 0, y = 0 } -- the rocket launcher's stand, in the middle of the disc
    end
    local angle = bot:random(0, 359)
    local radius = bot:random(100, 350)
    return { x = radius * math.cos(math.rad(angle)), y = radius * math.sin(math.rad(angle)) }
end

local function other_goal(at)
    return { x = at.x + bot:random(-600, 600), y = at.y + bot:random(-600, 600) }
end

local function note_scores()
    local function note(slot, name)
        local player = bot:player(slot)
        if player then
            scores[name] = { frags = player.score, deaths = player.fields.deaths }
        end
    end
    note(bot:self().slot, bot:self().name)
    for _, other in ipairs(bot:others()) do
        note(other.slot, other.name)
    end
end

local function listen()
    for _, event in ipairs(bot:events()) do
        if event.type == "print" and bot.index == REPORTER then
            if event.text:find(" by fighter") then
                deaths_seen = deaths_seen + 1
            end
            bot:note(event.text)
        end
    end
end

local function report()
    local names = {}
    for name in pairs(scores) do
        names[#names + 1] = name
    end
    table.sort(names, function(a, b)
        local one, two = scores[a].frags, scores[b].frags
        return one > two or (one == two and a < b)
    end)
    bot:note(("%d kills; scoreboard:"):format(deaths_seen))
    for _, name in ipairs(names) do
        bot:note(("%4d frags %4d deaths  %s"):format(scores[name].frags, scores[name].deaths, name))
    end
end

-- Returns the view towards an enemy: ahead of a moving enemy; rockets aim at the feet, where they explode.
local function aim(me, enemy, rockets)
    local ahead = AIM_AHEAD_S + (rockets and level_distance(enemy.origin, me.origin) / ROCKET_SPEED or 0)
    local dx = enemy.origin.x + enemy.velocity.x * ahead - me.origin.x
    local dy = enemy.origin.y + enemy.velocity.y * ahead - me.origin.y
    local dz = enemy.origin.z - me.origin.z - (rockets and 40 or 18)
    return math.deg(math.atan(dy, dx)), -math.deg(math.atan(dz, math.sqrt(dx * dx + dy * dy)))
end

-- Walks towards the goal and shoots at the nearest enemy at the same time.
local function act(me)
    local rockets = bot:player().fields.weapon == ROCKETS
    local enemy, distance = nearest_enemy(me)
    local yaw = math.deg(math.atan(goal.y - me.origin.y, goal.x - me.origin.x))
    local swims = me.waterlevel >= 2
    local walk_yaw, pitch = yaw, swims and -30 or 0
    if enemy then
        yaw, pitch = aim(me, enemy, rockets)
    end
    local off = math.rad(walk_yaw - yaw)
    local climbs = on_foundry and not rockets and math.sqrt(me.origin.x ^ 2 + me.origin.y ^ 2) < 110
    bot:move {
        forward = math.cos(off),
        side = -math.sin(off),
        yaw = yaw,
        pitch = pitch,
        attack = me.dead or enemy ~= nil, -- any button respawns a dead player
        jump = swims or (climbs and me.onground) or (me.dead and bot:random() < 0.5),
    }
    bot:wait(TURN_TICKS)
end

local function goes_on()
    local late_s = bot.index == REPORTER and -0.3 or 0 -- the reporter stays 0.3 s longer, for the last kills
    return bot:time_left() > RIDE_S + late_s or (on_foundry and rides == 0 and bot:time_left() > 1)
end

while goes_on() do
    local before = bot:self()
    goal_turns = goal_turns - 1
    if goal_turns <= 0 or level_distance(goal, before.origin) < 20 then
        goal = on_foundry and foundry_goal(before.origin) or other_goal(before.origin)
        goal_turns = 60
    end
    act(before)
    listen()
    local after = bot:self()
    if level_distance(before.origin, after.origin) < 1 and not after.dead then
        if bot:random() < 0.4 then
            goal = other_goal(after.origin) -- stuck: leave in another direction
            goal_turns = 16
        end
        bot:move { jump = true, forward = 1, side = 0, yaw = bot:random(0, 359), attack = false }
        bot:wait(TICKS_PER_S // 6)
    end
    local ground = bot:ground()
    local rides_now = ground ~= nil and ground.motion ~= nil
    rides = rides + ((rides_now and not riding) and 1 or 0)
    riding = rides_now
    if bot.index == REPORTER then
        note_scores()
    end
end

if bot.index == REPORTER then
    report()
end
bot:note(("rode %d times"):format(rides))
if on_foundry and bot.seconds >= 30 then
    bot:expect(rides > 0, "rides the disc at least once")
end
bot:leave()
