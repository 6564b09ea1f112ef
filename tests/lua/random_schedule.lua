-- Asynchronous reuse of memory: random programs on three simulated GPUs must compute what the CPU computes, with the
-- queues in a random legal order and freed memory poisoned (LUTRA_SIM_SCHEDULE=random:SEED), and on real threads.
package.path = "tests/support/?.lua;" .. package.path
local expect = require "expect"

local script = [[
local lt = require "lutra"
local seed, gpus = ...
seed, gpus = tonumber(seed), tonumber(gpus)
if gpus > 0 then lt.config.set_simulated_gpus(gpus, {memory_limit = 64}) end

-- Numbers of our own: both runs must draw the same.
local state = seed * 2654435761 % 4294967296
local function draw(n)
  state = (state * 1664525 + 1013904223) % 4294967296
  return (state >> 8) % n + 1
end
local function device() return gpus > 0 and ({"/GPU:0", "/GPU:1", "/GPU:2", "/CPU:0"})[draw(4)] or draw(4) and "/CPU:0" end

local rows, columns = 17 + draw(30), 8 + draw(60)
local live = {}
local function fresh()
  local values = {}
  for i = 1, rows do
    values[i] = {}
    for j = 1, columns do values[i][j] = (i * 7 + j * 3 + draw(50)) % 11 end
  end
  return lt.constant(values)
end
local function pick() return live[draw(#live)] end
for i = 1, 4 do live[i] = lt.device(device(), fresh) end
local vars = {}
for i = 1, 3 do vars[i] = lt.device(device(), function() return lt.Variable(fresh()) end) end
local function var() return vars[draw(#vars)] end

local actions = {
  function() return pick() + pick() end,
  function() return pick() * 3 - pick() end,
  function() return lt.maximum(pick(), pick()) end,
  function() return pick() % 1009 end,
  function() return lt.matmul(pick(), lt.transpose(pick()) % 5) end,
  function() return lt.gather(pick(), lt.constant {1, draw(rows), rows, draw(rows)}) end,
  function() return lt.concat({pick(), pick()}, 1)[{ {2, rows + 1} }] end,
  function() return lt.identity(pick()) end,
  function() return pick():reshape {columns, rows}:transpose() end,
  function() return lt.where(lt.gt(pick(), 5), pick(), 7) end,
  function() return pick():to(device()) end,
  function() return fresh() end,
  function() return lt.zeros_like(pick()) + draw(9) end,
  -- Variables: replaced, written in place or into fresh memory when a read holds the old, and by themselves.
  function() return var():assign(pick()):value() end,
  function() return var():assign_add(pick() % 13) + 1 end,
  function() return pick() - var():assign_sub(var()) end,
  function() local v = var() local old = v:value() v:assign_add(draw(9)) return old + v end,
  function()
    local v, first = var(), draw(rows)
    v[{ {first, rows} }] = pick()[{ {1, rows - first + 1} }]
    return v * 3
  end,
  function() local v = var() v[{ {rows, 1, -1}, {} }] = v return v:value() end,
  function() local v = var() v[{ {}, {1, draw(columns)} }] = draw(9) return v:value() end,
  function() return var():to(device()) end,
  -- Gradients, of values that are exact in float32; the variable is assigned before they are asked for.
  function()
    local w, factor = lt.Variable((pick() % 50):cast("float32")), (pick() % 7):cast("float32")
    local tape <close> = lt.GradientTape()
    local y = lt.device(device(), lt.mul, w, factor) * w
    w:assign_add(1)
    return tape:gradient(y, w):cast("int32")
  end,
  function()
    local w = lt.Variable((var() % 50):cast("float32"))
    local outer <close> = lt.GradientTape()
    local inner <close> = lt.GradientTape { persistent = draw(2) == 1 }
    local slope = inner:gradient(w[{ {1, rows - 1} }] ^ 2 * 2, w)
    w:assign(0)
    return (outer:gradient(slope * slope, w) % 4093):cast("int32")
  end,
}
local function fits(t) return t.rank == 2 and t.shape[1] == rows and t.shape[2] == columns end
local digest = {}
for step = 1, 120 do
  local t = lt.device(device(), actions[draw(#actions)])
  if fits(t) then
    live[draw(12)] = t % 4096
    for i = 1, 12 do if live[i] == nil then live[i] = t % 4096 end end
  else
    digest[#digest + 1] = (t % 4096):sum():item()
  end
  local chance = draw(40)
  if chance == 1 then collectgarbage()
  elseif chance == 2 then table.remove(live, draw(#live)):release() live[#live + 1] = lt.device(device(), fresh)
  elseif chance == 3 then lt.config.release_memory()
  elseif chance == 4 then lt.synchronize()
  elseif chance < 8 then digest[#digest + 1] = pick():sum():item()
  elseif chance == 8 then lt.tidy(function() local a = pick() * 2 return a + 1 end)
  end
end
for i = 1, #vars do live[#live + 1] = vars[i] end
for i = 1, #live do
  local total = 0
  for _, row in ipairs(live[i]:totable()) do for j, v in ipairs(row) do total = (total * 31 + v * j) % 1000003 end end
  digest[#digest + 1] = total
end
print(table.concat(digest, " "))
]]
-- Ops that do not exist yet would make this test say nothing.
for _, name in ipairs { "sum", "where", "gather", "concat", "transpose", "matmul", "zeros_like", "identity" } do
  assert(lt[name], "lutra." .. name .. " is missing")
end

local path = os.tmpname()
do
  local file <close> = assert(io.open(path, "wb"))
  file:write(script)
end
local program = os.getenv("LUTRA") or "lutra"
local function run(environment, seed, gpus)
  local pipe = assert(io.popen(("%s '%s' '%s' %d %d 2>&1"):format(environment, program, path, seed, gpus)))
  local text = pipe:read("a")
  assert(pipe:close(), ("%s, program %d:\n%s"):format(environment, seed, text))
  return text
end

local first, last = 1, 30
for seed = first, last do
  local wanted = run("", seed, 0)
  assert(#wanted > 40, wanted)
  for _, environment in ipairs { "LUTRA_SIM_SCHEDULE=random:" .. seed, seed % 3 == 0 and "LUTRA_SIM_SCHEDULE=random:" .. 1000 + seed or "" } do
    local got = run(environment, seed, 3)
    assert(got == wanted, ("%s, program %d:\nCPU  %s\nGPUs %s"):format(environment, seed, wanted, got))
  end
end
os.remove(path)

-- A schedule that makes no sense is refused.
local text, ok = expect.program("lt.config.set_simulated_gpus(1) print(lt.ones {2})", "", "LUTRA_SIM_SCHEDULE=sometimes")
assert(not ok and text:find("LUTRA_SIM_SCHEDULE", 1, true), text)
print("ok")
