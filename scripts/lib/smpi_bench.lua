-- scripts/lib/smpi_bench.lua [--bytes=100000000] [--link=25Gb] [--latency-us=30] [HOSTS...]: the sums of a training step on
-- simulated hosts (SimGrid's SMPI) beside what `lutra plan-hosts` predicts. Run by `scripts/dev bench smpi`, with the root
-- of the tree as working directory.
--   --bytes    of gradients
--   --link     of each host to the one switch, in both directions
-- The ranks run tests/bench/smpi_step.cpp. A message takes its sender and its receiver 2 us each, and the time to read, add
-- and write the gradients is plan-hosts' own. What remains is compared: the agreement, and the two exchanges.
-- 64 hosts take some seconds, 256 a minute, 512 some minutes, and 1,024 longer. LUTRA_BUILD is the build folder whose program runs.
local cli = dofile("tests/bench/cli.lua")
local lt = require "lutra"
local build = os.getenv("LUTRA_BUILD") or "build/release"

local options, counts = { bytes = "100000000", link = "25Gb", ["latency-us"] = "30" }, {}
for _, word in ipairs(arg) do
  local key, value = word:match "^%-%-([%a-]+)=(.+)$"
  local count = math.tointeger(tonumber(word))
  if key and options[key] then options[key] = value
  elseif count and count > 1 then counts[#counts + 1] = count
  else cli.stop("scripts/dev bench smpi takes numbers of hosts from 2 on, --bytes, --link and --latency-us, not ", word) end
end
if #counts == 0 then counts = { 2, 4, 8, 64, 256 } end
local latency = tonumber(options["latency-us"]) or cli.stop("--latency-us wants a number")
local wanted = tonumber(options.bytes) or cli.stop("--bytes wants a number")

-- A model with as many bytes of gradients.
local width = math.floor(math.sqrt(wanted / 4))
local model = lt.nn.Sequential { lt.nn.Dense(width, { input_shape = { width }, use_bias = false }) }
model:compile { optimizer = "sgd", loss = "mse" }
local rows = { lt.ones { 1, width }, lt.ones { 1, width } }
local predicted = lt.placement.scaling(model, rows, counts, { link = options.link, latency_us = latency })
-- On a link that takes no time a sum of two hosts is what they compute, and 6 messages.
local computed = lt.placement.scaling(model, rows, { 2 }, { link = "1000000000TB", latency_us = 0 })[2].sum_us - 6 * 2

local number, scale, unit = options.link:match "^([%d.]+)([MGT])([bB])$"
local rate = ("%s%s%sps"):format(number, scale, unit == "b" and "b" or "B")

-- A platform file: hosts, each with a link to the switch. The path of a message has two links.
local function write_platform(path, count)
  local file <close> = assert(io.open(path, "w"))
  file:write(([[
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hosts" prefix="host" suffix="" radical="0-%d" speed="1Gf" bw="%s" lat="%gus" sharing_policy="SPLITDUPLEX"/>
</platform>
]]):format(count - 1, rate, latency / 2))
end

-- SMPI's own factors for latencies and rates were fitted to other hosts, so they are 1. Short messages are sent at once, as
-- Open MPI does by TCP.
local settings = table.concat({
  "smpi/simulate-computation:no", "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0",
  "smpi/async-small-thresh:65536", "smpi/iprobe:1e-6", "smpi/ois:0:2e-6:0", "smpi/or:0:2e-6:0",
}, " --cfg=")

local function simulated(count)
  local platform = os.tmpname()
  write_platform(platform, count)
  local pipe = assert(io.popen(("smpirun -np %d -platform %s --log=root.thresh:error --cfg=%s %s/bench/smpi_step %d %.9f 2>&1"):format(
    count, platform, settings, cli.quoted(build), predicted.sum_bytes, computed / 1e6)))
  local text = pipe:read "a"
  pipe:close()
  os.remove(platform)
  local step, meeting = text:match "step (%S+) meeting (%S+)"
  if not step then cli.stop("the simulation of ", count, " hosts failed: ", text) end
  return tonumber(step) * 1e3, tonumber(meeting) * 1e3
end

print(("%.1f MB of gradients, links of %s and %g us"):format(predicted.sum_bytes / 1e6, options.link, latency))
print(("%6s %14s %14s %14s %8s"):format("hosts", "simulated", "agreement", "plan-hosts", "ratio"))
for _, count in ipairs(counts) do
  local step, meeting = simulated(count)
  local planned = predicted[count].sum_us / 1e3
  print(("%6d %11.2f ms %11.2f ms %11.2f ms %8.2f"):format(count, step, meeting, planned, planned / step))
  io.stdout:flush()
end
