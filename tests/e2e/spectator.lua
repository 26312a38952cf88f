-- map: walk1  bots: 2  seconds: 20
-- A spectator flies through everything and blocks no player.

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
else
    assert(bot:join("player"))
    bot:wait(200)
    bot:expect(bot:self().type == "normal", "the other one plays")
    bot:expect(bot:goto_point(0, 0, 24, 300), "and walks")
end
bot:leave()
