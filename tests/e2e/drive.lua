-- map: buggy  bots: 2  seconds: 120
-- Bot 1 gets into a buggy, drives it over the ridge, and gets out; bot 2 sees it go, and lean.

assert(bot:join(bot.index == 1 and "driver" or "looker"))
bot:wait(60)

local function find_buggies()
    local list = {}
    for _, entity in ipairs(bot:entities()) do
        if entity.type == "general" and entity.maxs.x == 32 and entity.maxs.z == 20 then
            list[#list + 1] = entity
        end
    end
    return list
end

local function press_use()
    bot:move { use = true }
    bot:wait(6)
    bot:move { use = false }
    bot:wait(20)
end

local function degrees_off(wanted, heading)
    return (wanted - heading + 180) % 360 - 180
end

-- Steers to a place; true when it gets within 120 units of it.
local function drive_to(x, y, ticks)
    for _ = 1, ticks do
        local self = bot:self()
        local dx, dy = x - self.origin.x, y - self.origin.y
        if dx * dx + dy * dy < 120 * 120 then
            return true
        end
        local off = degrees_off(math.deg(math.atan(dy, dx)), self.heading)
        bot:move {
            forward = math.abs(off) > 40 and 0.4 or 0.8,
            side = math.max(-1, math.min(1, -off / 30)),
        }
        bot:wait(1)
    end
    return false
end

if bot.index == 1 then
    -- The one in front of the ridge.
    local nearest
    for _, buggy in ipairs(find_buggies()) do
        if math.abs(buggy.origin.y) < 100 then
            nearest = buggy
        end
    end
    assert(nearest, "sees the buggy at the ridge")
    local at = nearest.origin
    if bot:self().origin.x > 0 then
        bot:goto_point(1100, 380, 24, 600)
        bot:goto_point(300, 400, 24, 600)
    end
    bot:goto_point(-700, 200, 24, 900)
    bot:goto_point(at.x, at.y + 100, 24, 600)
    bot:goto_point(at.x, at.y + 60, 24, 200)
    bot:wait(10)
    press_use()
    local self = bot:self()
    bot:expect(self.type == "driving", "drives, found " .. self.type)
    bot:expect(self.maxs.x == 32, "has its box, found " .. self.maxs.x)
    bot:expect(drive_to(-60, 0, 500), "gets onto the ridge")
    bot:expect(bot:self().origin.z > 120, "is up there, z = " .. bot:self().origin.z)
    bot:expect(drive_to(330, 240, 500), "gets down again")
    bot:move { forward = 0, side = 0, jump = true } -- the handbrake
    bot:wait(150)
    bot:move { jump = false }
    local heading = bot:self().heading
    press_use()
    self = bot:self()
    bot:expect(self.type == "normal", "got out, found " .. self.type)
    bot:expect(self.maxs.x == 16, "is himself again, found " .. self.maxs.x)
    local yaw = heading + 90 -- the player got out to the left
    bot:move { forward = 1, yaw = yaw }
    bot:wait(40)
    bot:move { forward = 0 }
    local dx, dy = bot:self().origin.x - self.origin.x, bot:self().origin.y - self.origin.y
    bot:expect(dx * dx + dy * dy > 80 * 80, "walks away")
    bot:wait(100)
else
    local most, leaned = 0, 0
    for _ = 1, 4000 do
        for _, buggy in ipairs(find_buggies()) do
            local v = buggy.velocity
            most = math.max(most, math.sqrt(v.x ^ 2 + v.y ^ 2))
            local pitch = (buggy.pitch + 180) % 360 - 180
            leaned = math.max(leaned, math.abs(pitch))
        end
        if most > 250 and leaned > 15 then
            break
        end
        bot:wait(1)
    end
    bot:expect(most > 250, "sees it drive, " .. most)
    bot:expect(leaned > 15, "sees it lean on the ridge, " .. leaned)
end
bot:leave()
