-- Shared by the specs of reductions: samples of shapes that take every path of the kernels, references in plain Lua,
-- the data of make_reduce_data.py, and the errors about axes.
local collector = require "collector"
local compare = require "compare"
local data = require "golden.reduce_data"
local samples = require "samples"
local spec = require "spec"

local reductions = {}

-- Every reduction's errors about axes; x is (2, 3).
function reductions.axis_rejects(op, x, more, has_keepdims)
  local rejects = {
    { args = { x, 3 }, says = op .. ": axis 3 is not there: x (2, 3) has 2 axes" },
    { args = { x, -3 }, says = op .. ": axis -3 is not there" },
    { args = { x, 0 }, says = op .. ": axis 0; axes count from 1" },
    { args = { x, { axis = 1.5 } }, says = op .. ": axis is" },
    { args = { x, { axis = "1" } }, says = op .. ": axis is" },
    { args = { x, { axes = 1 } }, says = "unknown option 'axes' (did you mean 'axis'?)" },
    { args = { x, 1, { axis = 2 } }, says = op .. ": axis is given twice, among the arguments and as an option" },
    { args = { "x" }, says = op .. ": x is" },
  }
  if has_keepdims ~= false then rejects[#rejects + 1] = { args = { x, { keepdims = 1 } }, says = op .. ": keepdims is" } end
  for _, reject in ipairs(more or {}) do rejects[#rejects + 1] = reject end
  return rejects
end

function reductions.twice(op, x)
  return { args = { x, { 1, -2 } }, says = op .. ": axis -2 is given twice" }
end

local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }

-- Gradients of all ways to name axes.
function reductions.gradients(more)
  local list = {
    { uneven }, { uneven, 1 }, { uneven, -1 }, { uneven, { axis = { 1, 2 }, keepdims = true } },
    { { { { 1.5, -2 }, { 0.25, 4 } }, { { 0.5, -1 }, { 3, 2.5 } } }, { axis = { 1, 3 } } },
    { { { { 1.5, -2 }, { 0.25, 4 } }, { { 0.5, -1 }, { 3, 2.5 } } }, { axis = 2, keepdims = true } },
  }
  for _, case in ipairs(more or {}) do list[#list + 1] = case end
  return list
end

-- Further errors of reductions of numbers.
function reductions.rejects(op, more)
  local list = reductions.axis_rejects(op, matrix, more)
  list[#list + 1] = reductions.twice(op, matrix)
  list[#list + 1] = { args = { spec.made(function() return lt.constant { true } end) }, says = op .. ": x is bool, expected a number" }
  list[#list + 1] = { args = { 5, 1 }, says = op .. ": axis 1 is not there: x () has 0 axes" }
  return list
end

function reductions.gradient_of(op, x, options)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(lt[op](x, options), x)
end

-- Shapes around runs of 32, tiles of 64 and 512 columns and blocks of 1,024 elements, with the axes to take away.
local shapes = {
  { { 2500 }, { 1 } }, { { 90, 7 }, { 2 } }, { { 9, 33 }, { 2 } }, { { 2, 1025 }, { 2 } }, { { 1100, 3 }, { 1 } },
  { { 37, 70 }, { 1 } }, { { 1026, 33 }, { 1 } }, { { 4, 520 }, { 1 } }, { { 1030, 2, 3 }, { 1, 3 } },
  { { 6, 9, 7, 5 }, { 1, 3 } }, { { 2, 3, 2, 2, 1, 2, 2, 2 }, { 1, 3, 8 } }, { { 4, 5 }, {} }, { {}, {} }, { { 1 }, { 1 } },
}
local most_for_all_dtypes = 5000  -- larger shapes are for the first dtype only

-- The elements of each result, from row-major values.
local function gathered(values, shape, axes)
  local is_reduced, strides, stride = {}, {}, 1
  for _, axis in ipairs(axes) do is_reduced[axis] = true end
  for axis = #shape, 1, -1 do
    strides[axis] = is_reduced[axis] and 0 or stride
    if not is_reduced[axis] then stride = stride * shape[axis] end
  end
  local groups = {}
  for i = 1, stride do groups[i] = {} end
  for i = 0, #values - 1 do
    local rest, at = i, 1
    for axis = #shape, 1, -1 do
      at = at + rest % shape[axis] * strides[axis]
      rest = rest // shape[axis]
    end
    local group = groups[at]
    group[#group + 1] = values[i + 1]
  end
  return groups
end

-- As bytes of float64, which the collector need not traverse.
local function packed(values)
  local bytes = {}
  for k, value in ipairs(values) do bytes[k] = string.pack("<d", value) end
  return table.concat(bytes)
end

-- A function check(t) that holds `op` against f(list of numbers) on all shapes and dtypes. form: dtypes, low, high,
-- options (passed beside the axes), tolerance.
function reductions.against(op, f, form)
  local cases = {}
  for number, entry in ipairs(shapes) do
    local shape, axes = entry[1], entry[2]
    for i = 1, samples.size(shape) <= most_for_all_dtypes and #form.dtypes or 1 do
      local dtype = form.dtypes[i]
      local values = samples.values(samples.size(shape), dtype, form.low or -3, form.high or 3, number)
      local wanted = {}
      for k, group in ipairs(gathered(values, shape, axes)) do wanted[k] = f(group) end
      local options = { axis = axes }
      for key, value in pairs(form.options or {}) do options[key] = value end
      cases[#cases + 1] = { shape = shape, dtype = dtype, values = packed(values), wanted = packed(wanted), options = options,
                            what = ("%s %s over %s"):format(dtype, compare.show(shape), compare.show(axes)) }
    end
  end
  return reductions.calmly(function(t)
    for _, case in ipairs(cases) do
      local x = lt.from_bytes(case.values, "float64", case.shape):cast(case.dtype)
      local got = lt[op](x, case.options)
      local tolerance = form.tolerance or (compare.tolerances[got.dtype] or { 0 })[1] * 10
      t.close(got:reshape { -1 }:float64(), lt.from_bytes(case.wanted, "float64", { #case.wanted // 8 }), tolerance, case.what)
    end
  end)
end

local function flat(tensor)
  return (compare.flatten(tensor:reshape({ -1 }):totable()))
end

local function weighted(y)
  return (y * lt.range(1, y.size + 1):cast(y.dtype):reshape(y.shape)):sum()
end

local function numbers_in(text)
  local list = {}
  for number in text:gmatch "%S+" do list[#list + 1] = tonumber(number) end
  return list
end

-- Results, gradients and second gradients of the cases of make_reduce_data.py.
local function check_data(t, op)
  local count = 0
  for line in data.cases:gmatch "[^\n]+" do
    local name, x, options, gives, first, second = line:match "^(%w+); (%w+); (%b{}); (.-); (.-);(.*)$"
    assert(name, "a line of reduce_data.lua is none")
    if name == op then
      count = count + 1
      local case = { x = x, options = assert(load("return " .. options))(), gives = numbers_in(gives),
                     first = numbers_in(first), second = second ~= "" and numbers_in(second) or nil }
      local what = ("%s of %s, axis %s"):format(op, case.x, compare.show(case.options.axis or "none"))
      for dtype, tolerance in pairs { float64 = 1e-8, float32 = 1e-4, float16 = 1e-2, bfloat16 = 8e-2 } do
        local x = lt.constant(data.inputs[case.x], { dtype = dtype })
        local outer <close> = lt.GradientTape()
        outer:watch(x)
        local inner <close> = lt.GradientTape()
        inner:watch(x)
        local y = lt[op](x, case.options)
        local gradient = inner:gradient(weighted(dtype == "float64" and y or y:float32()), x)
        t.ok(y.dtype == dtype and gradient.dtype == dtype, what .. ": dtypes")
        local wide = dtype == "float64" or dtype == "float32"
        -- Halves are held to their own digits of the largest number, since losses add up numbers of both signs.
        local function near(got, wanted, name)
          local most = 0
          for i = 1, #wanted do most = math.max(most, math.abs(wanted[i])) end
          most = math.max(0.1, wide and most * 1e-2 or most)
          t.ok(#got == #wanted, what)
          for i = 1, #wanted do
            if not (math.abs(got[i] - wanted[i]) <= tolerance * math.max(math.abs(wanted[i]), most)) then
              t.ok(false, ("%s %s%s, element %d is %s, expected %s"):format(dtype, what, name, i, got[i], wanted[i]))
            end
          end
        end
        near(flat(y), case.gives, "")
        near(flat(gradient), case.first, ": gradient")
        if case.second and wide then
          near(flat(outer:gradient(weighted(gradient), x)), case.second, ": second gradient")
        end
      end
    end
  end
  t.ok(count > 0, "there are no cases of " .. op)
end
function reductions.against_data(t, op) collector.in_peace(check_data, t, op) end

-- A check whose hundreds of ops are spared the collector at its most aggressive; the examples are not.
function reductions.calmly(check)
  return function(t) collector.in_peace(check, t) end
end

-- Calls check functions one after the other.
function reductions.all(...)
  local checks = table.pack(...)
  return function(t)
    for i = 1, checks.n do checks[i](t) end
  end
end

reductions.floats = { "float64", "float32", "float16", "bfloat16" }
reductions.numbers = { "int8", "uint8", "int16", "int32", "int64", "float64", "float32", "float16", "bfloat16" }

return reductions
