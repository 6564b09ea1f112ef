-- Every function and method with wrong values in every argument position: it works, or raises one of Lutra's errors that
-- says whose mistake it was. Nothing leaks, no scope stays open.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2, { memory_limit = 64 })
lt.config.set_memory_limit("CPU:0", 256)

local released = lt.ones { 40 }
released:release()
local cyclic = {}
cyclic[1] = cyclic
local wide = {}
for i = 1, 600 do wide[i] = i end

-- Boxed, so that nil can be one of them.
local bad = {
  { nil }, { true }, { false }, { 0 }, { 1 }, { -1 }, { 1.5 }, { 0 / 0 }, { 1 / 0 }, { 2.0 ^ 63 }, { math.maxinteger },
  { math.mininteger }, { "" }, { "x" }, { "a\0b" }, { ("x"):rep(5000) }, { "GPU:0" }, { "float32" }, { {} }, { { x = 1 } },
  { { 1, 2, 3 } }, { { -1, 2.5 } }, { { 1, nil, 3 } }, { { true, 1 } }, { { { 1, 2 }, { 3 } } }, { { axis = 7 } },
  { { 2 ^ 40, 2 ^ 40 } }, { cyclic }, { wide }, { { name = "GPU:0" } }, { { name = 3 } }, { function() end },
  { coroutine.create(print) }, { io.stdout }, { released }, { lt.ones { 2, 3 } }, { lt.constant { 1, 2 } },
  { lt.constant { true } }, { lt.constant(3) }, { lt.constant {} }, { lt.ones { 20, 20 } },
  { select(2, pcall(lt.zeros, "x")) },
}

-- Texts that do not begin with the function's name: TensorFlow's, and those about a device or a limit by itself.
local known_texts = {
  "^Unrecognized device", "unknown device%.", "^No matching devices", "^Multiple devices", "cannot be modified after",
  "^Setting memory limit", "^Cannot set memory growth", "^It's invalid to set", "^memory_limit is", "^No CPU devices",
  "^the memory limits of", "^device name", "^malformed device",
}

