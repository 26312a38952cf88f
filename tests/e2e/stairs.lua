-- map: stairs  bots: 1  seconds: 90
-- Walks up steps of 8, 16 and 18, is stopped by steps of 19, and gets down again.

assert(bot:join("climber"))

local lanes = {
    { y = -160, step = 8, top = 56 },
    { y = -64, step = 16, top = 112 },
    { y = 32, step = 18, top = 126 },
    { y = 128, step = 19, top = nil },
}
for _, lane in ipairs(lanes) do
    bot:goto_point(-200, bot:self().origin.y, 24, 200)
    bot:expect(bot:goto_point(-200, lane.y, 24, 300), "gets to the foot of the steps of " .. lane.step)
    bot:wait(40)
    bot:move { forward = 1, yaw = 0 }
    for _ = 1, 120 do -- the shelf reaches from 192 to 320
        bot:wait(1)
        if bot:self().origin.x > 200 then
            break
        end
    end
    bot:move {}
    bot:wait(60)
    local self = bot:self()
    if lane.top then
        bot:expect(math.abs(self.origin.z - lane.top - 24) < 0.2 and self.onground,
            ("steps of %d: stands on the shelf at %d, z = %.2f"):format(lane.step, lane.top, self.origin.z))
        bot:expect(bot:goto_point(-150, lane.y, 24, 300), "and walks down again")
        bot:wait(40)
        bot:expect(math.abs(bot:self().origin.z - 24) < 0.2, "to the floor")
    else
        bot:expect(math.abs(self.origin.z - 24) < 0.2 and math.abs(self.origin.x + 16) < 0.2,
            ("steps of 19: stands in front, x = %.2f z = %.2f"):format(self.origin.x, self.origin.z))
    end
end
bot:leave()
