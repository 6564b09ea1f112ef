local spec = require "spec"
local some_indices = require "some_indices"

spec "scatter_add" {
  example = { { 0, 0, 0 }, { 1, 3, 1 }, { 10, 20, 30 }, gives = { 40, 0, 20 } },
  examples = {
    { { 1, 2, 3 }, 2, 10, gives = { 1, 12, 3 } },
    { { 1, 2, 3 }, { -1, 2 }, 0.5, gives = { 1, 2.5, 3.5 }, dtype = "float32" },
    { { { 1, 1 }, { 2, 2 } }, { { 2, 2 } }, { { { 1, 2 }, { 3, 4 } } }, gives = { { 1, 1 }, { 6, 8 } } },
    { { { 1, 1 }, { 2, 2 } }, { 1, 1 }, 5, gives = { { 11, 11 }, { 2, 2 } } },
    { int8 { 127, 0 }, { 1 }, int8 { 1 }, gives = { -128, 0 }, dtype = "int8" },
    { uint8 { 250 }, { 1, 1 }, uint8 { 3, 4 }, gives = { 1 }, dtype = "uint8" },
    { int32 { 2147483647 }, { 1 }, 1, gives = { -2147483648 }, dtype = "int32" },
    { int32 { 1, 2 }, { 1 }, float64 { 0.25 }, gives = { 1.25, 2 }, dtype = "float64" },
    { zeros { 0, 3 }, zeros({ 0 }, "int32"), zeros { 0, 3 }, shape = { 0, 3 } },
    { { 1, 2 }, zeros({ 0 }, "int32"), 5, gives = { 1, 2 } },
    { zeros { 2, 0 }, { 1, 1 }, 1, shape = { 2, 0 } },
  },
  gradients = {
    { { 1, 2, 3 }, int32 { 1, 3, 1 }, { 10, 20, 30 } },
    { { { 1, 2 }, { 3, 4 } }, int32 { -1, 2, 1 }, { { 1, 2 }, { 3, 4 }, { 5, 6 } } },
    { { { 1, 2 }, { 3, 4 } }, int32 { 1, 2 }, 2.5 },
  },
  rejects = {
    { args = { { 1, 2 }, { 0 }, { 1 } }, says = "scatter_add: index 0; indices count from 1" },
    { args = { { 1, 2 }, { 3 }, { 1 } }, says = "scatter_add: index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { { 1, 2 }, { -3 }, 1 }, says = "scatter_add: index -3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { zeros { 2, 0 }, { 3 }, 1 }, says = "scatter_add: index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { { 1, 2 }, { 1, 2 }, { 1, 2, 3 } }, says = "scatter_add: updates (3,) does not fit: indices (2,) of x (2,) take updates (2,) or a scalar" },
    { args = { { { 1, 2 } }, { 1 }, { 1, 2 } }, says = "take updates (1, 2)" },
    { args = { 1, { 1 }, { 1 } }, says = "scatter_add: x is a scalar" },
    { args = { bool { true }, { 1 }, bool { true } }, says = "scatter_add: x is bool, expected a number" },
    { args = { { 1, 2 }, { 1.5 }, { 1 } }, says = "scatter_add: indices is float32, expected an integer" },
    { args = { int8 { 1 }, { 1 }, 300 }, says = "scatter_add: updates is 300, which does not fit int8" },
    { args = { zeros { 1, 1, 1, 1, 1, 1, 1, 1 }, { { 1 } }, 1 }, says = "make 9 axes" },
    { args = { { 1 }, { 1 } }, says = "scatter_add: 2 arguments given" },
  },
  check = function(t)
    for _, dtype in ipairs(integers) do
      t.equal(lt.zeros({ 3 }, { dtype = dtype }):scatter_add(lt.constant({ 1, 1, 3 }, { dtype = dtype }), 2),
        lt.constant({ 4, 0, 2 }, { dtype = dtype }), dtype)
    end
    for _, dtype in ipairs(floats) do
      t.equal(lt.constant({ 1, 2 }, { dtype = dtype }):scatter_add({ 2, 2 }, lt.constant({ 0.5, 0.25 }, { dtype = dtype })),
        lt.constant({ 1, 2.75 }, { dtype = dtype }), dtype)
    end
    -- Rows of one element and of many, large enough for several threads.
    for _, columns in ipairs { 1, 3, 300 } do
      local count = 90000 // columns
      local indices = some_indices(count, 50)
      local updates = (lt.range(count * columns) % 11):reshape { count, columns }
      local place = lt.where(indices:lt(0), indices + 51, indices)
      local is_there = lt.range(1, 51):reshape({ 50, 1 }):eq(place)
      local wanted = lt.matmul(is_there:float32(), updates:float32())
      t.equal(lt.zeros({ 50, columns }, { dtype = "int32" }):scatter_add(indices, updates), wanted:int32(), columns)
      -- In one order whatever the number of threads: thirds do not add up exactly.
      local thirds = updates / 3
      local got = lt.zeros({ 50, columns }):scatter_add(indices, thirds)
      t.equal(got[{ {}, 1 }], lt.zeros({ 50, 1 }):scatter_add(indices, thirds[{ {}, { 1 } }])[{ {}, 1 }])
    end
  end,
}
