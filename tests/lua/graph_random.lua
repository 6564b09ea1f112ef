-- Random programs: ops of several dtypes, views, variables, random draws and large chains, replayed and run eagerly,
-- must give the same bits. The programs depend on a seed, which a failure names: lutra graph_random.lua SEED.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)
local first, last = 1, 60
if arg and arg[1] then first, last = tonumber(arg[1]), tonumber(arg[1]) end

-- A generator of its own, so that programs do not depend on Lua's.
local function generator(seed)
  local state = seed * 2654435761 % 4294967296
  return function(n)
    state = (state * 1664525 + 1013904223) % 4294967296
    return 1 + (state // 65536) % n
  end
end

local shapes = { { 4, 6 }, { 4, 6 }, { 300, 400 }, { 4, 6 }, { 1, 6 } }

-- A program: a list of functions that take a list of tensors and the program's variables, and add to the list.
local function program(pick, shape)
  local steps = {}
  local function any(list) return list[pick(#list)] end
  local unary = { "tanh", "exp", "abs", "square", "sigmoid", "neg", "relu", "sign", "floor" }
  local binary = { "add", "sub", "mul", "maximum", "minimum", "squared_difference" }
  local count = 6 + pick(14)
  for _ = 1, count do
    local kind = pick(16)
    local a, b = pick(1000), pick(1000)
    local function at(list, k) return list[1 + k % #list] end
    local name, number = any(kind % 2 == 0 and unary or binary), pick(5)
    local step
    if kind <= 4 then
      local op = any(unary)
      step = function(t) return at(t, a)[op](at(t, a)) end
    elseif kind <= 8 then
      local op = any(binary)
      step = function(t) return lt[op](at(t, a), at(t, b)) end
    elseif kind == 9 then
      step = function(t) return at(t, a) * number + 0.5 end
    elseif kind == 10 then
      step = function(t) return at(t, a):reshape { -1 }:reshape(shape) end
    elseif kind == 11 then
      step = function(t) return at(t, a) - at(t, b):mean(-1, { keepdims = true }) end
    elseif kind == 12 then
      local how = pick(3)
      step = function(t, v)
        local variable = v[1 + a % #v]
        if how == 1 then variable:assign_add(at(t, b) * 0.125)
        elseif how == 2 then variable:assign(at(t, b):cast("float32"))
        else variable[{ 1 }] = at(t, b)[1] end
        return variable + 0.25
      end
    elseif kind == 13 then
      step = function(_, v) return v[1 + a % #v]:value() end
    elseif kind == 14 then
      step = function(t) return at(t, a) + lt.random.normal(shape) * 0.5 end
    elseif kind == 15 then
      step = function(t) return lt.where(at(t, a):gt(at(t, b)), at(t, a), 0.75) end
    else
      local scope = pick(2) == 1 and "/CPU:0" or "/GPU:0"
      step = function(t) return lt.device(scope, function() return at(t, a) * at(t, b) end) end
    end
    steps[#steps + 1] = { step, name }
  end
  local wanted = 1 + pick(4)
  return function(variables, x, y)
    local t = { x, y }
    for _, step in ipairs(steps) do
      local made = step[1](t, variables)
      t[#t + 1] = lt.clip(made:cast("float32"), -8.0, 8.0)
    end
    local out = {}
    for i = 1, wanted do out[i] = t[#t - i + 1] end
    return out
  end
end

local function run(seed, device, wrap)
  local pick = generator(seed)
  local shape = shapes[pick(#shapes)]
  local f = program(pick, shape)
  lt.random.set_seed(seed)
  return lt.device(device, function()
    local variables = { lt.Variable(lt.random.normal(shape, { seed = 1 })), lt.Variable(lt.random.normal(shape, { seed = 2 })) }
    local g = wrap(function(x, y) return f(variables, x, y) end)
    local out, held = {}, {}
    for call = 1, 5 do
      local x, y = lt.random.normal(shape, { seed = call }), lt.random.normal(shape, { seed = 50 + call })
      if call == 3 then y = lt.cast(y * 4, "int32") end
      local results = g(x, y)
      -- Some results and values are read only after later calls.
      for _, result in ipairs(results) do held[#held + 1] = result end
      held[#held + 1] = variables[1]:value()
      if call == 4 then variables[2]:assign(variables[1]) end
    end
    for i, tensor in ipairs(held) do out[i] = tensor:bytes() end
    for _, v in ipairs(variables) do out[#out + 1] = v:value():bytes() end
    out[#out + 1] = lt.random.uniform({ 2 }):bytes()
    return out
  end)
end

for seed = first, last do
  for _, device in ipairs { "/CPU:0", "/GPU:0" } do
    local wanted = run(seed, device, function(f) return f end)
    local got = run(seed, device, lt.graph)
    for i = 1, #wanted do
      if got[i] ~= wanted[i] then error(("program %d on %s: result %d differs"):format(seed, device, i)) end
    end
  end
end
print "graph_random: ok"