local function check(who, f, ...)
  local ok, err = pcall(f, ...)
  if ok then return end
  local given = {}
  for i = 1, select("#", ...) do given[i] = tostring((select(i, ...))):sub(1, 40) end
  local call = who .. "(" .. table.concat(given, ", ") .. ")"
  assert(lt.iserror(err), call .. " raised a plain error: " .. tostring(err))
  assert(err.code ~= "Internal", call .. " raised Internal: " .. err.message)
  assert(type(err.message) == "string" and type(err.traceback) == "string" and #tostring(err) >= #err.message, call)
  assert(#err.message < 4000, call .. " raised a text of " .. #err.message .. " bytes")
  if err.message:find("^" .. who:gsub("%p", "%%%0") .. ":") then return end
  if err.message:find("^" .. who:match("[^.]+$"):gsub("%p", "%%%0") .. ":") then return end
  for _, text in ipairs(known_texts) do
    if err.message:find(text) then return end
  end
  error(call .. ": the message does not begin with the function's name: " .. err.message)
end

-- Each bad value alone, and in each place beside good ones.
local function try(who, f, good)
  check(who, f)
  for _, a in ipairs(bad) do
    check(who, f, a[1])
    for place = 1, #good + 1 do
      local args = table.pack(table.unpack(good))
      args[place] = a[1]
      check(who, f, table.unpack(args, 1, math.max(#good, place)))
      args[#good + 2] = a[1]
      check(who, f, table.unpack(args, 1, #good + 2))
    end
  end
end

-- Every sixth pair of them; another sixth for each function.
local function try_pairs(who, f, number)
  for i, a in ipairs(bad) do
    for j, b in ipairs(bad) do
      if (i + j + number) % 6 == 0 then check(who, f, a[1], b[1]) end
    end
  end
end

local function restore()
  lt.debugging.set_log_device_placement(false)
  lt.debugging.set_log_handler(nil)
  lt.debugging.set_kernel_fallback("allow")
  lt.config.set_soft_device_placement(false)
  lt.set_print_options { precision = 8, threshold = 1000, edge_items = 3, line_width = 75 }
end

local x = lt.ones { 3, 3 }
local quiet = { set_log_device_placement = true }  -- a good value would print a line for every op
local slow = { release_memory = true, reset = true }  -- each collects
local good_values = {
  constant = { { 1, 2 } }, from_bytes = { "abcd", "float32", { 1 } }, tidy = { function() end }, device = { "GPU:0" },
  set_memory_limit = { "CPU:0", 256 }, set_memory_growth = { "GPU:0", true },
  set_logical_device_configuration = { "GPU:0", { { memory_limit = 1 } } }, set_per_process_memory_fraction = { "GPU:0", 0.5 },
  fill = { { 2, 2 }, 3 }, zeros = { { 2 } }, ones = { { 2 } }, eye = { 3 }, range = { 1, 4 }, reshape = { x, { 9 } },
  transpose = { x, { 2, 1 } }, squeeze = { x }, expand_dims = { x, 1 }, cast = { x, "int32" }, gather = { x, { 1, 2 } },
  concat = { { x, x }, 1 }, stack = { { x, x }, 1 }, add_n = { { x, x } }, where = { lt.constant { true }, 1, 2 },
  clip = { x, 0, 1 }, matmul = { x, x }, softmax = { x, 1 }, ["random.normal"] = { { 2 } }, ["random.uniform"] = { { 2 } },
}

local scope_before = expect.scope()
local storages_before = expect.storages()

local walked = 0
local function walk(prefix, module)
  local names = {}
  for name in pairs(module) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value, who = module[name], prefix .. name
    if type(value) == "table" and name ~= "experimental" then
      walk(name == "random" and "random." or "", value)
    elseif type(value) == "function" and not quiet[name] then
      walked = walked + 1
      try(who, value, good_values[who] or { x, x })
      if not slow[name] then try_pairs(who, value, walked) end
      restore()
    end
  end
end
walk("", lt)
assert(walked > 60, "the walk found " .. walked .. " functions")

-- Methods and operators of both kinds of tensor: with bytes of its own and on a GPU.
local methods = { "item", "totable", "bytes", "to", "add", "matmul", "reshape", "sum", "cast", "gather", "eq" }
local function try_methods(t)
  for _, name in ipairs(methods) do
    local has, method = pcall(function() return t[name] end)
    if has then
      try(name, method, { t })
      try(name, function(...) return method(t, ...) end, {})
    end
  end
  for _, v in ipairs(bad) do
    local operations = {
      add = function() return t + v[1] end, sub = function() return v[1] - t end, mul = function() return t * v[1] end,
      div = function() return t / v[1] end, floordiv = function() return t // v[1] end, mod = function() return t % v[1] end,
      pow = function() return t ^ v[1] end, [".."] = function() return t .. v[1] end, index = function() return t[v[1]] end,
      ["t[i] = v"] = function() t[v[1] == v[1] and v[1] or 1] = 1 end, ["<"] = function() return t < v[1] end,
    }
    for who, operation in pairs(operations) do
      local ok, err = pcall(operation)
      assert(ok or lt.iserror(err), who .. " with " .. tostring(v[1]):sub(1, 40) .. " raised a plain error: " .. tostring(err))
      assert(ok or err.code ~= "Internal", who .. ": " .. tostring(err))
    end
  end
end
try_methods(lt.ones { 3 })
try_methods(lt.ones { 30 })
try_methods(lt.device("CPU:0", lt.ones, { 30 }))

-- A step of pairs by hand: the row after the one named, nothing past the end or before the beginning.
local step = pairs(lt.ones { 3 })
for _, t in ipairs { lt.ones { 3 }, lt.ones { 30 } } do
  for _, i in ipairs { -2, #t, math.maxinteger, math.mininteger } do expect.equal({ step(t, i) }, {}, "step from " .. i) end
  for _, i in ipairs { 0, 2, "0" } do
    local at, row = step(t, i)
    assert(at == math.tointeger(i) + 1 and row:item() == 1, i)
  end
end
for _, other in ipairs { { nil }, { 3 }, { {} }, { io.stdout } } do expect.equal({ step(other[1], 0) }, {}, "no tensor") end
expect.raises("FailedPrecondition", "released", step, released, 1)

-- Every use of a released tensor is a sentence.
for _, use in ipairs {
  function() return released + 1 end, function() return released[1] end, function() return released.shape end,
  function() return released:item() end, function() return #released end, function() return lt.add(1, released) end,
  function() return lt.stack { released } end, function() return pairs(released) end, function() return released:to("GPU:0") end,
} do
  expect.raises("FailedPrecondition", "released", use)
end
assert(tostring(released) == "lutra.Tensor(released)")
released:release()

-- An unknown option, field and dtype suggest the nearest.
local err = expect.raises("InvalidArgument", "unknown option", lt.matmul, x, x, { transpose_aa = true })
assert(err.message:find("transpose_a", 1, true), err.message)
err = expect.raises("InvalidArgument", "no field or method", function() return x.shap end)
assert(err.message:find("shape", 1, true), err.message)
err = expect.raises("InvalidArgument", "dtype", lt.ones, { 2 }, { dtype = "flaot32" })
assert(err.message:find("float32", 1, true), err.message)

-- The error object: where it happened, and a traceback.
local ok
ok, err = pcall(function() return lt.matmul(lt.ones { 2, 3 }, lt.ones { 2, 3 }) end)
assert(not ok and err.code == "InvalidArgument" and err.traceback:find("stack traceback", 1, true))
assert(tostring(err):find("^tests/lua/errors.lua:%d+: matmul: a %(2, 3%) and b %(2, 3%) do not match"), tostring(err))
assert(lt.iserror(err) and lt.iserror(err, "InvalidArgument") and not lt.iserror(err, "NotFound"))
assert(not lt.iserror("x") and not lt.iserror(nil) and not lt.iserror({}) and not lt.iserror(setmetatable({}, {})))

-- Arguments are looked at, nothing is kept.
err, step = nil, nil
assert(expect.scope() == scope_before, "a scope stayed open: " .. expect.scope())
local left = expect.storages()
assert(left <= storages_before, ("%d storages before, %d after"):format(storages_before, left))
expect.equal((lt.ones { 2, 2 } + 1):totable(), { { 2, 2 }, { 2, 2 } }, "the runtime after all that")
print("ok")
