-- scripts/lib/gpu_bench.lua [options]: times Lutra on a card and compares it with PyTorch and with the card's limits. Run by
-- `scripts/dev gpu-bench`, with the root of the tree as working directory. Exit status 77 where there is no GPU.
--   --peers[=VENV]  also times PyTorch: of VENV, else of the Python in LUTRA_PEERS_PYTHON, else of python3
--   --rounds=9      the number of rounds (default 9); a round runs each system once, in a fresh process, and the next round
--                   in the opposite order
--   --write         puts the table into docs/benchmarks/gpu.md, between its markers
--   --trial         small sizes and one round, to see that everything runs; its times mean nothing and are not judged
-- LUTRA_BUILD is the folder whose bin/lutra runs: a build folder, or an unpacked tree of scripts/dev dist.
local lt = require "lutra"
local cli = dofile("tests/bench/cli.lua")
local machine = dofile("tests/bench/machine.lua")
local statistics = dofile("tests/bench/statistics.lua")
local page = dofile("tests/bench/page.lua")

local build = os.getenv("LUTRA_BUILD") or "build/release"
local stop, quoted = cli.stop, cli.quoted

-- Memory bandwidth in GB/s, from NVIDIA's data sheets.
local kBandwidth = {
  {"H200", 4800}, {"H100 PCIe", 2000}, {"H100 NVL", 3900}, {"H100", 3350}, {"A100.*80GB", 2039}, {"A100", 1555},
}

local options = {rounds = 9}
for _, word in ipairs(arg) do
  local key, value = word:match("^%-%-(%a+)=?(.*)$")
  if key == "rounds" then
    options.rounds = math.tointeger(tonumber(value)) or stop("--rounds wants a whole number")
  elseif key == "peers" or key == "write" or key == "trial" then
    options[key] = value
  else
    stop("scripts/dev gpu-bench has no option ", word)
  end
end
if options.write and (options.trial or options.rounds < 9) then stop("--write takes at least 9 rounds, and no --trial") end
if options.trial then options.rounds = 1 end

local gpu = lt.config.list_physical_devices("GPU")[1]
if not gpu then
  print("no GPU here: lutra doctor says why")
  os.exit(77)
end
local details = lt.config.get_device_details(gpu)
local card = details.device_name or "an unknown card"
local peak
for _, known in ipairs(kBandwidth) do
  if card:find(known[1]) then
    peak = known[2]
    break
  end
end

local systems = {{key = "lutra", title = "Lutra", command = quoted(build .. "/bin/lutra") .. " tests/bench/gpu_worker.lua "}}
if options.peers then
  local python = quoted(cli.python_of(options.peers))
  local script = quoted("import torch; torch.zeros(1, device='cuda'); print(torch.__version__)")
  local version = machine.output_of(python .. " -c " .. script .. " 2>/dev/null")
  if not version then stop("no PyTorch that sees the card: LUTRA_PEERS_PYTHON or --peers=VENV names a Python that has it") end
  systems[2] = {key = "torch", title = "PyTorch " .. version, command = python .. " tests/bench/peers/gpu_worker.py "}
end

local workloads = dofile("tests/bench/gpu_workloads.lua")(options.trial and 1 << 12 or 1 << 28, options.trial and 64 or 8192)

-- Times ---------------------------------------------------------------------------------------------------------------

local times = {}  -- by system and workload: a list, by round

local function measure(system, round)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  for _, work in ipairs(workloads) do
    file:write(table.concat({work.submit and "submit" or "wait", work.name, work.setup[system.key], work.run[system.key]}, "\t"), "\n")
  end
  file:close()
  local said = machine.output_of(system.command .. path .. (options.trial and " trial" or ""))
  os.remove(path)
  if not said then stop(system.title, " failed") end
  for name, ns in said:gmatch("time\t([^\t\n]+)\t([%d.]+)") do
    local of_system = times[system.key] or {}
    times[system.key] = of_system
    of_system[name] = of_system[name] or {}
    of_system[name][round] = tonumber(ns)
  end
end

for round = 1, options.rounds do
  io.stderr:write(("lutra: round %d of %d\n"):format(round, options.rounds))
  for i = 1, #systems do measure(systems[round % 2 == 1 and i or #systems + 1 - i], round) end
