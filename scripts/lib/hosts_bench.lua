-- scripts/lib/hosts_bench.lua [--ranks=2] [--times=100] [--rounds=5] [--peers[=VENV]]: several processes on this host: a
-- barrier, sums of growing size and a training step, also in torch.distributed with gloo. Run by `scripts/dev bench hosts`,
-- with the root of the tree as working directory.
--   --ranks    the number of processes
--   --times    how often each is run; its median counts
--   --rounds   how often both systems are started, in turn
--   --peers    also times gloo: of VENV, else of the Python in LUTRA_PEERS_PYTHON, else of python3
-- Printed are the medians of the rounds in microseconds (hidden_percent: tests/bench/ranks.lua), and gloo's time over Lutra's. LUTRA_BUILD is the build folder whose
-- program runs.
local cli = dofile("tests/bench/cli.lua")
local stop, quoted = cli.stop, cli.quoted
local build = os.getenv("LUTRA_BUILD") or "build/release"

local options = { ranks = 2, times = 100, rounds = 5 }
for _, word in ipairs(arg) do
  local key, value = word:match("^%-%-(%a+)=?(.*)$")
  if key == "peers" then options.peers = value
  elseif key and options[key] then options[key] = math.tointeger(tonumber(value)) or stop("--", key, " wants a whole number")
  else stop("scripts/dev bench hosts has no option ", word) end
end

-- Adds the numbers that the command prints, by name, to those of earlier rounds.
local names, known = {}, {}
local function run(command, times)
  local file = assert(io.popen(command))
  for line in file:lines() do
    local name, number = line:match("^([%w_]+)%s+(%-?[%d.]+)")
    if name then
      if not known[name] then names[#names + 1], known[name] = name, true end
      times[name] = times[name] or {}
      table.insert(times[name], tonumber(number))
    end
  end
  if not file:close() then stop("this failed: ", command) end
end

local function median(list)
  if not list then return nil end
  table.sort(list)
  return list[(#list + 1) // 2]
end

local lutra, gloo = {}, {}
local commands = {
  { ("%s/bin/lutra launch -n %d tests/bench/ranks.lua %d 2>/dev/null"):format(quoted(build), options.ranks, options.times), lutra },
}
if options.peers then
  commands[2] = { ("%s tests/bench/peers/gloo.py %d %d"):format(quoted(cli.python_of(options.peers)), options.ranks, options.times), gloo }
end
for round = 1, options.rounds do
  for i = 1, #commands do run(table.unpack(commands[round % 2 == 0 and #commands + 1 - i or i])) end
end
print(("%-14s %12s %12s %8s"):format("", "Lutra us", "gloo us", "ratio"))
for _, name in ipairs(names) do
  local own, peer = median(lutra[name]), median(gloo[name])
  print(("%-14s %12.1f %12s %8s"):format(name, own, peer and ("%.1f"):format(peer) or "", peer and ("%.2f"):format(peer / own) or ""))
end
