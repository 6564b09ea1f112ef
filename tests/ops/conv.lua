local spec = require "spec"
local nn_cases = require "nn_cases"

local nan, inf = 0 / 0, math.huge

spec "conv2d" {
  example = { numbered { 1, 3, 3, 1 }, ones(2, 2, 1, 1), gives = { { { { 12 }, { 16 } }, { { 24 }, { 28 } } } }, dtype = "float32" },
  examples = {
    { numbered { 1, 3, 3, 1 }, ones(2, 2, 1, 1), { padding = "same" },
      gives = { { { { 12 }, { 16 }, { 9 } }, { { 24 }, { 28 }, { 15 } }, { { 15 }, { 17 }, { 9 } } } } },
    { numbered { 1, 3, 3, 1 }, ones(2, 2, 1, 1), { padding = { 1, 0 }, stride = 2 },
      gives = { { { { 3 } }, { { 24 } } } } },
    { numbered { 1, 3, 3, 1 }, ones(2, 2, 1, 1), { dilation = 2 }, gives = { { { { 20 } } } } },
    { numbered { 1, 1, 2, 2 }, numbered { 1, 1, 1, 2 }, { groups = 2 }, gives = { { { { 1, 4 }, { 3, 8 } } } } },
    { numbered({ 1, 2, 2, 1 }, "int32"), ones(2, 2, 1, 1), gives = { { { { 10 } } } }, dtype = "float32" },
    { numbered({ 1, 2, 2, 1 }, "int8"), numbered({ 2, 2, 1, 1 }, "uint8"), gives = { { { { 30 } } } }, dtype = "float32" },
    { numbered({ 1, 2, 2, 1 }, "float16"), numbered({ 2, 2, 1, 1 }, "float16"), gives = { { { { 30 } } } }, dtype = "float16" },
    { numbered({ 1, 2, 2, 1 }, "bfloat16"), numbered({ 2, 2, 1, 1 }, "bfloat16"), gives = { { { { 30 } } } },
      dtype = "bfloat16" },
    { numbered({ 1, 2, 2, 1 }, "float64"), numbered({ 2, 2, 1, 1 }, "float32"), gives = { { { { 30 } } } }, dtype = "float64" },
    { zeros(0, 3, 3, 2), zeros(2, 2, 2, 4), shape = { 0, 2, 2, 4 } },
    { ones(1, 3, 3, 0), zeros(3, 3, 0, 2), gives = { { { { 0, 0 } } } } },
    { ones(1, 3, 3, 2), zeros(3, 3, 2, 0), shape = { 1, 1, 1, 0 } },
    { zeros(1, 0, 3, 2), zeros(2, 2, 2, 1), { padding = "same" }, shape = { 1, 0, 3, 1 } },
    { zeros(1, 0, 3, 1), ones(2, 2, 1, 1), { padding = { 1, 0 } }, gives = { { { { 0 }, { 0 } } } } },
  },
  rejects = {
    { args = { ones(3, 3, 1), ones(2, 2, 1, 1) },
      says = "conv2d: x has the shape (3, 3, 1), expected four axes: [batch, height, width, channels]" },
    { args = { ones(1, 3, 3, 1), ones(2, 2) }, says = "conv2d: w has the shape (2, 2), expected four axes" },
    { args = { ones(1, 3, 3, 2), ones(2, 2, 1, 1) }, says = "w's third axis (1) must equal x's channels (2)" },
    { args = { ones(1, 3, 3, 4), ones(2, 2, 4, 2), { groups = 2 } },
      says = "w's third axis (4) must equal x's channels in a group (2)" },
    { args = { ones(1, 3, 3, 3), ones(2, 2, 1, 2), { groups = 2 } }, says = "conv2d: groups 2 does not divide both x's channels (3)" },
    { args = { ones(1, 3, 3, 3), ones(2, 2, 3, 2), { groups = 0 } }, says = "conv2d: groups is 0, expected 1 or more" },
    { args = { ones(1, 3, 3, 1), ones(4, 2, 1, 1) },
      says = "conv2d: w reaches over 4 places, and x's height has 3; padding = \"same\" would give every stride a result" },
    { args = { ones(1, 9, 3, 1), ones(1, 3, 1, 1), { dilation = { 1, 3 }, padding = { 0, 1 } } },
      says = "conv2d: w reaches over 7 places, and x's width has 3 and padding of 1 on each side" },
    { args = { ones(1, 3, 3, 1), zeros(0, 2, 1, 1) }, says = "conv2d: w's height is 0, expected 1 to" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { stride = 0 } }, says = "conv2d: stride is 0, expected 1 to" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { stride = { 1, 2, 3 } } },
      says = "conv2d: stride is a list of 3, expected an integer or {height, width}" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { stride = 1.5 } }, says = "conv2d: stride is 1.5, expected an integer or" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { dilation = -1 } }, says = "conv2d: dilation is -1, expected 1 to" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { padding = "full" } },
      says = "conv2d: padding is \"full\", expected \"valid\", \"same\" or {height, width}" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { padding = 1 } }, says = "conv2d: padding is 1, expected \"valid\"" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { padding = { -1, 0 } } }, says = "conv2d: padding is -1, expected 0 to" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { strides = 1 } }, says = "unknown option 'strides' (did you mean 'stride'?)" },
    { args = { made(function() return lt.ones { 1, 3, 3, 1 }:cast("bool") end),
               made(function() return lt.ones { 2, 2, 1, 1 }:cast("bool") end) }, says = "conv2d: x is bool, expected a number" },
  },
  gradients = {
    { { { { { 1 }, { 2 }, { 3 } }, { { 4 }, { 5 }, { 6 } } } }, { { { { 1, 2 } }, { { 3, 4 } } } } },
    { { { { { 1 }, { 2 }, { 3 } }, { { 4 }, { 5 }, { 6 } } } }, { { { { 1, 2 } }, { { 3, 4 } } } }, { padding = "same", stride = 2 } },
    { { { { { 1, 2 }, { 2, 5 } } } }, { { { { 1, 2, 3, 4 } } } }, { groups = 2 } },
    { { { { { 1, 2 }, { 2, 5 } } } }, { { { { 1, 2, 3, 4 } }, { { 1, 2, 3, 4 } } } }, { groups = 2, dilation = 2, padding = { 0, 1 } } },
  },
  check = function(t)
    nn_cases.check(t, "conv2d", "float64", 1e-9)
    nn_cases.check(t, "conv2d", "float32", 2e-5)
    local x, w = nn_cases.tensor(1, { 1, 5, 4, 4 }, "float32"), nn_cases.tensor(2, { 3, 2, 2, 4 }, "float32")
    local options = { stride = 2, padding = "same", groups = 2 }
    nn_cases.halves(t, "conv2d", function(a, b) return lt.conv2d(a, b, options) end, { x, w })
    local big, window = nn_cases.tensor(1, { 2, 14, 15, 16 }, "float32"), nn_cases.tensor(2, { 3, 3, 16, 24 }, "float32")
    nn_cases.halves(t, "large conv2d", function(a, b) return lt.conv2d(a, b, { padding = "same" }) end, { big, window })
    nn_cases.second_order(t, "conv2d", function(a, b) return lt.conv2d(a, b, options) end,
      { nn_cases.tensor(1, { 1, 3, 3, 2 }, "float64"), nn_cases.tensor(2, { 2, 2, 1, 2 }, "float64") })
    -- More kinds of convolution than primitives are kept, and the first ones again.
    local first = lt.conv2d(big, window)
    for n = 4, 140 do
      local wide = lt.ones { 1, 3, n, 48 }
      t.equal(lt.conv2d(wide, lt.ones { 3, 3, 48, 48 }):max():item(), 432)
    end
    t.equal(lt.conv2d(big, window), first:totable())
    -- A window of one place is a product.
    local places = nn_cases.tensor(3, { 2, 6, 7, 8 }, "float64")
    local matrix = nn_cases.tensor(4, { 8, 5 }, "float64")
    t.ok((lt.conv2d(places, matrix:reshape { 1, 1, 8, 5 }) - lt.matmul(places, matrix)):abs():max():item() < 1e-12)
    -- Large ones in float32 are computed another way than in float64: of whole numbers the same must come out.
    local function whole(shape, modulus)
      local size = 1
      for _, n in ipairs(shape) do size = size * n end
      return (lt.range(size, { dtype = "int64" }) * 7919 % modulus - modulus // 2):float64():reshape(shape)
    end
    for _, case in ipairs {
      { { 3, 13, 11, 32 }, { 3, 3, 32, 40 }, { stride = 2, padding = "same" } },
      { { 1, 20, 21, 48 }, { 5, 3, 24, 34 }, { groups = 2, dilation = { 2, 1 }, padding = { 3, 1 } } },
      { { 1, 6, 7, 800 }, { 2, 2, 800, 20 }, { padding = "valid" } },
      { { 3, 17, 16, 17 }, { 3, 3, 17, 41 }, { padding = "same" } },
    } do
      local image, weights, how = whole(case[1], 13), whole(case[2], 7), case[3]
      local wanted, got = lt.conv2d(image, weights, how), lt.conv2d(image:float32(), weights:float32(), how)
      t.equal(got.dtype, "float32")
      t.ok(wanted:abs():max():item() > 100)
      t.equal((wanted - got:float64()):abs():max():item(), 0.0)
    end
    -- nan and inf reach what sees them.
    t.equal(lt.conv2d(lt.constant { { { { 1 }, { inf }, { 2 }, { nan } } } }, lt.ones { 1, 2, 1, 1 }),
      { { { { inf }, { inf }, { nan } } } })
  end,
}