end

-- The table -----------------------------------------------------------------------------------------------------------

-- The median and interval of judge(round) over the rounds.
local function interval_of(judge)
  local values = {}
  for round = 1, options.rounds do values[round] = judge(round) end
  return statistics.interval(values)
end

local function verdict(share, target)
  local text = ("%.0f%% [%.0f, %.0f]"):format(share.middle * 100, share.low * 100, share.high * 100)
  if not target or options.trial then return text end
  return ("%s, target %.0f%% %s"):format(text, target * 100, share.low >= target and "met" or "missed")
end

local lines = {"| | Lutra | rate | of the card's bandwidth | of the copy | PyTorch |", "|---|---|---|---|---|---|"}
local copies = times.lutra.copy
for _, work in ipairs(workloads) do
  local ours, theirs = times.lutra[work.name], times.torch and times.torch[work.name]
  local time = interval_of(function(round) return ours[round] end)
  local cells = {work.name, statistics.text_of_ns(time.middle), "", "", "", ""}
  if work.limit_ns and not options.trial then
    cells[2] = cells[2] .. statistics.text_of_limit(time.high, work.limit_ns, statistics.text_of_ns(work.limit_ns))
  end
  if work.bytes then
    cells[3] = ("%.0f GB/s"):format(work.bytes / time.middle)
    if peak and work.bytes / time.high > 1.05 * peak then
      stop(work.name, ": ", cells[3], " is more than the card's memory has (", peak, "), so these bytes were not moved")
    end
    if peak then cells[4] = verdict(interval_of(function(round) return work.bytes / ours[round] / peak end), work.peak) end
    if work.name ~= "copy" then
      local rate = interval_of(function(round) return work.bytes / ours[round] / (workloads[1].bytes / copies[round]) end)
      cells[5] = verdict(rate, work.of_copy)
    end
  elseif work.flops then
    cells[3] = ("%.1f TFLOP/s"):format(work.flops / time.middle / 1000)
  end
  if theirs then
    local ratio = interval_of(function(round) return theirs[round] / ours[round] end)
    cells[6] = ("%s (%s)"):format(statistics.text_of_ns(statistics.median(theirs)),
      statistics.text_of_ratio(ratio, not options.trial and work.ratio or nil))
  end
  lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
end

-- Memory given back: the driver's figure before a large tensor, with one of 4 GiB, and after its release. -----------------

-- Names the card by its bus, since nvidia-smi and CUDA number cards differently.
local function used_mib()
  local text = machine.output_of(("nvidia-smi -i %s --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null"):format(
    quoted(details.pci_bus_id or "")))
  return tonumber(text and text:match("^%d+"))
end

lt.config.set_memory_growth(gpu, true)
local small = lt.zeros({1})
local before = used_mib()
local large = lt.zeros({options.trial and 1 << 12 or 1 << 30})
lt.synchronize()
local with = used_mib()
large:release()
lt.config.release_memory("GPU:0")
local after = used_mib()
lines[#lines + 1] = ""
local is_seen = before and with - before >= (options.trial and 0 or 4096)
lines[#lines + 1] = is_seen and ("The card's memory in use, by nvidia-smi: %d MiB with a small tensor, %d with one of 4 GiB, %d after "
  .. "`release_memory` (target: at most 64 more than before, %s)."):format(before, with, after, after - before <= 64 and "met" or "missed")
  or before and "nvidia-smi does not show what the card's tensors take, so what is given back was not looked at."
  or "No nvidia-smi here, so what is given back was not looked at."
small:release()

local heading = ("%s, on %s%s, compute capability %s: %s, %d rounds."):format(os.date("!%Y-%m-%d %H:%M UTC"), card,
  peak and (" (%d GB/s by its data sheet)"):format(peak) or "", details.compute_capability or "unknown",
  "Lutra " .. lt.version .. (systems[2] and " and " .. systems[2].title or ""), options.rounds)
table.insert(lines, 1, "")
table.insert(lines, 1, heading)
print(table.concat(lines, "\n"))
if options.write then page.write("docs/benchmarks/gpu.md", "scripts/dev gpu-bench --write", table.concat(lines, "\n")) end
