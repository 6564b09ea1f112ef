-- tile, repeat_interleave, pad, flip, roll: each against a reference that says, index by index,
-- where an element comes from.
local samples = require "samples"
local spec = require "spec"

-- Calls f(index) for every index of a shape, in row-major order.
local function each_index(shape, f)
  for at = 0, samples.size(shape) - 1 do
    local index, rest = {}, at
    for axis = #shape, 1, -1 do
      index[axis] = rest % shape[axis]
      rest = rest // shape[axis]
    end
    f(index)
  end
end

local function offset(index, shape)
  local at = 0
  for axis = 1, #shape do at = at * shape[axis] + index[axis] end
  return at
end

-- counted(shape, dtype) and its row-major values.
local function counted_values(shape, dtype)
  local x = counted(shape, dtype)
  return x, x:flatten():totable()
end

-- Row-major values of a result of `shape` whose element at an index (from 0) comes from x's element at source(index);
-- nil: from nowhere, it is `otherwise`.
local function rearranged(values, from, shape, source, otherwise)
  local out = {}
  each_index(shape, function(index)
    local place = source(index)
    if place == nil then out[#out + 1] = otherwise
    else out[#out + 1] = values[offset(place, from) + 1] end
  end)
  return out
end

-- got = op's result on `x`; wanted by the reference, dtype and shape included.
local function check_rearranged(t, what, got, dtype, shape, wanted)
  t.equal(got.shape, shape, what)
  t.ok(got.dtype == dtype, what .. ": dtype " .. got.dtype)
  t.equal(got:flatten(), wanted, what)
end

local eight = { 1, 2, 1, 2, 1, 2, 1, 3 }

spec "tile" {
  example = { { 1, 2 }, { 2, 2 }, gives = { { 1, 2, 1, 2 }, { 1, 2, 1, 2 } } },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, 2, gives = { { 1, 2, 1, 2 }, { 3, 4, 3, 4 } } },
    { { { 1, 2 }, { 3, 4 } }, { 2, 1 }, gives = { { 1, 2 }, { 3, 4 }, { 1, 2 }, { 3, 4 } } },
    { 7, { 3 }, gives = { 7, 7, 7 } },
    { 7, {}, gives = 7, shape = {} },
    { { 1, 2 }, {}, gives = { 1, 2 } },
    { { 1, 2 }, { 1, 1, 1 }, gives = { { { 1, 2 } } } },
    { { 1, 2 }, 0, shape = { 0 } },
    { zeros(0, 2), { 3, 2 }, shape = { 0, 4 } },
    { { 1, 2 }, { 1, 1, 1, 1, 1, 1, 1, 2 }, shape = { 1, 1, 1, 1, 1, 1, 1, 4 } },
  },
  rejects = {
    { args = { { 1, 2 }, { 2, -1 } }, says = "tile: counts[2] is -1, expected 0 or more" },
    { args = { { 1, 2 }, -3 }, says = "tile: counts[1] is -3, expected 0 or more" },
    { args = { { 1, 2 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1 } }, says = "tile: counts has 9 entries, at most 8 are possible" },
    { args = { { 1, 2 }, { 1.5 } }, says = "tile: counts[1] is 1.5, expected an integer" },
    { args = { { 1, 2 }, "2" }, says = "tile: counts is \"2\", expected an integer or a list of integers" },
    { args = { { 1, 2 }, math.maxinteger }, says = "tile: an axis of the result is longer than memory can address" },
    { args = { { 1, 2 }, { 1 << 40, 1 << 40 } }, says = "more elements than memory can address" },
    { args = { { 1, 2 } }, says = "tile: 1 argument given, expected tile(x, counts)" },
  },
  gradients = {
    { { 1, 2 }, 3 }, { { { 1, 2 }, { 3, 4 } }, { 2, 3 }, fixed = { [2] = true } },
    { { { 1, 2 } }, { 2, 1, 3, 2 }, fixed = { [2] = true } }, { { 1, 2 }, { 1, 1 }, fixed = { [2] = true } },
    { { { { 1, 2 }, { 3, 4 } } }, { 1, 2, 2 }, fixed = { [2] = true } },
    { { 1, 2 }, 0 },
  },
  check = function(t)
    for _, case in ipairs {
      { { 3 }, { 2 } }, { { 3 }, { 2, 1 } }, { { 2, 3 }, { 1, 2 } }, { { 2, 3 }, { 3, 1 } }, { { 2, 1, 3 }, { 2, 3, 2 } },
      { { 5 }, { 3, 1, 2 } }, { eight, { 2, 1, 2, 1, 2, 1, 1, 2 } }, { {}, { 2, 2 } },
    } do
      local from, counts = case[1], case[2]
      local rank = math.max(#from, #counts)
      local own, shape = {}, {}
      for axis = 1, rank do
        own[axis] = from[axis - rank + #from] or 1
        shape[axis] = own[axis] * (counts[axis - rank + #counts] or 1)
      end
      for _, dtype in ipairs(all_dtypes) do
        local x, values = counted_values(from, dtype)
        local wanted = rearranged(values, own, shape, function(index)
          local place = {}
          for axis = 1, rank do place[axis] = index[axis] % own[axis] end
          return place
        end)
        check_rearranged(t, dtype .. " (" .. table.concat(from, ", ") .. ")", x:tile(counts), dtype, shape, wanted)
      end
    end
    -- Long rows are doubled within a bound, and shared out among threads.
    for _, period in ipairs { 1, 7, 1000, 40001 } do
      local n = 300000 // period
      local y = lt.range(period):tile(n)
      t.equal(y:eq(lt.range(period * n) % period):all(), true, "period " .. period)
    end
    t.equal(lt.range(300):reshape({ 3, 100 }):tile({ 500, 3 })[{ 1000, { 99, 102 } }], { 98, 99, 0, 1 })
  end,
}

spec "repeat_interleave" {
  example = { { 1, 2 }, { 1, 3 }, gives = { 1, 2, 2, 2 } },
  examples = {
    { { 1, 2 }, 2, gives = { 1, 1, 2, 2 } },
    { { { 1, 2 }, { 3, 4 } }, 2, gives = { { 1, 2 }, { 1, 2 }, { 3, 4 }, { 3, 4 } } },
    { { { 1, 2 }, { 3, 4 } }, 2, 2, gives = { { 1, 1, 2, 2 }, { 3, 3, 4, 4 } } },
    { { { 1, 2 }, { 3, 4 } }, { 0, 2 }, -1, gives = { { 2, 2 }, { 4, 4 } } },
    { { { 1, 2 }, { 3, 4 } }, { 2, 1 }, { axis = 1 }, gives = { { 1, 2 }, { 1, 2 }, { 3, 4 } } },
    { { 1, 2 }, { 2 }, gives = { 1, 1, 2, 2 } },
    { { 1, 2 }, 1, gives = { 1, 2 } },
    { { 1, 2 }, 0, shape = { 0 } },
    { { 1, 2 }, 2.0, gives = { 1, 1, 2, 2 } },
    { zeros(0, 3), 2, shape = { 0, 3 } },
    { zeros(0, 3), made(function() return {} end), shape = { 0, 3 } },
    { zeros(2, 0), { 1, 2 }, shape = { 3, 0 } },
  },
  rejects = {
    { args = { 5, 2 }, says = "repeat_interleave: x is a scalar, which has no axis to repeat along" },
    { args = { { 1, 2 }, -1 }, says = "repeat_interleave: n is -1, expected 0 or more" },
    { args = { { 1, 2 }, { 1, -2 } }, says = "repeat_interleave: n[2] is -2, expected 0 or more" },
    { args = { { 1, 2 }, { -2 } }, says = "repeat_interleave: n[1] is -2, expected 0 or more" },
    { args = { { 1, 2 }, { 1, 2, 3 } },
      says = "repeat_interleave: n lists 3 counts, and axis 1 of x (2,) has 2 elements" },
    { args = { { 1, 2 }, {} }, says = "repeat_interleave: n lists 0 counts" },
    { args = { { 1, 2 }, { 1.5, 1 } }, says = "repeat_interleave: n[1] is 1.5, expected an integer" },
    { args = { { 1, 2 }, { 1, nil, 2 } }, says = "repeat_interleave: n has" },
    { args = { { 1, 2 }, "2" }, says = "repeat_interleave: n is \"2\", expected an integer or a list of integers" },
    { args = { { 1, 2 }, 1.5 }, says = "repeat_interleave: n is 1.5, expected an integer" },
    { args = { { 1, 2 }, 2, 2 }, says = "repeat_interleave: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, 2, { 1, 2 } }, says = "repeat_interleave: axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, 2, 0 }, says = "axis 0" },
    { args = { { 1, 2 }, math.maxinteger }, says = "repeat_interleave: an axis of the result is longer" },
    { args = { { 1, 2 }, { math.maxinteger, 1 } }, says = "repeat_interleave: an axis of the result is longer" },
    { args = { { 1, 2 }, 2, { n = { 1, 2 } } }, says = "repeat_interleave: unknown option 'n'" },
  },
  gradients = {
    { { 1, 2, 3 }, 2 }, { { { 1, 2 }, { 3, 4 } }, 3, 2 }, { { 1, 2, 3 }, { 2, 0, 3 }, fixed = { [2] = true } },
    { { { 1, 2 }, { 3, 4 } }, { 1, 3 }, 2, fixed = { [2] = true } },
    { { { { 1, 2 }, { 3, 4 } } }, { 1, 3 }, 2, fixed = { [2] = true } },
    { { 1, 2 }, 0 }, { { 1, 2 }, { 0, 0 }, fixed = { [2] = true } },
  },
  check = function(t)
    for _, case in ipairs {
      { { 3 }, 1, 4 }, { { 3 }, 1, { 0, 5, 1 } }, { { 2, 3, 2 }, 2, 3 }, { { 2, 3, 2 }, 2, { 2, 0, 1 } },
      { { 2, 3 }, 1, { 1, 2 } }, { { 2, 3 }, 2, { 3, 1, 0 } }, { eight, 8, { 2, 1, 0 } }, { eight, 4, 2 },
    } do
      local from, axis, n = case[1], case[2], case[3]
      local sources = {}
      for i = 1, from[axis] do
        for _ = 1, type(n) == "table" and n[i] or n do sources[#sources + 1] = i - 1 end
      end
      local shape = table.move(from, 1, #from, 1, {})
      shape[axis] = #sources
      for _, dtype in ipairs(all_dtypes) do
        local x, values = counted_values(from, dtype)
        local wanted = rearranged(values, from, shape, function(index)
          local place = table.move(index, 1, #index, 1, {})
          place[axis] = sources[index[axis] + 1]
          return place
        end)
        check_rearranged(t, dtype .. " axis " .. axis, x:repeat_interleave(n, axis), dtype, shape, wanted)
      end
    end
    -- A list longer than any option, and enough elements for several threads.
    local counts, total = {}, 0
    for i = 1, 3000 do
      counts[i] = i % 7
      total = total + counts[i]
    end
    local x = lt.range(6000):reshape { 3000, 2 }
    local y = x:repeat_interleave(counts)
    t.equal(y.shape, { total, 2 })
    t.equal(y:sum(), (function()
      local sum = 0
      for i = 1, 3000 do sum = sum + counts[i] * (4 * (i - 1) + 1) end
      return sum
    end)())
    t.equal(lt.range(100000):repeat_interleave(3):eq(lt.range(300000) // 3):all(), true)
    t.equal(lt.range(1000):reshape({ 10, 100 }):repeat_interleave(50)[{ 451, { 1, 2 } }], { 900, 901 })
    -- The counts are the call's own: the tape keeps them after the table has changed.
    local v, list = lt.constant { 1.0, 2.0 }, { 2, 3 }
    local tape <close> = lt.GradientTape()
    tape:watch(v)
    local z = v:repeat_interleave(list)
    list[1], list[2] = 100, 200
    collectgarbage()
    t.equal(tape:gradient(z, v), { 2, 3 })
  end,
}

spec "pad" {
  example = { { 1, 2 }, { { 1, 2 } }, gives = { 0, 1, 2, 0, 0 } },
  examples = {
    { { { 1, 2 } }, { { 1, 0 }, { 0, 1 } }, gives = { { 0, 0, 0 }, { 1, 2, 0 } } },
    { { { 1, 2 } }, { { 0, 0 }, { 1, 1 } }, { value = 7 }, gives = { { 7, 1, 2, 7 } } },
    { { 1.5 }, { { 1, 1 } }, { value = -0.5 }, gives = { -0.5, 1.5, -0.5 }, dtype = "float32" },
    { { 1.5 }, { { 1, 1 } }, { value = 1 / 0 }, gives = { 1 / 0, 1.5, 1 / 0 } },
    { bool { true }, { { 1, 1 } }, gives = { false, true, false }, dtype = "bool" },
    { bool { false }, { { 1, 0 } }, { value = true }, gives = { true, false }, dtype = "bool" },
    { int8 { 1 }, { { 0, 1 } }, { value = -128 }, gives = { 1, -128 }, dtype = "int8" },
    { int8 { 1 }, { { 0, 1 } }, { value = 2.0 }, gives = { 1, 2 }, dtype = "int8" },
    { float16 { 1 }, { { 0, 1 } }, { value = 0.1 }, gives = { 1, 0.0999755859375 }, tolerance = 0, dtype = "float16" },
    { { 1, 2 }, { { 0, 0 } }, gives = { 1, 2 } },
    { 5, {}, gives = 5, shape = {} },
    { zeros(0), { { 1, 1 } }, gives = { 0, 0 } },
    { zeros(0, 2), { { 0, 0 }, { 1, 1 } }, shape = { 0, 4 } },
    { zeros(2, 0), { { 1, 0 }, { 1, 0 } }, { value = 3 }, gives = { { 3 }, { 3 }, { 3 } } },
    { { 1, 2 }, { { 1, 1 } }, { mode = "constant" }, gives = { 0, 1, 2, 0 } },
    { { 1, 2 }, { { 1, 1 } }, { mode = "constant", value = 5 }, gives = { 5, 1, 2, 5 } },
    -- numpy.pad(numpy.arange(1, 7).reshape(2, 3), ((1, 0), (2, 3)), mode), with NumPy's names edge and wrap for the last two.
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 0 }, { 2, 3 } }, { mode = "reflect" },
      gives = { { 6, 5, 4, 5, 6, 5, 4, 5 }, { 3, 2, 1, 2, 3, 2, 1, 2 }, { 6, 5, 4, 5, 6, 5, 4, 5 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 0 }, { 2, 3 } }, { mode = "symmetric" },
      gives = { { 2, 1, 1, 2, 3, 3, 2, 1 }, { 2, 1, 1, 2, 3, 3, 2, 1 }, { 5, 4, 4, 5, 6, 6, 5, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 0 }, { 2, 3 } }, { mode = "replicate" },
      gives = { { 1, 1, 1, 2, 3, 3, 3, 3 }, { 1, 1, 1, 2, 3, 3, 3, 3 }, { 4, 4, 4, 5, 6, 6, 6, 6 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 0 }, { 2, 3 } }, { mode = "circular" },
      gives = { { 5, 6, 4, 5, 6, 4, 5, 6 }, { 2, 3, 1, 2, 3, 1, 2, 3 }, { 5, 6, 4, 5, 6, 4, 5, 6 } } },
    { bool { true, false }, { { 1, 0 } }, { mode = "circular" }, gives = { false, true, false }, dtype = "bool" },
  },
  rejects = {
    { args = { { 1, 2 }, { { 1, -1 } } }, says = "pad: paddings[1][2] is -1, expected 0 or more" },
    { args = { { 1, 2 }, { { 1, 1 }, { 1, 1 } } }, says = "pad: paddings lists 2 axes, and x (2,) has 1" },
    { args = { { 1, 2 }, {} }, says = "pad: paddings lists 0 axes, and x (2,) has 1" },
    { args = { { 1, 2 }, { { 1 } } }, says = "pad: paddings[1] has 1 entry, expected a pair: {before, behind}" },
    { args = { { 1, 2 }, { 1, 1 } }, says = "pad: paddings[1] is 1, expected a pair: {before, behind}" },
    { args = { { 1, 2 }, { { 1, 1.5 } } }, says = "pad: paddings[1][2] is 1.5, expected an integer" },
    { args = { { 1, 2 }, { { 1, 1 }, x = 1 } }, says = "pad: paddings has names among its entries, expected a list of pairs" },
    { args = { { 1, 2 }, 1 }, says = "pad: paddings is 1, expected a list of pairs" },
    { args = { { 1, 2 }, { { 1, 1 } }, { value = 1.5 } }, says = "pad: value is 1.5, which does not fit int32" },
    { args = { uint8 { 1, 2 }, { { 1, 1 } }, { value = 256 } }, says = "pad: value is 256, which does not fit uint8" },
    { args = { { 1, 2 }, { { 1, 1 } }, { value = true } }, says = "pad: value is a boolean, expected a number" },
    { args = { { true }, { { 1, 1 } }, { value = 1 } }, says = "pad: value is a number, expected a boolean" },
    { args = { { 1, 2 }, { { 1, 1 } }, { value = "0" } }, says = "pad: value is \"0\", expected a number or a boolean" },
    { args = { { 1, 2 }, { { math.maxinteger, 0 } } }, says = "pad: an axis of the result is longer" },
    { args = { { 1, 2 }, { { 1, 1 } }, { mode = "mirror" } }, says = 'pad: mode is "mirror", which is not known' },
    { args = { { 1, 2 }, { { 1, 1 } }, { mode = 1 } }, says = "pad: mode is 1, expected a string" },
    { args = { { 1, 2 }, { { 1, 1 } }, { mode = "reflect", value = 1 } }, says = "pad: value is for mode = \"constant\"" },
    { args = { { 1, 2 }, { { 1, 1 }, { 1, 1 } }, { mode = "reflect" } }, says = "pad: paddings is a list of 2, expected a pair" },
    { args = { { 1, 2 }, { { 1, -1 } }, { mode = "reflect" } }, says = "pad: paddings[1][2] is -1, expected a whole number, 0 or more" },
    { args = { zeros(0), { { 1, 1 } }, { mode = "reflect" } }, says = "pad: x (0,) has no elements to repeat along axis 1" },
    { args = { { 1, 2 }, { { 1, 1 } }, { mode = "reflect", values = 1 } }, says = "pad: unknown option 'values'" },
  },
  gradients = {
    { { 1, 2 }, { { 1, 2 } }, fixed = { [2] = true } },
    { { { 1, 2 }, { 3, 4 } }, { { 0, 1 }, { 2, 0 } }, { value = 5 }, fixed = { [2] = true } },
    { { { 1, 2 } }, { { 0, 0 }, { 0, 0 } }, fixed = { [2] = true } },
    { { { 1, 2, 3 }, { 3, 4, 5 } }, { { 0, 1 }, { 2, 4 } }, { mode = "reflect" }, fixed = { [2] = true } },
    { { { 1, 2, 3 }, { 3, 4, 5 } }, { { 2, 1 }, { 2, 4 } }, { mode = "symmetric" }, fixed = { [2] = true } },
    { { { 1, 2, 3 }, { 3, 4, 5 } }, { { 0, 1 }, { 2, 4 } }, { mode = "replicate" }, fixed = { [2] = true } },
    { { { 1, 2, 3 }, { 3, 4, 5 } }, { { 0, 1 }, { 2, 4 } }, { mode = "circular" }, fixed = { [2] = true } },
  },
  check = function(t)
    for _, case in ipairs {
      { { 3 }, { { 2, 1 } } }, { { 2, 3 }, { { 1, 2 }, { 0, 0 } } }, { { 2, 3 }, { { 0, 0 }, { 2, 3 } } },
      { { 2, 2, 2 }, { { 1, 0 }, { 0, 1 }, { 1, 1 } } }, { { 2, 2, 2 }, { { 1, 0 }, { 2, 1 }, { 0, 0 } } },
      { { 1, 2, 1, 2, 1, 1, 1, 2 }, { { 0, 1 }, { 0, 0 }, { 1, 0 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 0, 0 }, { 0, 1 } } },
    } do
      local from, pads = case[1], case[2]
      local shape = {}
      for axis = 1, #from do shape[axis] = from[axis] + pads[axis][1] + pads[axis][2] end
      for _, dtype in ipairs(all_dtypes) do
        local x, values = counted_values(from, dtype)
        local value = dtype == "bool" or 5
        local wanted = rearranged(values, from, shape, function(index)
          local place = {}
          for axis = 1, #from do
            place[axis] = index[axis] - pads[axis][1]
            if place[axis] < 0 or place[axis] >= from[axis] then return nil end
          end
          return place
        end, value)
        check_rearranged(t, dtype .. " rank " .. #from, x:pad(pads, { value = value }), dtype, shape, wanted)
      end
    end
    local big = lt.ones({ 300, 200 }):pad { { 10, 20 }, { 30, 40 } }
    t.equal(big.shape, { 330, 270 })
    t.equal(big:sum(), 60000)
    t.equal(big[{ { 11, 310 }, { 31, 230 } }]:sum(), 60000)
    t.equal(lt.range(70000):pad({ { 100000, 5 } })[{ { 99999, 100003 } }], { 0, 0, 0, 1, 2 })
  end,
}

spec "flip" {
  example = { { 1, 2, 3 }, gives = { 3, 2, 1 } },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, gives = { { 4, 3 }, { 2, 1 } } },
    { { { 1, 2 }, { 3, 4 } }, 1, gives = { { 3, 4 }, { 1, 2 } } },
    { { { 1, 2 }, { 3, 4 } }, -1, gives = { { 2, 1 }, { 4, 3 } } },
    { { { 1, 2 }, { 3, 4 } }, { axis = { 1, 2 } }, gives = { { 4, 3 }, { 2, 1 } } },
    { { { 1, 2 }, { 3, 4 } }, { axis = {} }, gives = { { 1, 2 }, { 3, 4 } } },
    { 5, gives = 5, shape = {} },
    { { { 1, 2 } }, 1, gives = { { 1, 2 } } },
    { zeros(2, 0), shape = { 2, 0 } },
  },
  rejects = {
    { args = { { 1, 2 }, 2 }, says = "flip: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, { 1, -1 } }, says = "flip: axis -1 is given twice" },
    { args = { { 1, 2 }, 0 }, says = "axis 0" },
    { args = { 5, 1 }, says = "flip: axis 1 is not there" },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { { { 1, 2 }, { 3, 4 } }, 2 }, { { { { 1, 2, 3 }, { 3, 4, 5 } } }, -1 } },
  check = function(t)
    for _, case in ipairs { { { 5 }, { 1 } }, { { 2, 3 }, { 1 } }, { { 2, 3 }, { 2 } }, { { 2, 3, 4 }, { 1, 3 } }, { eight, { 2, 6, 8 } } } do
      local shape, axes = case[1], case[2]
      for _, dtype in ipairs(all_dtypes) do
        local x, values = counted_values(shape, dtype)
        local wanted = rearranged(values, shape, shape, function(index)
          local place = table.move(index, 1, #index, 1, {})
          for _, axis in ipairs(axes) do place[axis] = shape[axis] - 1 - index[axis] end
          return place
        end)
        check_rearranged(t, dtype .. " rank " .. #shape, x:flip(axes), dtype, shape, wanted)
        t.equal(x:flip(axes):flip(axes), x)
      end
    end
    t.equal(lt.range(100000):flip():eq(99999 - lt.range(100000)):all(), true)
    t.equal(lt.range(100000):reshape({ 100, 1000 }):flip(2)[{ 50, { 1, 2 } }], { 49999, 49998 })
  end,
}

spec "roll" {
  example = { { 1, 2, 3 }, 1, gives = { 3, 1, 2 } },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, 1, gives = { { 4, 1 }, { 2, 3 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, 2, gives = { { 3, 1, 2 }, { 6, 4, 5 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, -1, -1, gives = { { 2, 3, 1 }, { 5, 6, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 1, 1 }, { 1, 2 }, gives = { { 6, 4, 5 }, { 3, 1, 2 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, { 1, 2 }, gives = { { 6, 4, 5 }, { 3, 1, 2 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 4 }, { axis = { 2 } }, gives = { { 3, 1, 2 }, { 6, 4, 5 } } },
    { { { 1, 2 }, { 3, 4 } }, {}, { axis = {} }, gives = { { 1, 2 }, { 3, 4 } } },
    { { 1, 2, 3 }, 0, gives = { 1, 2, 3 } },
    { { 1, 2, 3 }, -7, gives = { 2, 3, 1 } },
    { { 1, 2, 3 }, math.mininteger, gives = { 3, 1, 2 } },
    { { 1, 2, 3 }, math.maxinteger, gives = { 3, 1, 2 } },
    { 5, 3, gives = 5, shape = {} },
    { zeros(0, 2), 3, 1, shape = { 0, 2 } },
  },
  rejects = {
    { args = { { 1, 2 }, { 1, 2 } }, says = "roll: shift lists 2 distances, and no axis is given" },
    { args = { { { 1, 2 } }, { 1, 2 }, 1 }, says = "roll: shift lists 2 distances, and axis 1 axis" },
    { args = { { 1, 2 }, 1, 2 }, says = "roll: axis 2 is not there" },
    { args = { { 1, 2 }, { 1, 1 }, { 1, 1 } }, says = "roll: axis 1 is given twice" },
    { args = { { 1, 2 }, 1.5 }, says = "roll: shift is 1.5, expected an integer or a list of integers" },
    { args = { { 1, 2 } }, says = "roll: 1 argument given, expected roll(x, shift, [axis])" },
  },
  gradients = {
    { { 1, 2, 3 }, 1 }, { { { 1, 2, 3 }, { 4, 5, 6 } }, 2 }, { { { 1, 2, 3 }, { 4, 5, 6 } }, -1, 2 },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 1, -5 }, { 1, 2 }, fixed = { [2] = true, [3] = true } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 2, { 1, 2 }, fixed = { [3] = true } },
    { { 1, 2, 3 }, math.mininteger },
  },
  check = function(t)
    for _, case in ipairs {
      { { 5 }, { 2 }, { 1 } }, { { 2, 3 }, { 1 }, { 1 } }, { { 2, 3 }, { -1 }, { 2 } }, { { 3, 4, 2 }, { 1, 3 }, { 1, 2 } },
      { { 3, 4, 2 }, { 2, 1 }, { 3, 1 } }, { eight, { 1, 1, 2 }, { 2, 6, 8 } },
    } do
      local shape, shift, axes = case[1], case[2], case[3]
      for _, dtype in ipairs(all_dtypes) do
        local x, values = counted_values(shape, dtype)
        local wanted = rearranged(values, shape, shape, function(index)
          local place = table.move(index, 1, #index, 1, {})
          for i, axis in ipairs(axes) do place[axis] = (index[axis] - shift[i]) % shape[axis] end
          return place
        end)
        check_rearranged(t, dtype .. " rank " .. #shape, x:roll(shift, axes), dtype, shape, wanted)
        local back = {}
        for i = 1, #shift do back[i] = -shift[i] end
        t.equal(x:roll(shift, axes):roll(back, axes), x)
      end
    end
    t.equal(lt.range(200000):roll(70001):eq((lt.range(200000) - 70001) % 200000):all(), true)
  end,
}
