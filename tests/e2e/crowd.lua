-- map: arena  bots: 16  seconds: 90
-- map: lqdm2  data: yes  bots: 32  seconds: 90
-- map: lqdm12  data: yes  bots: 24  seconds: 90  server: +set sv_snapshot_ticks 2
-- map: lq_e0m1  data: yes  bots: 8  seconds: 90
-- Many walk, run into walls, fall, swim and jump on a real map: everybody gets about, nobody leaves
-- the world or flies off, and the server keeps up.

assert(bot:join("walker" .. bot.index))
local TICKS_PER_S = 1000 // bot:tick_ms()
bot:wait(TICKS_PER_S)

local covered, yaw = 0, bot:random(0, 359)
local places, most_others = {}, 0
local last_tick = bot:tick() + 10 * TICKS_PER_S
while bot:tick() < last_tick do
    local before = bot:self()
    bot:move {
        forward = 1,
        yaw = yaw,
        pitch = before.waterlevel >= 2 and -30 or 0,
        jump = before.waterlevel >= 2 or before.dead or bot:random() < 0.25,
    }
    bot:wait(16)
    bot:move { jump = false }
    bot:wait(4)
    local after = bot:self()
    most_others = math.max(most_others, #bot:others()) -- in the end some have left already
    local dx, dy = after.origin.x - before.origin.x, after.origin.y - before.origin.y
    local moved = math.sqrt(dx * dx + dy * dy)
    if moved < 250 then -- else it was teleported or came back to life
        covered = covered + moved
    end
    yaw = moved < 40 and yaw + bot:random(90, 270) or yaw + bot:random(-15, 15)
    places[math.floor(after.origin.x / 64) .. " " .. math.floor(after.origin.y / 64)] = true
    for axis = 1, 3 do
        bot:expect(math.abs(after.origin[axis]) < 4096, "stays in the world")
        bot:expect(math.abs(after.velocity[axis]) <= 2000, "does not fly off")
    end
end
local count = 0
for _ in pairs(places) do
    count = count + 1
end
bot:expect(covered > 400, "gets about: " .. math.floor(covered) .. " units in 10 s")
bot:expect(count >= 6, "sees something of the map: " .. count .. " places")
bot:expect(most_others < bot.count, "sees no more than the others: " .. most_others)
local stats = bot:stats() -- a third of the snapshots: a server whose ticks take too long sends fewer
bot:expect(stats.snapshots > (bot:map() == "lqdm12" and 125 or 250), "snapshots keep coming: " .. stats.snapshots)
bot:leave()