spec "conv2d_transpose" {
  example = { { { { { 1 }, { 2 } } } }, ones(1, 2, 1, 1), gives = { { { { 1 }, { 3 }, { 2 } } } }, dtype = "float32" },
  examples = {
    { { { { { 1.0 }, { 2.0 } } } }, ones(1, 2, 1, 1), { stride = { 1, 3 } }, gives = { { { { 1 }, { 1 }, { 0 }, { 2 }, { 2 }, { 0 } } } } },
    { { { { { 1.0 }, { 2.0 } } } }, ones(1, 3, 1, 1), { stride = { 1, 2 }, padding = "same" }, gives = { { { { 1 }, { 1 }, { 3 }, { 2 } } } } },
    { { { { { 1.0 }, { 2.0 } } } }, ones(1, 3, 1, 1), { padding = { 0, 1 } }, gives = { { { { 3 }, { 3 } } } } },
    { { { { { 1.0 }, { 2.0 } } } }, ones(1, 2, 1, 1), { dilation = 2 }, gives = { { { { 1 }, { 2 }, { 1 }, { 2 } } } } },
    { { { { { 1.0 }, { 2.0 } } } }, ones(1, 2, 1, 1), { stride = { 1, 2 }, output_size = { 1, 5 } }, gives = { { { { 1 }, { 1 }, { 2 }, { 2 }, { 0 } } } } },
    { { { { { 1.0, 2.0 } } } }, numbered { 1, 1, 2, 2 }, gives = { { { { 5, 11 } } } } },
    { { { { { 1.0, 2.0 } } } }, numbered { 1, 1, 1, 2 }, { groups = 2 }, gives = { { { { 1, 4 } } } } },
    { numbered({ 1, 1, 2, 1 }, "int32"), ones(1, 1, 1, 1), gives = { { { { 1 }, { 2 } } } }, dtype = "float32" },
    { numbered({ 1, 1, 2, 1 }, "bfloat16"), numbered({ 1, 1, 1, 1 }, "bfloat16"), gives = { { { { 1 }, { 2 } } } }, dtype = "bfloat16" },
    { zeros(0, 3, 3, 2), zeros(2, 2, 4, 2), shape = { 0, 4, 4, 4 } },
    { ones(1, 2, 2, 0), zeros(2, 2, 1, 0), shape = { 1, 3, 3, 1 } },
    { ones(1, 1, 1, 0), zeros(1, 2, 1, 0), gives = { { { { 0 }, { 0 } } } } },
    { ones(1, 2, 2, 2), zeros(2, 2, 0, 2), shape = { 1, 3, 3, 0 } },
    { zeros(1, 0, 2, 1), ones(2, 2, 1, 1), { padding = "same" }, shape = { 1, 0, 2, 1 } },
  },
  rejects = {
    { args = { ones(3, 3, 1), ones(2, 2, 1, 1) },
      says = "conv2d_transpose: x has the shape (3, 3, 1), expected four axes: [batch, height, width, in]" },
    { args = { ones(1, 3, 3, 1), ones(2, 2) }, says = "w has the shape (2, 2), expected four axes: [height, width, out / groups, in]" },
    { args = { ones(1, 3, 3, 2), ones(2, 2, 2, 1) }, says = "w's last axis (1) must equal x's channels (2)" },
    { args = { ones(1, 3, 3, 3), ones(2, 2, 1, 3), { groups = 2 } }, says = "groups 2 does not divide x's channels (3)" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { groups = 0 } }, says = "groups is 0, expected 1 or more" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { groups = math.maxinteger } }, says = "does not divide x's channels (1)" },
    { args = { ones(1, 3, 3, 1), zeros(0, 2, 1, 1) }, says = "w's height is 0, expected 1 to" },
    { args = { ones(1, 3, 3, 1), ones(2, 2, 1, 1), { stride = 0 } }, says = "stride is 0, expected 1 to" },
    { args = { ones(1, 2, 2, 1), ones(2, 2, 1, 1), { stride = 2, output_size = 7 } },
      says = "conv2d_transpose: a result of height 7 needs an x of height 3, and x has 2" },
    { args = { ones(1, 1, 2, 1), ones(2, 2, 1, 1), { output_size = { 2, 2 } } }, says = "a result of width 2 needs an x of width 1, and x has 2" },
    { args = { ones(1, 2, 2, 1), ones(2, 2, 1, 1), { padding = { 2, 2 } } }, says = "no x gives a result of height -1, and x has 2" },
    { args = { zeros(1, 0, 2, 1), ones(2, 2, 1, 1) }, says = "no x gives a result of height 1, and x has 0" },
    { args = { zeros(0, 1 << 40, 1, 1), zeros(1, 1, 1, 1), { stride = 1 << 30 } }, says = "the result would have more than 2^60 places" },
    { args = { made(function() return lt.ones { 1, 3, 3, 1 }:cast("bool") end),
               made(function() return lt.ones { 2, 2, 1, 1 }:cast("bool") end) }, says = "conv2d_transpose: x is bool, expected a number" },
  },
  gradients = {
    { { { { { 1 }, { 2 } }, { { 4 }, { 5 } } } }, { { { { 1 }, { 2 } }, { { 3 }, { 4 } } } } },
    { { { { { 1 }, { 2 } }, { { 4 }, { 5 } } } }, { { { { 1 }, { 2 } }, { { 3 }, { 4 } } } }, { padding = "same", stride = 2 } },
    { { { { { 1, 2 }, { 2, 5 } } } }, { { { { 1, 2 } }, { { 3, 4 } } } }, { groups = 2, output_size = { 1, 3 } } },
    { { { { { 1, 2 }, { 2, 5 } } } }, { { { { 1, 2 } }, { { 3, 4 } } } }, { groups = 2, dilation = 2, padding = { 0, 1 } } },
  },
  -- The sum of conv2d(y, w) x is that of y conv2d_transpose(x, w), whatever y is.
  check = function(t)
    for number, case in ipairs {
      { { 2, 7, 8, 6 }, { 3, 2, 6, 4 }, {} },
      { { 2, 7, 8, 6 }, { 3, 2, 6, 4 }, { stride = 2, padding = "same" } },
      { { 2, 7, 8, 6 }, { 3, 2, 3, 4 }, { stride = { 3, 1 }, padding = { 1, 0 }, groups = 2 } },
      { { 1, 17, 16, 32 }, { 3, 3, 32, 48 }, { dilation = 2 } },
      { { 2, 16, 15, 48 }, { 5, 3, 24, 34 }, { groups = 2, stride = 2, padding = { 2, 1 } } },
    } do
      local y, w, how = nn_cases.tensor(1, case[1], "float64"), nn_cases.tensor(2, case[2], "float64"), case[3]
      local seen = lt.conv2d(y, w, how)
      local x = nn_cases.tensor(3, { table.unpack(seen.shape) }, "float64")
      how.output_size = { y.shape[2], y.shape[3] }
      local spread = lt.conv2d_transpose(x, w, how)
      t.equal({ table.unpack(spread.shape) }, case[1])
      t.ok(math.abs((seen * x):sum():item() - (y * spread):sum():item()) < 1e-9 * spread.size, "case " .. number)
      local narrow = lt.conv2d_transpose(x:float32(), w:float32(), how)
      t.ok((narrow:float64() - spread):abs():max():item() < 2e-5 * spread:abs():max():item(), "in float32, case " .. number)
    end
    local x, w = nn_cases.tensor(1, { 1, 3, 2, 4 }, "float32"), nn_cases.tensor(2, { 3, 2, 2, 4 }, "float32")
    local options = { stride = 2, padding = "same", groups = 2 }
    nn_cases.halves(t, "conv2d_transpose", function(a, b) return lt.conv2d_transpose(a, b, options) end, { x, w })
    nn_cases.second_order(t, "conv2d_transpose", function(a, b) return lt.conv2d_transpose(a, b, options) end,
      { nn_cases.tensor(1, { 1, 2, 2, 2 }, "float64"), nn_cases.tensor(2, { 2, 2, 1, 2 }, "float64") })
  end,
}
