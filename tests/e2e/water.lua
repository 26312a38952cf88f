-- map: water  bots: 1  seconds: 90
-- Dives in, sinks, swims up and along, climbs out by the steps. Slime and lava can be distinguished.

assert(bot:join("swimmer"))
bot:wait(20)

-- To the north bank of the pool.
if bot:self().origin.x > 100 then
    bot:goto_point(0, 190, 24, 500)
end
if bot:self().origin.x < -390 then
    bot:goto_point(-448, 190, 24, 300)
end
bot:expect(bot:goto_point(-160, 190, 24, 500), "gets to the north bank")
bot:wait(40)
bot:expect(bot:self().waterlevel == 0, "is dry")

bot:move { forward = 1, yaw = 270 }
local deepest = 0
for _ = 1, 120 do
    bot:wait(1)
    deepest = math.max(deepest, bot:self().waterlevel)
    if deepest == 3 then
        break
    end
end
bot:move {}
bot:expect(deepest == 3, "goes under, waterlevel " .. deepest)
bot:wait(150)
local sunk = bot:self()
bot:expect(sunk.watertype == "water", "in water, found " .. sunk.watertype)
bot:expect(sunk.velocity.z <= 0 and sunk.origin.z < -60, "sinks without moving, z = " .. sunk.origin.z)

-- Under water up is up, and forward goes where one looks.
bot:move { up = 1 }
bot:wait(20)
local risen = bot:self()
bot:expect(risen.origin.z > sunk.origin.z + 25, "swims up, " .. risen.origin.z - sunk.origin.z)
bot:move { up = 0, forward = 1, yaw = 180, pitch = 20 }
bot:wait(40)
local dived = bot:self()
bot:expect(dived.origin.x < risen.origin.x - 50, "swims along -x")
bot:expect(dived.velocity.x < -150 and dived.velocity.x > -230, "slower than on land, " .. dived.velocity.x)
bot:move { pitch = 0 }
bot:wait(100)

-- Out by the steps in the south-west corner: sinks onto one of them, then walks up.
bot:goto_point(-312, -96, -24, 300)
bot:wait(80)
bot:expect(bot:self().onground, "stands on a step under water")
bot:expect(bot:goto_point(-448, -96, 24, 500), "climbs out by the steps")
bot:move {}
bot:wait(60)
local out = bot:self()
bot:expect(out.waterlevel == 0 and out.onground and math.abs(out.origin.z - 24) < 0.2, "stands dry, z = " .. out.origin.z)

-- Over the bank to the slime, then the lava.
bot:expect(bot:goto_point(-448, 190, 24, 300), "along the west bank")
bot:expect(bot:goto_point(0, 190, 24, 400), "along the north bank")
bot:expect(bot:goto_point(128, 60, 24, 300), "to the slime")
bot:expect(bot:goto_point(128, -64, 8, 200), "into it")
bot:wait(20)
bot:expect(bot:self().watertype == "slime" and bot:self().waterlevel == 1,
    ("feet in slime, found %s %d"):format(bot:self().watertype, bot:self().waterlevel))
bot:goto_point(128, 60, 24, 200)
bot:goto_point(320, 60, 24, 300)
bot:expect(bot:goto_point(320, -64, 8, 200), "into the lava")
bot:wait(10)
bot:expect(bot:self().watertype == "lava", "feet in lava, found " .. bot:self().watertype)
bot:leave()
