-- embedding_bag against PyTorch 2.15's numbers, torch.nn.functional.embedding_bag in float64 with ids counted from 0, and
-- the gradients of the sum of y times the rows of `up`.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)

local table_of = { { 1.5, -2 }, { 0.25, 3 }, { -1, 0.5 }, { 4, -0.75 } }
local ids, offsets = { 1, 3, 3, 4, 2, 1 }, { 1, 3, 3, 6 }
local by = { 0.5, 2, -1, 3, 0.25, 1 }
local up = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }
local golden = {
  ["sum"] = { y = { { 0.5, -1.5 }, { 0.0, 0.0 }, { 3.25, 2.75 }, { 1.5, -2.0 } },
    slope = { { 8.0, 10.0 }, { 5.0, 6.0 }, { 6.0, 8.0 }, { 5.0, 6.0 } } },
  ["mean"] = { y = { { 0.25, -0.75 }, { 0.0, 0.0 }, { 1.0833333333333333, 0.9166666666666666 }, { 1.5, -2.0 } },
    slope = { { 7.5, 9.0 }, { 1.6666666666666665, 2.0 }, { 2.1666666666666665, 3.0 }, { 1.6666666666666665, 2.0 } } },
  ["max"] = { y = { { 1.5, 0.5 }, { 0.0, 0.0 }, { 4.0, 3.0 }, { 1.5, -2.0 } },
    slope = { { 8.0, 8.0 }, { 0.0, 6.0 }, { 0.0, 2.0 }, { 5.0, 0.0 } } },
  ["pad sum"] = { y = { { 1.5, -2.0 }, { 0.0, 0.0 }, { 4.25, 2.25 }, { 1.5, -2.0 } },
    slope = { { 8.0, 10.0 }, { 5.0, 6.0 }, { 0.0, 0.0 }, { 5.0, 6.0 } } },
  ["pad mean"] = { y = { { 1.5, -2.0 }, { 0.0, 0.0 }, { 2.125, 1.125 }, { 1.5, -2.0 } },
    slope = { { 8.0, 10.0 }, { 2.5, 3.0 }, { 0.0, 0.0 }, { 2.5, 3.0 } } },
  ["pad max"] = { y = { { 1.5, -2.0 }, { 0.0, 0.0 }, { 4.0, 3.0 }, { 1.5, -2.0 } },
    slope = { { 8.0, 10.0 }, { 0.0, 6.0 }, { 0.0, 0.0 }, { 5.0, 0.0 } } },
  ["by"] = { y = { { -1.25, 0.0 }, { 0.0, 0.0 }, { 13.0625, -2.0 }, { 1.5, -2.0 } },
    slope = { { 7.5, 9.0 }, { 1.25, 1.5 }, { -3.0, -2.0 }, { 15.0, 18.0 } } },
  ["matrix"] = { y = { { -0.16666666666666666, -0.3333333333333333 }, { 1.9166666666666667, 0.08333333333333333 } },
    slope = { { 1.3333333333333333, 2.0 }, { 1.0, 1.3333333333333333 }, { 0.6666666666666666, 1.3333333333333333 }, { 1.0, 1.3333333333333333 } } },
  ["last"] = { y = { { 0.5, -1.5 }, { 4.75, 0.75 } },
    slope = { { 4.0, 6.0 }, { 3.0, 4.0 }, { 4.0, 6.0 }, { 3.0, 4.0 } } },
}
local slope_by = { -2.5, 0.0, -2.0, 15.5, 19.25, -5.5 }

local function float64s(list) return lt.constant(list, { dtype = "float64" }) end

-- The bags, and the gradients by the table and by the factors.
local function run(given, from)
  local weight, factors = float64s(table_of), float64s(by)
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(weight)
  tape:watch(factors)
  if given.per_sample_weights then given.per_sample_weights = factors end
  local y = lt.embedding_bag(from or ids, weight, given)
  local loss = (y * float64s(up)[{ { 1, y.shape[1] } }]):sum()
  return y, tape:gradient(loss, weight), tape:gradient(loss, factors)
end

