local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge

spec "nonzero" {
  gpu = false,
  example = { { { 0, 5 }, { 6, 0 } }, gives = { { 1, 2 }, { 2, 1 } }, dtype = "int64" },
  examples = {
    { { 0, 3, 0, -1 }, gives = { { 2 }, { 4 } } },
    { bool { { true, false }, { true, true } }, gives = { { 1, 1 }, { 2, 1 }, { 2, 2 } } },
    { { nan, 0.0, -0.0, inf }, gives = { { 1 }, { 4 } } },
    { float16 { 0, 2, -0.0, nan }, gives = { { 2 }, { 4 } } },
    { bfloat16 { 0, 2, -0.0, nan }, gives = { { 2 }, { 4 } } },
    { float64 { 5e-324, 0 }, gives = { { 1 } } },
    { { { { 0, 1 } }, { { 1, 0 } } }, gives = { { 1, 1, 2 }, { 2, 1, 1 } } },
    { 5, shape = { 1, 0 } },
    { 0, shape = { 0, 0 } },
    { { 0, 0 }, shape = { 0, 1 } },
    { zeros { 3, 0 }, shape = { 0, 2 } },
  },
  rejects = {
    { args = { "x" }, says = 'nonzero: x is "x", expected a tensor or a table' },
    { args = { { 1 }, 1 }, says = "nonzero: 2 arguments given, expected nonzero(x)" },
  },
  check = function(t)
    for _, dtype in ipairs { "bool", table.unpack(numbers) } do
      t.equal((lt.range(7) % 2):cast(dtype):nonzero():reshape { -1 }, lt.constant({ 2, 4, 6 }, { dtype = "int64" }), dtype)
    end
    -- Several blocks; at eight axes.
    local x = lt.range(100000) % 3
    t.equal(x:nonzero():reshape { -1 } - 1, (lt.range(66666, { dtype = "int64" }) * 3 + 2) // 2)
    local deep = lt.range(65536):reshape { 4, 4, 4, 4, 4, 4, 4, 4 }
    t.equal(deep:gather_nd(deep:nonzero()), lt.range(1, 65536))
    t.equal(deep:ge(65535):nonzero(), { { 4, 4, 4, 4, 4, 4, 4, 4 } })
    -- The result keeps no more memory than it needs.
    local wide = lt.device("/CPU:0", function() return lt.range(1000000):eq(7) end)
    collectgarbage()
    collectgarbage()
    local before = lt.config.get_memory_info("CPU:0").current
    local few = wide:nonzero()
    t.ok(lt.config.get_memory_info("CPU:0").current - before < 1e6)
    t.equal(few, { { 8 } })
    -- A variable is counted and read at the same moment.
    local v = lt.Variable { 0.0, 1.0, 2.0 }
    t.equal(lt.nonzero(v), { { 2 }, { 3 } })
  end,
}

spec "searchsorted" {
  example = { { 10, 20, 30 }, { 5, 20, 99 }, gives = { 1, 2, 4 }, dtype = "int64" },
  examples = {
    { { 1, 1, 2, 2, 2, 3 }, { { 1, 2 }, { 3, 4 } }, gives = { { 1, 3 }, { 6, 7 } } },
    { { 1, 2, 3 }, 2, gives = 2, shape = {} },
    { { 1, 2, 3 }, 2.5, gives = 3, shape = {} },
    { { { 1, 3, 5 }, { 2, 4, 6 } }, { { 3, 6 }, { 3, 9 } }, gives = { { 2, 4 }, { 2, 4 } } },
    { { 1, inf, nan, nan }, { nan, inf, -inf, 2 }, gives = { 3, 2, 1, 2 } },
    { { -0.0, 1 }, { 0.0 }, gives = { 1 } },
    { zeros { 0 }, { 1, 2 }, gives = { 1, 1 } },
    { { 1, 2 }, zeros { 0, 3 }, shape = { 0, 3 } },
    { zeros { 2, 0 }, { { 1 }, { 2 } }, gives = { { 1 }, { 1 } } },
    { uint8 { 3, 200 }, uint8 { 100, 250 }, gives = { 2, 3 } },
    { int64 { math.mininteger, math.maxinteger }, int64 { 0, math.maxinteger }, gives = { 2, 2 } },
    { int8 { 1, 5 }, float64 { 4.5 }, gives = { 2 } },
    { bool { false, false, true, true }, bool { true, false }, gives = { 3, 1 } },
    { bool { false, false }, bool { { true }, { false } }, gives = { { 3 }, { 1 } } },
    { bool { true }, true, gives = 1, shape = {} },
    { bool { false, true }, { -1, 0, 1, 2 }, gives = { 1, 1, 2, 3 } },
    { bool { false, true }, 0.5, gives = 2, shape = {} },
    { { -3, 0, 1, 7 }, bool { false, true }, gives = { 2, 3 } },
    { { 10, 20, 20, 30 }, { 5, 20, 99 }, { right = true }, gives = { 1, 4, 5 }, dtype = "int64" },
    { zeros { 0 }, { 1 }, { right = true }, gives = { 1 } },
    { { 1, inf, nan, nan }, { nan, inf, -inf, 2 }, { right = true }, gives = { 5, 3, 1, 2 } },
    { bool { false, false, true, true }, bool { true, false }, { right = true }, gives = { 5, 3 } },
  },
  rejects = {
    { args = { 1, { 1 } }, says = "searchsorted: sorted is a scalar" },
    { args = { { { 1, 2 }, { 3, 4 } }, { { 1 } } }, says = "searchsorted: sorted (2, 2) and values (1, 1) do not match" },
    { args = { { { 1, 2 } }, { 1 } }, says = "sorted (1, 2) and values (1,) do not match" },
    { args = { bool { { true } }, bool { true } }, says = "sorted (1, 1) and values (1,) do not match" },
    { args = { { 1, 2 } }, says = "searchsorted: 1 argument given, expected searchsorted(sorted, values, [options])" },
  },
  check = function(t)
    statistics.check(t, "searchsorted", 0)
    for _, dtype in ipairs(numbers) do
      for n = 0, 9 do
        local sorted = (lt.range(n) * 2):cast(dtype)
        local values = lt.range(20):cast(dtype)
        local wanted = {}
        for value = 0, 19 do wanted[value + 1] = math.min(n, (value + 1) // 2) + 1 end
        t.equal(sorted:searchsorted(values), lt.constant(wanted, { dtype = "int64" }), ("%s %d"):format(dtype, n))
      end
    end
    -- The number of smaller elements, plus one.
    local x = lt.random.uniform({ 5000 }, { seed = 1 }):sort()
    local values = lt.random.uniform({ 3, 7000 }, { seed = 2 })
    local places = x:searchsorted(values)
    for _, at in ipairs { { 1, 1 }, { 2, 3500 }, { 3, 7000 } } do
      t.equal(places[at], x:lt(values[at]):sum() + 1)
    end
    t.equal(lt.range(5000):searchsorted(lt.range(5000.0)), lt.range(1, 5001, { dtype = "int64" }))
    -- Not in order: some place, and nothing is read beyond the end.
    local any = lt.constant { 5, 1, 9, 3 }:searchsorted(lt.range(12))
    t.ok(any:ge(1):all():item() and any:le(5):all():item())
  end,
}

spec "bincount" {
  gpu = false,
  example = { { 2, 4, 2 }, gives = { 0, 2, 0, 1 }, dtype = "int64" },
  examples = {
    { { { 1, 2 }, { 2, 2 } }, gives = { 1, 3 } },
    { 3, gives = { 0, 0, 1 } },
    { uint8 { 5, 5 }, gives = { 0, 0, 0, 0, 2 } },
    { zeros({ 0 }, "int32"), shape = { 0 }, dtype = "int64" },
    { zeros({ 3, 0 }, "int8"), shape = { 0 }, dtype = "int64" },
    { { 2, 4, 2 }, { 0.5, 2, 1 }, gives = { 0, 1.5, 0, 2 }, dtype = "float32" },
    { { { 1 }, { 1 } }, { { 3 }, { 4 } }, gives = { 7 }, dtype = "float64" },
    { { 1, 1 }, float16 { 0.5, 0.25 }, gives = { 0.75 }, dtype = "float16" },
    { zeros({ 0 }, "int32"), zeros { 0 }, shape = { 0 }, dtype = "float32" },
    { { 2, 1, 2 }, { minlength = 4 }, gives = { 1, 2, 0, 0 } },
    { { 2, 5 }, { minlength = 3 }, gives = { 0, 1, 0, 0, 1 } },
    { { 2, 1 }, { 0.5, 4 }, { minlength = 3 }, gives = { 4, 0.5, 0 }, dtype = "float32" },
    { zeros({ 0 }, "int32"), { minlength = 2 }, gives = { 0, 0 }, dtype = "int64" },
  },
  rejects = {
    { args = { { 1 }, { minlength = -1 } }, says = "bincount: minlength is -1, expected a number from 0 to 2^48 - 1" },
    { args = { { 2, 0, -1 } }, says = "bincount: x holds 0, and values count from 1" },
    { args = { { 1, -7, 0 } }, says = "bincount: x holds -7, and values count from 1" },
    { args = { { 1.0, 2.5 } }, says = "bincount: x is float32, expected an integer" },
    { args = { bool { true } }, says = "bincount: x is bool, expected an integer" },
    { args = { int64 { math.maxinteger } }, says = "bincount: " },
    { args = { { 1 }, 5 }, says = "bincount: x (1,) and weights () do not match: expected a weight for each element of x" },
    { args = { { 1 }, { 5 }, 6 }, says = "bincount: 3 arguments given" },
    { args = { { 1 }, bool { true } }, says = "bincount: weights is bool, expected a number" },
    { args = { { 2, 0 }, { 5, 5 } }, says = "bincount: x holds 0, and values count from 1" },
    { args = { int64 { 1 << 55 } }, says = "bincount", code = "ResourceExhausted" },
  },
  check = function(t)
    for _, dtype in ipairs(integers) do
      t.equal((lt.range(200) % 3 + 1):cast(dtype):bincount(), { 67, 67, 66 }, dtype)
    end
    -- The largest value and an invalid one are found at any position.
    for _, place in ipairs { 0, 1023, 1024, 4999 } do
      local x = lt.where(lt.range(5000):eq(place), 9, 2)
      t.equal(x:bincount(), { 0, 4999, 0, 0, 0, 0, 0, 0, 1 }, place)
      local bad = lt.where(lt.range(5000):eq(place), -4, x)
      t.raises("InvalidArgument", "bincount: x holds -4, and values count from 1", function() return bad:bincount() end)
    end
    -- A weight counts at its value, and gets the gradient of that sum.
    local at, weights = lt.range(5000) % 7 + 1, lt.linspace(0, 1, 5000, { dtype = "float64" })
    local wanted = lt.unsorted_segment_sum(weights, at, 7)
    t.close(at:bincount(weights), wanted, 1e-12)
    local tape <close> = lt.GradientTape()
    tape:watch(weights)
    local slopes = tape:gradient((at:bincount(weights) * lt.range(7):float64()):sum(), weights)
    t.equal(slopes, (at - 1):float64())
    -- On several threads: each has bins of its own while there are few, and shares many.
    for _, bins in ipairs { 10, 50000 } do
      local x = lt.range(200000) % bins + 1
      t.equal(x:bincount(), lt.fill({ bins }, 200000 // bins):cast("int64"), bins)
    end
  end,
}
