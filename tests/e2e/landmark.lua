-- map: link_a  bots: 1  seconds: 90
-- Walks from link_a to link_b and back: equipment and the place relative to the landmark survive.

assert(bot:join("walker"))
bot:wait(20)

local landmarks = { link_a = { x = 400, y = 0, z = 0 }, link_b = { x = 2100, y = 1256, z = -300 } }

-- Walks along a yaw until the other map runs; returns the last place before, relative to the landmark.
local function change(to, yaw)
    local from = landmarks[bot:map()]
    local last
    bot:move { forward = 1, yaw = yaw }
    for _ = 1, 600 do
        local self = bot:self()
        if bot:map() ~= to and self then
            last = self.origin
        elseif self and self.health > 0 then
            break
        end
        bot:wait(1)
    end
    bot:move { forward = 0, yaw = yaw }
    bot:expect(bot:map() == to, "is on " .. to .. ", not " .. bot:map())
    bot:wait(30)
    return { x = last.x - from.x, y = last.y - from.y, z = last.z - from.z }
end

-- Checks the place after the change: along x the walk before and after counts, up to 90.
local function expect_place(offset)
    local self, mark = bot:self(), landmarks[bot:map()]
    local x, y, z = self.origin.x - mark.x - offset.x, self.origin.y - mark.y - offset.y,
        self.origin.z - mark.z - offset.z
    bot:expect(math.abs(x) < 90 and math.abs(y) < 1 and math.abs(z) < 0.1,
        ("keeps its place, is off by %.2f %.2f %.2f"):format(x, y, z))
end

bot:expect(bot:goto_point(96, 0, 24, 400), "gets to the launcher, over the armour")
bot:wait(20)
local before = bot:player().fields
bot:expect(before.rockets > 0, "has rockets")
bot:expect(bot:goto_point(300, 50, 24, 400), "gets before the exit")
local function expect_equipment()
    local now = bot:player().fields
    bot:expect(now.weapons == before.weapons and now.rockets == before.rockets
        and now.armour == before.armour, "keeps its equipment")
end

expect_place(change("link_b", 0))
expect_equipment()
bot:expect(bot:goto_point(2300, 1200, -276, 500), "walks on in link_b")
expect_place(change("link_a", 180))
expect_equipment()
bot:expect(bot:goto_point(-128, 0, 24, 500), "walks on in link_a")
bot:leave()
