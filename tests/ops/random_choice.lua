local spec = require "spec"
local depends_on_seed = require "depends_on_seed"
local golden = require "golden.random_golden"  -- made apart, by tests/support/generate/make_random_golden.py

spec "random.randint" {
  examples = {
    { { 40 }, 1, 6, { seed = 3 }, gives = golden.dice, dtype = "int64" },
    { { 40 }, -(1 << 62), math.maxinteger, { seed = 5 }, gives = golden.wide },
    { { 2, 2 }, 7, 7, gives = { { 7, 7 }, { 7, 7 } } },
    { {}, -3, -3, { dtype = "int8" }, gives = -3, shape = {}, dtype = "int8" },
    { { 0 }, 1, 2, shape = { 0 } },
  },
  rejects = {
    { args = { { 2 }, 2, 1 }, says = "random.randint: low 2 is above high 1" },
    { args = { { 2 }, 0, 256, { dtype = "uint8" } }, says = "random.randint: 256 does not fit uint8" },
    { args = { { 2 }, -1, 5, { dtype = "uint8" } }, says = "random.randint: -1 does not fit uint8" },
    { args = { { 2 }, 1, 6, { dtype = "float32" } }, says = "random.randint: dtype is float32, expected" },
    { args = { { 2 }, 1.5, 6 }, says = "random.randint: low is 1.5, expected an integer" },
    { args = { { 2 }, 1 }, says = "random.randint: 2 arguments given" },
    { args = { { -1 }, 1, 6 }, says = "negative size" },
  },
  check = function(t)
    depends_on_seed(t, lt.random.randint, 1, 1000000)
    for _, dtype in ipairs(integers) do
      local x = lt.random.randint({ 6000 }, 1, 6, { seed = 4, dtype = dtype })
      t.ok(x.dtype == dtype)
      local counts = { 0, 0, 0, 0, 0, 0 }
      for _, value in ipairs(x:totable()) do counts[value] = counts[value] + 1 end
      local chi_square = 0
      for i = 1, 6 do chi_square = chi_square + (counts[i] - 1000) ^ 2 / 1000 end
      t.ok(chi_square < 20.5, "chi square " .. chi_square)  -- five degrees of freedom: once in a thousand
    end
    -- The whole of a dtype, also of the widest.
    for dtype, bounds in pairs { int8 = { -128, 127 }, uint8 = { 0, 255 }, int64 = { math.mininteger, math.maxinteger } } do
      local x = lt.random.randint({ 5000 }, bounds[1], bounds[2], { seed = 1, dtype = dtype })
      local low, high = math.maxinteger, math.mininteger
      for _, value in ipairs(x:totable()) do low, high = math.min(low, value), math.max(high, value) end
      t.ok(low < bounds[1] + (bounds[2] / 50 - bounds[1] / 50) and high > bounds[2] - (bounds[2] / 50 - bounds[1] / 50))
    end
  end,
}

-- Whether the list holds each of 1 to n once.
local function is_permutation(list)
  local seen = {}
  for _, value in ipairs(list) do
    if math.type(value) ~= "integer" or value < 1 or value > #list or seen[value] then return false end
    seen[value] = true
  end
  return true
end

