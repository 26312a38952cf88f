-- lift.lua: a test for CI. Four players ride the second lift of the map "lift" together.
-- Run it with: edictd +set sv_cheats 1 +map lift &  edict-bot -c 127.0.0.1 -n 4 examples/lift.lua
assert(bot:join("rider " .. bot.index))

local function lift() -- the entity whose box starts at x = -512
    for _, entity in ipairs(bot:entities()) do
        if entity.type == "brush" and math.abs(entity.mins.x + 512) < 8 then
            return entity
        end
    end
    error("found no lift: is this the map \"lift\"?")
end

while lift().origin.z > -191 do -- it is still up from an earlier ride
    bot:wait(10)
end
bot:meet("all are ready", bot.count) -- a barrier: nobody starts the lift alone
local corner = bot.index - 1
local x, y = -480 + 64 * (corner % 2), 160 + 64 * (corner // 2 % 2)
bot:place(x, y, 25) -- needs sv_cheats 1
local highest, rode = 0, false
for _ = 1, 3 * 1000 // bot:tick_ms() do
    bot:wait(1)
    highest = math.max(highest, bot:self().origin.z)
    rode = rode or bot:ground() ~= nil
end
bot:expect(rode, "stands on the lift")
bot:expect_eq(highest, 216, "height at the top", 1) -- 192 and 24 from the feet to the origin
bot:expect_eq(bot:self().origin.x, x, "x on the lift", 1)
bot:meet("all have ridden", bot.count)
bot:leave()
