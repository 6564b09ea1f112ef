-- NumPy's results, and gradients, are in tests/lua/fft.lua.
local spec = require "spec"

local function c64(re, im) return made(function() return lt.complex(lt.constant(re, { dtype = "float32" }), im) end) end
local half = made(function() return lt.zeros({ 4 }, { dtype = "float16" }) end)

local function refusals(name, more)
  local who = "fft." .. name
  local x = name == "irfft" and c64({ 1, 2, 3 }, 0) or made(function() return lt.ones { 3 } end)
  local list = {
    { args = { x, { axis = 2 } }, says = who .. ": axis 2 is not there", code = "InvalidArgument" },
    { args = { x, { axis = 0 } }, says = who .. ": axis 0", code = "InvalidArgument" },
    { args = { x, { n = 0 } }, says = who .. ": the transform would be of 0 points, expected at least 1" },
    { args = { x, { n = -3 } }, says = who .. ": the transform would be of -3 points" },
    { args = { x, { n = 2.5 } }, says = who .. ": n is 2.5, expected an integer" },
    { args = { x, { norm = "orto" } }, says = who .. ": norm is \"orto\", expected \"backward\", \"ortho\" or \"forward\"" },
  }
  for i, each in ipairs(more) do
    each.says = who .. each.says
    list[#list + 1] = each
  end
  return list
end

spec "fft.fft" {
  gpu = false,
  example = { { 1.0, 2.0, 0.0, 2.0 }, gives = { { 5, 0 }, { 1, 0 }, { -3, 0 }, { 1, 0 } }, dtype = "complex64" },
  examples = {
    { c64({ 0, 0 }, { 1, 3 }), gives = { { 0, 4 }, { 0, -2 } }, dtype = "complex64" },
    { { 1, 2, 3 }, { n = 1 }, gives = { { 1, 0 } }, dtype = "complex64" },
    { { { 1, 2 }, { 3, 5 } }, { axis = 1, n = 3, norm = "forward" }, dtype = "complex64",
      gives = { { { 4 / 3, 0 }, { 7 / 3, 0 } }, { { -0.5 / 3, -2.598076 / 3 }, { -0.5 / 3, -4.330127 / 3 } },
        { { -0.5 / 3, 2.598076 / 3 }, { -0.5 / 3, 4.330127 / 3 } } }, tolerance = 1e-6 },
    { float64 { 1, -1 }, gives = { { 0, 0 }, { 2, 0 } }, dtype = "complex128" },
    { zeros { 0, 4 }, gives = {}, dtype = "complex64", shape = { 0, 4 } },
  },
  rejects = refusals("fft", {
    { args = { 3.5 }, says = ": x is a scalar, which has no axis to transform along" },
    { args = { zeros { 2, 0 } }, says = ": the transform would be of 0 points" },
    { args = { bool { true } }, says = ": x is bool, expected int8" },
    { args = { half }, says = ": x is float16, expected int8" },
  }),
}

spec "fft.ifft" {
  gpu = false,
  example = { { 5.0, 1.0, -3.0, 1.0 }, gives = { { 1, 0 }, { 2, 0 }, { 0, 0 }, { 2, 0 } }, dtype = "complex64" },
  examples = { { c64({ 0, 0 }, { 4, -2 }), { norm = "forward" }, gives = { { 0, 2 }, { 0, 6 } }, dtype = "complex64" } },
  rejects = refusals("ifft", {}),
}

spec "fft.rfft" {
  gpu = false,
  example = { { 1.0, 2.0, 0.0, 2.0 }, gives = { { 5, 0 }, { 1, 0 }, { -3, 0 } }, dtype = "complex64" },
  examples = {
    { { 1, 2, 3 }, gives = { { 6, 0 }, { -1.5, 0.8660 } }, dtype = "complex64" },
    { { 7 }, gives = { { 7, 0 } }, dtype = "complex64" },
    { float64 { 3, 4 }, { norm = "ortho" }, gives = { { 7 / 2 ^ 0.5, 0 }, { -1 / 2 ^ 0.5, 0 } }, dtype = "complex128",
      tolerance = 1e-15 },
  },
  rejects = refusals("rfft", {
    { args = { c64({ 1 }, 1) }, says = ": x is complex64, expected int8" },
  }),
}

spec "fft.irfft" {
  gpu = false,
  example = { c64({ 5, 1, -3 }, 0), gives = { 1, 2, 0, 2 }, dtype = "float32" },
  examples = {
    { c64({ 6, -1.5 }, { 9, 0.8660254 }), { n = 3 }, gives = { 1, 2, 3 }, dtype = "float32", tolerance = 1e-6 },
    { c64({ 2 }, 5), { n = 2, norm = "forward" }, gives = { 2, 2 }, dtype = "float32" },
  },
  rejects = refusals("irfft", {
    { args = { { 1.0, 2.0 } }, says = ": x is float32, expected complex64 or complex128" },
    { args = { c64({ 1 }, 0) }, says = ": the transform would be of 0 points, expected at least 1; n sets their number" },
  }),
}
