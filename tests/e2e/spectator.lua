-- map: walk1  bots: 2  seconds: 90
-- A spectator flies through everything, blocks no player, and follows one.

local function wait_for(condition)
    for _ = 1, 600 do
        if condition() then
            return
        end
        bot:wait(1)
    end
end

if bot.index == 1 then
    assert(bot:join("ghost", { spectator = true }))
    bot:wait(20)
    bot:expect(bot:self().type == "spectator", "is a spectator, found " .. bot:self().type)
    bot:expect(bot:goto_point(160, 0, 64, 400), "flies into the block")
    bot:wait(20)
    local o = bot:self().origin
    bot:expect(o.x > 128 and o.x < 192 and math.abs(o.y) < 64 and o.z < 128, "is inside of it")
    bot:expect(bot:goto_point(160, 0, 900, 400), "flies out through the ceiling")
    bot:expect(bot:self().origin.z > 800, "z = " .. bot:self().origin.z)
    bot:command("follow next")
    wait_for(function() return bot:self().follows end)
    bot:wait(10)
    local self = bot:self()
    local player = bot:others()[1]
    bot:expect_eq(self.follows, player.slot, "follows")
    bot:expect_eq(self.type, "normal", "type of the followed player")
    bot:expect_eq(self.origin, player.origin, "position of the followed player", 0.0625)
    bot:expect_eq(bot:info("colour", player.slot), "00ff00", "colour")
    bot:command("follow off")
    wait_for(function() return not bot:self().follows and bot:self().type == "spectator" end)
    bot:expect(not bot:self().follows and bot:self().type == "spectator", "flies again")
else
    bot:set_info("colour", "00ff00")
    assert(bot:join("player"))
    bot:wait(200)
    bot:expect(bot:self().type == "normal", "the other one plays")
    bot:expect(bot:goto_point(0, 0, 24, 300), "and walks")
end
bot:meet("the ghost has seen all", 2, 4000)
bot:leave()
