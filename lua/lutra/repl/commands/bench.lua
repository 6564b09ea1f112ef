local lutra, _, use = ...

-- Runs until this many seconds have passed and at least so many times, but not longer than most_seconds.
local seconds, least_runs, most_runs, most_seconds = 0.5, 5, 10000, 10

local function quantile(sorted, part) return sorted[math.max(1, math.ceil(part * #sorted))] end

return {
  usage = "bench EXPR",
  help = "run Lua many times and tell the median time, the spread and the share of the machine's limit",
  more = [[
  Each run ends when the devices have done its work. The spread is from the 10th to the 90th of 100. The rates count
  what the table of operations says; their limits are the best rates of a large product and of a large sum of float32
  on the same device, measured by the first :bench. While the placement log is on they are left out.]],
  prepare = function(session, argument)
    if argument == "" then
      session:fail "write what to measure: :bench x:matmul(x)"
      return "failed"
    end
    local chunk = use "repl.command".load(session, argument)
    if not chunk then return "failed" end
    return function()
      session.silent = true
      local times, total = {}, 0
      -- The first run may load kernels and initialise devices.
      local flops, bytes = session.native.cost(chunk)
      lutra.synchronize()
      while #times < most_runs and (total < seconds or #times < least_runs) and total < most_seconds do
        local begin = lutra.time()
        chunk()
        lutra.synchronize()
        local took = lutra.time() - begin
        times[#times + 1], total = took, total + took
      end
      table.sort(times)
      local text = use "repl.seconds".text
      session:print(("median %s, 80%% of runs from %s to %s, fastest %s, %d runs"):format(text(quantile(times, 0.5)),
        text(quantile(times, 0.1)), text(quantile(times, 0.9)), text(times[1]), #times))
      if session.after_entry or lutra.debugging.get_log_device_placement() then return end
      local reached = use "repl.limits".text(flops, bytes, quantile(times, 0.5))
      if reached then session:print(reached) end
    end
  end,
}
