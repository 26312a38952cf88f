-- map: push  bots: 1  seconds: 90
-- Push pads: straight up, sideways, and over the pit.

assert(bot:join("flyer"))
bot:wait(40)

-- From wherever it appeared to the floor west of the pit.
local function to_west()
    if bot:self().origin.x > 128 then
        bot:goto_point(280, 208, -104, 400) -- into the pit
        bot:goto_point(100, 208, 24, 400)   -- and up the steps
    end
    if bot:self().origin.z > 100 then
        bot:goto_point(-448, 60, 24, 400) -- down from the shelf, where no pad is
    end
    bot:expect(bot:goto_point(-100, 160, 24, 400), "gets to the west floor")
end

-- Watches so many ticks: highest z, largest velocity along each axis, and most ticks between two looks.
-- `most`: what was seen before, or nil.
local function watch(ticks, most)
    most = most or { z = -1e9, vx = 0, vy = 0, vz = 0, gap = 0 }
    local last_tick = bot:tick()
    for _ = 1, ticks do
        bot:wait(1)
        local self = bot:self()
        most.gap, last_tick = math.max(most.gap, bot:tick() - last_tick), bot:tick()
        most.z = math.max(most.z, self.origin.z)
        most.vx = math.max(most.vx, self.velocity.x)
        most.vy = math.max(most.vy, self.velocity.y)
        most.vz = math.max(most.vz, self.velocity.z)
    end
    return most
end

-- Walks onto a pad from the west floor. Once more if a busy machine kept the bot from looking for some
-- ticks. `throw` returns what was seen.
local function undisturbed(throw)
    local seen
    for _ = 1, 5 do
        to_west()
        seen = throw()
        if seen.gap <= 2 then
            break
        end
        bot:wait(60)
    end
    return seen
end

local up = undisturbed(function()
    bot:goto_point(-352, 40, 24, 400)
    bot:wait(40)
    bot:move { forward = 1, yaw = 270 }
    local seen = watch(26)
    bot:move {}
    return watch(70, seen)
end)
bot:expect(up.vz > 700, "thrown up with 800, seen " .. up.vz)
bot:expect(up.z > 400 and up.z < 470, "400 high, found " .. up.z)
bot:wait(90)

local side = undisturbed(function()
    bot:goto_point(-120, 40, 24, 400)
    bot:goto_point(-120, -192, 24, 400)
    bot:wait(40)
    bot:move { forward = 0.5, yaw = 180 }
    local seen = watch(1)
    for _ = 1, 120 do
        if seen.vy > 500 then
            break
        end
        seen = watch(1)
    end
    bot:move {}
    return seen
end)
bot:expect(side.vy > 500, "thrown along +y with 600, seen " .. side.vy)
bot:expect(side.vz < 100, "and not up")
bot:wait(60)

local over = undisturbed(function()
    bot:goto_point(-40, 60, 24, 400)
    bot:goto_point(-40, -32, 24, 400)
    bot:wait(40)
    bot:move { forward = 1, yaw = 0 }
    local seen = watch(20)
    bot:move {}
    return watch(100, seen)
end)
local self = bot:self()
bot:expect(over.vx > 400 and over.vz > 300, ("thrown slanted, seen %.0f %.0f"):format(over.vx, over.vz))
bot:expect(self.origin.x > 320 and math.abs(self.origin.z - 24) < 1,
    ("stands on the other side, x = %.0f z = %.0f"):format(self.origin.x, self.origin.z))
bot:leave()