spec "random.permutation" {
  examples = {
    { 23, { seed = 9 }, gives = golden.permutation, dtype = "int64" },
    { 1, gives = { 1 } },
    { 0, shape = { 0 } },
    { 1, { dtype = "int8" }, gives = { 1 }, dtype = "int8" },
  },
  rejects = {
    { args = { -1 }, says = "random.permutation: n is -1, expected 0 or more" },
    { args = { 128, { dtype = "int8" } }, says = "random.permutation: n is 128, which does not fit int8" },
    { args = { 5, { dtype = "float32" } }, says = "random.permutation: dtype is float32" },
    { args = { 1.5 }, says = "random.permutation: n is 1.5, expected an integer" },
    { args = { { 1, 2 } }, says = "random.permutation: n is a table" },
    { args = { 1 << 60 }, says = "more elements than memory can address" },
  },
  check = function(t)
    for _, n in ipairs { 2, 24, 25, 100, 4096, 4097, 20000, 270000 } do
      local x = lt.random.permutation(n, { seed = n })
      t.ok(is_permutation(x:totable()), n .. " each once")
      t.equal(lt.random.permutation(n, { seed = n }), x)
    end
    -- Every sorting method gives the order of 64 random bits each; sums of position times number check it.
    local known = { [24] = 3508, [25] = 3755, [1000] = 247684719,
      [100000] = 249824014157162, [300000] = 6755021077592084 }
    for n, sum in pairs(known) do
      local order = lt.random.permutation(n, { seed = n + 3, dtype = "int64" })
      t.equal((order * lt.range(n):int64()):sum():item(), sum)
    end
    for _, dtype in ipairs(integers) do
      t.equal(lt.random.permutation(100, { seed = 8, dtype = dtype }):int64(), lt.random.permutation(100, { seed = 8 }))
    end
    -- Many integers of 8 bytes are sorted where they lie, others in memory of their own.
    t.equal(lt.random.permutation(300000, { seed = 8, dtype = "int32" }):int64(),
      lt.random.permutation(300000, { seed = 8, dtype = "int64" }))
    -- Each order of three is as likely as the others.
    lt.random.set_seed(12)
    local counts = {}
    for _ = 1, 600 do
      local order = table.concat(lt.random.permutation(3):totable())
      counts[order] = (counts[order] or 0) + 1
    end
    local chi_square, kinds = 0, 0
    for _, count in pairs(counts) do
      chi_square, kinds = chi_square + (count - 100) ^ 2 / 100, kinds + 1
    end
    t.ok(kinds == 6 and chi_square < 20.5, "chi square " .. chi_square)
  end,
}

spec "random.shuffle" {
  example = { { 7 }, gives = { 7 }, dtype = "int32" },
  examples = {
    { { { 1, 2 } }, { seed = 1 }, gives = { { 1, 2 } } },
    { made(function() return lt.zeros { 0, 3 } end), shape = { 0, 3 } },
    { made(function() return lt.zeros { 3, 0 } end), shape = { 3, 0 } },
  },
  rejects = {
    { args = { 5 }, says = "random.shuffle: x is a scalar, which has no axis to shuffle along" },
    { args = { "x" }, says = "random.shuffle: x is" },
    { args = { { 1, 2 }, { axis = 1 } }, says = "random.shuffle: unknown option 'axis'" },
  },
  check = function(t)
    local order = lt.random.permutation(50, { seed = 6 })
    for _, dtype in ipairs(all_dtypes) do
      local x = (lt.range(150) % 2):reshape({ 50, 3 }):cast(dtype)
      local y = lt.random.shuffle(x, { seed = 6 })
      t.ok(y.dtype == dtype)
      t.equal(y, x:gather(order), dtype)
    end
    for _, shape in ipairs { { 9000 }, { 5000, 7 }, { 3, 1000 }, { 300000, 2 } } do
      local x = lt.range(shape[1] * (shape[2] or 1)):reshape(shape)
      local y = lt.random.shuffle(x, { seed = 2 })
      t.equal(y, x:gather(lt.random.permutation(shape[1], { seed = 2 })))
      t.equal(y:sum(), x:sum())
    end
    -- The gradient goes back the way that the rows came, as that of a gather with the same order does; so does the second.
    for _, seed in ipairs { 4, false } do
      lt.random.set_seed(9)
      local order = lt.random.permutation(40, { seed = seed or nil })
      lt.random.set_seed(9)
      local x = lt.random.normal({ 40, 2 }, { seed = 1, dtype = "float64" })
      local outer <close> = lt.GradientTape()
      local inner <close> = lt.GradientTape()
      outer:watch(x)
      inner:watch(x)
      local y = lt.random.shuffle(x, { seed = seed or nil })
      t.equal(y, x:gather(order))
      local weights = lt.range(80, { dtype = "float64" }):reshape { 40, 2 }
      local first = inner:gradient((y * y * weights):sum(), x)
      local back = order:argsort()
      t.close(first, (2 * y * weights):gather(back), 1e-12)
      t.close(outer:gradient((first * x):sum(), x), (4 * y * weights):gather(back), 1e-12)
    end
  end,
}

