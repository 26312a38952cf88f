-- map: teleport  bots: 1  seconds: 90
-- Teleporters both ways: the place, the view, the push out of it, the effects; and one that turns
-- the view by 180 degrees and more.

assert(bot:join("traveller"))
bot:wait(20)

-- Stands in front of the room's teleporter, then walks into it. Returns false if a busy machine kept the
-- bot from looking just after it, when it is not clear any more where it came out.
local function go_through()
    local west = bot:self().origin.x < 0
    local sign = west and -1 or 1
    bot:goto_point(sign * 300, -128, 24, 250)
    bot:expect(bot:goto_point(sign * 250, 0, 24, 250), "gets in front of the teleporter")
    bot:wait(40)
    bot:events()
    bot:move { forward = 1, yaw = west and 0 or 180 }
    local before = bot:self()
    local flips, gap = false, 0
    for _ = 1, 90 do
        local tick = bot:tick()
        bot:wait(1)
        gap = bot:tick() - tick
        local self = bot:self()
        flips = flips or self.teleport ~= before.teleport
        if (self.origin.x < 0) ~= west then
            break
        end
    end
    local self = bot:self()
    bot:move {}
    bot:expect((self.origin.x < 0) ~= west, "is in the other room, x = " .. self.origin.x)
    bot:expect(flips, "receives the sign not to interpolate")
    if gap <= 4 then
        bot:expect(math.abs(self.origin.y) < 8 and math.abs(math.abs(self.origin.x) - 256) < 48,
            ("at the destination, %.0f %.0f"):format(self.origin.x, self.origin.y))
        bot:expect(math.abs(self.velocity.x) > 200 and (self.velocity.x > 0) == west,
            "pushed out of it, vx = " .. self.velocity.x)
    end
    bot:expect(math.abs(self.yaw - (west and 0 or 180)) < 1, "looks out of it, yaw " .. self.yaw)
    bot:wait(60)
    local effects = {}
    for _, event in ipairs(bot:events()) do
        if event.type == "effect" then
            effects[event.name] = event.origin
        end
    end
    bot:expect(effects.teleport_out and (effects.teleport_out.x < 0) == west, "an effect where it went in")
    bot:expect(effects.teleport_in and (effects.teleport_in.x < 0) ~= west, "and where it came out")
    return gap <= 4
end

local looked = { east = false, west = false } -- where it came out
for _ = 1, 10 do
    local good = go_through()
    local side = bot:self().origin.x < 0 and "west" or "east"
    looked[side] = looked[side] or good
    if looked.east and looked.west and side == "west" then
        break
    end
end
bot:expect(looked.east and looked.west, "looked in time on both sides")

-- The third one, in the north-west corner: entered along +y, left along -y with the view 15 down.
bot:expect(bot:goto_point(-448, 60, 24, 300), "gets before the corner")
bot:wait(40)
bot:move { forward = 1, yaw = 90 }
for _ = 1, 90 do
    bot:wait(1)
    if bot:self().origin.x > 0 then
        break
    end
end
local self = bot:self()
bot:expect(math.abs(self.origin.x - 448) < 8 and self.origin.y > 100, "is in the far corner")
bot:expect(math.abs(self.yaw - 270) < 1, "looks along -y, yaw " .. self.yaw)
bot:wait(30) -- forward is still held: the player walks where it looks now
local on = bot:self()
bot:expect(on.velocity.y < -300 and math.abs(on.velocity.x) < 5, "walks on along its view")
bot:move { yaw = 180 } -- and an angle given is an angle of the map, whatever was turned before
bot:wait(40)
bot:expect(bot:self().velocity.x < -250 and math.abs(bot:self().yaw - 180) < 1, "yaw 180 is -x again")
bot:leave()
