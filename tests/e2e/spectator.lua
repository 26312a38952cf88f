-- map: walk1  bots: 2  seconds: 20
-- A spectator flies through everything, blocks no player, and follows one.

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
    bot:wait(30)
    local self = bot:self()
    local player = bot:others()[1]
    bot:expect_eq(self.follows, player.slot, "follows")
    bot:expect_eq(self.type, "normal", "type of the followed player")
    bot:expect_eq(self.origin, player.origin, "position of the followed player", 0.0625)
    bot:expect_eq(bot:info("colour", player.slot), "00ff00", "colour")
    bot:command("follow off")
    bot:wait(30)
    bot:expect(not bot:self().follows and bot:self().type == "spectator", "flies again")
else
    bot:set_info("colour", "00ff00")
    assert(bot:join("player"))
    bot:wait(200)
    bot:expect(bot:self().type == "normal", "the other one plays")
    bot:expect(bot:goto_point(0, 0, 24, 300), "and walks")
    bot:wait(600)
end
bot:leave()
