-- map: spawns  bots: 3  seconds: 90  server: +set sv_cull_los 0
-- Others are seen where they say they are, moving as they move; no player sees itself.

assert(bot:join("p" .. bot.index))
local patience = 1000
while #bot:others() < bot.count - 1 and patience > 0 do
    bot:wait(1)
    patience = patience - 1
end
bot:expect(#bot:others() == bot.count - 1, "sees two others, found " .. #bot:others())

local function find(name)
    for _, other in ipairs(bot:others()) do
        if other.name == name then
            return other
        end
    end
end

if bot.index == 1 then
    -- Runs about in the middle, and reports its final position in the chat.
    bot:goto_point(0, bot:self().origin.y, 24, 250)
    bot:goto_point(0, 0, 24, 250)
    bot:wait(60)
    bot:say("run")
    bot:move { forward = 1, yaw = 0 }
    bot:wait(60)
    bot:move { forward = 1, yaw = 180 }
    bot:wait(90)
    bot:move {}
    bot:wait(90)
    local o = bot:self().origin
    bot:say(("at %.3f %.3f %.3f"):format(o.x, o.y, o.z))
else
    local function hear(pattern, ticks)
        for _ = 1, ticks do
            for _, event in ipairs(bot:events()) do
                local found = event.type == "chat" and event.name == "p1" and { event.text:match(pattern) }
                if found and #found > 0 then
                    return table.unpack(found)
                end
            end
            bot:wait(1)
        end
    end
    bot:expect(hear("^(run)$", 2000), "the runner starts")
    local right, left, most = 0, 0, 0
    local last, last_tick = find("p1").origin, bot:tick()
    for _ = 1, 120 do
        bot:wait(1)
        local ticks = bot:tick() - last_tick -- more than one on a busy machine
        local p1 = find("p1")
        local vx = p1.velocity.x
        right = vx > 300 and right + 1 or right
        left = vx < -300 and left + 1 or left
        local dx, dy = p1.origin.x - last.x, p1.origin.y - last.y
        most = math.max(most, math.sqrt(dx * dx + dy * dy) / ticks)
        last, last_tick = p1.origin, last_tick + ticks
    end
    bot:expect(right > 10 and left > 10, ("seen running both ways: %d and %d"):format(right, left))
    bot:expect(most > 3 and most < 30, "5 units a tick and no leaps, most " .. most)
    local x, y, z = hear("^at (%S+) (%S+) (%S+)$", 1500)
    bot:expect(x, "it says where it stands")
    local p1 = find("p1")
    bot:expect(p1.type == "player" and p1.slot == p1.number, "it is a player, with a slot")
    for axis, wanted in ipairs { tonumber(x), tonumber(y), tonumber(z) } do
        bot:expect(math.abs(p1.origin[axis] - wanted) <= 1 / 16, -- what others see is quantised
            ("axis %d: seen at %.3f, is at %.3f"):format(axis, p1.origin[axis], wanted))
    end
    bot:expect(p1.velocity.x == 0 and p1.velocity.y == 0, "and rests")
    bot:expect(p1.mins.x == -16 and p1.mins.z == -24 and p1.maxs.z == 32, "its box is 32 x 32 x 56")
end
for _, other in ipairs(bot:others()) do
    bot:expect(other.number ~= bot:self().slot, "nobody sees himself")
end
bot:meet("all have looked", bot.count, 2000)
bot:leave()
