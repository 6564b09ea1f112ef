local spec = require "spec"
local nn_cases = require "nn_cases"

local nan = 0 / 0

spec "bias_add" {
  example = { { { 1, 2 }, { 3, 4 } }, { 10, 20 }, gives = { { 11, 22 }, { 13, 24 } }, dtype = "int32" },
  examples = {
    { { 1.5, 2 }, { 10, 20 }, gives = { 11.5, 22 }, dtype = "float32" },
    { int8 { 127, 1 }, int8 { 1, 1 }, gives = { -128, 2 }, dtype = "int8" },
    { uint8 { { 255, 1 } }, uint8 { 2, 1 }, gives = { { 1, 2 } }, dtype = "uint8" },
    { int64 { math.maxinteger }, int64 { 1 }, gives = { math.mininteger }, dtype = "int64" },
    { int16 { 5 }, int8 { 1 }, gives = { 6 }, dtype = "int16" },
    { float16 { 1, 2 }, float16 { 0.5, 0.25 }, gives = { 1.5, 2.25 }, dtype = "float16" },
    { bfloat16 { 1, 2 }, bfloat16 { 0.5, 0.25 }, gives = { 1.5, 2.25 }, dtype = "bfloat16" },
    { zeros(3, 0), zeros(0), shape = { 3, 0 } },
    { zeros(0, 2), { 1, 2 }, shape = { 0, 2 } },
  },
  rejects = {
    { args = { { { 1, 2 }, { 3, 4 } }, { 1, 2, 3 } }, says = "bias_add: b (3,) does not fit x (2, 2): expected (2,)" },
    { args = { { { 1, 2 }, { 3, 4 } }, { { 1, 2 } } }, says = "bias_add: b (1, 2) does not fit x (2, 2)" },
    { args = { 1, { 1 } }, says = "bias_add: x is a scalar, which has no last axis" },
    { args = { bool { true }, bool { true } }, says = "bias_add: x is bool, expected a number" },
    { args = { { 1 } }, says = "bias_add: 1 argument given, expected bias_add(x, b)" },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } }, { 5, 6 } }, { { 1, 2 }, { 5, 6 } }, { { { { 1 }, { 2 } } }, { 3 } } },
  check = function(t)
    nn_cases.check(t, "bias_add", "float64", 1e-10)
    nn_cases.check(t, "bias_add", "float32", 1e-5)
    local x, b = lt.range(70000):reshape { 700, 100 }, lt.range(100)
    t.equal((lt.bias_add(x, b) - x - b):abs():max():item(), 0)
    -- Short rows, whose b is laid out several times, and rows that are too long for it.
    for _, n in ipairs { 1, 3, 24, 255, 256, 257, 1024 } do
      for _, dtype in ipairs { "float32", "int8", "bfloat16" } do
        local rows, row = lt.random.randint({ 1300, n }, -60, 60, { seed = n }):cast(dtype), lt.random.randint({ n }, -60, 60, { seed = n + 1 }):cast(dtype)
        t.ok(lt.all(lt.bias_add(rows, row):eq(rows + row)):item(), n .. " " .. dtype)
      end
    end
  end,
}

