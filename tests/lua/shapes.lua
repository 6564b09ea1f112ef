-- Shapes as lists: axes from either end, iteration, comparison, and invalid axes.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local shape = lt.zeros { 2, 3, 4 }.shape

expect.case("axes count from either end", function()
  for axis = 1, 3 do
    expect.equal(shape[axis], axis + 1)
    expect.equal(shape[axis - 4], axis + 1)
  end
  expect.equal(lt.zeros({ 5, shape[-1] }).shape, { 5, 4 })
end)

expect.case("axis 0 and an axis that is not there are errors", function()
  expect.raises("InvalidArgument", "shape[0]: axes count from 1, -1 is the last", function() return shape[0] end)
  for _, axis in ipairs { 4, -4, math.mininteger, math.maxinteger } do
    expect.raises("OutOfRange", ("shape[%d]: there are 3 axes"):format(axis), function() return shape[axis] end)
  end
  expect.raises("OutOfRange", "shape[2]: there is 1 axis", function() return lt.zeros(7).shape[2] end)
  expect.raises("OutOfRange", "shape[-1]: there are 0 axes", function() return lt.constant(1.0).shape[-1] end)
end)

expect.case("walks end, and other keys are nil", function()
  local seen = {}
  for i, size in ipairs(shape) do seen[i] = size end
  expect.equal(seen, { 2, 3, 4 })
  expect.equal({ table.unpack(shape) }, { 2, 3, 4 })
  expect.equal(table.concat(shape, "x"), "2x3x4")
  assert(shape.axes == nil and shape[1.5] == nil)
  assert(shape == { 2, 3, 4 })
end)

expect.case("a shape of no axes is a shape", function()
  local none = lt.constant(1.0).shape
  expect.equal(#none, 0)
  for _ in ipairs(none) do error("there is no axis to walk") end
  expect.equal(lt.fill(none, 7):item(), 7)
  expect.equal(lt.ones { 1, 1 }:reshape(none):item(), 1)
end)
print("ok")