expect.case("PyTorch's numbers", function()
  local cases = {
    by = { offsets = offsets, mode = "sum", per_sample_weights = by }, last = { offsets = { 1, 3, 7 }, mode = "sum", include_last_offset = true },
    matrix = {},
  }
  for _, mode in ipairs { "sum", "mean", "max" } do
    cases[mode] = { offsets = offsets, mode = mode }
    cases["pad " .. mode] = { offsets = offsets, mode = mode, padding_idx = 3 }
  end
  for name, wanted in pairs(golden) do
    for _, device in ipairs { "/CPU:0", "/GPU:0" } do
      local scope <close> = lt.device(device)
      local y, slope, factors = run(cases[name], name == "matrix" and { { 1, 3, 3 }, { 4, 2, 1 } } or nil)
      expect.close(y, wanted.y, 1e-14, name)
      expect.close(slope, wanted.slope, 1e-14, name .. ", gradient")
      if name == "by" then expect.close(factors, slope_by, 1e-14, "gradient by the factors") end
    end
  end
end)

expect.case("limits and dtypes", function()
  local none = lt.zeros({ 0 }, { dtype = "int64" })
  expect.equal(lt.embedding_bag(none, table_of, { offsets = { 1, 1 } }):totable(), { { 0, 0 }, { 0, 0 } })
  expect.equal(lt.embedding_bag(none, table_of, { offsets = none }).shape, { 0, 2 })
  expect.equal(lt.embedding_bag(lt.zeros({ 2, 0 }, { dtype = "int32" }), table_of, { mode = "max" }):totable(), { { 0, 0 }, { 0, 0 } })
  expect.equal(lt.embedding_bag({ 1, 2 }, table_of, { offsets = { 1, 3 }, mode = "sum" }):totable(), { { 1.75, 1 }, { 0, 0 } })
  for _, dtype in ipairs { "float16", "bfloat16", "float32" } do
    local y = lt.embedding_bag({ { 1, 2 } }, lt.constant(table_of, { dtype = dtype }), { mode = "max" })
    expect.equal({ y.dtype, y:totable() }, { dtype, { { 1.5, 3 } } })
  end
end)

expect.case("refused calls", function()
  local function refuses(text, ...) expect.raises("InvalidArgument", "embedding_bag: " .. text, lt.embedding_bag, ...) end
  local t = table_of
  refuses("ids is a vector, and offsets is missing", { 1 }, t)
  refuses("offsets go with a vector of ids, and ids has the shape (1, 1)", { { 1 } }, t, { offsets = { 1 } })
  refuses("offsets[1] is 0, expected 1", { 1 }, t, { offsets = { 0 } })
  refuses("offsets[3] is 1, less than the one before it, 2", { 1, 2 }, t, { offsets = { 1, 2, 1 } })
  refuses("offsets[2] is 4, and there are 2 ids", { 1, 2 }, t, { offsets = { 1, 4 } })
  refuses("offsets[2] is 2, expected 3, the position behind the last id", { 1, 2 }, t, { offsets = { 1, 2 }, include_last_offset = true })
  refuses("offsets is float32, expected integers", { 1 }, t, { offsets = { 1.5 } })
  refuses('mode is "min", which is not known', { { 1 } }, t, { mode = "min" })
  refuses('per_sample_weights go with mode = "sum", and mode is "mean"', { { 1 } }, t, { per_sample_weights = { { 1.0 } } })
  refuses("per_sample_weights has the shape (1,), expected that of ids, (1, 1)", { { 1 } }, t, { per_sample_weights = { 1.0 }, mode = "sum" })
  refuses("padding_idx is 9, and weight has 4 rows", { { 1 } }, t, { padding_idx = 9 })
  refuses("padding_idx is 0, expected a whole number, 1 or more", { { 1 } }, t, { padding_idx = 0 })
  refuses("ids is float32, expected integers", { { 1.5 } }, t)
  refuses("ids has the shape (), expected a vector or a matrix", 1, t)
  refuses("weight has the shape (2,), expected [ids, features]", { { 1 } }, { 1.0, 2.0 })
  refuses("weight is int32, expected floats", { { 1 } }, { { 1, 2 } })
  refuses("unknown option 'max_norm'", { { 1 } }, t, { max_norm = 1 })
  local scope <close> = lt.device("/CPU:0") -- a GPU finds them late
  expect.raises("OutOfRange", "5", lt.embedding_bag, { { 5 } }, t)
  expect.raises("InvalidArgument", "0", lt.embedding_bag, { { 0 } }, t)
end)

expect.end_of_cases()