spec "linear" {
  example = { { { 1, 2 } }, { { 1, 0 }, { 0, 1 } }, { 10, 20 }, gives = { { 11, 22 } }, dtype = "int32" },
  examples = {
    { { 1.0, 2.0 }, { { 1, 2, 3 }, { 4, 5, 6 } }, { 0, 0, 1 }, gives = { 9, 12, 16 }, dtype = "float32" },
    { { { { 1, 2 } }, { { 3, 4 } } }, { { 1 }, { 1 } }, { 0.5 }, gives = { { { 3.5 } }, { { 7.5 } } } },
    { int8 { { 100, 100 } }, int8 { { 1 }, { 1 } }, int8 { 1 }, gives = { { -55 } }, dtype = "int8" },
    { uint8 { { 16 } }, uint8 { { 17 } }, uint8 { 0 }, gives = { { 16 } }, dtype = "uint8" },
    { int16 { { 300 } }, int16 { { 300 } }, int16 { 0 }, gives = { { 24464 } }, dtype = "int16" },
    { int64 { { math.maxinteger } }, int64 { { 2 } }, int64 { 1 }, gives = { { -1 } }, dtype = "int64" },
    { float16 { { 1, 2 } }, float16 { { 0.5 }, { 0.25 } }, float16 { 1 }, gives = { { 2 } }, dtype = "float16" },
    { bfloat16 { { 1, 2 } }, bfloat16 { { 0.5 }, { 0.25 } }, bfloat16 { 1 }, gives = { { 2 } }, dtype = "bfloat16" },
    { float64 { { 1, 2 } }, float64 { { 0.5 }, { 0.25 } }, { 1 }, gives = { { 2 } }, dtype = "float64" },
    { zeros(3, 0), zeros(0, 2), { 1, 2 }, gives = { { 1, 2 }, { 1, 2 }, { 1, 2 } } },
    { zeros(0, 2), zeros(2, 3), zeros(3), shape = { 0, 3 } },
    { zeros(3, 2), zeros(2, 0), zeros(0), shape = { 3, 0 } },
  },
  rejects = {
    { args = { { { 1, 2 } }, { { 1 } }, { 1 } },
      says = "linear: x (1, 2) and w (1, 1) do not match: x's last axis (2) must equal w's first (1)" },
    { args = { { 1, 2 }, { 1, 2 }, { 1 } }, says = "linear: w has the shape (2,), expected a matrix (in, out)" },
    { args = { { 1, 2 }, { { 1 }, { 2 } }, { 1, 2 } }, says = "linear: b (2,) does not fit w (2, 1): expected (1,)" },
    { args = { 1, { { 1 } }, { 1 } }, says = "linear: x is a scalar, expected rows of numbers" },
    { args = { bool { true }, bool { { true } }, bool { true } }, says = "linear: x is bool, expected a number" },
    { args = { { 1 }, { { 1 } } }, says = "linear: 2 arguments given, expected linear(x, w, b)" },
  },
  gradients = {
    { { { 1, 2 }, { 3, 4 } }, { { 5, 6, 7 }, { 8, 9, 1 } }, { 1, 2, 3 } },
    { { 1, 2 }, { { 5 }, { 8 } }, { 1 } },
    { { { { 1, 2 } }, { { 3, 4 } } }, { { 5, 6, 7 }, { 8, 9, 1 } }, { 1, 2, 3 } },
  },
  check = function(t)
    nn_cases.check(t, "linear", "float64", 1e-10)
    nn_cases.check(t, "linear", "float32", 1e-5)
    -- Large enough for threads and for oneDNN, against the product by itself.
    local x, w, b = nn_cases.tensor(1, { 150, 90 }, "float64"), nn_cases.tensor(2, { 90, 110 }, "float64"),
      nn_cases.tensor(3, { 110 }, "float64")
    local wanted = lt.matmul(x, w) + b
    t.ok((lt.linear(x, w, b) - wanted):abs():max():item() < 1e-12)
    for dtype, tolerance in pairs { float32 = 1e-5, float16 = 2e-2, bfloat16 = 2e-1 } do
      local y = lt.linear(x:cast(dtype), w:cast(dtype), b:cast(dtype)):cast("float64")
      t.ok((y - wanted):abs():max():item() < tolerance, dtype)
    end
    -- The bias is added as the product is written: whole tiles and what is left of them, k in one piece and in several,
    -- rows that collide in a cache. Against the two ops, whose roundings are the same.
    for _, size in ipairs { { 5, 7, 31 }, { 30, 64, 64 }, { 33, 700, 45 }, { 300, 64, 256 }, { 61, 1100, 2048 } } do
      local rows, depth, columns = table.unpack(size)
      local u, v, bias = lt.random.normal({ rows, depth }, { seed = 1 }), lt.random.normal({ depth, columns }, { seed = 2 }),
        lt.random.normal({ columns }, { seed = 3 })
      local apart = (lt.linear(u, v, bias) - (lt.matmul(u, v) + bias)):abs():max():item()
      t.ok(apart <= 0, ("%d x %d x %d: %g"):format(rows, depth, columns, apart))
    end
    nn_cases.second_order(t, "linear", lt.linear, { { { 1, 2 } }, { { 1, 2 }, { 3, 4 } }, { 1, 2 } })
  end,
}

