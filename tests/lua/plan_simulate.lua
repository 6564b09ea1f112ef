-- lt.placement.simulate and `lutra plan`: graphs on machines that need not exist.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local simulate = lt.placement.simulate

local function machine(more)
  local problem = { devices = { { name = "g0", type = "GPU", memory = 1000 }, { name = "g1", type = "GPU", memory = 1000 } },
    links = { latency_us = 5, bytes_per_us = 20 }, nodes = {
      { name = "a", time_us = 10, bytes = 100 }, { name = "b", inputs = { "a" }, time_us = { GPU = 20 }, bytes = 60 },
      { name = "c", inputs = "a", time_us = 20, bytes = 40 }, { name = "d", inputs = { "b", "c" }, time_us = 5 } } }
  for key, value in pairs(more or {}) do problem[key] = value end
  return problem
end

expect.case("the greedy of the whitepaper, by hand", function()
  -- tests/unit/plan/policies_test.cpp has the arithmetic.
  local plan = simulate(machine { policy = "greedy" })
  expect.equal(plan.makespan_us, 45)
  expect.equal({ plan.placement.a, plan.placement.b, plan.placement.c, plan.placement.d }, { "g0", "g0", "g1", "g1" })
  expect.equal(plan.peak_bytes, { g0 = 160, g1 = 200 })
  local first = plan.schedule[1]
  expect.equal({ first.node, first.device, first.start, first.finish }, { "a", "g0", 0, 10 })
  expect.equal(#plan.schedule, 4)
  expect.equal(plan.policy, "greedy")
end)

expect.case("the best is never longer than a device alone", function()
  local plan = simulate(machine())
  expect.equal(plan.alternatives.g0, 55)
  assert(plan.makespan_us <= 45 and plan.makespan_us >= 35, plan.makespan_us)
  for name, device in pairs(plan.devices) do assert(device.busy_us <= plan.makespan_us and device.peak_bytes == plan.peak_bytes[name]) end
  for _, slot in ipairs(plan.schedule) do assert(plan.placement[slot.node] == slot.device) end
  expect.equal(plan.critical_path[#plan.critical_path], "d")
end)

expect.case("a budget of zero is a plan without local search", function()
  local plan = simulate(machine { budget_ms = 0 })
  for _, candidate in ipairs(plan.candidates) do assert(candidate.name ~= "local search") end
end)

expect.case("links may be set for pairs, and latency and bandwidth at the top", function()
  local problem = machine { policy = "greedy", latency_us = 1e6 }
  problem.links = { { from = "g0", to = "g1", latency_us = 0, bytes_per_us = 1e9 } }
  assert(simulate(problem).makespan_us < 36)
  problem.links = {}
  expect.equal(simulate(problem).makespan_us, 55)
end)

expect.case("what no output needs is named", function()
  local plan = simulate(machine { outputs = { "b" } })
  expect.equal(plan.ignored, { "c", "d" })
  expect.equal(plan.makespan_us, 30)
end)

expect.case("wrong problems", function()
  local function refused(text, change, code)
    local problem = machine()
    change(problem)
    expect.raises(code or "InvalidArgument", text, simulate, problem)
  end
  expect.raises("InvalidArgument", "the argument is missing, expected a table", simulate)
  expect.raises("InvalidArgument", "devices is missing", simulate, { nodes = {} })
  expect.raises("InvalidArgument", "nodes is missing", simulate, { devices = {} })
  refused("there are no devices", function(p) p.devices = {} end)
  refused("unknown option 'polcy' (did you mean 'policy'?)", function(p) p.polcy = "best" end)
  refused("policy is 'worst', expected best, greedy or m-etf", function(p) p.policy = "worst" end)
  refused("budget_ms is -1, expected 0 or more", function(p) p.budget_ms = -1 end)
  refused("the graph has a cycle: ", function(p) p.nodes[1].inputs = { "d" } end)
  refused("node 'b' reads 'q', which is no node", function(p) p.nodes[2].inputs = { "q" } end)
  refused("two nodes are named 'a'", function(p) p.nodes[2].name = "a" end)
  refused("node 1 has no name", function(p) p.nodes[1].name = nil end)
  refused("node 'a': bytes is -1", function(p) p.nodes[1].bytes = -1 end)
  refused("node 'a': bytes", function(p) p.nodes[1].bytes = 0 / 0 end)
  refused("node 'a': bytes is \"x\", expected a number", function(p) p.nodes[1].bytes = "x" end)
  refused("time_us of GPU is -3", function(p) p.nodes[2].time_us = { GPU = -3 } end)
  refused("node 'b' runs on no device: it has time_us for TPU", function(p) p.nodes[2].time_us = { TPU = 1 } end)
  refused("node 'a': size is no field of a node", function(p) p.nodes[1].size = 1 end)
  refused("node 'a' is fixed to 'g9', which is neither a device nor a type", function(p) p.nodes[1].device = "g9" end)
  refused("no device meets all of that", function(p)
    p.nodes[1].device, p.nodes[2].device, p.nodes[2].colocate = "g0", "g1", { "a" }
  end)
  refused("device 'g0': memory is -5", function(p) p.devices[1].memory = -5 end)
  refused("two devices are named 'g0'", function(p) p.devices[2].name = "g0" end)
  refused("latency_us is -1", function(p) p.links = { latency_us = -1 } end)
  refused("links has 'latency'", function(p) p.links = { latency = 1 } end)
  refused("a link names 'x', which is no device", function(p) p.links = { { from = "x", to = "g0" } } end)
  refused("needs 100B, and the nearest device, 'g0', has 50B of 50B left (50B too little)", function(p)
    p.policy = "greedy"
    p.devices = { { name = "g0", type = "GPU", memory = 50 } }
  end, "ResourceExhausted")
  refused("too little", function(p) p.devices = { { name = "g0", type = "GPU", memory = 50 } } end, "ResourceExhausted")
end)

-- The program.
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  return folder .. "/" .. name
end
local function lutra(arguments)
  local pipe = assert(io.popen(("%s %s 2>&1 </dev/null"):format(os.getenv("LUTRA") or "lutra", arguments)))
  local text = pipe:read "a"
  return text, pipe:close()
end
local good = [[{"devices": [{"name": "g0", "type": "GPU", "memory": 1000}, {"name": "g1", "type": "GPU", "memory": 1000}],
 "latency_us": 5, "bytes_per_us": 20, "nodes": [{"name": "a", "time_us": {"GPU": 10, "CPU": 100}, "bytes": 100},
 {"name": "b", "inputs": ["a"], "time_us": {"GPU": 20}, "bytes": 60}, {"name": "c", "inputs": ["a"], "time_us": 20, "bytes": 40},
 {"name": "d", "inputs": ["b", "c"], "time_us": 5, "device": "GPU", "colocate": ["c"]}]}]]

expect.case("lutra plan prints a plan", function()
  local path = write("good.json", good)
  local text, ok = lutra("plan --policy greedy " .. path)
  assert(ok and text:find("4 nodes on 2 devices: 45 us, found by greedy", 1, true), text)
  assert(text:find("critical path: a (g0)", 1, true) and text:find("alone", 1, true), text)
  text, ok = lutra("plan " .. path .. " --json --policy=m-etf")
  assert(ok and text:find('"policy": "m-etf"', 1, true) and text:find('"d": "g', 1, true), text)
end)

expect.case("lutra plan writes a page that needs no other file", function()
  local path = write("tricky.json", (good:gsub('"a"', '"</script><b>"')))
  local page = folder .. "/page.html"
  local text, ok = lutra(("plan %s --html %s --budget-ms 0"):format(path, page))
  assert(ok, text)
  local file <close> = assert(io.open(page))
  local html = file:read "a"
  assert(html:find("^<!doctype html>") and html:find("</html>%s*$"))
  local _, scripts = html:gsub("</script>", "")
  expect.equal(scripts, 2, "a name ends no script")
  assert(not html:find "https?://" and not html:find "src=")
  assert(html:find('"start_us":0.0', 1, true) and html:find("is_critical", 1, true))
end)

expect.case("lutra plan refuses what is wrong", function()
  local function refused(arguments, message)
    local text, ok = lutra("plan " .. arguments)
    assert(not ok and text:find(message, 1, true), arguments .. ": " .. text)
  end
  refused("", "'plan' needs a graph")
  refused("a.json b.json", "'plan' takes one graph, not 'b.json' as well")
  refused("--policy worst a.json", "'plan --policy' is 'worst', expected best, greedy or m-etf")
  refused("--policy", "'plan --policy' needs a value")
  refused("--budget-ms -1 a.json", "'plan --budget-ms' is '-1'")
  refused("--fast a.json", "'plan' takes --policy, --html, --json and --budget-ms, not '--fast'")
  refused(folder .. "/missing.json", "No such file")
  refused(folder, "directory")
  refused(write("damaged.json", good:sub(1, 100)), "damaged.json: this is no JSON: parse error at line 1")
  refused(write("list.json", "[1]"), "the graph: it is a array, expected an object")
  refused(write("field.json", (good:gsub('"bytes": 60', '"byte": 60'))), "node 'b': unknown field 'byte' (did you mean 'bytes'?)")
  refused(write("number.json", (good:gsub('"bytes": 60', '"bytes": "60"'))), "node 'b': bytes is a string, expected a number")
  refused(write("negative.json", (good:gsub('"bytes": 60', '"bytes": -60'))), "node 'b': bytes is -60")
  refused(write("nodes.json", '{"devices": []}'), "'nodes' is missing")
  refused(write("cycle.json", (good:gsub('"name": "a",', '"name": "a", "inputs": ["d"],'))), "the graph has a cycle")
  refused(write("times.json", (good:gsub('"time_us": 5,', '', 1))), "node 'd': 'time_us' is missing")
  local text = lutra "-i plan"
  assert(text:find("'plan' runs nothing else", 1, true), text)
end)
os.execute("rm -r " .. folder)
print("ok")
