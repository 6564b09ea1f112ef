local spec = require "spec"

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
  },
  rejects = {
    { args = { { 2 }, { dtype = "int32" } }, says = "random.normal: dtype is int32, expected float32 or float64" },
    { args = { { 2 }, { dtype = "float16" } }, says = "random.normal: dtype is float16, expected float32 or float64" },
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
    { args = { { 2 }, { dtype = "int32" } }, says = "random.uniform: dtype is int32, expected float32 or float64" },
    { args = { { 2 }, { minval = 2, maxval = 1 } }, says = "random.uniform: minval 2 is above maxval 1" },
    { args = { { 2 }, { maxval = 1 / 0 } }, says = "must be finite" },
    { args = { { 2 }, { minval = 0 / 0 } }, says = "must be finite" },
    { args = { { 2 }, { minval = -3e38, maxval = 3e38 } }, says = "is further than float32 reaches" },
    { args = { { 2 }, { maxval = 1e300 } }, says = "is further than float32 reaches" },
  },
  check = function(t)
    -- The bounds hold after rounding: float32 has few numbers between these, and 0.7 is none of them.
    for _, bounds in ipairs { { 0.7, 0.70000005 }, { 16777216, 16777218 }, { -1e-3, 0 }, { 0.1, 0.3 } } do
      for _, x in ipairs(lt.random.uniform({ 200 }, { seed = 5, minval = bounds[1], maxval = bounds[2] }):totable()) do
        if x < bounds[1] or x >= bounds[2] then t.ok(false, x .. " is not in [" .. bounds[1] .. ", " .. bounds[2] .. ")") end
      end
    end
    local long = lt.random.uniform({ 3000 }, { seed = 9 })
    t.equal(lt.random.uniform({ 7, 3 }, { seed = 9 }), long[{ { 1, 21 } }]:reshape { 7, 3 })
  end,
}
