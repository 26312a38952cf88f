-- map: walk1  bots: 1  seconds: 30
-- Joins and sees itself: where it stands, what it is called, that nobody else is there.

local ok, why = bot:join("anna")
bot:expect(ok == true and why == nil, "join returns true: " .. tostring(why))
bot:expect(bot:joined(), "it says so itself")

local map, loaded = bot:map()
bot:expect(map == "walk1", "the map is walk1, found " .. map)
bot:expect(loaded, "the same map is loaded here")
bot:expect(bot:tick_ms() == 16, "ticks of 16 ms, found " .. bot:tick_ms())
bot:expect(bot:tickrate() == 62.5, "62.5 ticks a second, found " .. bot:tickrate())

bot:wait(20) -- comes to rest on the floor
local self = bot:self()
bot:expect(self.name == "anna", "its name is anna, found " .. self.name)
bot:expect(self.slot == 1, "the first to join has slot 1, found " .. self.slot)
bot:expect(self.onground, "it stands")
bot:expect(math.abs(self.origin.z - 24) < 0.1, "its box is on the floor, z = " .. self.origin.z)
bot:expect(self.origin[1] == self.origin.x and self.origin[3] == self.origin.z, "x is [1], z is [3]")
bot:expect(self.speed == 0, "it does not move")
bot:expect(self.health == 100 and not self.dead, "it is well, health " .. self.health)
bot:expect(self.waterlevel == 0 and self.type == "normal", "it is dry and a player")
bot:expect(#bot:others() == 0, "nobody else is there")

local from = bot:tick()
bot:wait(50)
local passed = bot:tick() - from
bot:expect(passed >= 50 and passed < 110, "waits 50 ticks, found " .. passed) -- a busy machine wakes it late

local kinds = {}
for _, event in ipairs(bot:events()) do
    kinds[event.type] = true
end
bot:expect(kinds.connected and kinds.map and kinds.active, "heard connected, map and active")
bot:expect(#bot:events() == 0, "events are told once")
bot:leave()
bot:expect(not bot:joined(), "it has left")
