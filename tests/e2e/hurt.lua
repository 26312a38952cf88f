-- map: hurt  bots: 1  seconds: 90
-- A field that costs 10 health a second, a pit that kills, and the respawn afterwards.

assert(bot:join("victim"))
bot:wait(20)
bot:expect(bot:self().health == 100, "begins with 100")
bot:goto_point(bot:self().origin.x, 160, 24, 300)
bot:expect(bot:goto_point(-192, 160, 24, 400), "gets beside the field")
bot:expect(bot:self().health == 100, "unhurt so far")
bot:events()

bot:expect(bot:goto_point(-192, 0, 24, 200), "walks into it")
bot:wait(3000 // bot:tick_ms())
local hurt = bot:self().health
bot:expect(hurt == 60 or hurt == 70, "10 a second for 3 s and a bit, found " .. hurt)
bot:expect(bot:goto_point(-192, 160, 24, 200), "walks out again")
hurt = bot:self().health
bot:wait(1500 // bot:tick_ms())
bot:expect(bot:self().health == hurt and hurt > 40, "then it stays as it is, found " .. bot:self().health)
local pain = 0
for _, event in ipairs(bot:events()) do
    pain = pain + (event.type == "effect" and event.name == "pain" and 1 or 0)
end
bot:expect(pain == (100 - hurt) // 10, "an effect for each hit, found " .. pain)

-- The pit: 256 deep, the bottom kills.
bot:expect(bot:goto_point(160, 160, 24, 400), "gets beside the pit")
bot:move { forward = 1, yaw = 270 }
local died = false
for _ = 1, 150 do
    bot:wait(1)
    if bot:self().dead then
        died = true
        break
    end
end
bot:move {}
bot:expect(died and bot:self().health == 0, "the pit kills")
bot:expect(bot:self().origin.z < -150, "at its bottom, z = " .. bot:self().origin.z)
local told = false
for _ = 1, 150 do -- it comes back after 187
    bot:wait(1)
    for _, event in ipairs(bot:events()) do
        told = told or event.type == "print" and event.text:find("^victim died") ~= nil
    end
    if told then
        break
    end
end
bot:expect(told, "everybody is told")
local dead_at = bot:self().origin
bot:move { forward = 1 }
bot:wait(20)
bot:expect(math.abs(bot:self().origin.y - dead_at.y) < 2, "the dead do not walk")
bot:move {}
bot:wait(3500 // bot:tick_ms())
local again = bot:self()
bot:expect(again.health == 100 and not again.dead, "comes back after 3 s, health " .. again.health)
bot:expect(again.origin.z > 0, "at a spawn point")
bot:expect(bot:command("kill"), "and can give up")
for _ = 1, 150 do
    bot:wait(1)
    if bot:self().dead then
        break
    end
end
bot:expect(bot:self().dead, "which kills, too")
bot:wait(1200 // bot:tick_ms())
bot:move { jump = true }
bot:wait(30)
bot:expect(bot:self().health == 100, "a button brings it back after a second")
bot:leave()
