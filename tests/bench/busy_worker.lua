-- busy_worker.lua NAME...: those rows of busy_workloads.lua in turn. Prints `time NAME NS`, the mean of what fits into half a
-- second after a warm-up. The mean, since on a busy machine a few long waits are what one notices.
local lt = require "lutra"
local kWarmSeconds, kSeconds = 0.1, 0.5

for _, row in ipairs(dofile("tests/bench/busy_workloads.lua")) do
  for _, name in ipairs(arg) do
    if name == row.name then
      local source = "local lt = ... " .. row.lutra.setup .. " return function() local " .. row.lutra.run .. " end"
      local run = assert(load(source, "=workload"))(lt)
      local function runs_for(seconds)
        local start, runs = lt.time(), 0
        repeat
          run()
          runs = runs + 1
        until lt.time() - start >= seconds
        return (lt.time() - start) / runs
      end
      runs_for(kWarmSeconds)
      print(("time %s %.0f"):format(name, runs_for(kSeconds) * 1e9))
    end
  end
end