spec "random.categorical" {
  examples = {
    { golden.logits, 12, { seed = 4 }, gives = golden.categorical, dtype = "int64" },
    { { 0, 0 }, 0, shape = { 0 } },
    { { { { -1 / 0, 0 }, { 0, -1 / 0 } } }, 2, gives = { { { 2, 2 }, { 1, 1 } } } },
    { { 5 }, 3, { dtype = "uint8" }, gives = { 1, 1, 1 }, dtype = "uint8" },
    { made(function() return lt.zeros { 0, 4 } end), 3, shape = { 0, 3 } },
    { made(function() return lt.zeros { 2, 0 } end), 0, shape = { 2, 0 } },
  },
  rejects = {
    { args = { 5, 2 }, says = "random.categorical: logits is a scalar" },
    { args = { { 0.0, 1.0 }, -1 }, says = "random.categorical: n is -1, expected 0 or more" },
    { args = { made(function() return lt.zeros { 2, 0 } end), 1 }, says = "random.categorical: logits (2, 0) has no classes" },
    { args = { { 0.0, 0 / 0 }, 2 }, says = "random.categorical: a row of logits has nan, inf or nothing but -inf" },
    { args = { { { 0.0, 1.0 }, { 0.0, 1 / 0 } }, 2 }, says = "random.categorical: a row of logits has nan, inf" },
    { args = { { -1 / 0, -1 / 0 }, 2 }, says = "random.categorical: a row of logits has nan, inf or nothing but -inf" },
    { args = { { true, false }, 2 }, says = "random.categorical: logits is bool, expected a number" },
    { args = { { 0.0, 1.0 }, 2, { dtype = "float32" } }, says = "random.categorical: dtype is float32" },
    { args = { made(function() return lt.zeros { 200 } end), 1, { dtype = "int8" } }, says = "has more classes than int8 can number" },
    { args = { { 0.0, 1.0 } }, says = "random.categorical: 1 argument given" },
  },
  check = function(t)
    -- Frequencies of many draws from one row, and of one draw from many rows.
    local p = { 0.1, 0.2, 0.3, 0.4 }
    local logits = lt.constant(p):log()
    for _, dtype in ipairs(floats) do
      for _, x in ipairs { lt.random.categorical(logits:cast(dtype), 20000, { seed = 1 }),
                           lt.random.categorical(logits:cast(dtype):reshape({ 1, 4 }):broadcast_to { 20000, 4 }, 1, { seed = 1 }) } do
        local counts = { 0, 0, 0, 0 }
        for _, value in ipairs(x:flatten():totable()) do counts[value] = counts[value] + 1 end
        local chi_square = 0
        for i = 1, 4 do chi_square = chi_square + (counts[i] - 20000 * p[i]) ^ 2 / (20000 * p[i]) end
        t.ok(chi_square < 30, dtype .. " chi square " .. chi_square)  -- bfloat16's logits are rounded
      end
    end
    -- A result depends on its place and its row alone.
    local rows = lt.random.normal({ 40, 300 }, { seed = 1 })
    local x = lt.random.categorical(rows, 200, { seed = 2 })
    t.equal(x.shape, { 40, 200 })
    t.equal(lt.random.categorical(rows[{ { 1, 7 } }], 200, { seed = 2 }), x[{ { 1, 7 } }])
    t.equal(lt.random.categorical(rows * 1 + 100.0, 3, { seed = 2 }).shape, { 40, 3 })
  end,
}
