local spec = require "spec"
local depends_on_seed = require "depends_on_seed"
local golden = require "golden.random_golden"  -- made apart, by tests/support/generate/make_random_golden.py

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
    -- Values within the bounds are unchanged; those outside are drawn again.
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
    for _, dtype in ipairs(all_dtypes) do
      local x = lt.random.bernoulli({ 20000 }, 0.25, { seed = 1, dtype = dtype })
      t.ok(x.dtype == dtype)
      t.equal(x:int64(), lt.random.bernoulli({ 20000 }, 0.25, { seed = 1 }):int64(), dtype)
    end
    t.ok(math.abs(lt.random.bernoulli({ 20000 }, 0.25, { seed = 1 }):mean():item() - 0.25) < 0.012)
  end,
}
