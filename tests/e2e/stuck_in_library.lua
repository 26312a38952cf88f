-- map: walk1  bots: 1  seconds: 30  status: 1
-- says: Bail out! tests/e2e/stuck_in_library.lua: bot 1 has been inside one library call for 5 s
-- Instructions inside one endless library call cannot be counted, so the watchdog ends the program.

assert(bot:join("stuck"))
bot:wait(10)
local s = ("a"):rep(100000)
bot:expect(not s:find(".-.-.-.-.-.-b"), "never gets here")
