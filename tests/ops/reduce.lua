local spec = require "spec"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }

local function zeros(shape, dtype)
  return made(function() return lt.zeros(shape, { dtype = dtype }) end)
end

-- What every reduction says about its axes.
local function axis_rejects(op, x, more)
  local rejects = {
    { args = { x, 3 }, says = op .. ": axis 3 is not there: x (2, 3) has 2 axes" },
    { args = { x, -3 }, says = op .. ": axis -3 is not there" },
    { args = { x, 0 }, says = op .. ": axis 0; axes count from 1" },
    { args = { x, { axis = 1.5 } }, says = op .. ": axis is" },
    { args = { x, { axis = "1" } }, says = op .. ": axis is" },
    { args = { x, { axes = 1 } }, says = "unknown option 'axes' (did you mean 'axis'?)" },
    { args = { x, { keepdims = 1 } }, says = op .. ": keepdims is" },
  }
  for _, reject in ipairs(more) do rejects[#rejects + 1] = reject end
  return rejects
end

local function twice(op, x) return { args = { x, { 1, -2 } }, says = op .. ": axis -2 stands twice in the list" } end

-- Every pair of axes of a tensor whose element tells its place: against loops in Lua.
local function against_loops(t, op, gather, start)
  local x = ((lt.range(2 * 3 * 5 * 4) * 37) % 101):reshape { 2, 3, 5, 4 }
  local values = x:totable()
  for mask = 0, 15 do
    local axes, kept = {}, {}
    for axis = 1, 4 do
      if mask >> (axis - 1) & 1 == 1 then axes[#axes + 1] = axis % 2 == 0 and axis - 5 or axis end
    end
    local results = {}
    for i = 1, 2 do
      for j = 1, 3 do
        for k = 1, 5 do
          for l = 1, 4 do
            local place = {}
            for axis, index in ipairs { i, j, k, l } do
              if mask >> (axis - 1) & 1 == 0 then place[#place + 1] = index end
            end
            local key = table.concat(place, " ")
            if results[key] == nil then
              results[key] = start
              kept[#kept + 1] = key
            end
            results[key] = gather(results[key], values[i][j][k][l])
          end
        end
      end
    end
    local wanted = {}
    for _, key in ipairs(kept) do wanted[#wanted + 1] = results[key] end
    t.equal(op(x, { axis = axes }):reshape { -1 }, wanted, "axes " .. table.concat(axes, " "))
    t.equal(op(x, { axis = axes, keepdims = true }):reshape { -1 }, wanted)
  end
end

spec "sum" {
  example = { { 1, 2, 3 }, gives = 6, dtype = "int64", shape = {} },
  examples = {
    { matrix, gives = 21, shape = {} },
    { matrix, 1, gives = { 5, 7, 9 } },
    { matrix, 2, gives = { 6, 15 } },
    { matrix, -1, gives = { 6, 15 } },
    { matrix, { 1, 2 }, gives = 21, shape = {} },
    { matrix, { axis = 2, keepdims = true }, gives = { { 6 }, { 15 } } },
    { matrix, 2, { keepdims = true }, gives = { { 6 }, { 15 } } },
    { matrix, { keepdims = true }, gives = { { 21 } } },
    { matrix, { axis = {} }, gives = matrix, dtype = "int64" },
    { matrix, {}, gives = 21, shape = {} },
    { 7, gives = 7, shape = {} },
    { 7, { axis = {} }, gives = 7, shape = {} },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, { 1, 3 }, gives = { 14, 22 } },
    { { 0.5, 0.25 }, gives = 0.75, dtype = "float32" },
    { float64 { 0.5, 0.25 }, gives = 0.75, dtype = "float64" },
    { { true, false, true }, gives = 2, dtype = "int64" },
    { int32 { 2147483647, 1 }, gives = 2147483648, dtype = "int64" },
    { int64 { math.maxinteger, 1 }, gives = math.mininteger },
    { { inf, 1 }, gives = inf },
    { { inf, -inf }, gives = nan },
    { zeros { 0 }, gives = 0, shape = {} },
    { zeros({ 0, 3 }, "int32"), 1, gives = { 0, 0, 0 }, dtype = "int64" },
    { zeros { 0, 3 }, 2, shape = { 0 } },
    { zeros { 1, 1, 1, 1, 1, 1, 1, 2 }, { keepdims = true }, shape = { 1, 1, 1, 1, 1, 1, 1, 1 } },
  },
  rejects = axis_rejects("sum", matrix, {
    twice("sum", matrix),
    { args = { 5, 1 }, says = "sum: axis 1 is not there: x () has 0 axes" },
    { args = { "x" }, says = "sum: x is" },
  }),
  check = function(t)
    against_loops(t, lt.sum, function(a, b) return a + b end, 0)
    -- Many blocks: exact in integers, and in float32 nearer than adding one by one would come.
    t.equal(lt.range(1000000):sum(), 499999500000)
    t.equal(lt.range(1000000):reshape { 500000, 2 }:sum(1), { 249999500000, 250000000000 })
    t.equal(lt.range(1000000):reshape { 2, 500000 }:sum(2), { 124999750000, 374999750000 })
    t.close(lt.fill({ 1000000 }, 0.1):sum(), 100000.0015, 1e-7)
    t.close(lt.fill({ 100000, 7 }, 0.1):sum(1), { 10000, 10000, 10000, 10000, 10000, 10000, 10000 }, 1e-7)
    t.equal(lt.ones({ 5000 }, { dtype = "bool" }):sum(), 5000)
    t.equal(lt.ones({ 5000, 3 }, { dtype = "bool" }):sum(1), { 5000, 5000, 5000 })
  end,
}

spec "mean" {
  example = { { 1, 2, 6 }, gives = 3.0, dtype = "float32", shape = {} },
  examples = {
    { matrix, 1, gives = { 2.5, 3.5, 4.5 }, dtype = "float32" },
    { matrix, { axis = -1, keepdims = true }, gives = { { 2 }, { 5 } } },
    { matrix, { axis = {} }, gives = matrix, dtype = "float32" },
    { { true, false, true, true }, gives = 0.75, dtype = "float32" },
    { float64 { 1, 2 }, gives = 1.5, dtype = "float64" },
    { zeros { 0 }, gives = nan, shape = {} },
    { zeros({ 2, 0 }, "int32"), 2, gives = { nan, nan }, dtype = "float32" },
    { zeros { 0, 2 }, 2, shape = { 0 } },
    { { 1, nan }, gives = nan },
    { 3, gives = 3.0, shape = {} },
  },
  rejects = axis_rejects("mean", matrix, { twice("mean", matrix) }),
  check = function(t)
    t.close(lt.fill({ 3000, 40 }, 0.1):mean(), 0.1, 1e-6)
  end,
}

local function extreme(op, pick, start, gives)
  spec(op) {
    example = { { 4, 1, 3, 5 }, gives = gives.example, dtype = "int32", shape = {} },
    examples = {
      { matrix, 1, gives = gives.first },
      { matrix, 2, gives = gives.second },
      { matrix, { keepdims = true }, gives = { { gives.all } } },
      { matrix, { axis = {} }, gives = matrix, dtype = "int32" },
      { { 1, nan, 3 }, gives = nan },
      { { nan, 1 }, gives = nan },
      { { { 1, nan }, { 2, 3 } }, 1, gives = { pick(1, 2), nan } },
      { { { 1, nan }, { 2, 3 } }, 2, gives = { nan, pick(2, 3) } },
      { { inf, -inf }, gives = pick(inf, -inf) },
      { { -inf, -inf }, gives = -inf },
      { { inf, inf }, gives = inf },
      { int64 { math.mininteger, math.maxinteger }, gives = pick(math.mininteger, math.maxinteger), dtype = "int64" },
      { int32 { 2147483647, 2147483647 }, gives = 2147483647 },
      { int32 { -2147483648, -2147483648 }, gives = -2147483648 },
      { float64 { 0.5, 0.25 }, gives = pick(0.5, 0.25), dtype = "float64" },
      { zeros { 0, 3 }, 2, shape = { 0 } },
      { zeros { 3, 0 }, 1, shape = { 0 } },
      { 7, gives = 7, shape = {} },
    },
    rejects = axis_rejects(op, matrix, {
      twice(op, matrix),
      { args = { zeros { 0 } }, says = op .. ": x (0,) has no elements to reduce, and " .. op .. " of nothing has no value" },
      { args = { zeros { 0, 3 }, 1 }, says = op .. ": x (0, 3) has no elements to reduce" },
      { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
    }),
    check = function(t)
      against_loops(t, lt[op], pick, start)
      -- The extreme in every lane and in the rest after the last lane; nan in a later block.
      for _, at in ipairs { 1, 2, 31, 32, 33, 1024, 1025, 4099, 4100 } do
        local x = (lt.range(1, 4101) - at):eq(0):cast("int32") * (start > 0 and -5 or 5)
        t.equal(x:reshape { 4100 }[op](x), start > 0 and -5 or 5)
      end
      local x = lt.where(lt.range(5000):eq(4321), nan, lt.range(5000):cast("float32"))
      t.equal(x[op](x), nan)
    end,
  }
end

extreme("max", math.max, math.mininteger, { example = 5, first = { 4, 5, 6 }, second = { 3, 6 }, all = 6 })
extreme("min", math.min, math.maxinteger, { example = 1, first = { 1, 2, 3 }, second = { 1, 4 }, all = 1 })

spec "argmax" {
  example = { { 1, 5, 3 }, gives = 2, dtype = "int64", shape = {} },
  examples = {
    { { { 1, 9, 3 }, { 4, 5, 6 } }, gives = 2, shape = {} },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, gives = 6, shape = {} },
    { { { 1, 9, 3 }, { 4, 5, 6 } }, 1, gives = { 2, 1, 2 } },
    { { { 1, 9, 3 }, { 4, 5, 6 } }, 2, gives = { 2, 3 } },
    { { { 1, 9, 3 }, { 4, 5, 6 } }, { axis = -1, keepdims = true }, gives = { { 2 }, { 3 } } },
    { { { 1, 9, 3 }, { 4, 5, 6 } }, { axis = { 2 } }, gives = { 2, 3 } },
    { { { 1, 9, 3 }, { 4, 5, 6 } }, { keepdims = true }, gives = { { 2 } } },
    { { 3, 7, 7, 1 }, gives = 2 },
    { { 3, nan, 7, nan }, gives = 2 },
    { { { 1, nan }, { nan, nan } }, 1, gives = { 2, 1 } },
    { { -inf, -inf }, gives = 1 },
    { { false, true, true }, gives = 2 },
    { { { false, false }, { false, true } }, 1, gives = { 1, 2 } },
    { int64 { math.mininteger, math.mininteger }, gives = 1 },
    { 5, gives = 1, shape = {} },
    { zeros { 0, 3 }, 2, shape = { 0 }, dtype = "int64" },
  },
  rejects = axis_rejects("argmax", matrix, {
    { args = { matrix, { 1, 2 } }, says = "argmax: axis is a list of 2, expected one axis" },
    { args = { matrix, { axis = {} } }, says = "argmax: axis is a list of 0, expected one axis" },
    { args = { zeros { 0 } }, says = "argmax: x (0,) has no elements to reduce, and argmax of nothing has no value" },
    { args = { zeros { 0, 3 }, 1 }, says = "argmax: x (0, 3) has no elements to reduce" },
    { args = { matrix, { index_base = 0 } }, says = "argmax: unknown option 'index_base'" },
  }),
  check = function(t)
    local n = 5000
    for _, at in ipairs { 1, 32, 33, 1024, 1025, 4999, 5000 } do
      local x = lt.range(1, n + 1):ge(at)  -- equals from `at` on: the first wins
      t.equal(x:argmax(), at)
      t.equal(x:cast("float32"):argmax(), at)
      t.equal(x:cast("int64"):reshape { n, 1 }:argmax(1), { at })
      local columns = lt.stack({ x:cast("int32"), lt.range(n) }, 2)
      t.equal(columns:argmax(1), { at, n })
    end
    local x = lt.where(lt.range(n):eq(4000), nan, lt.range(n):cast("float32"))
    t.equal(x:argmax(), 4001)
  end,
}

local function logic(op, pick, of_nothing)
  spec(op) {
    example = { { true, false }, gives = pick(true, false), dtype = "bool", shape = {} },
    examples = {
      { { true, true }, gives = true },
      { { false, false }, gives = false },
      { { { true, false }, { true, true } }, 1, gives = { true, pick(false, true) } },
      { { { true, false }, { true, true } }, 2, gives = { pick(true, false), true } },
      { { { true, false }, { true, true } }, { axis = -1, keepdims = true }, gives = { { pick(true, false) }, { true } } },
      { { true, false }, { axis = {} }, gives = { true, false } },
      { zeros({ 0 }, "bool"), gives = of_nothing, shape = {} },
      { zeros({ 2, 0 }, "bool"), 2, gives = { of_nothing, of_nothing } },
      { true, gives = true, shape = {} },
    },
    rejects = axis_rejects(op, { { true, false, true }, { true, true, true } }, {
      twice(op, { { true, false, true }, { true, true, true } }),
      { args = { { 1, 0 } }, says = op .. ": x is int32, expected bool" },
      { args = { { 1.5 } }, says = op .. ": x is float32, expected bool" },
    }),
    check = function(t)
      for _, at in ipairs { 0, 31, 32, 1024, 4999 } do
        local different = lt.range(5000):eq(at)
        t.equal(different:any(), true)
        t.equal(different:logical_not():all(), false)
        t.equal(different:all(), false)
        t.equal(lt[op](different:reshape { 50, 100 }, 1):sum(), pick(false, true) and 1 or 0)
      end
      t.equal(lt[op](lt.zeros({ 5000 }, { dtype = "bool" })), false)
      t.equal(lt[op](lt.ones({ 5000 }, { dtype = "bool" })), true)
    end,
  }
end

logic("all", function(a, b) return a and b end, true)
logic("any", function(a, b) return a or b end, false)