spec "dropout" {
  example = { { 1.0, 2.0, 3.0 }, 0, gives = { 1, 2, 3 }, dtype = "float32" },
  examples = {
    { { 1, 2 }, 0, gives = { 1, 2 }, dtype = "float32" },
    { float16 { 1, 2 }, 0, { seed = 1 }, gives = { 1, 2 }, dtype = "float16" },
    { bfloat16 { 1, 2 }, 0, gives = { 1, 2 }, dtype = "bfloat16" },
    { float64 { 1, 2 }, 0, gives = { 1, 2 }, dtype = "float64" },
    { uint8 { 1, 2 }, 0, gives = { 1, 2 }, dtype = "float32" },
    { 5.0, 0, gives = 5 },
    { zeros(3, 0), 0.5, shape = { 3, 0 } },
  },
  rejects = {
    { args = { { 1, 2 }, 1 }, says = "dropout: rate is 1, expected 0 or a number above it and below 1" },
    { args = { { 1, 2 }, -0.5 }, says = "dropout: rate is -0.5" },
    { args = { { 1, 2 }, nan }, says = "dropout: rate is" },
    { args = { { 1, 2 }, "half" }, says = "dropout: rate is" },
    { args = { bool { true }, 0.5 }, says = "dropout: x is bool, expected a number" },
    { args = { { 1, 2 } }, says = "dropout: 1 argument given, expected dropout(x, rate, [options])" },
    { args = { { 1, 2 }, 0.5, { seed = 0.5 } }, says = "dropout: seed is 0.5, expected an integer" },
  },
  check = function(t)
    local x = lt.ones { 300, 100 }
    for _, rate in ipairs { 0.1, 0.5, 0.9 } do
      local y = lt.dropout(x, rate, { seed = 3 })
      local kept = y:gt(0)
      local share = kept:cast("float32"):mean():item()
      t.ok(math.abs(share - (1 - rate)) < 0.015, "share of what is kept: " .. share)
      t.ok(math.abs(y:max():item() - 1 / (1 - rate)) < 1e-5, "scale")
      t.equal(y:eq(0):cast("int32"):sum():item() + kept:cast("int32"):sum():item(), 30000)
    end
    -- A seed gives the same elements whatever the shape and dtype; without one calls differ; set_seed repeats a run.
    local y = lt.dropout(x, 0.5, { seed = 3 })
    t.equal(lt.dropout(x, 0.5, { seed = 3 }), y:totable())
    t.equal(lt.dropout(x:reshape { 30000 }, 0.5, { seed = 3 }):reshape { 300, 100 }, y:totable())
    for _, dtype in ipairs { "float64", "float16", "bfloat16" } do
      t.equal(lt.dropout(x:cast(dtype), 0.5, { seed = 3 }):cast("float32"), y:totable())
    end
    t.ok(lt.dropout(x, 0.5):ne(lt.dropout(x, 0.5)):any():item(), "calls differ")
    lt.random.set_seed(5)
    local first = lt.dropout(x, 0.5)
    lt.random.set_seed(5)
    t.equal(lt.dropout(x, 0.5), first:totable())
    -- Dropped elements are 0 whatever they were, with gradient 0; that of the others is their scale. Likewise in second order.
    local special = lt.fill({ 64 }, nan)
    t.ok(lt.dropout(special, 0.5, { seed = 1 }):eq(0):any():item())
    for _, dtype in ipairs { "float32", "float64" } do
      local ones = x:cast(dtype)
      local tape <close> = lt.GradientTape { persistent = true }
      tape:watch(ones)
      local dropped = lt.dropout(ones * ones, 0.5)
      t.equal(tape:gradient(dropped, ones), (dropped * 2):totable())
    end
    nn_cases.second_order(t, "dropout", function(a) return lt.dropout(a * a, 0.5, { seed = 4 }) end, { { 1, 2, 3, 4, 5 } })
    nn_cases.halves(t, "dropout", function(a) return lt.dropout(a, 0.25, { seed = 4 }) end, { { 1, 2, 3, 4, 5 } })
  end,
}

