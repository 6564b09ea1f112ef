local spec = require "spec"
local two = require "two_inputs"

local function gcd(a, b)
  a, b = math.abs(a), math.abs(b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

spec "gcd" {
  gpu = false,
  example = { { 12, 7 }, { 18, 21 }, gives = { 6, 7 }, dtype = "int32" },
  examples = {
    { { 0, 0, -8, 8, -12 }, { 0, 5, 0, -12, -18 }, gives = { 0, 5, 8, 4, 6 } },
    { { { 12 }, { 15 } }, { 8, 9, 10 }, gives = { { 4, 3, 2 }, { 1, 3, 5 } } },
    { int8 { -128, 127, -128 }, int8 { 96, 127, 1 }, gives = { 32, 127, 1 }, dtype = "int8" },
    { uint8 { 255, 250 }, uint8 { 85, 240 }, gives = { 85, 10 }, dtype = "uint8" },
    -- Consecutive Fibonacci numbers, and a multiple of 2^61.
    { int64 { 7540113804746346429, 1 << 62, math.mininteger }, int64 { 4660046610375530309, 3 << 61, 6 }, gives = { 1, 1 << 61, 2 } },
    { 12, 18, gives = 6, dtype = "int32", shape = {} },
    { zeros({ 0 }, "int32"), 3, shape = { 0 } },
  },
  reference = gcd,
  samples = two.shapes,
  dtypes = { "int8", "uint8", "int16", "int32", "int64" },
  domain = { { -90, 90 }, { -90, 90 } },
  rejects = {
    { args = { { 12.5 }, { 18 } }, says = "gcd: a is float32, expected an integer" },
    { args = { bool { true }, bool { true } }, says = "gcd: a is bool, expected an integer" },
    { args = { zeros({ 2 }, "int32"), zeros({ 3 }, "int32") }, says = "gcd: a (2,) and b (3,) do not broadcast" },
    { args = { { 1 } }, says = "gcd: 1 argument given" },
  },
}
