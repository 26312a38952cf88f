-- map: trigger  bots: 1  seconds: 90
-- Walks the corridor of triggers twice: single triggers fire once, chains and delays work.

assert(bot:join("toucher"))
bot:wait(20)

-- Walks to the other end and returns how often each text was printed.
local function cross()
    local x = bot:self().origin.x > 250 and -210 or 720
    local heard = {}
    bot:events()
    bot:expect(bot:goto_point(x, 0, 24, 500), "gets to the other end")
    bot:wait(120) -- the delayed text follows after 0.2 s
    for _, event in ipairs(bot:events()) do
        if event.type == "print" or event.type == "center" then
            heard[event.text] = (heard[event.text] or 0) + 1
        end
    end
    return heard
end

local first, second = cross(), cross()
for _, text in ipairs { "once", "multiple", "chained", "chained once", "delayed" } do
    bot:expect(first[text] == 1, ("first time: \"%s\" once, found %s"):format(text, first[text]))
    local wanted = text == "multiple" and 1 or nil
    bot:expect(second[text] == wanted, ("second time: \"%s\" %s, found %s"):format(text, wanted, second[text]))
end
bot:leave()
