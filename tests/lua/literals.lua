-- Tensors from Lua values: dtypes, shapes, and an error with the path of the mistake for every malformed table.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function made(value, dtype, shape, options)
  local t = lt.constant(value, options)
  assert(t.dtype == dtype, ("dtype %s, expected %s"):format(t.dtype, dtype))
  assert(t.shape == shape, ("shape %s, expected a shape of rank %d"):format(tostring(t.shape), #shape))
  return t
end

-- The dtype follows from the elements.
made({ 1, 2, 3 }, "int32", { 3 })
made({ 1, 2147483647, -2147483648 }, "int32", { 3 })
made({ 1, 2147483648 }, "int64", { 2 })
made({ -2147483649 }, "int64", { 1 })
made({ math.maxinteger, math.mininteger }, "int64", { 2 })
made({ 1, 2.0 }, "float32", { 2 })
made({ 1, 1e300 }, "float32", { 2 })
made({ 2 ^ 53 }, "float32", { 1 })
made({ math.maxinteger, 0.5 }, "float32", { 2 })
made({ true, false }, "bool", { 2 })
made({}, "float32", { 0 })
made({ {}, {} }, "float32", { 2, 0 })
made(3, "int32", {})
made(2 ^ 40 // 1 | 0, "int64", {})
made(0.5, "float32", {})
made(true, "bool", {})
made({ { { { { { { { 1 } } } } } } } }, "int32", { 1, 1, 1, 1, 1, 1, 1, 1 })

-- An explicit dtype.
for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64" } do
  expect.equal(made({ { 1, 2 }, { 3, 4 } }, dtype, { 2, 2 }, { dtype = dtype }):totable(), { { 1, 2 }, { 3, 4 } }, dtype)
end
expect.equal(made({ 1.0, 2.0 }, "int64", { 2 }, { dtype = "int64" }):totable(), { 1, 2 }, "floats with integral values")
expect.equal(made({ true, false }, "float32", { 2 }, { dtype = "float32" }):totable(), { 1, 0 })
expect.equal(made({ -128, 127 }, "int8", { 2 }, { dtype = "int8" }):totable(), { -128, 127 })
assert(math.type(lt.constant(3):item()) == "integer" and math.type(lt.constant(3.0):item()) == "float")
assert(lt.constant(true):item() == true)

-- Values survive.
local nan = 0 / 0
local t = made({ nan, 1 / 0, -1 / 0, -0.0 }, "float32", { 4 }):totable()
assert(t[1] ~= t[1] and t[2] == 1 / 0 and t[3] == -1 / 0 and 1 / t[4] == -1 / 0)
expect.equal(made({ math.mininteger, math.maxinteger, 0 }, "int64", { 3 }):totable(), { math.mininteger, math.maxinteger, 0 })
local big = {}
for i = 1, 100000 do big[i] = i end
t = made(big, "int32", { 100000 })
assert(t[100000]:item() == 100000 and t[-1]:item() == 100000)
big[99999] = 0.5
t = made(big, "float32", { 100000 })
assert(t[99999]:item() == 0.5 and t[3]:item() == 3.0, "a float after many integers")
local sparse = {}
for i = 500, 1, -1 do sparse[i] = i end  -- lives in the hash part
expect.equal(made(sparse, "int32", { 500 })[77]:item(), 77)
local tensor = lt.ones { 3 }
assert(rawequal(lt.constant(tensor), tensor), "constant(t) is t")

-- Mistakes, with the path.
local cyclic = {}
cyclic[1] = cyclic
local cyclic_later = { { 1 }, nil }
cyclic_later[2] = cyclic_later
local nine = 1
for _ = 1, 9 do nine = { nine } end
local deep = 1
for _ = 1, 5000 do deep = { deep } end
for _, case in ipairs {
  { { { 1, 2 }, { 1, 2, 3 } }, "value[2] has 3 elements, value[1] has 2" },
  { { { 1, 2 }, { 1 } }, "value[2] has 1 elements, value[1] has 2" },
  { { { { 1 }, { 2 } }, { { 1 }, { 2, 3 } } }, "value[2][2] has 2 elements, value[1][1] has 1" },
  { { { 1 }, 2 }, "value[2] is 2, value[1] is a table: the nesting is ragged" },
  { { 1, { 2 } }, "value[2] is a table, value[1] is a number: the nesting is ragged" },
  { { 1, nil, 3 }, "hole" }, { { nil, 2 }, "value" }, { { { 1 }, nil, { 3 } }, "value" },
  { { x = 1 }, "value has the key" }, { { 1, x = 2 }, "value has the key" }, { { [0] = 1 }, "key" }, { { 1, [0] = 2 }, "key" },
  { { 1, [1.5] = 2 }, "key" }, { { 1, [-1] = 2 }, "key" }, { { [2 ^ 53 | 0] = 1 }, "key" },
  { { true, 1 }, "value[2]" }, { { 1, false }, "value[2] is false, but other elements are numbers" },
  { { 1, "2" }, "value[2] is" }, { { "1" }, "value[1] is" }, { { print }, "a function" }, { { io.stdout }, "userdata" },
  { { lt.ones { 1 } }, "value[1] is a tensor" }, { cyclic, "contains itself" }, { cyclic_later, "value[2]" }, { nine, "8 deep" }, { deep, "8 deep" },
  { { {}, { 1 } }, "value[2] has 1 elements, value[1] has 0" }, { { {}, 1 }, "value[2]" },
} do
  expect.raises("InvalidArgument", case[2], lt.constant, case[1])
  -- An op calls it as its own argument.
  local words = case[2]:gsub("value", "b")
  expect.raises("InvalidArgument", words, lt.add, 1, case[1])
  expect.raises("InvalidArgument", (case[2]:gsub("value", "tensors[2]")), lt.stack, { 1, case[1] })
end
expect.raises("InvalidArgument", "clip: min[2] is a table, min[1] is a number", lt.clip, 1, { 1, { 2 } }, 3)
expect.raises("InvalidArgument", "clip: max[2] has 2 elements, max[1] has 1", lt.clip, 1, 0, { { 1 }, { 2, 3 } })
expect.raises("InvalidArgument", "128 does not fit int8 (-128 to 127)", lt.constant, { 1, 128 }, { dtype = "int8" })
expect.raises("InvalidArgument", "-1 does not fit uint8", lt.constant, { -1 }, { dtype = "uint8" })
expect.raises("InvalidArgument", "does not fit int32", lt.constant, { 2 ^ 31 | 0 }, { dtype = "int32" })
for _, value in ipairs { 1.5, nan, 1 / 0, -1 / 0, 2.0 ^ 63, 1e300 } do
  expect.raises("InvalidArgument", "int64", lt.constant, { value }, { dtype = "int64" })
  expect.raises("InvalidArgument", "int64", lt.constant, value, { dtype = "int64" })
end
expect.raises("InvalidArgument", "bool", lt.constant, { 2 }, { dtype = "bool" })
for _, value in ipairs { "nil", "a function", '"x"' } do
  local given = ({ ["a function"] = print, ['"x"'] = "x" })[value]
  expect.raises("InvalidArgument", ("constant: value is %s, expected a table, a number, a boolean or a tensor"):format(value),
    lt.constant, given)
end
expect.raises("InvalidArgument", "dtype", lt.constant, { 1 }, { dtype = 3 })
expect.raises("InvalidArgument", "is no dtype", lt.constant, { 1 }, { dtype = "float" })
expect.raises("InvalidArgument", "unknown option 'dtipe'", lt.constant, { 1 }, { dtipe = "float32" })
expect.raises("InvalidArgument", "options", lt.constant, { 1 }, "float32")

-- A number that does not fit the tensor it meets; one that does takes its dtype.
local small = lt.constant({ 1, 2 }, { dtype = "int32" })
assert((small + 1).dtype == "int32" and (small + 1.5).dtype == "float32" and (lt.ones { 2 } + 1).dtype == "float32")
expect.raises("InvalidArgument", "does not fit int32", function() return small + (1 << 40) end)
assert((lt.constant { 1, 1 << 40 } + 1).dtype == "int64")

-- What a table holds itself counts. One whose entries only its metatable knows is refused wherever a list is read, rather
-- than taken for an empty one; methods of a list are no matter.
local methods = { first = function(self) return self[1] end }
methods.__index = methods
expect.equal(lt.constant(setmetatable({ 1, 2, 3 }, methods)):totable(), { 1, 2, 3 })
local readonly = setmetatable({}, { __index = { 2, 3 } })
local counted = setmetatable({}, { __len = function() return 3 end })
local x = lt.ones { 2, 3 }
for _, proxy in ipairs { readonly, counted } do
  for words, call in pairs {
    ["constant: value gets"] = function() return lt.constant(proxy) end,
    ["constant: value[2] gets"] = function() return lt.constant { { 1 }, proxy } end,
    ["add: b[1] gets"] = function() return x + { proxy } end,
    ["zeros: shape gets"] = function() return lt.zeros(proxy) end,
    ["reshape: shape gets"] = function() return x:reshape(proxy) end,
    ["sum: axis gets"] = function() return x:sum { axis = proxy } end,
    ["stack: tensors gets"] = function() return lt.stack(proxy) end,
    ["from_bytes: shape gets"] = function() return lt.from_bytes("", "float32", proxy) end,
    ["index: the list of entries gets"] = function() return x[proxy] end,
    ["index: entry 2 gets"] = function() return x[{ {}, proxy }] end,
  } do
    expect.raises("InvalidArgument", words, call)
  end
end
expect.raises("InvalidArgument", "sum: the options table gets", x.sum, x, setmetatable({}, { __index = { keepdims = true } }))

-- bytes and from_bytes.
for _, dtype in ipairs { "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16" } do
  local whole = lt.constant({ { 1, 2, 3 }, { 4, 5, 6 } }, { dtype = dtype })
  local back = lt.from_bytes(whole:bytes(), dtype, { 2, 3 })
  assert(back.dtype == dtype and back.shape == { 2, 3 })
  expect.equal(back:totable(), whole:totable(), dtype)
end
expect.equal(lt.from_bytes("\0\1\2\255", "bool", { 4 }):totable(), { false, true, true, true })
assert(lt.from_bytes("\0\1\2", "bool", 3):bytes() == "\0\1\1", "a bool is 0 or 1")
assert(lt.from_bytes("", "float64", { 0, 5 }).shape == { 0, 5 })
expect.raises("InvalidArgument", "takes 8 bytes, got 7", lt.from_bytes, "1234567", "float32", { 2 })
for _, case in ipairs {
  { { -1 }, "negative size -1" }, { { 1 << 62, 4 }, "more elements than memory can address" }, { { 1.5 }, "shape[1] is 1.5" },
  { { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, "at most 8" }, { "x", 'shape is "x"' }, { { x = 1 }, "a string key" },
  { { 0, 1, 1, 1, 1, 1, 1, 1, 1 }, "at most 8" },
} do
  expect.raises("InvalidArgument", case[2], lt.from_bytes, "", "float32", case[1])
end
assert(lt.from_bytes("", "float32", { 1 << 40, 1 << 40, 0 }).size == 0)
for _, case in ipairs {
  { { 1 << 62, 4 }, "more elements than memory can address" }, { { 1 << 32, 1 << 32 }, "more elements than memory can address" },
  { { math.maxinteger }, "more elements than memory can address" }, { { -1, 2 }, "negative size -1" },
  { { math.mininteger }, "negative size" },
} do
  for _, f in ipairs { lt.zeros, lt.ones, lt.random.normal } do expect.raises("InvalidArgument", case[2], f, case[1]) end
end

-- Many numbers in a list of tensors take time in proportion.
local many, began = { lt.constant(1, { dtype = "float64" }) }, os.clock()
for i = 2, 60000 do many[i] = i end
assert(lt.stack(many):sum():item() == 60000 * 60001 // 2 and os.clock() - began < 5)
print("ok")
