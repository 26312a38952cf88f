-- fighter.lua: a player for the reference game. It collects weapons, health, armour and ammunition,
-- fights whom it sees, and captures flags. The server starts it for the cvar `bots`; `make demo` runs
-- 16 of them. It plays on over changes of the map, until the time limit (-t); 0 = for ever.
local names = {
    "Anvil", "Bellows", "Crucible", "Drill", "Ember", "Flange", "Girder", "Hammer", "Ingot", "Jig", "Kiln",
    "Lathe", "Mallet", "Nozzle", "Ore", "Piston", "Quench", "Rivet", "Slag", "Tongs", "Valve", "Weld",
}
local name = names[(bot.index - 1) % #names + 1] .. (bot.index > #names and bot.index or "")
assert(bot:join(name))

local TICKS_PER_S = math.max(20, 1000 // bot:tick_ms())
local TURN_TICKS = math.max(1, TICKS_PER_S // 30) -- ticks between two decisions
local TURNS_PER_S = TICKS_PER_S // TURN_TICKS
local SIGHT = 1500 -- qu; enemies farther away are ignored
local AIM_AHEAD_S = 0.05 -- bots aim this far ahead, because snapshots are that old
local TURN_RATE = 14 -- degrees a decision
local AIM_ERROR = 5 -- degrees
local FEET = 24 -- qu from a player's origin down to the floor
local FORGET_S = 15 -- a goal that could not be reached is not tried again so soon
local REPORTER = 1
local ROCKETS, GRENADES = 7, 6 -- weapon numbers
local SPEEDS = { [4] = 1000, [5] = 1000, [6] = 600, [7] = 1000 } -- of a weapon's missiles, qu/s
local AMMO = {
    item_shells = "shells", item_spikes = "nails", item_rockets = "rockets", item_cells = "cells",
    ammo_shells = "shells", ammo_bullets = "nails", ammo_rockets = "rockets", ammo_cells = "cells",
}
local WEAPONS = {
    weapon_shotgun = 2, weapon_supershotgun = 3, weapon_nailgun = 4, weapon_supernailgun = 5,
    weapon_grenadelauncher = 6, weapon_rocketlauncher = 7, weapon_lightning = 8,
}

local goal, corners, corner -- what it goes for; its route, and the corner of it that comes next
local avoid = {} -- by entity number: decision until which a goal is not tried
local turn, plan_turn, dodge_turn, dodge_yaw = 0, 0, 0, 0
local view = { yaw = 0, pitch = 0 }
local error = { yaw = 0, pitch = 0 }
local watched = { turn = 0, x = 0, y = 0, z = 0 } -- where it was about a second ago
local camp = { turn = 0, x = 0, y = 0, z = 0 } -- where it was when it last came far
local home -- of the own flag

local function apart(a, b)
    return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

local function turned(from, to)
    return (to - from + 180) % 360 - 180
end

-- ---- goals ----

-- Returns how much an item is worth now; nothing for what is no item, or is not needed.
local function worth(item, me, fields)
    local class = item.class
    if WEAPONS[class] then
        local has = (fields.weapons or 0) >> WEAPONS[class] & 1 == 1
        return has and 15 or 60 + 10 * WEAPONS[class]
    elseif AMMO[class] then
        return math.max(0, 50 - (fields[AMMO[class]] or 0))
    elseif class:find("^item_health") then
        local most = (class:find("mega") or class:find("small")) and 200 or 100
        return math.max(0, most - me.health) * 2
    elseif class:find("^item_armor") then
        return math.max(0, 150 - (fields.armour or 0)) * 0.6
    elseif class:find("^item_artifact") or class == "item_quad" then
        return 120
    elseif class == "item_backpack" then
        return 40
    elseif class == "ctf_flag" then
        local is_own, state = item.fields.skin == bot:player().team, item.fields.state
        local holds = (fields.flag or 0) ~= 0
        if is_own then
            home = state == 0 and item.origin or home
            return state == 2 and 400 or holds and (state == 0 and 900 or 300) or 0
        end
        return state ~= 1 and not holds and 300 or 0
    end
end

local function is_mate(slot)
    local me, other = bot:player(), bot:player(slot)
    return me and other and me.team > 0 and other.team == me.team
end

local function is_enemy(other)
    return other.solid == "slidebox" and other.slot and not is_mate(other.slot)
end

-- Chooses the best goal for its distance, and a route to it.
local function plan(me)
    local fields, best, best_value = bot:player().fields, nil, 0
    local hunt = me.health > 50 and (fields.weapon or 0) > 2 and 30 or 10
    if not me.onground and me.waterlevel < 2 then
        return -- flies: from here no route leads anywhere
    end
    for _, thing in ipairs(bot:entities()) do
        local value = worth(thing, me, fields)
        if thing.type == "player" and is_enemy(thing) then
            value = (thing.fields.flag or 0) ~= 0 and 300 or hunt
        elseif thing.class == "ctf_flag" and thing.fields.state == 1 and home then
            thing.origin = home -- where it will be again
        end
        if value and (avoid[thing.number] or 0) < turn then
            local distance = apart(thing.origin, me.origin) + 2 * math.abs(thing.origin.z - me.origin.z)
            value = value * (0.8 + 0.4 * bot:random()) / (distance + 200)
            if goal and goal.number == thing.number then
                value = value * 1.5 -- so that it does not waver between two
            end
            if value > best_value then
                best, best_value = thing, value
            end
        end
    end
    corners, corner, goal = nil, 1, nil
    if best then
        local height = best.type == "player" and 0 or FEET
        local why
        corners, why = bot:route(best.origin.x, best.origin.y, best.origin.z + height)
        if why == "exploring" then
            plan_turn = turn + 1
            return
        end
        if corners then
            corners.start = me.origin
        end
        if corners or not select(2, bot:map()) then
            goal = { number = best.number, x = best.origin.x, y = best.origin.y, z = best.origin.z + height }
        else
            avoid[best.number] = turn + FORGET_S * TURNS_PER_S
        end
    end
    plan_turn = turn + (goal and 2 * TURNS_PER_S or 4)
end

local function give_up(seconds)
    if goal then
        avoid[goal.number] = turn + seconds * TURNS_PER_S
    end
    goal, plan_turn = nil, 0
end

-- ---- moving ----

-- Returns true if it is at a corner, or has just passed it.
local function has_reached(at, before, me)
    local distance = apart(at, me.origin)
    local passed = (me.origin.x - at.x) * (at.x - before.x) + (me.origin.y - at.y) * (at.y - before.y) > 0
    local near = at.kind == "carried" and 96 or passed and 48 or 16
    return distance <= near and at.z - me.origin.z <= 20 and me.origin.z - at.z <= 56
end

-- Returns the point to walk to, and the corner that it is; skips the corners that were reached.
local function next_point(me)
    while corners and corners[corner] do
        local at = corners[corner]
        if not has_reached(at, corners[corner - 1] or corners.start, me) then
            return at, at
        end
        corner = corner + 1
    end
    return goal
end

-- Returns true if it was within so many units of a mark for so long. Moves the mark otherwise.
local function stays(mark, me, seconds, distance)
    local moved = apart(mark, me.origin) + math.abs(mark.z - me.origin.z)
    local is_over = turn - mark.turn >= seconds * TURNS_PER_S
    if is_over or moved >= distance then
        mark.turn, mark.x, mark.y, mark.z = turn, me.origin.x, me.origin.y, me.origin.z
    end
    return is_over and moved < distance
end

-- Dodges what it bumps into. If that does not help, gives up the goal, and goes somewhere else for a
-- while, so that doors close and others can pass.
local function unstick(me, walk_yaw)
    if stays(camp, me, 4, 100) then
        give_up(4 * FORGET_S)
        dodge_turn, dodge_yaw = turn + 3 * TURNS_PER_S, bot:random(0, 359)
    elseif stays(watched, me, 1, 40) then
        dodge_turn = math.max(dodge_turn, turn + TURNS_PER_S // 2)
        dodge_yaw = bot:random() < 0.6 and walk_yaw + (bot:random() < 0.5 and 90 or -90) or bot:random(0, 359)
    end
end

-- ---- fighting ----

local function nearest_enemy(me)
    local best, best_distance = nil, SIGHT
    for _, other in ipairs(bot:others()) do
        local distance = apart(other.origin, me.origin) + math.abs(other.origin.z - me.origin.z)
        if distance < best_distance and is_enemy(other) and
            bot:sees(other.origin.x, other.origin.y, other.origin.z) then
            best, best_distance = other, distance
        end
    end
    return best, best_distance
end

-- Returns the view towards an enemy: ahead of a moving enemy; explosives aim at the feet.
local function aim(me, enemy, weapon)
    local distance = apart(enemy.origin, me.origin)
    local ahead = AIM_AHEAD_S + (SPEEDS[weapon] and distance / SPEEDS[weapon] or 0)
    local dx = enemy.origin.x + enemy.velocity.x * ahead - me.origin.x
    local dy = enemy.origin.y + enemy.velocity.y * ahead - me.origin.y
    local low = (weapon == ROCKETS or weapon == GRENADES) and 40 or 18
    local dz = enemy.origin.z - me.origin.z - low
    return math.deg(math.atan(dy, dx)), -math.deg(math.atan(dz, math.max(1, math.sqrt(dx * dx + dy * dy))))
end

-- Turns the view as fast as a hand does. Returns how far it is still off.
local function look(yaw, pitch)
    local off = turned(view.yaw, yaw)
    view.yaw = view.yaw + math.max(-TURN_RATE, math.min(TURN_RATE, off))
    view.pitch = view.pitch + math.max(-TURN_RATE, math.min(TURN_RATE, pitch - view.pitch))
    return math.abs(turned(view.yaw, yaw))
end

-- ---- one decision ----

local function act(me)
    local weapon = bot:player().fields.weapon
    local enemy, distance = nearest_enemy(me)
    local swims = me.waterlevel >= 2
    local point, at = next_point(me)
    local to = point or { x = me.origin.x, y = me.origin.y, z = me.origin.z }
    local walk_yaw = math.deg(math.atan(to.y - me.origin.y, to.x - me.origin.x))
    local jump = at and at.kind == "jump" or (not at and to.z > me.origin.z + 18)
    if at and at.kind == "carried" then
        walk_yaw = at.yaw -- the trigger is that way; where it leads may be anywhere
    end
    unstick(me, walk_yaw)
    if turn < dodge_turn then
        walk_yaw, jump = dodge_yaw, true
    end
    local off
    if enemy then
        if turn % (TURNS_PER_S // 3) == 0 then
            error = { yaw = AIM_ERROR * (2 * bot:random() - 1), pitch = AIM_ERROR * (bot:random() - 0.5) }
        end
        local yaw, pitch = aim(me, enemy, weapon)
        off = look(yaw + error.yaw, pitch + error.pitch)
    elseif swims then
        local rise = to.z - me.origin.z
        look(walk_yaw, math.max(-60, math.min(60, -math.deg(math.atan(rise, math.max(1, apart(to, me.origin)))))))
    else
        look(walk_yaw, 0)
    end
    local turn_off = math.rad(walk_yaw - view.yaw)
    local is_close = weapon == ROCKETS and enemy and distance < 120 -- would hurt itself
    bot:move {
        forward = point and math.cos(turn_off) or 0,
        side = point and -math.sin(turn_off) or 0,
        up = swims and to.z > me.origin.z and 1 or 0,
        yaw = view.yaw,
        pitch = view.pitch,
        jump = (jump and (me.onground or swims)) or (swims and to.z > me.origin.z + 8),
        attack = off ~= nil and off < 12 and not is_close,
    }
end

-- ---- the match ----

local kills = 0
local scores = {} -- by name; players who have left stay listed

local function listen()
    for _, event in ipairs(bot:events()) do
        if event.type == "map" or event.type == "active" then
            home = nil
            goal, corners, avoid, plan_turn = nil, nil, {}, 0
        elseif event.type == "print" and bot.index == REPORTER and bot.seconds > 0 then
            kills = kills + (event.text:find(" by ") and 1 or 0)
            bot:note(event.text)
        end
    end
    if bot.index == REPORTER and bot.seconds > 0 then
        for slot = 1, 64 do
            local player = bot:player(slot)
            if player then
                scores[player.name] = { frags = player.score, deaths = player.fields.deaths or 0 }
            end
        end
    end
end

local function report()
    local order = {}
    for player in pairs(scores) do
        order[#order + 1] = player
    end
    table.sort(order, function(a, b)
        local one, two = scores[a].frags, scores[b].frags
        return one > two or (one == two and a < b)
    end)
    bot:note(("%d kills; scoreboard:"):format(kills))
    for _, player in ipairs(order) do
        bot:note(("%4d frags %4d deaths  %s"):format(scores[player].frags, scores[player].deaths, player))
    end
end

-- The reporter stays longer, for the last kills.
local leave_s = bot.index == REPORTER and bot.seconds / 4 - 0.3 or bot.seconds / 4
while bot:time_left() > leave_s do
    local is_playing, me = pcall(bot.predicted, bot) -- fails while a new map is loading
    if not is_playing or me.type == "frozen" or me.type == "spectator" then
        bot:wait(TICKS_PER_S // 4)
    elseif me.dead then
        bot:move { forward = 0, side = 0, jump = false, attack = turn % 4 < 2 } -- any button respawns it
        goal, corners, plan_turn = nil, nil, 0
        bot:wait(TURN_TICKS)
    else
        local has_arrived = goal and apart(goal, me.origin) < 24 and math.abs(goal.z - me.origin.z) < 48
        if has_arrived then
            give_up(FORGET_S) -- it was taken, or is not needed
        end
        if turn >= plan_turn then
            plan(me)
        end
        act(me)
        bot:wait(TURN_TICKS)
    end
    turn = turn + 1
    if turn % TURNS_PER_S == 0 then
        listen()
    end
end
if bot.index == REPORTER then
    report()
end
bot:leave()
