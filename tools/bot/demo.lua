-- What `make demo` runs: every bot walks about on its own, turns when it gets stuck, jumps now and
-- then, says hello to whoever comes, and ends two seconds before the time limit (-t).
-- Works on any map: it knows nothing of the place.

local ok, why = bot:join("walker" .. bot.index)
if not ok then
    error("could not join: " .. why)
end

local TICKS_PER_S = 1000 // bot:tick_ms()
local last_tick = bot:tick() + math.max(1, bot.seconds - 2) * TICKS_PER_S
local yaw = bot:random(0, 359)
local touched, said = 0, false

-- Listens to what happened; the triggers a bot runs into tell it so.
local function listen()
    for _, event in ipairs(bot:events()) do
        if event.type == "print" or event.type == "center" or event.type == "effect" then
            touched = touched + 1
        elseif event.type == "joined" and not said then
            said = bot:say("hello " .. event.name)
        end
    end
end

while bot:tick() < last_tick do
    local before = bot:self()
    local swims = before.waterlevel >= 2
    bot:move {
        forward = 1,
        side = bot:random() < 0.2 and bot:random(-1, 1) or 0,
        yaw = yaw,
        pitch = swims and -30 or 0, -- look up, to swim up
        jump = swims or before.dead or bot:random() < 0.25,
    }
    bot:wait(TICKS_PER_S // 4)
    bot:move { jump = false } -- a jump needs a new press of the key
    bot:wait(TICKS_PER_S // 8)
    listen()
    local after = bot:self()
    local dx, dy = after.origin.x - before.origin.x, after.origin.y - before.origin.y
    if dx * dx + dy * dy < 32 * 32 then
        yaw = yaw + bot:random(90, 270) -- a wall: turn round
    else
        yaw = yaw + bot:random(-20, 20)
    end
end

bot:note(("touched %d things"):format(touched))
bot:leave()
