-- map: spawns  bots: 4  seconds: 180  server: +set fraglimit 3
-- says: frag limit
-- says: plays on
-- A match to three frags: everybody goes for the nearest and shoots until somebody has them. Then all
-- stand still and see the scores, the next map begins (this one again, without a list), everybody is
-- still there, starts from nothing, and plays on.

local FRAGS = 3
assert(bot:join("fighter" .. bot.index))
local TICKS_PER_S = 1000 // bot:tick_ms()

local function nearest(me)
    local best, best_distance
    for _, other in ipairs(bot:others()) do
        local dx, dy, dz = other.origin.x - me.origin.x, other.origin.y - me.origin.y, other.origin.z - me.origin.z
        local distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        if other.solid == "slidebox" and (not best or distance < best_distance) then
            best, best_distance = { dx = dx, dy = dy, dz = dz }, distance
        end
    end
    return best, best_distance
end

-- A quarter of a second of fighting, or of coming back from the dead.
local function fight()
    local me = bot:self()
    local enemy, distance = nearest(me)
    if me.dead or not enemy then
        bot:move { forward = 1, attack = true, yaw = bot:random(0, 359) }
    else
        bot:move {
            forward = distance > 150 and 1 or 0,
            side = bot:random() < 0.5 and 1 or -1,
            yaw = math.deg(math.atan(enemy.dy, enemy.dx)),
            pitch = -math.deg(math.atan(enemy.dz, math.max(1, distance))),
            attack = true,
        }
    end
    bot:wait(TICKS_PER_S // 4)
    bot:move { attack = false }
end

local function most_frags()
    local most = 0
    for slot = 1, bot.count do
        most = math.max(most, (bot:player(slot) or { score = 0 }).score)
    end
    return most
end

-- Events since then: the end of the match and its scores, another map, the first snapshot of it.
local heard = { over = false, scores = 0, best = 0, maps = 0, active = false, left = 0, dropped = false }
local function listen()
    for _, event in ipairs(bot:events()) do
        local frags = event.type == "print" and event.text:match("^fighter%d: (%-?%d+) frags, %d+ deaths$")
        if event.type == "print" and event.text == "frag limit" then
            heard.over = true
            bot:note(event.text)
        elseif frags then
            heard.scores = heard.scores + 1
            heard.best = math.max(heard.best, tonumber(frags))
        elseif event.type == "map" and heard.over then
            heard.maps = heard.maps + 1
            bot:note("next map " .. event.text)
        elseif event.type == "active" and heard.maps > 0 then
            heard.active = true
        elseif event.type == "left" then
            heard.left = heard.left + 1
        elseif event.type == "dropped" then
            heard.dropped = true
        end
    end
end

for _ = 1, 120 * 4 do
    fight()
    listen()
    if heard.over then
        break
    end
end
bot:move {}
bot:expect(heard.over, "the match ends by frags, the best has " .. most_frags())
bot:wait(TICKS_PER_S // 2)
listen()
bot:expect(heard.scores == bot.count, "a line of scores for each, found " .. heard.scores)
bot:expect(heard.best >= FRAGS, "the best has three, found " .. heard.best)
bot:expect(bot:self().type == "frozen", "everybody stands still, found " .. bot:self().type)
local stood = bot:self().origin
bot:move { forward = 1, attack = true }
bot:wait(TICKS_PER_S)
bot:move {}
local stands = bot:self().origin
bot:expect(stands.x == stood.x and stands.y == stood.y, "nobody walks about")
bot:expect(heard.maps == 0, "the scores are shown for a while")

for _ = 1, 12 * TICKS_PER_S do
    bot:wait(1)
    listen()
    if heard.active then
        break
    end
end
bot:expect(heard.maps == 1 and heard.active, "one map comes next, and plays")
bot:wait(TICKS_PER_S // 2)
bot:expect(bot:self().health > 0 and bot:self().type == "normal", "it lives there, found " .. bot:self().type)
bot:expect(bot:tick() < 5 * TICKS_PER_S, "time began anew")
bot:expect(most_frags() == 0, "so do the scores, found " .. most_frags())
listen()
bot:expect(heard.left == 0, "nobody was lost, found " .. heard.left)

for _ = 1, 6 * 4 do -- goes on; nobody may be sent off again so soon but by three frags
    fight()
    listen()
end
bot:expect(not heard.dropped and bot:joined(), "is still there")
bot:note("plays on")
bot:leave()