spec "embedding" {
  example = { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { 3, 1 }, gives = { { 5, 6 }, { 1, 2 } }, dtype = "int32" },
  examples = {
    { { { 1.5 }, { 2.5 } }, { { 2, 2 }, { 1, 2 } }, gives = { { { 2.5 }, { 2.5 } }, { { 1.5 }, { 2.5 } } } },
    { { 10, 20, 30 }, { 3, 1 }, gives = { 30, 10 } },
    { { 10, 20, 30 }, 2, gives = 20 },
    { bool { { true }, { false } }, uint8 { 2, 1 }, gives = { { false }, { true } }, dtype = "bool" },
    { int8 { { 1 }, { 2 } }, int8 { 2 }, gives = { { 2 } }, dtype = "int8" },
    { float16 { { 1 }, { 2 } }, int16 { 2 }, gives = { { 2 } }, dtype = "float16" },
    { bfloat16 { { 1 }, { 2 } }, int64 { 1 }, gives = { { 1 } }, dtype = "bfloat16" },
    { float64 { { 1 }, { 2 } }, int64 { 1 }, gives = { { 1 } }, dtype = "float64" },
    { { { 1, 2 } }, made(function() return lt.zeros({ 0 }, { dtype = "int32" }) end), shape = { 0, 2 } },
    { zeros(2, 0), { 1, 2, 2 }, shape = { 3, 0 } },
  },
  rejects = {
    { args = { { { 1 }, { 2 } }, { 1, 0 } }, says = "embedding: id 0; ids count from 1" },
    { args = { { { 1 }, { 2 } }, { 3, 0 } }, says = "embedding: id 3 is not there: there are 2 rows", code = "OutOfRange" },
    { args = { { { 1 }, { 2 } }, { -1 } }, says = "embedding: id -1 is not there", code = "OutOfRange" },
    { args = { zeros(2, 0), { 1, 3 } }, says = "embedding: id 3 is not there", code = "OutOfRange" },
    { args = { { { 1 }, { 2 } }, { 1.5 } }, says = "embedding: ids is float32, expected an integer" },
    { args = { 5, { 1 } }, says = "embedding: table is a scalar, expected rows to look up" },
    { args = { zeros(1, 1, 1, 1, 1, 1, 1, 1), { { 1 } } }, says = "make 9 axes, and there can be 8" },
  },
  gradients = {
    { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, int32 { 3, 1, 3, 3 } },
    { { 1, 2, 3 }, int64 { { 3 }, { 2 } } },
    { { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, int8 { 2 } },
  },
  check = function(t)
    nn_cases.check(t, "embedding", "float64", 1e-10)
    nn_cases.check(t, "embedding", "float32", 1e-5)
    local ids = (lt.range(5000) * 7919) % 300 + 1
    local table_of = nn_cases.tensor(1, { 300, 40 }, "float64")
    t.equal(lt.embedding(table_of, ids), lt.gather(table_of, ids):totable())
    -- Each row's gradient counts its uses.
    local tape <close> = lt.GradientTape()
    tape:watch(table_of)
    local counts = tape:gradient(lt.embedding(table_of, ids), table_of)
    t.equal(counts:sum():item(), 5000 * 40)
    t.equal(counts[7]:max():item(), ids:eq(7):cast("int32"):sum():item())
    local places = lt.constant { 2, 1, 2 }
    local function look_up(x) return lt.embedding(x, places) end
    nn_cases.halves(t, "embedding", look_up, { { { 1, 2 }, { 3, 4 }, { 5, 6 } } })
    nn_cases.second_order(t, "embedding", function(x) return look_up(x * x) end, { { { 1, 2 }, { 3, 4 }, { 5, 6 } } })
  end,
}
