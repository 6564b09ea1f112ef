-- Functions that join, cut and combine tensors, and sequences of several lengths: limits and refused calls, beside the
-- numbers of tests/lua/numpy_functions.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local nan = 0 / 0

expect.case("unique rows", function()
  local rows, places, counts = lt.unique({ { 2, 1 }, { 1, 3 }, { 2, 1 } }, { axis = 1 })
  expect.equal({ rows:totable(), places:totable(), counts:totable() }, { { { 1, 3 }, { 2, 1 } }, { 2, 1, 2 }, { 1, 2 } })
  expect.equal(#lt.unique({ { nan, 1.0 }, { nan, 1.0 } }, { axis = 1 }), 2, "a row with nan equals no other")
  for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32" } do
    local values = lt.constant({ { 1, 0, 1 }, { 1, 1, 1 } }):cast(dtype):unique { axis = 2 }
    expect.equal({ values.dtype, values:cast("int32"):totable() }, { dtype, { { 0, 1 }, { 1, 1 } } })
  end
  -- Sums of codes stay within int64 for rows of many distinct elements.
  local wide = lt.random.shuffle(lt.range(40000, { dtype = "int64" })):reshape { 2000, 20 }
  local sorted, inverse_of, each = lt.unique(lt.concat { wide, wide }, { axis = 1 })
  expect.equal({ #sorted, lt.array_equal(sorted:gather(inverse_of), lt.concat { wide, wide }):item(), each:min():item() },
    { 2000, true, 2 })
  expect.equal(lt.array_equal(sorted[{ {}, 1 }], lt.sort(wide[{ {}, 1 }])):item(), true)
end)

expect.case("limits", function()
  local function pieces(...)
    local list = lt.array_split(...)
    for i, piece in ipairs(list) do list[i] = piece:totable() end
    return list
  end
  expect.equal(pieces({ 1, 2, 3, 4, 5 }, 3), { { 1, 2 }, { 3, 4 }, { 5 } })
  expect.equal(pieces({ { 1, 2, 3 } }, 2, -1), { { { 1, 2 } }, { { 3 } } })
  expect.equal(pieces({ 1 }, 3), { { 1 }, {}, {} })
  -- Keras' numbers.
  local sequences = { { 1 }, { 2, 3 }, { 4, 5, 6 } }
  expect.equal(lt.pad_sequences(sequences):totable(), { { 0, 0, 1 }, { 0, 2, 3 }, { 4, 5, 6 } })
  expect.equal(lt.pad_sequences(sequences, { padding = "post", value = -1 }):totable(), { { 1, -1, -1 }, { 2, 3, -1 }, { 4, 5, 6 } })
  expect.equal(lt.pad_sequences(sequences, { maxlen = 2 }):totable(), { { 0, 1 }, { 2, 3 }, { 5, 6 } })
  expect.equal(lt.pad_sequences(sequences, { maxlen = 2, truncating = "post" }):totable(), { { 0, 1 }, { 2, 3 }, { 4, 5 } })
  local floats = lt.pad_sequences({ {}, { { 1.5, 2 } } }, { maxlen = 2, dtype = "float64" })
  expect.equal({ floats.dtype, floats:totable() }, { "float64", { { { 0, 0 }, { 0, 0 } }, { { 0, 0 }, { 1.5, 2 } } } })
  expect.equal({ lt.pad_sequences({ {}, {} }).shape, lt.pad_sequences({}, { maxlen = 3 }).shape }, { { 2, 0 }, { 0, 3 } })
  expect.equal(lt.combinations({ 7, 8, 9 }):totable(), { { 7, 8 }, { 7, 9 }, { 8, 9 } })
  expect.equal(lt.cartesian_prod({ 4, 5 }):totable(), { 4, 5 }, "of one vector")
  expect.equal(lt.fmax({ 3, 1 }, { 2, 5 }).dtype, "int32")
  expect.equal(#lt.pdist { { 1, 2 } }, 0)
  expect.equal(lt.pairwise_distance({ { 0, 0 } }, { { 3, 4 } }, { eps = 0 }):totable(), { 5 })
end)

expect.case("refused calls", function()
  local function refuses(text, name, ...) expect.raises("InvalidArgument", name .. ": " .. text, lt[name], ...) end
  refuses("list is empty, expected a list of tensors", "column_stack", {})
  refuses("n is a list, expected how many pieces; split takes the pieces' sizes", "array_split", { 1, 2 }, { 1, 1 })
  refuses("axis is 2, and x has 1 axis", "array_split", { 1, 2 }, 2, 2)
  refuses("the shapes (2,), (3,) do not broadcast", "broadcast_arrays", { 1, 2 }, { 1, 2, 3 })
  refuses("r is 0, expected a whole number, 1 or more", "combinations", { 1, 2 }, 0)
  refuses('padding is "left", which is not known', "pad_sequences", { { 1 } }, { padding = "left" })
  refuses("sequences[2] is a scalar, expected a sequence", "pad_sequences", { { 1 }, 2 })
  refuses("the elements of sequences[2] have the shape (2,), and those before ()", "pad_sequences", { { 1 }, { { 1, 2 } } })
  refuses("period is 0, expected a number above 0", "unwrap", { 1, 2 }, { period = 0 })
  refuses("a has 2 elements along the axis, and b has 3", "vecdot", { 1, 2 }, { 1, 2, 3 })
  refuses("x has the shape (2,), expected a matrix with a row for each point", "pdist", { 1, 2 })
end)

expect.end_of_cases()
