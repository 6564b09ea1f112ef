-- lutra.graph: what a function does besides ops is told when it is recorded, and `check` compares later.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local x = lt.constant { 1.0, 2.0 }

-- What the summary says of a function's effects after a call that recorded it.
local function effects_of(f)
  local g = lt.graph(f)
  g(x)
  g(x)
  return g:summary():match "the function also ([^\n]+), which replays do not"
end

expect.case("assignments and calls are told", function()
  local n, list, kept = 0, {}, nil
  local function helper() return math.random() end
  expect.equal(effects_of(function(a) return a * 2 end), nil)
  expect.equal(effects_of(function(a) n = n + 1 return a + n end), "assigns 'n'")
  expect.equal(effects_of(function(a) list[#list + 1] = true return a end), "changes the table 'list'")
  expect.equal(effects_of(function(a) kept = a * 2 return a + 1 end), "assigns 'kept'")
  expect.equal(effects_of(function(a) GraphEffect = 1 return a + 1 end), "assigns the global 'GraphEffect'")
  GraphEffect = nil
  expect.equal(effects_of(function(a) return a * helper() end), "calls math.random")
  expect.equal(effects_of(function(a) return a * os.time() * os.clock() end), "calls os.time, os.clock")
  expect.equal(effects_of(function(a) io.write "" n = n + 1 return a end), "calls io.write, assigns 'n'")
  assert(kept)
end)

expect.case("what Lutra does by itself is not told", function()
  local model = lt.nn.Sequential { lt.nn.Dense(3), lt.nn.Dropout(0.5), lt.nn.Dense(1) }
  local input, optimizer = lt.ones { 2, 2 }, lt.optim.Adam()
  model(input)
  local variables = model:trainable_variables()
  local g = lt.graph(function(a)
    local tape <close> = lt.GradientTape()
    local loss = lt.sum(model(a, { training = true }) ^ 2)
    optimizer:apply(tape:gradient(loss, variables), variables)
    return loss
  end)
  for _ = 1, 3 do g(input) end
  assert(g:summary():find "replayed" and not g:summary():find "the function also", g:summary())
end)

expect.case("functions are themselves again after a recording, also one that fails", function()
  local before = { print, io.write, math.random, os.time }
  lt.graph(function(a) return a * math.random() end)(x)
  expect.raises("FailedPrecondition", "lutra.graph is recording the function", lt.graph(function(a) print(a) end), x)
  expect.equal({ print, io.write, math.random, os.time }, before)
end)

expect.case("the warning comes once, when the graph is recorded", function()
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "w"))
  file:write [[
local lt = require "lutra"
local n = 0
local g = lt.graph(function(x) n = n + 1 print "in" return x + n end, {name = "counting"})
for size = 1, 2 do for _ = 1, 3 do g(lt.ones {size}) end end
]]
  file:close()
  local pipe <close> = assert(io.popen(("'%s' %s 2>&1"):format(os.getenv "LUTRA" or "lutra", path)))
  local text = pipe:read "a"
  os.remove(path)
  local _, count = text:gsub("WARNING: graph counting: the function calls print, assigns 'n'; replays do not%. ", "")
  expect.equal(count, 1, text)
end)

expect.case("check runs the function again and compares", function()
  local rate = 2
  local g = lt.graph(function(a) return a * rate end, { check = 3 })
  for i = 1, 6 do  -- recorded at 1, compared at 4 and 7
    if i == 6 then rate = 3 end
    expect.equal(g(x):totable(), { 2.0, 4.0 }, "call " .. i)
  end
  local ok, err = pcall(g, x)
  assert(not ok and err.code == "FailedPrecondition", tostring(err))
  assert(err.message:find("the function does something else than when it was recorded: Mul at .*graph_effects.lua:%d+ has other numbers"), err.message)
  expect.equal(g(x):totable(), { 3.0, 6.0 }, "it was recorded anew")

  local more = false
  local h = lt.graph(function(a) return more and (a + 1):exp() or a + 1, more end, { check = 1 })
  h(x) h(x)
  more = true
  local good, problem = pcall(h, x)
  assert(not good and problem.message:find("Exp at .*graph_effects.lua:%d+ runs where nothing was recorded"), tostring(problem))
  local answer = 1
  local values = lt.graph(function(a) return a, answer end, { check = 1 })
  values(x) values(x)
  answer = 2
  expect.raises("FailedPrecondition", "a result that is no tensor has another value", values, x)
end)

expect.case("a check sees other results", function()
  local x, y = lt.ones { 2 }, lt.zeros { 2 }
  local changed = false
  for what, f in pairs {
    ["another tensor"] = function(a) local b, c = a * 2, a * 3 if changed then return c end return b end,
    ["another order"] = function(a) local b, c = a * 2, a * 3 if changed then return c, b end return b, c end,
    ["one more"] = function(a) local b = a * 2 if changed then return b, b end return b end,
    ["another argument"] = function(a, b) if changed then return b end return a end,
    ["another table"] = function(a) local b = a * 2 if changed then return { c = b } end return { b = b } end,
  } do
    changed = false
    local g = lt.graph(f, { check = 1 })
    g(x, y) g(x, y)
    changed = true
    local ok, raised = pcall(g, x, y)
    assert(not ok and lt.iserror(raised, "FailedPrecondition"), what .. ": " .. tostring(raised))
  end
end)

expect.case("a table that becomes too long to look at", function()
  local many = { kept = 1 }
  local g = lt.graph(function(a) for i = 1, 600 do many[i] = i end return a * 2 end)
  g(lt.ones { 1 })
  local summary = tostring(g:summary())
  assert(summary:find("changes the table 'many'", 1, true) and not summary:find("'1'", 1, true), summary)
end)

expect.case("checks change no results", function()
  local function losses(check)
    lt.random.set_seed(3)
    local model = lt.nn.Sequential { lt.nn.Dense(3), lt.nn.Dropout(0.5), lt.nn.BatchNormalization(), lt.nn.Dense(1) }
    local input, optimizer = lt.ones { 2, 2 }, lt.optim.Adam()
    model(input)
    local variables = model:trainable_variables()
    local function step(a)
      local tape <close> = lt.GradientTape()
      local loss = lt.sum(model(a, { training = true }) ^ 2)
      optimizer:apply(tape:gradient(loss, variables), variables)
      return loss + lt.random.normal {}
    end
    local call = check and lt.graph(step, { check = check }) or step
    local list = {}
    for i = 1, 10 do list[i] = call(input):item() end
    return list
  end
  local eager = losses()
  for _, check in ipairs { 0, 1, 2, 3 } do expect.equal(losses(check), eager, "check = " .. check) end
end)

expect.raises("InvalidArgument", "graph: check is -1, expected a number of calls, or 0", lt.graph, print, { check = -1 })
print "graph_effects: ok"
