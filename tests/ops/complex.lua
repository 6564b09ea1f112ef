-- Arithmetic of complex tensors, and what they print, are in tests/lua/complex.lua.
local spec = require "spec"

local nan, inf, pi = 0 / 0, math.huge, math.pi
local function c64(re, im) return made(function() return lt.complex(lt.constant(re, { dtype = "float32" }), im) end) end
local function c128(re, im) return made(function() return lt.complex(lt.constant(re, { dtype = "float64" }), im) end) end

spec "complex" {
  gpu = false,
  example = { { 1, 2 }, { 0.5, -1 }, gives = { { 1, 0.5 }, { 2, -1 } }, dtype = "complex64" },
  examples = {
    { float64 { 1 / 3 }, { 2 }, gives = { { 1 / 3, 2 } }, dtype = "complex128", tolerance = 1e-16 },
    { float16 { 1.5 }, 2, gives = { { 1.5, 2 } }, dtype = "complex64" },
    { bfloat16 { 1.5 }, float16 { 2 }, gives = { { 1.5, 2 } }, dtype = "complex64" },
    { int64 { 16777217 }, int8 { -3 }, gives = { { 16777216, -3 } }, dtype = "complex64" },
    { 0, 1, gives = { 0, 1 }, dtype = "complex64", shape = {} },
    { { { 1 }, { 2 } }, { 3, 4 }, gives = { { { 1, 3 }, { 1, 4 } }, { { 2, 3 }, { 2, 4 } } }, dtype = "complex64" },
    { zeros { 0, 3 }, 1, gives = {}, dtype = "complex64", shape = { 0, 3 } },
  },
  rejects = {
    { args = { zeros { 2 }, zeros { 3 } }, says = "complex: real (2,) and imag (3,) do not broadcast" },
    { args = { bool { true }, bool { true } }, says = "complex: real is bool, expected a number" },
    { args = { c64({ 1 }, 2), 1 }, says = "complex: real is complex64, expected a real number; take its parts: real:real()" },
  },
}

spec "real" {
  gpu = false,
  example = { c64({ 1, 2 }, { 3, -4 }), gives = { 1, 2 }, dtype = "float32" },
  examples = {
    { c128({ 0.1 }, 1), gives = { 0.1 }, dtype = "float64", tolerance = 1e-16 },
    { int8 { 1, -2 }, gives = { 1, -2 }, dtype = "int8" },
    { bfloat16 { 0.5 }, gives = { 0.5 }, dtype = "bfloat16" },
  },
  rejects = { { args = { bool { true } }, says = "real: x is bool, expected a number" } },
  gradients = { { { 1.5, -2 } } },
}

spec "imag" {
  gpu = false,
  example = { c64({ 1, 2 }, { 3, -4 }), gives = { 3, -4 }, dtype = "float32" },
  examples = {
    { c128({ 0.1 }, 1 / 3), gives = { 1 / 3 }, dtype = "float64", tolerance = 1e-16 },
    { float64 { 1, -2 }, gives = { 0, 0 }, dtype = "float64" },
    { zeros { 2, 0 }, gives = {}, dtype = "float32", shape = { 2, 0 } },
  },
  rejects = { { args = { bool { true } }, says = "imag: x is bool, expected a number" } },
}

spec "conj" {
  gpu = false,
  example = { c64({ 1, 2 }, { 3, -4 }), gives = { { 1, -3 }, { 2, 4 } }, dtype = "complex64" },
  examples = {
    { c128({ inf }, nan), gives = { { inf, nan } }, dtype = "complex128" },
    { int16 { 1, -2 }, gives = { 1, -2 }, dtype = "int16" },
  },
  rejects = { { args = { bool { true } }, says = "conj: x is bool, expected a number" } },
  gradients = { { { 1.5, -2 } } },
}

spec "angle" {
  gpu = false,
  example = { c64({ 1, 0, -1, 0, 0 }, { 0, 2, 0, -3, 0 }), gives = { 0, pi / 2, pi, -pi / 2, 0 }, dtype = "float32" },
  examples = {
    { c128({ 1, -3 }, { -1, -3 }), gives = { -pi / 4, -3 * pi / 4 }, dtype = "float64", tolerance = 1e-15 },
    { float64 { 2, -2, nan }, gives = { 0, pi, nan }, dtype = "float64", tolerance = 1e-15 },
    { { 3, -1 }, gives = { 0, pi }, dtype = "float32" },
  },
  rejects = { { args = { bool { true } }, says = "angle: x is bool, expected a number" } },
}
