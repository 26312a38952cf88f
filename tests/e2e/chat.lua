-- map: spawns  bots: 4  seconds: 60
-- A chat line reaches every player once, in order, with the right name; hostile text changes nothing.

assert(bot:join("talker" .. bot.index))

-- Waits until all are there.
local patience = 1000
while #bot:others() < bot.count - 1 and patience > 0 do
    bot:wait(1)
    patience = patience - 1
end
bot:expect(#bot:others() == bot.count - 1, "all the others are there")
bot:wait(30)

local last = "three: caf\u{e9} %s%n ^1; quit"
bot:expect(bot:say("one from " .. bot.index), "says one")
bot:expect(bot:say("two"), "says two")
bot:expect(bot:say(last), "says three")

-- The quickest bot may have spoken before this one saw everybody, so nothing since the join is skipped.
local heard, chats = {}, 0
for _ = 1, 1500 do
    bot:wait(1)
    for _, event in ipairs(bot:events()) do
        if event.type == "chat" then
            heard[event.name] = heard[event.name] or {}
            table.insert(heard[event.name], event.text)
            chats = chats + 1
        end
    end
    if chats == 3 * bot.count then
        break
    end
end
bot:wait(20)
for _, event in ipairs(bot:events()) do
    bot:expect(event.type ~= "chat", "nothing is heard twice")
end
for i = 1, bot.count do
    local texts = heard["talker" .. i] or {}
    bot:expect(#texts == 3 and texts[1] == "one from " .. i and texts[2] == "two" and texts[3] == last,
        ("three lines of talker%d in order, found %d: %s"):format(i, #texts, table.concat(texts, " | ")))
end

-- An unknown command is answered, and only to its sender.
local answers = 0
local function count_answers()
    for _, event in ipairs(bot:events()) do
        if event.type == "print" and event.text:find("no_such_command", 1, true) then
            answers = answers + 1
        end
    end
end
if bot.index == 1 then
    bot:command("no_such_command")
    for _ = 1, 600 do
        bot:wait(1)
        count_answers()
        if answers > 0 then
            break
        end
    end
end
bot:meet("the answer is there", bot.count, 1500) -- also: a leaver is not there to be heard
bot:wait(20)
count_answers()
bot:expect(answers == (bot.index == 1 and 1 or 0), "unknown command answered, found " .. answers)
bot:leave()
