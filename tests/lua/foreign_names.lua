-- Names from other libraries: functions, methods, dtypes; calls with a dot instead of a colon, or a colon instead of a
-- dot.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local x, v = lt.ones { 6 }, lt.Variable { 1.0, 2.0 }

local function says(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end

-- The error for such a function when it is called with lutra and a tensor.
local function told(body)
  local text, ok = expect.program(("local function f(lt, x) %s end f(lt, lt.ones { 6 })"):format(body))
  assert(not ok, body)
  return text
end

expect.case("functions by another library's name", function()
  for call, ours in pairs {
    ["arange(5)"] = "lutra.range(start, limit, step)", ["concatenate { x }"] = "lutra.concat({a, b, ...}, axis)",
    ["cat { x }"] = "lutra.concat({a, b, ...}, axis)", ["array { 1 }"] = "lutra.constant(value)",
    ["tensor { 1 }"] = "lutra.constant(value)", ["power(x, 2)"] = "lutra.pow(a, b)", ["multiply(x, x)"] = "lutra.mul(a, b)",
    ["divide(x, x)"] = "lutra.div(a, b)", ["less(x, x)"] = "lutra.lt(a, b)", ["unsqueeze(x, 1)"] = "lutra.expand_dims(x, axis)",
    ["clamp(x, 0, 1)"] = "lutra.clip(x, min, max)", ["random.rand { 2 }"] = "lutra.random.uniform(shape)",
    ["random.seed(1)"] = "lutra.random.set_seed(seed)", ["random.standard_gamma(x)"] = "lutra.random.gamma(shape, alpha)",
    ["nn.relu(x)"] = "lutra.relu", ["nn.functional.relu(x)"] = "lutra.relu, lutra.softmax and the like", ["linalg.svd(x)"] = "lutra.svd, lutra.inv and the like", ["shape(x)"] = "x.shape",
    ["random.sum(x)"] = "lutra.sum", ["arcsinh(x)"] = "lutra.asinh(x)",
    ["normalize(x)"] = "lutra.l2_normalize(x, axis)",
  } do
    local message = told("return lt." .. call)
    assert(message:find("; write " .. ours, 1, true), message)
  end
  local text = expect.program("lt.arange(5)")
  assert(text:find("(field 'arange'); write lutra.range(start, limit, step)", 1, true), text)
end)

expect.case("a name that Lutra has is not listed as another library's", function()
  local file <close> = assert(io.open("src/lua/hints/foreign_names.cpp"))
  local list = file:read("a"):match("kForeign%[%] = (%b{})")
  local count = 0
  for name, rest in list:gmatch('\n    {"([%w_]+)", ([^\n]*)') do
    count = count + 1
    -- An entry without a text for the function is about the method alone.
    assert(rest:sub(1, 2) == '""' or lt[name] == nil, "lutra." .. name .. " exists: remove it from foreign_names.cpp")
    local ok, entry = pcall(function() return x[name] end)
    assert(not ok or type(entry) ~= "function", "t:" .. name .. "() exists: remove it from foreign_names.cpp")
  end
  assert(count > 100, count)
end)

expect.case("a slip is suggested", function()
  local message = told("return lt.constat(1)")
  assert(message:find("(did you mean 'lutra.constant'?)", 1, true), message)
  -- A field of one's own table says nothing of Lutra's.
  assert(not told("local t, n = {}, lt.arange t.arrange()"):find("write", 1, true))
end)

expect.case("methods by another library's name, and functions that are no methods", function()
  for name, ours in pairs {
    ravel = "t:flatten()", equal = "t:eq(other)", power = "t:pow(other)", half = "t:float16()", long = "t:int64()",
    double = "t:float64()", contiguous = "t itself: tensors never change", expand = "t:broadcast_to(shape)", t = "t:transpose()",
    cat = "lutra.concat({a, b, ...}, axis)", backward = "tape:gradient(loss, variables), of a lutra.GradientTape",
  } do
    for _, tensor in ipairs { x, v } do
      says(('has no field or method "%s"; write %s'):format(name, ours), function() return tensor[name](tensor) end)
    end
  end
  for _, name in ipairs { "concat", "stack", "add_n", "einsum" } do
    says(('a tensor has no field or method "%s"; it is a function: write lutra.%s(...)'):format(name, name),
      function() return x[name] end)
  end
end)

expect.case("a field that is called", function()
  for _, call in ipairs { "x:size()", "x:size(1)" } do
    local message = told("return " .. call)
    assert(message:find("(method 'size'); a tensor's shape is a field: write t.shape, or t.shape[i]; t.size is the number of elements",
      1, true), message)
  end
  for _, field in ipairs { "shape", "device", "rank", "dtype" } do
    local message = told(("return x:%s()"):format(field))
    assert(message:find(("(method '%s'); a tensor's %s is a field: write t.%s"):format(field, field, field), 1, true), message)
  end
end)

expect.case("a colon behind a module", function()
  local colon = "called with a colon, which hands over the module; write "
  says("sum: " .. colon .. "lutra.sum(...) with a dot", function() return lt:sum(x) end)
  says("ones: " .. colon .. "lutra.ones(...)", function() return lt:ones { 2 } end)
  says("matmul: " .. colon .. "lutra.matmul(...)", function() return lt:matmul(x, x) end)
  says("device: " .. colon .. "lutra.device(...)", function() return lt:device("CPU:0") end)
  says("normal: " .. colon .. "lutra.random.normal(...)", function() return lt.random:normal { 2 } end)
  says("set_memory_growth: " .. colon .. "lutra.config.set_memory_growth(...)", function() lt.config:set_memory_growth("GPU:0", true) end)
  -- The module itself is no tensor either.
  says("sum: x gets its entries from its metatable", function() return lt.sum(lt) end)
end)

expect.case("a dot before a method", function()
  local dot = "called with a dot, which does not hand over the "
  says("reshape: " .. dot .. "tensor; write t:reshape(...) with a colon", function() return x.reshape(3, 2) end)
  says("write t:reshape(...)", function() return x.reshape { 3, 2 } end)
  says("write t:float32(...)", function() local _ = x.float32() end)
  says("write t:item(...)", function() return x.item() end)
  says("write t:sum(...)", function() return v.sum() end)
  says("assign_sub: " .. dot .. "variable; write v:assign_sub(...) with a colon", function() return v.assign_sub(0.1) end)
  says("write v:assign(...)", function() return v.assign { 1.0 } end)
  local tape = lt.GradientTape()
  says("gradient: " .. dot .. "tape; write tape:gradient(...) with a colon", function() return tape.gradient(x, v) end)
  tape:close()
  -- The same mistake in a function of the module has its usual error.
  says("reshape: x () has 1 element, shape (2,) has 2", function() return lt.reshape(3, { 2 }) end)
  expect.equal(x.reshape(x, { 2, 3 }).shape, { 2, 3 })
  lt.ones { 1 }
  says("reshape: x (6,) has 6 elements", function() return x.reshape(x, { 4 }) end)
end)
print("ok")
