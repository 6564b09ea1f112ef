local spec = require "spec"
local collector = require "collector"
local some_indices = require "some_indices"

local nan, inf = 0 / 0, math.huge
local names = { "tensor_scatter_nd_update", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min" }
-- x is 1, 2, 3; 4, 5, 6.
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }

local function rejects(op)
  local all = {
    { args = { { 1, 2 }, { { 0 } }, { 1 } }, says = op .. ": index 0; indices count from 1" },
    { args = { { 1, 2 }, { { 3 } }, { 1 } }, says = op .. ": index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { matrix, { { 1, -4 } }, 1 }, says = op .. ": index -4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { { 1 }, int64 { { math.mininteger } }, 1 }, says = "is past the axis' end (1)", code = "OutOfRange" },
    { args = { zeros { 0 }, { { 1 } }, 1 }, says = op .. ": index 1 is past the axis' end (0)", code = "OutOfRange" },
    { args = { { 1, 2 }, 1, 1 }, says = op .. ": indices is a scalar" },
    { args = { { 1, 2 }, { { 1, 1 } }, 1 }, says = op .. ": the last axis of indices (1, 2) lists 2 indices, and x (2,) has 1 axis" },
    { args = { matrix, { { 1 } }, { { 1, 2 } } }, says = op .. ": updates (1, 2) does not fit: indices (1, 1) of x (2, 3) take updates (1, 3) or a scalar" },
    { args = { { 1, 2 }, { { 1.5 } }, 1 }, says = op .. ": indices is float32, expected an integer" },
    { args = { { 1, 2 }, { { 1 } } }, says = op .. ": 2 arguments given" },
    { args = { zeros { 1, 1, 1, 1, 1, 1, 1, 1 }, zeros({ 1, 1, 0 }, "int32"), 1 }, says = "make 10 axes" },
  }
  if op ~= "tensor_scatter_nd_update" then
    all[#all + 1] = { args = { bool { true }, { { 1 } }, bool { true } }, says = op .. ": x is bool, expected a number" }
  end
  return all
end

local function gradients()
  return {
    { { 1.5, -2, 3 }, int32 { { 1 }, { 3 } }, { 10, -20 } },
    { { { 1, 2 }, { 3, 4 } }, int32 { { -1 } }, { { 5.5, 0.25 } } },
    { { { 1, 2 }, { 3, 4 } }, int32 { { 1, 2 }, { 2, 1 } }, { 5.5, 0.25 } },
    { { { 1, 2 }, { 3, 4 } }, int32 { { 1, 2 } }, 2.5 },
  }
end

-- Indices occur twice, several threads, rows of one element and of many: against loops of NumPy's ufunc.at written out.
local function check_large(op, how)
  return function(t) collector.in_peace(function()
    for _, columns in ipairs { 1, 3, 200 } do
      local count = 6000 // columns
      local indices = some_indices(count, 50)
      local updates = ((lt.range(count * columns) * 7) % 1013):reshape { count, columns }
      local x = ((lt.range(50 * columns) * 11) % 997):reshape { 50, columns }
      local wanted, rows, new = x:totable(), indices:totable(), updates:totable()
      for i, row in ipairs(rows) do
        local line = wanted[row < 0 and row + 51 or row]
        for k = 1, columns do line[k] = how(line[k], new[i][k]) end
      end
      t.equal(lt[op](x, indices:expand_dims(2), updates), wanted, op .. " " .. columns)
    end
    for _, dtype in ipairs(numbers) do
      local x = lt.constant({ 1, 2, 3 }, { dtype = dtype })
      local got = lt[op](x, { { 2 }, { 3 }, { 2 } }, lt.constant({ 5, 1, 4 }, { dtype = dtype }))
      t.equal(got, lt.constant({ 1, how(how(2, 5), 4), how(3, 1) }, { dtype = dtype }), dtype)
    end
  end) end
end

spec "tensor_scatter_nd_update" {
  example = { { 1, 2, 3 }, { { 3 }, { 1 } }, { 30, 10 }, gives = { 10, 2, 30 } },
  examples = {
    { { 1, 2, 3 }, { { 2 }, { 2 } }, { 20, 21 }, gives = { 1, 21, 3 } },
    { matrix, { { 2 } }, { { 7, 8, 9 } }, gives = { { 1, 2, 3 }, { 7, 8, 9 } } },
    { matrix, { { 1, 3 }, { -1, 1 } }, 0, gives = { { 1, 2, 0 }, { 0, 5, 6 } } },
    { matrix, { { { 1 }, { 2 } } }, 0.5, gives = { { 0.5, 0.5, 0.5 }, { 0.5, 0.5, 0.5 } }, dtype = "float32" },
    { { 1, 2 }, zeros({ 0, 1 }, "int32"), zeros { 0 }, gives = { 1, 2 } },
    { zeros { 2, 0 }, { { 1 } }, 1, shape = { 2, 0 } },
    { 5, zeros({ 0 }, "int32"), 7, gives = 7, shape = {} },
    { bool { true, false }, { { 1 } }, bool { false }, gives = { false, false }, dtype = "bool" },
    { { nan, 1 }, { { 2 } }, { -inf }, gives = { nan, -inf } },
  },
  gradients = gradients(),
  rejects = rejects "tensor_scatter_nd_update",
  check = function(t)
    check_large("tensor_scatter_nd_update", function(_, new) return new end)(t)
    -- Only the last update for a position has a slope.
    local tape <close> = lt.GradientTape { persistent = true }
    local x, updates = lt.constant { 1.0, 2.0, 3.0 }, lt.constant { 5.0, 6.0, 7.0 }
    tape:watch { x, updates }
    local y = (x:tensor_scatter_nd_update({ { 2 }, { 3 }, { 2 } }, updates) * lt.constant { 10.0, 20.0, 30.0 }):sum()
    t.equal(tape:gradient(y, x), { 10, 0, 0 })
    t.equal(tape:gradient(y, updates), { 0, 30, 20 })
  end,
}

spec "tensor_scatter_nd_add" {
  example = { { 1, 2, 3 }, { { 3 }, { 1 }, { 3 } }, { 1, 1, 1 }, gives = { 2, 2, 5 } },
  examples = {
    { int8 { 127 }, { { 1 } }, int8 { 1 }, gives = { -128 }, dtype = "int8" },
    { float16 { 2048 }, { { 1 }, { 1 } }, float16 { 1, 1 }, gives = { 2050 }, dtype = "float16" },
    { int32 { 1, 2 }, { { 1 } }, float64 { 0.25 }, gives = { 1.25, 2 }, dtype = "float64" },
    { matrix, { { 1, 3 } }, { nan }, gives = { { 1, 2, nan }, { 4, 5, 6 } } },
  },
  gradients = gradients(),
  rejects = rejects "tensor_scatter_nd_add",
  check = check_large("tensor_scatter_nd_add", function(a, b) return a + b end),
}

-- Of equal extremes each gets its share of the slope, as TensorFlow says.
local function check_shares(op)
  return function(t)
    local tape <close> = lt.GradientTape { persistent = true }
    local x, updates = lt.constant { 5.0, 2.0, 3.0 }, lt.constant { 5.0, 5.0, 2.0 }
    tape:watch { x, updates }
    local y = (lt[op](x, { { 1 }, { 1 }, { 2 } }, updates) * lt.constant { 9.0, 20.0, 30.0 }):sum()
    t.close(tape:gradient(y, x), { 3, 10, 30 }, 1e-6)
    t.close(tape:gradient(y, updates), { 3, 3, 10 }, 1e-6)
  end
end

spec "tensor_scatter_nd_max" {
  example = { { 1, 2, 3 }, { { 3 }, { 1 } }, { 0, 9 }, gives = { 9, 2, 3 } },
  examples = {
    { { 1, nan, 3 }, { { 1 }, { 2 }, { 3 } }, { nan, 5, inf }, gives = { nan, nan, inf } },
    { uint8 { 200 }, { { 1 } }, uint8 { 255 }, gives = { 255 }, dtype = "uint8" },
  },
  gradients = gradients(),
  rejects = rejects "tensor_scatter_nd_max",
  check = function(t)
    check_large("tensor_scatter_nd_max", math.max)(t)
    check_shares "tensor_scatter_nd_max" (t)
  end,
}

spec "tensor_scatter_nd_min" {
  example = { { 1, 2, 3 }, { { 3 }, { 1 } }, { 0, 9 }, gives = { 1, 2, 0 } },
  examples = { { { 1, nan, 3 }, { { 1 }, { 2 }, { 3 } }, { nan, 5, -inf }, gives = { nan, nan, -inf } } },
  gradients = gradients(),
  rejects = rejects "tensor_scatter_nd_min",
  check = function(t)
    check_large("tensor_scatter_nd_min", math.min)(t)
    check_shares "tensor_scatter_nd_min" (t)
    for _, name in ipairs(names) do t.ok(lt[name] ~= nil, name) end
  end,
}
