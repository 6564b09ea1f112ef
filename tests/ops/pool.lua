local spec = require "spec"
local nn_cases = require "nn_cases"

local nan, inf = 0 / 0, math.huge

-- An image of one channel, given as rows.
local function image(rows)
  return made(function()
    local x = lt.constant(rows)
    return x:reshape { 1, x.shape[1], x.shape[2], 1 }
  end)
end

-- Pooling of windows 2 x 3 over [2, 4, 7, channels] with stride 2, from x's elements: pool(list).
local function pooled(x, pool)
  local rows, channels = {}, x.shape[4]
  for b = 1, 2 do
    for top = 1, 3, 2 do
      for left = 1, 5, 2 do
        for c = 1, channels do
          rows[#rows + 1] = pool(x[{ b, { top, top + 1 }, { left, left + 2 }, c }]:reshape({ 6 }):totable())
        end
      end
    end
  end
  return lt.constant(rows, { dtype = x.dtype }):reshape { 2, 2, 3, channels }
end
-- Numbers of channels that fill registers exactly, and some more and fewer.
local kChannels = { 1, 5, 8, 13, 16, 31, 50 }

spec "max_pool2d" {
  example = { image { { 1, 2, 3 }, { 4, 5, 6 } }, { 2, 2 }, { stride = 1 }, gives = { { { { 5 }, { 6 } } } }, dtype = "int32" },
  examples = {
    { image { { 1.0, 2.0 }, { 4.0, -5.0 } }, 2, gives = { { { { 4 } } } }, dtype = "float32" },
    { image { { -1, -2, -3 } }, { 1, 2 }, { padding = "same" }, gives = { { { { -1 }, { -3 } } } } },
    { image { { -1.0, -2.0, -3.0 } }, { 1, 2 }, { padding = { 0, 1 }, stride = 1 },
      gives = { { { { -1 }, { -1 }, { -2 }, { -3 } } } } },
    { image { { 1.0, nan, 3.0, 4.0 } }, { 1, 2 }, gives = { { { { nan }, { 4 } } } } },
    { image { { -inf, -inf } }, { 1, 2 }, { padding = "same" }, gives = { { { { -inf } } } } },
    { numbered { 1, 2, 2, 2 }, 2, gives = { { { { 7, 8 } } } } },
    { numbered({ 1, 2, 2, 1 }, "int8"), 2, gives = { { { { 4 } } } }, dtype = "int8" },
    { numbered({ 1, 2, 2, 1 }, "uint8"), 2, gives = { { { { 4 } } } }, dtype = "uint8" },
    { numbered({ 1, 2, 2, 1 }, "int16"), 2, gives = { { { { 4 } } } }, dtype = "int16" },
    { numbered({ 1, 2, 2, 1 }, "int64"), 2, gives = { { { { 4 } } } }, dtype = "int64" },
    { numbered({ 1, 2, 2, 1 }, "float16"), 2, gives = { { { { 4 } } } }, dtype = "float16" },
    { numbered({ 1, 2, 2, 1 }, "bfloat16"), 2, gives = { { { { 4 } } } }, dtype = "bfloat16" },
    { numbered({ 1, 2, 2, 1 }, "float64"), 2, gives = { { { { 4 } } } }, dtype = "float64" },
    { zeros(0, 4, 4, 3), 2, shape = { 0, 2, 2, 3 } },
    { zeros(2, 4, 4, 0), 2, shape = { 2, 2, 2, 0 } },
    { zeros(2, 0, 4, 1), 2, { padding = "same" }, shape = { 2, 0, 2, 1 } },
    { zeros(2, 0, 4, 1), 2, { padding = { 1, 1 } }, shape = { 2, 0, 3, 1 } },
  },
  rejects = {
    { args = { { 1, 2 }, 2 }, says = "max_pool2d: x has the shape (2,), expected four axes: [batch, height, width, channels]" },
    { args = { ones(1, 2, 2, 1) }, says = "max_pool2d: 1 argument given, expected max_pool2d(x, size, [options])" },
    { args = { ones(1, 2, 2, 1), 0 }, says = "max_pool2d: size is 0, expected 1 to" },
    { args = { ones(1, 2, 2, 1), 3 }, says = "max_pool2d: size reaches over 3 places, and x's height has 2" },
    { args = { ones(1, 2, 2, 1), { 1, 2, 3 } }, says = "max_pool2d: size is a list of 3" },
    { args = { ones(1, 2, 2, 1), "two" }, says = "max_pool2d: size is \"two\", expected an integer or {height, width}" },
    { args = { ones(1, 2, 2, 1), 2, { stride = -1 } }, says = "max_pool2d: stride is -1" },
    { args = { ones(1, 2, 2, 1), 2, { padding = { 2, 0 } } }, says = "max_pool2d: padding 2 is as large as size 2" },
    { args = { ones(1, 2, 2, 1), 2, { padding = "none" } }, says = "max_pool2d: padding is \"none\"" },
    { args = { made(function() return lt.ones { 1, 2, 2, 1 }:cast("bool") end), 2 }, says = "max_pool2d: x is bool, expected a number" },
  },
  gradients = {
    { { { { { 1 }, { 2 }, { 3 } }, { { 4 }, { 7 }, { 6 } } } }, 2, { stride = 1 } },
    { { { { { 1, 9 }, { 2, 8 }, { 3, 7 } }, { { 4, 6 }, { 7, 5 }, { 6, 4 } } } }, { 1, 2 }, { padding = "same" }, fixed = { [2] = true } },
  },
  check = function(t)
    nn_cases.check(t, "max_pool2d", "float64", 1e-10)
    nn_cases.check(t, "max_pool2d", "float32", 1e-6)
    local function pool(x) return lt.max_pool2d(x, 2, { stride = 1, padding = "same" }) end
    local x = nn_cases.tensor(1, { 1, 4, 3, 2 }, "float64")
    nn_cases.halves(t, "max_pool2d", pool, { x })
    nn_cases.second_order(t, "max_pool2d", function(a) return pool(a * a) end, { x })
    -- Those that tie share; a nan takes what its window gets.
    local function gradient_of(rows)
      local ties = lt.constant(rows):reshape { 1, 1, #rows, 1 }
      local tape <close> = lt.GradientTape()
      tape:watch(ties)
      return tape:gradient(lt.max_pool2d(ties, { 1, #rows }), ties):reshape { #rows }
    end
    t.close(gradient_of { 2.0, 1.0, 2.0, 2.0 }, { 1 / 3, 0, 1 / 3, 1 / 3 }, 1e-6)
    t.equal(gradient_of { 2.0, nan, 2.0, 3.0 }, { 0, 1, 0, 0 })
    t.equal(gradient_of { -inf, -inf }, { 0.5, 0.5 })
    for _, channels in ipairs(kChannels) do
      for _, dtype in ipairs { "float32", "float64", "int8", "int32" } do
        local few = (lt.range(56 * channels) * 37 % 101 - 50):cast(dtype):reshape { 2, 4, 7, channels }
        local wanted = pooled(few, function(list) return math.max(table.unpack(list)) end)
        t.equal(lt.max_pool2d(few, { 2, 3 }, { stride = 2 }), wanted, dtype .. " " .. channels)
      end
      -- A nan anywhere in a window is its largest; in all others nothing changes.
      local holes = lt.where((lt.range(56 * channels) % 29):eq(7), nan, lt.range(56 * channels):float32()):reshape { 2, 4, 7, channels }
      local wanted = pooled(holes, function(list)
        local most = -inf
        for _, x in ipairs(list) do most = (x ~= x or most ~= most) and nan or math.max(most, x) end
        return most
      end)
      t.equal(lt.max_pool2d(holes, { 2, 3 }, { stride = 2 }), wanted, channels)
    end
    -- A window as large as the image takes its largest.
    local large = nn_cases.tensor(2, { 2, 40, 30, 130 }, "float32")
    t.equal(lt.max_pool2d(large, { 40, 30 }):reshape { 2, 130 }, large:max({ axis = { 2, 3 } }):totable())
  end,
}

spec "avg_pool2d" {
  example = { image { { 1, 2, 3 }, { 4, 5, 6 } }, { 2, 2 }, { stride = 1 }, gives = { { { { 3 }, { 4 } } } }, dtype = "float32" },
  examples = {
    { image { { 1.0, 2.0 }, { 4.0, -5.0 } }, 2, gives = { { { { 0.5 } } } } },
    { image { { 1, 2, 6 } }, { 1, 2 }, { padding = "same" }, gives = { { { { 1.5 }, { 6 } } } } },
    { image { { 1, 2, 6 } }, { 1, 2 }, { padding = { 0, 1 }, stride = 1 }, gives = { { { { 1 }, { 1.5 }, { 4 }, { 6 } } } } },
    { image { { 1.0, nan, 3.0, 5.0 } }, { 1, 2 }, gives = { { { { nan }, { 4 } } } } },
    { numbered({ 1, 2, 2, 1 }, "uint8"), 2, gives = { { { { 2.5 } } } }, dtype = "float32" },
    { numbered({ 1, 2, 2, 1 }, "float16"), 2, gives = { { { { 2.5 } } } }, dtype = "float16" },
    { numbered({ 1, 2, 2, 1 }, "bfloat16"), 2, gives = { { { { 2.5 } } } }, dtype = "bfloat16" },
    { numbered({ 1, 2, 2, 1 }, "float64"), 2, gives = { { { { 2.5 } } } }, dtype = "float64" },
    { zeros(0, 4, 4, 3), 2, shape = { 0, 2, 2, 3 } },
    { zeros(2, 0, 4, 1), 2, { padding = { 1, 1 } }, shape = { 2, 0, 3, 1 } },
  },
  rejects = {
    { args = { { { 1, 2 } }, 2 }, says = "avg_pool2d: x has the shape (1, 2), expected four axes" },
    { args = { ones(1, 2, 2, 1), { 1, 0 } }, says = "avg_pool2d: size is 0, expected 1 to" },
    { args = { ones(1, 2, 2, 1), { 1, 3 } }, says = "avg_pool2d: size reaches over 3 places, and x's width has 2" },
    { args = { ones(1, 2, 2, 1), 1, { padding = { 0, 1 } } }, says = "avg_pool2d: padding 1 is as large as size 1" },
    { args = { made(function() return lt.ones { 1, 2, 2, 1 }:cast("bool") end), 2 }, says = "avg_pool2d: x is bool, expected a number" },
  },
  gradients = {
    { { { { { 1 }, { 2 }, { 3 } }, { { 4 }, { 7 }, { 6 } } } }, 2, { stride = 1 } },
    { { { { { 1, 9 }, { 2, 8 }, { 3, 7 } }, { { 4, 6 }, { 7, 5 }, { 6, 4 } } } }, 2, { padding = "same", stride = { 1, 2 } } },
  },
  check = function(t)
    nn_cases.check(t, "avg_pool2d", "float64", 1e-10)
    nn_cases.check(t, "avg_pool2d", "float32", 1e-6)
    local function pool(x) return lt.avg_pool2d(x, 2, { stride = 1, padding = "same" }) end
    local x = nn_cases.tensor(1, { 1, 4, 3, 2 }, "float64")
    nn_cases.halves(t, "avg_pool2d", pool, { x })
    nn_cases.second_order(t, "avg_pool2d", function(a) return pool(a * a) end, { x })
    for _, channels in ipairs(kChannels) do
      for _, dtype in ipairs { "float32", "float64" } do
        local few = (lt.range(56 * channels) * 37 % 101 - 50):cast(dtype):reshape { 2, 4, 7, channels }
        local means = pooled(few * 6, function(list)
          local sum = 0
          for _, x in ipairs(list) do sum = sum + x end
          return sum / 6
        end)
        t.equal(lt.avg_pool2d(few * 6, { 2, 3 }, { stride = 2 }), means, dtype .. " " .. channels)
      end
    end
    local large = nn_cases.tensor(2, { 2, 40, 30, 130 }, "float32")
    local wanted = large:cast("float64"):mean({ axis = { 2, 3 } })
    t.ok((lt.avg_pool2d(large, { 40, 30 }):reshape { 2, 130 } - wanted):abs():max():item() < 1e-6)
  end,
}
