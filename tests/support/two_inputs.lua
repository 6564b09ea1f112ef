-- Shared by the specs of ops with two broadcasting inputs.
local zeros = require("inputs").zeros

local two = {}

-- Equal shapes, a number's, rows, columns, both ways, and nothing.
two.shapes = {
  {}, { 1 }, { 3, 23 }, { 3, 0 }, { { 4, 5 }, {} }, { {}, { 4, 5 } }, { { 4, 5 }, { 5 } }, { { 4, 1 }, { 4, 5 } },
  { { 2, 1, 5 }, { 3, 1 } }, { { 3, 1, 2, 1 }, { 1, 4, 1, 5 } }, { { 0, 3 }, { 1, 3 } }, { { 1 }, { 0 } },
}

function two.with(rejects, more)
  for _, reject in ipairs(more or {}) do rejects[#rejects + 1] = reject end
  return rejects
end

-- For an op of a and b; `dtype` is one that it takes.
function two.shape_rejects(op, dtype, more)
  return two.with({
    { args = { zeros({ 2 }, dtype), zeros({ 3 }, dtype) }, says = op .. ": a (2,) and b (3,) do not broadcast" },
    { args = { zeros({ 2, 2 }, dtype), zeros({ 1, 3 }, dtype) },
      says = op .. ": a (2, 2) and b (1, 3) do not broadcast" },
    { args = { { 1, 2 } }, says = op .. ": 1 argument given, expected " .. op .. "(a, b)" },
    { args = { { 1, 2 }, 1, 2 }, says = op .. ": 3 arguments given" },
    { args = { { 1, 2 }, "1" }, says = op .. ": b is" },
    { args = { { 1, 2 }, 1, { axis = 1 } }, says = op .. ": unknown option 'axis'" },
  }, more)
end

-- Large enough for several threads, whose shares begin inside rows: each way of broadcasting against its slices.
function two.check_large(t, op, reference)
  local x = (lt.range(90000) % 97 + 1):reshape { 3, 30000 }:float32()
  local y = (lt.range(90000) % 89 + 1):reshape { 3, 30000 }:float32()
  local all = op(x, y)
  for _, at in ipairs { { 1, 1 }, { 2, 17000 }, { 3, 30000 } } do
    t.close(all[at], reference(x[at]:item(), y[at]:item()), 1e-6)
  end
  local column, row = y[{ {}, { 5, 5 } }], y[2]
  t.equal(op(x, column)[2], op(x[2], column[2]:item()))
  t.equal(op(column, x)[3], op(column[3]:item(), x[3]))
  t.equal(op(x, row)[3], op(x[3], row))
  t.equal(op(row, x)[1], op(row, x[1]))
  t.equal(op(column, row)[2], op(column[2]:item(), row))
  t.equal(op(x:reshape { 3, 1, 30000 }, y:reshape { 1, 3, 30000 })[{ 3, 2 }], op(x[3], y[2]))
end

-- The second derivative of the sum of f(x), by two tapes.
function two.second(f, x)
  local outer <close> = lt.GradientTape()
  outer:watch(x)
  local slope
  do
    local inner <close> = lt.GradientTape()
    inner:watch(x)
    slope = inner:gradient(f(x), x)
  end
  return outer:gradient(slope, x)
end

-- The gradient of the sum of f(x).
function two.slope(f, x)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(f(x), x)
end

return two
