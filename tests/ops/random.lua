local spec = require "spec"
local golden = require "random_golden"  -- made apart, by tests/support/make_random_golden.py

local floats = { "float16", "bfloat16", "float32", "float64" }
local ints = { "int8", "uint8", "int16", "int32", "int64" }
local all = table.move(ints, 1, #ints, #floats + 1, table.move(floats, 1, #floats, 1, { "bool" }))
all[#all + 1] = "int64"

-- op(args..., options) depends on the seed alone: not on what came before, nor on the shape, element by element.
local function depends_on_seed(t, op, ...)
  local args = table.pack(...)
  local function call(shape, options)
    return op(shape, table.unpack(args, 1, args.n)), op(shape, table.unpack(table.move({ options }, 1, 1, args.n + 1, table.move(args, 1, args.n, 1, {}))))
  end
  local _, long = call({ 9000 }, { seed = 7 })
  local _, short = call({ 3, 7 }, { seed = 7 })
  t.equal(short, long[{ { 1, 21 } }]:reshape { 3, 7 })
  local _, odd = call({ 4103 }, { seed = 7 })
  t.equal(odd[{ { 4000, 4103 } }], long[{ { 4000, 4103 } }])
  lt.random.set_seed(3)
  local first, second = op({ 300 }, table.unpack(args, 1, args.n)), op({ 300 }, table.unpack(args, 1, args.n))
  lt.random.set_seed(3)
  t.equal(op({ 300 }, table.unpack(args, 1, args.n)), first)
  t.equal(op({ 300 }, table.unpack(args, 1, args.n)), second)
  local a, b, same = first:totable(), second:totable(), true
  for i = 1, 300 do same = same and a[i] == b[i] end
  t.ok(not same, "two calls give different numbers")
end

-- The values for seed 1 are a promise: they are the same on every device, with any number of threads, in every release.
-- (The first words of Philox4x32-10 with key 1; normal numbers by Box and Muller from neighbouring words.)
spec "random.normal" {
  examples = {
    { { 4 }, { seed = 1 }, gives = { 0x1.8587bap-2, -0x1.2f637cp-2, -0x1.fe6e22p-3, -0x1.00fb7ap+0 }, tolerance = 0,
      dtype = "float32" },
    { { 2, 2 }, { seed = 1, dtype = "float64" }, tolerance = 0, dtype = "float64",
      gives = { { -0x1.a7d4d34057ec1p-2, -0x1.fa8a09f837d19p-3 }, { -0x1.c327de664a262p-1, 0x1.16eed913759a4p-3 } } },
    { { 2 }, { seed = 1, mean = 10, stddev = 0 }, gives = { 10, 10 } },
    { 1, { seed = 1, mean = 1, stddev = 2 }, gives = { 1.76080 } },
    { {}, { seed = 1 }, gives = 0x1.8587bap-2, shape = {} },
    { { 0, 3 }, shape = { 0, 3 } },
    -- Halves are float32's numbers, rounded once.
    { { 4 }, { seed = 1, dtype = "float16" }, gives = { 0x1.858p-2, -0x1.2f8p-2, -0x1.fe8p-3, -0x1.010p+0 }, tolerance = 0,
      dtype = "float16" },
    { { 4 }, { seed = 1, dtype = "bfloat16" }, gives = { 0x1.86p-2, -0x1.30p-2, -0x1.fep-3, -0x1.00p+0 }, tolerance = 0,
      dtype = "bfloat16" },
  },
  rejects = {
    { args = { { 2 }, { dtype = "int32" } }, says = "random.normal: dtype is int32, expected float16, bfloat16, float32 or float64" },
    { args = { { 2 }, { dtype = "float16", mean = 1e5 } }, says = "random.normal: mean is 100000, expected a finite float16" },
    { args = { { 2 }, { dtype = "float16", stddev = 1e5 } }, says = "random.normal: stddev is 100000, expected 0 or a finite float16" },
    { args = { { 2 }, { stddev = -1 } }, says = "random.normal: stddev is -1" },
    { args = { { 2 }, { stddev = 0 / 0 } }, says = "random.normal: stddev is" },
    { args = { { 2 }, { mean = 1 / 0 } }, says = "random.normal: mean is inf, expected a finite float32" },
    { args = { { 2 }, { mean = 1e300 } }, says = "random.normal: mean is 1e+300, expected a finite float32" },
    { args = { { -1 } }, says = "negative size" },
    { args = { { 2 }, { sigma = 1 } }, says = "unknown option 'sigma'" },
    { args = { { 2 }, { seed = "x" } }, says = "random.normal: seed is" },
  },
  check = function(t)
    -- An element depends on its place alone.
    local long = lt.random.normal({ 10000 }, { seed = 7 })
    t.equal(lt.random.normal({ 3, 7 }, { seed = 7 }), long[{ { 1, 21 } }]:reshape { 3, 7 })
    t.equal(lt.random.normal({ 5003 }, { seed = 7 })[{ { 4990, 5003 } }], long[{ { 4990, 5003 } }])
    local wide = lt.random.normal({ 1000 }, { seed = 7, dtype = "float64" })
    t.equal(lt.random.normal({ 131 }, { seed = 7, dtype = "float64" }), wide[{ { 1, 131 } }])
    -- set_seed starts the sequence of calls over; two calls of it differ.
    lt.random.set_seed(3)
    local first, second = lt.random.normal { 50 }, lt.random.normal { 50 }
    lt.random.set_seed(3)
    t.equal(lt.random.normal { 50 }, first)
    t.equal(lt.random.normal { 50 }, second)
    local a, b = first:totable(), second:totable()
    t.ok(a[1] ~= b[1] and a[50] ~= b[50])
    -- A call with a seed of its own takes nothing from the sequence.
    lt.random.set_seed(3)
    lt.random.normal({ 9 }, { seed = 1 })
    t.equal(lt.random.normal { 50 }, first)
  end,
}

spec "random.uniform" {
  examples = {
    { { 4 }, { seed = 1 }, gives = { 0x1.c7d00cp-1, 0x1.ca141cp-1, 0x1.2be444p-1, 0x1.6c2b54p-1 }, tolerance = 0,
      dtype = "float32" },
    { { 4 }, { seed = 1, dtype = "float64" }, tolerance = 0, dtype = "float64",
      gives = { 0x1.c7d00cf94283ap-1, 0x1.2be445ad856a8p-1, 0x1.58102837f1732p-1, 0x1.e701e953fb304p-2 } },
    { { 2 }, { seed = 1, minval = -1, maxval = 3 }, gives = { 2.5610, 2.5787 } },
    { { 2 }, { minval = 5, maxval = 5 }, gives = { 5, 5 } },
    { { 0 }, shape = { 0 } },
  },
  rejects = {
    { args = { { 2 }, { dtype = "int32" } }, says = "random.uniform: dtype is int32, expected float16, bfloat16, float32 or float64" },
    { args = { { 2 }, { minval = 2, maxval = 1 } }, says = "random.uniform: minval 2 is above maxval 1" },
    { args = { { 2 }, { maxval = 1 / 0 } }, says = "must be finite" },
    { args = { { 2 }, { minval = 0 / 0 } }, says = "must be finite" },
    { args = { { 2 }, { minval = -3e38, maxval = 3e38 } }, says = "is further than float32 reaches" },
    { args = { { 2 }, { maxval = 1e300 } }, says = "is further than float32 reaches" },
    { args = { { 2 }, { maxval = 1e5, dtype = "float16" } }, says = "is further than float16 reaches" },
  },
  check = function(t)
    -- The bounds hold after rounding: float32 has few numbers between these, and 0.7 is none of them.
    for _, bounds in ipairs { { 0.7, 0.70000005 }, { 16777216, 16777218 }, { -1e-3, 0 }, { 0.1, 0.3 } } do
      for _, x in ipairs(lt.random.uniform({ 200 }, { seed = 5, minval = bounds[1], maxval = bounds[2] }):totable()) do
        if x < bounds[1] or x >= bounds[2] then t.ok(false, x .. " is not in [" .. bounds[1] .. ", " .. bounds[2] .. ")") end
      end
    end
    -- In halves too, which have few numbers: 0.1 and 0.3 are none of them, and next to 0 there are the subnormal ones.
    for _, dtype in ipairs { "float16", "bfloat16" } do
      for _, bounds in ipairs { { 0.1, 0.3 }, { 0.1, 0.1005 }, { -1e-3, 0 }, { 0, 1e-7 }, { -2, -1 }, { 1024, 1032 } } do
        local x = lt.random.uniform({ 2000 }, { seed = 5, minval = bounds[1], maxval = bounds[2], dtype = dtype })
        t.ok(x.dtype == dtype)
        local many = {}
        for _, value in ipairs(x:totable()) do
          many[value] = true
          local nowhere = dtype == "bfloat16" and bounds[2] == 0.1005  -- no bfloat16 lies between these
          if not nowhere and (value < bounds[1] or value >= bounds[2]) then
            t.ok(false, dtype .. " " .. value .. " is not in [" .. bounds[1] .. ", " .. bounds[2] .. ")")
          end
        end
        t.ok(next(many) ~= nil)
      end
      local unit = lt.random.uniform({ 4000 }, { seed = 3, dtype = dtype }):float32()
      t.ok(math.abs(unit:mean():item() - 0.5) < 0.02)
    end
    local long = lt.random.uniform({ 3000 }, { seed = 9 })
    t.equal(lt.random.uniform({ 7, 3 }, { seed = 9 }), long[{ { 1, 21 } }]:reshape { 7, 3 })
  end,
}

spec "random.truncated_normal" {
  examples = {
    { { 60 }, { seed = 2 }, gives = golden.truncated, tolerance = 1e-5, dtype = "float32" },
    { { 2, 2 }, { seed = 1 }, tolerance = 0, dtype = "float32",
      gives = { { 0x1.8587bap-2, -0x1.2f637cp-2 }, { -0x1.fe6e22p-3, -0x1.00fb7ap+0 } } },
    { { 2 }, { mean = 3, stddev = 0 }, gives = { 3, 3 } },
    { {}, { seed = 1 }, gives = 0x1.8587bap-2, shape = {} },
    { { 0 }, shape = { 0 } },
  },
  rejects = {
    { args = { { 2 }, { dtype = "int32" } }, says = "random.truncated_normal: dtype is int32, expected float16" },
    { args = { { 2 }, { stddev = -1 } }, says = "random.truncated_normal: stddev is -1" },
    { args = { { 2 }, { mean = 0 / 0 } }, says = "random.truncated_normal: mean is" },
    { args = { { -2 } }, says = "negative size -2" },
  },
  check = function(t)
    depends_on_seed(t, lt.random.truncated_normal)
    for _, dtype in ipairs(floats) do
      local x = lt.random.truncated_normal({ 20000 }, { seed = 5, mean = 1, stddev = 3, dtype = dtype })
      t.ok(x.dtype == dtype)
      local z = (x:float64() - 1) / 3
      t.ok(z:max():item() <= 2.004 and z:min():item() >= -2.004, "within two standard deviations")
      t.ok(z:max():item() > 1.95 and z:min():item() < -1.95)
      -- Moments of the normal distribution cut off at 2: variance 0.7737, two thirds within 1 become 0.7152.
      t.ok(math.abs(z:mean():item()) < 4 * math.sqrt(0.7737 / 20000), "mean")
      t.ok(math.abs(z:square():mean():item() - 0.7737) < 0.025, "variance")
      t.ok(math.abs(z:abs():lt(1.0):float32():mean():item() - 0.7152) < 0.015, "the middle")
    end
    -- What lies within is as it was; what lay outside is not.
    for _, dtype in ipairs { "float32", "float64" } do
      local all_of, cut = lt.random.normal({ 500 }, { seed = 6, dtype = dtype }):totable(),
                          lt.random.truncated_normal({ 500 }, { seed = 6, dtype = dtype }):totable()
      local outside = 0
      for i = 1, 500 do
        if math.abs(all_of[i]) <= 2 then
          if all_of[i] ~= cut[i] then t.ok(false, "element " .. i .. " was changed") end
        else
          outside = outside + 1
        end
      end
      t.ok(outside > 5)
    end
  end,
}

spec "random.bernoulli" {
  examples = {
    { { 40 }, 0.3, { seed = 11 }, gives = golden.bernoulli, dtype = "float32" },
    { { 3 }, 0, gives = { 0, 0, 0 } },
    { { 3 }, 1, gives = { 1, 1, 1 } },
    { 2, 1.0, { dtype = "bool" }, gives = { true, true }, dtype = "bool" },
    { {}, 1, { dtype = "int8" }, gives = 1, shape = {}, dtype = "int8" },
    { { 2, 0 }, 0.5, shape = { 2, 0 } },
  },
  rejects = {
    { args = { { 2 }, 1.5 }, says = "random.bernoulli: p is 1.5, expected a probability: 0 to 1" },
    { args = { { 2 }, -0.1 }, says = "random.bernoulli: p is -0.1" },
    { args = { { 2 }, 0 / 0 }, says = "random.bernoulli: p is" },
    { args = { { 2 }, "x" }, says = "random.bernoulli: p is \"x\", expected a number" },
    { args = { { 2 } }, says = "random.bernoulli: 1 argument given, expected random.bernoulli(shape, p, [options])" },
    { args = { { -1 }, 0.5 }, says = "negative size" },
  },
  check = function(t)
    depends_on_seed(t, lt.random.bernoulli, 0.5)
    for _, dtype in ipairs(all) do
      local x = lt.random.bernoulli({ 20000 }, 0.25, { seed = 1, dtype = dtype })
      t.ok(x.dtype == dtype)
      t.equal(x:int64(), lt.random.bernoulli({ 20000 }, 0.25, { seed = 1 }):int64(), dtype)
    end
    t.ok(math.abs(lt.random.bernoulli({ 20000 }, 0.25, { seed = 1 }):mean():item() - 0.25) < 0.012)
  end,
}

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
    for _, dtype in ipairs(ints) do
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
    for _, n in ipairs { 2, 100, 4096, 4097, 20000 } do
      local x = lt.random.permutation(n, { seed = n })
      t.ok(is_permutation(x:totable()), n .. " each once")
      t.equal(lt.random.permutation(n, { seed = n }), x)
    end
    for _, dtype in ipairs(ints) do
      t.equal(lt.random.permutation(100, { seed = 8, dtype = dtype }):int64(), lt.random.permutation(100, { seed = 8 }))
    end
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
    for _, dtype in ipairs(all) do
      local x = (lt.range(150) % 2):reshape({ 50, 3 }):cast(dtype)
      local y = lt.random.shuffle(x, { seed = 6 })
      t.ok(y.dtype == dtype)
      t.equal(y, x:gather(order), dtype)
    end
    for _, shape in ipairs { { 9000 }, { 5000, 7 }, { 3, 1000 } } do
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
