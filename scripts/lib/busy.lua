-- scripts/lib/busy.lua [PATTERN] [--peers[=VENV]] [--rounds=N] [--loads=0,1,2,4] [--write]: times loops on two threads while
-- other processes compute. Run by `scripts/dev bench busy`, with the root of the tree as working directory.
--   --peers    also times PyTorch and ONNX Runtime: of VENV, else of the Python in LUTRA_PEERS_PYTHON, else of python3
--   --rounds   the number of rounds (default 9)
--   --loads    numbers of other processes
--   --write    puts the tables into docs/benchmarks/busy.md, between its markers
-- At each load a round runs Lutra on one thread, Lutra on two and the peers, each in a fresh process on the same cores; the
-- next round runs them in the opposite order. Ratios are taken within a round. Printed are medians with 95% bootstrap
-- intervals. The aim: two threads take at most 1.1 times as long as one, and less than the peers' two.
-- LUTRA_BUILD is the build folder whose program runs.
local cli = dofile("tests/bench/cli.lua")
local machine = dofile("tests/bench/machine.lua")
local statistics = dofile("tests/bench/statistics.lua")
local page = dofile("tests/bench/page.lua")
local stop, quoted = cli.stop, cli.quoted
local build = os.getenv("LUTRA_BUILD") or "build/release"

local function read_options()
  local options = {rounds = 9, loads = "0,1,2,4", pattern = ""}
  for _, word in ipairs(arg) do
    local key, value = word:match("^%-%-(%a+)=?(.*)$")
    if key == "rounds" then options.rounds = math.tointeger(tonumber(value)) or stop("--rounds wants a number")
    elseif key == "loads" or key == "peers" or key == "write" then options[key] = value
    elseif key then stop("scripts/dev bench busy has no option ", word)
    else options.pattern = word end
  end
  return options
end

local options = read_options()
local workloads = {}
for _, row in ipairs(dofile("tests/bench/busy_workloads.lua")) do
  if row.name:find(options.pattern) then workloads[#workloads + 1] = row end
end
if #workloads == 0 then stop("nothing in tests/bench/busy_workloads.lua matches ", options.pattern) end

local function lutra_command()
  local names = {}
  for i, row in ipairs(workloads) do names[i] = row.name end
  return ("%s/bin/lutra tests/bench/busy_worker.lua %s"):format(build, table.concat(names, " "))
end

local function peer_command(python, key)
  local words = {}
  for _, row in ipairs(workloads) do
    local own = row[key]
    if own and key == "onnx" then
      local attributes = own.attributes and ", " .. own.attributes or ""
      own = {setup = own.inputs, run = ('"%s", names, ["y"]%s'):format(own.op, attributes)}
    end
    if own then
      for _, word in ipairs {row.name, own.setup, own.run} do words[#words + 1] = quoted(word) end
    end
  end
  return ("%s tests/bench/peers/busy_worker.py %s %s"):format(quoted(python), key, table.concat(words, " "))
end

local systems = {
  {title = "Lutra, 1 thread", threads = 1, command = lutra_command()},
  {title = "Lutra, 2 threads", threads = 2, command = lutra_command()},
}
local function add_peers()
  local python = cli.python_of(options.peers)
  for _, peer in ipairs { {"torch", "PyTorch", "torch"}, {"onnx", "ONNX Runtime", "onnx, onnxruntime"} } do
    local key, title, modules = table.unpack(peer)
    if machine.output_of(("%s -c %s 2>/dev/null"):format(quoted(python), quoted("import " .. modules .. "; print(1)"))) then
      systems[#systems + 1] = {title = title .. ", 2 threads", threads = 2, command = peer_command(python, key)}
    else
      print(("no %s for %s: LUTRA_PEERS_PYTHON or --peers=VENV names a Python that has it"):format(title, python))
    end
  end
end
if options.peers then add_peers() end

-- Starts processes that compute on our cores; returns a function that kills them.
local function start_load(count)
  if count == 0 then return function() end end
  local pids = machine.output_of(("for i in $(seq %d); do %ssh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!; done"):format(
    count, machine.pin)):gsub("%s+", " ")
  return function() os.execute("kill " .. pids) end
end

-- {workload = {ns of system 1, ...}}, measured by one process per system, in this order.
local function measure(order)
  local times = {}
  for _, i in ipairs(order) do
    local system = systems[i]
    -- One thread is pinned to both cores, too: the scheduler may move it to the less busy one.
    local text = machine.output_of(machine.pin .. machine.environment(system.threads) .. system.command)
      or error("failed: " .. system.command, 0)
    for name, ns in text:gmatch("time (%S+) (%d+)") do
      times[name] = times[name] or {}
      times[name][i] = tonumber(ns)
    end
  end
  return times
end

local lines = {}
local function say(line)
  print(line)
  lines[#lines + 1] = line
end

local function report(load, rounds)
  say(("\n%d processes beside\n"):format(load))
  local head, rule = "| |", "|---|"
  for _, system in ipairs(systems) do head, rule = head .. " " .. system.title .. " |", rule .. "---|" end
  say(head .. " 2 threads over 1 |")
  say(rule .. "---|")
  for _, row in ipairs(workloads) do
    local cells = {}
    for i, system in ipairs(systems) do
      local own, ratios = {}, {}
      for _, times in ipairs(rounds) do
        local at = times[row.name]
        if at[i] then
          own[#own + 1] = at[i]
          ratios[#ratios + 1] = i == 2 and at[2] / at[1] or at[i] / at[2]
        end
      end
      cells[i] = #own == 0 and "" or statistics.text_of_ns(statistics.median(own))
      if #own > 0 and i == 2 then
        cells[#systems + 1] = statistics.text_of_ratio(statistics.interval(ratios))
      elseif #own > 0 and i > 2 then
        cells[i] = ("%s (%s)"):format(cells[i], statistics.text_of_ratio(statistics.interval(ratios)))
      end
    end
    say(("| %s | %s |"):format(row.title, table.concat(cells, " | ")))
  end
end

say(("%s, on %s%s, %d rounds. Times are means over half a second, their medians over rounds; in brackets how many times as long as Lutra's two threads a peer takes."):format(
  os.date("!%Y-%m-%d"), machine.describe(), machine.source(build), options.rounds))
local forward, backward = {}, {}
for i = 1, #systems do forward[i], backward[i] = i, #systems + 1 - i end
for load in options.loads:gmatch("%d+") do
  local rounds = {}
  local stop_load <close> = setmetatable({}, {__close = start_load(tonumber(load))})
  for round = 1, options.rounds do
    io.stderr:write(("\rload %s: round %d of %d"):format(load, round, options.rounds))
    rounds[round] = measure(round % 2 == 1 and forward or backward)
  end
  io.stderr:write("\n")
  report(tonumber(load), rounds)
end
if options.write then page.write("docs/benchmarks/busy.md", "scripts/dev bench busy --write", table.concat(lines, "\n")) end
