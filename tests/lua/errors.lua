-- Every function and method with wrong values in every argument position: the call works, or raises one of Lutra's
-- errors that says who made the mistake. Nothing leaks, and no scope stays open.
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

-- Texts that do not begin with the function's name: TensorFlow's, those about a device or a limit by itself, and those of
-- where(cond), which is nonzero(cond).
local known_texts = {
  "^Unrecognized device", "unknown device%.", "^No matching devices", "^Multiple devices", "cannot be modified after",
  "^Setting memory limit", "^Cannot set memory growth", "^It's invalid to set", "^memory_limit is", "^No CPU devices",
  "^the memory limits of", "^device name", "^malformed device", "^nonzero: ",
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
local saved = os.tmpname()
local good_values = {
  load = { "tests/data/int32.npy" }, save = { saved .. ".npy", x },
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

-- Nothing is taken and passed over: surplus arguments are an error. These hand theirs on, or take any number.
local hands_on = { device = true, tidy = true, map_fn = true, while_loop = true, block_diag = true, atleast_1d = true,
  atleast_2d = true, atleast_3d = true, broadcast_arrays = true, cartesian_prod = true }
local function try_surplus(who, f, good)
  local args = table.move(good, 1, #good, 1, {})
  for _ = 1, 9 do args[#args + 1] = true end
  expect.raises("InvalidArgument", who:match("[^.]+$") .. ": " .. #args .. " arguments given, ", f, table.unpack(args))
end

local walked = 0
local function walk(prefix, module)
  local names = {}
  for name in pairs(module) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value, who = module[name], prefix .. name
    if type(value) == "table" and name ~= "experimental" then
      walk((name == "random" or name == "fft") and name .. "." or "", value)
    elseif type(value) == "function" and not quiet[name] then
      walked = walked + 1
      try(who, value, good_values[who] or { x, x })
      if not hands_on[name] then try_surplus(who, value, good_values[who] or { x, x }) end
      if not slow[name] then try_pairs(who, value, walked) end
      restore()
    end
  end
end
walk("", lt)
os.remove(saved)
os.remove(saved .. ".npy")
assert(walked > 60, "the walk found " .. walked .. " functions")

-- A wrapper hands on what it was not given: nil behind the last argument is none, also behind an options table.
do
  local column = lt.constant { { 1.0 }, { 2.0 } }
  expect.equal(lt.sum(column, { keepdims = true }, nil).rank, 2)
  expect.equal(lt.sum(column, { 1 }, { keepdims = true }, nil, nil):totable(), { { 3.0 } })
  expect.equal(lt.softmax(column, { axis = 1 }, nil).rank, 2)
  expect.equal(lt.random.normal({ 2 }, { seed = 1 }, nil):totable(), lt.random.normal({ 2 }, { seed = 1 }):totable())
  expect.equal(lt.constant(1, { dtype = "int8" }, nil).dtype, "int8")
  expect.raises("InvalidArgument", "sum: 4 arguments given", lt.sum, column, 1, nil, 2)
  expect.raises("InvalidArgument", "add: b is nil", lt.add, column, nil)
end

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

for _, name in ipairs { "item", "totable", "bytes", "release", "sum", "float32", "int8" } do
  expect.raises("InvalidArgument", "arguments given", function() x[name](x, 1, 2, 3) end)
end

-- The error names the function, the argument by its documented name, its value's kind and the expected kind.
local t = lt.ones { 2 }
for words, call in pairs {
  ["clip: min is \"a\", expected a tensor, a table or a number"] = function() lt.clip(t, "a", 1) end,
  ["clip: max is a function, expected"] = function() lt.clip(t, 0, print) end,
  ["add: a is nil, expected a tensor, a table or a number"] = function() lt.add(nil, t) end,
  ["matmul: b is a coroutine, expected a tensor or a table"] = function() lt.matmul(t, coroutine.create(print)) end,
  ["stack: tensors[2] is a function, expected a tensor or a table"] = function() lt.stack { t, print } end,
  ["reshape: shape[1] is \"x\", expected an integer"] = function() t:reshape { "x" } end,
  ["sum: axis is \"x\", expected an axis or a list of axes"] = function() t:sum { axis = "x" } end,
  ["ones: 3 arguments given, expected ones(shape, [options])"] = function() lt.ones({ 2 }, {}, 1) end,
  ["item: called with a dot, which does not hand over the tensor; write t:item(...) with a colon"] = function() t.item(5) end,
  ["to: device is missing, expected"] = function() t:to() end,
  ["from_bytes: bytes is 5, expected a string"] = function() lt.from_bytes(5, "float32", 1) end,
  ["from_bytes: dtype is 5, expected a string"] = function() lt.from_bytes("", 5, 1) end,
  ["from_bytes: shape is \"x\", expected a shape"] = function() lt.from_bytes("", "float32", "x") end,
  ["constant: options is 5, expected a table of options"] = function() lt.constant({ 1 }, 5) end,
  ["iserror: code is 2, expected a string"] = function() lt.iserror(1, 2) end,
  ["iserror: there is no error code \"Foo\""] = function() lt.iserror(1, "Foo") end,
  ["random.set_seed: seed is 1.5, expected an integer"] = function() lt.random.set_seed(1.5) end,
  ["set_print_options: precision is \"x\", expected an integer"] = function() lt.set_print_options { precision = "x" } end,
  ["synchronize: device is 5, expected"] = function() lt.synchronize(5) end,
  ["explain: tensor is 3, expected a tensor"] = function() lt.debugging.explain(3) end,
  ["set_kernel_fallback: mode is \"x\", expected \"allow\", \"warn\" or \"error\""] = function() lt.debugging.set_kernel_fallback("x") end,
  ["set_log_handler: handler is 3, expected a function or nil"] = function() lt.debugging.set_log_handler(3) end,
  ["time: 1 argument given, none is taken"] = function() lt.time(1) end,
  ["..: the right side is a function, expected a string, a number or a tensor"] = function() return t .. print end,
  ["index: the key is a function, expected an integer"] = function() return t[print] end,
} do
  expect.raises("InvalidArgument", words, call)
end
for words, call in pairs {
  ["t.shape: the tensor has been released"] = function() return released.shape end,
  ["t[i]: the tensor has been released"] = function() return released[1] end,
  ["#: tensor is a tensor that has been released"] = function() return #released end,
  ["..: tensor is a tensor that has been released"] = function() return released .. "x" end,
  ["pairs: tensor is a tensor that has been released"] = function() return pairs(released) end,
  ["constant: value is a tensor that has been released"] = function() return lt.constant(released) end,
  ["index: the key is a tensor that has been released"] = function() return t[released] end,
} do
  expect.raises("FailedPrecondition", words, call)
end

-- ipairs asks for the entry after the last one; the error says what to write instead. By hand it is an index like others.
local rows = 0
local err = expect.raises("OutOfRange", "ipairs stops only at nil, which a tensor never returns: use pairs(t)", function() for _ in ipairs(t) do rows = rows + 1 end end)
assert(rows == 2 and err.message:find("^t%[3%]: axis 1 has 2 elements; ipairs"), err.message)
err = expect.raises("OutOfRange", "t[3]: axis 1 has 2 elements", function() return t[3] end)
assert(not err.message:find("ipairs", 1, true), err.message)

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

-- What was given among the arguments is no option any more; nil there is nothing given.
expect.raises("InvalidArgument", "concat: axis is given twice", lt.concat, { x, x }, 1, { axis = 2 })
expect.raises("InvalidArgument", "reshape: unknown option 'shape'; it takes no options", lt.reshape, x, { 1, -1 }, { shape = { -1, 1 } })
expect.raises("InvalidArgument", "sum: axis is given twice", x.sum, x, {}, { axis = 1 })
assert(x:sum(nil, { axis = 1 }):eq(x:sum(1)):all():item())
expect.raises("InvalidArgument", "split: unknown option 'sizes'; it takes axis", lt.split, x, 1, { sizes = 2 })

-- An unknown option, field and dtype suggest the nearest.
err = expect.raises("InvalidArgument", "unknown option", lt.matmul, x, x, { transpose_aa = true })
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
assert(tostring(err) == err.where .. " " .. err.message and err.where:find("^tests/lua/errors.lua:%d+:$"), err.where)
local function deep(n) if n == 0 then return (x:matmul(lt.ones { 2, 2 })) end local result = deep(n - 1) return result end
_, err = pcall(deep, 3)
assert(err.traceback:find("^stack traceback:\n\t%[C%]: in method 'matmul'\n\ttests/lua/errors.lua:%d+: in upvalue 'deep'\n"), err.traceback)
assert(err.traceback:find("in function <tests/lua/errors.lua:%d+>\n\t%[C%]: in function 'pcall'\n.*: in main chunk\n\t%[C%]: in %?$"), err.traceback)
-- For deep recursion it shows both ends.
_, err = pcall(deep, 10000)
local _, lines = err.traceback:gsub("\n", "")
assert(lines == 22 and err.traceback:find("skipping 9984 levels", 1, true) and err.traceback:find("main chunk", 1, true), err.traceback)
assert(lt.iserror(err) and lt.iserror(err, "InvalidArgument") and not lt.iserror(err, "NotFound"))
assert(not lt.iserror("x") and not lt.iserror(nil) and not lt.iserror({}) and not lt.iserror(setmetatable({}, {})))

-- Arguments are read, and nothing is kept.
err, step, t = nil, nil, nil
assert(expect.scope() == scope_before, "a scope stayed open: " .. expect.scope())
local left = expect.storages()
assert(left <= storages_before, ("%d storages before, %d after"):format(storages_before, left))
expect.equal((lt.ones { 2, 2 } + 1):totable(), { { 2, 2 }, { 2, 2 } }, "the runtime after all that")
print("ok")
