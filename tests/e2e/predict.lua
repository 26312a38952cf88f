-- map: walk1  bots: 1  seconds: 60
-- map: stairs  bots: 1  seconds: 60
-- map: slopes  bots: 1  seconds: 60
-- map: water  bots: 1  seconds: 60
-- map: walk1  bots: 1  seconds: 60  server: +set sv_tickrate 77
-- The client's prediction and the server agree to the bit, for any input.

assert(bot:join("oracle"))
local _, loaded = bot:map()
bot:expect(loaded, "the map is loaded here")
local from = bot:self().origin
local covered = 0
-- 60 steps or more: a slow server sends few snapshots to compare.
for step = 1, 300 do
    if step > 60 and bot:stats().predictions > 200 then
        break
    end
    bot:move {
        forward = bot:random() * 2 - 1,
        side = bot:random() * 2 - 1,
        up = bot:random(-1, 1),
        yaw = bot:random() * 360,
        pitch = bot:random() * 60 - 30,
        jump = bot:random() < 0.4,
    }
    for _ = 1, bot:random(1, 12) do
        bot:wait(1)
        bot:predicted() -- only what was predicted is compared
    end
    local o = bot:self().origin
    covered = covered + math.abs(o.x - from.x) + math.abs(o.y - from.y)
    from = o
end
local stats = bot:stats()
bot:expect(covered > 150, "it moves about, covered " .. covered)
bot:expect(stats.predictions > 200, "predictions were compared: " .. stats.predictions)
bot:expect(stats.mispredictions == 0,
    ("and were right: %d wrong, by up to %g"):format(stats.mispredictions, stats.error_max))
bot:expect(stats.dropped_cmds == 0, "no command came too late, found " .. stats.dropped_cmds)
bot:leave()
