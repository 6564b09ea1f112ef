local spec = require "spec"

local nan, inf = 0 / 0, math.huge
local everywhere = { "float32", "float64", "int32", "int64" }
local sizes = shapes { {}, { 1 }, { 3, 0 }, { 7, 65 } }

local function zeros(...)
  local shape = { ... }
  return made(function() return lt.zeros(shape) end)
end

-- A fraction of whatever number comes in; never of bool.
local function fraction(form)
  form.samples, form.dtypes = sizes, everywhere
  form.result = function(dtype) return dtype == "float64" and "float64" or "float32" end
  return form
end

local function same_dtype(form)
  form.samples, form.dtypes = sizes, everywhere
  form.result = function(dtype) return dtype end
  return form
end

spec "neg" (same_dtype {
  example = { { 1, -2 }, gives = { -1, 2 }, dtype = "int32" },
  examples = {
    { int32 { -2147483648, 7 }, gives = { -2147483648, -7 } },
    { int64 { math.mininteger }, gives = { math.mininteger } },
    { { inf, -inf, nan }, gives = { -inf, inf, nan } },
    { 5, gives = -5, shape = {} },
  },
  reference = function(x) return -x end,
  rejects = {
    { args = { bool { true } }, says = "neg: x is bool, expected a number" },
    { args = { true }, says = "neg: x is bool, expected a number" },
    { args = { "1" }, says = "neg: x is" },
    { args = { { 1 }, { axis = 1 } }, says = "neg: unknown option 'axis'" },
    { args = { { 1 }, 2 }, says = "neg: 2 arguments given, expected neg(x)" },
    { args = {}, says = "neg: 0 arguments given, expected neg(x)" },
  },
  check = function(t)
    t.equal(-lt.constant { 1.5, -2 }, { -1.5, 2 })
    t.raises("InvalidArgument", "neg: x is bool", function() return -lt.constant { true } end)
    t.ok(1 / lt.constant(0.0):neg():item() == -inf, "0 becomes -0")
  end,
})

spec "abs" (same_dtype {
  example = { { 1, -2 }, gives = { 1, 2 }, dtype = "int32" },
  examples = {
    { int32 { -2147483648, -2147483647 }, gives = { -2147483648, 2147483647 } },
    { int64 { math.mininteger, -1 }, gives = { math.mininteger, 1 } },
    { { -inf, nan, -0.5 }, gives = { inf, nan, 0.5 } },
  },
  reference = function(x) return math.abs(x) end,
  rejects = { { args = { bool { true } }, says = "abs: x is bool, expected a number" } },
})

spec "square" (same_dtype {
  example = { { 3, -2 }, gives = { 9, 4 }, dtype = "int32" },
  examples = {
    { int32 { 65536, 46341 }, gives = { 0, -2147479015 } },
    { int64 { 1 << 32, 3037000500 }, gives = { 0, -9223372036709301616 } },
    { { -inf, nan, 1e30 }, gives = { inf, nan, inf } },
  },
  reference = function(x) return x * x end,
  rejects = { { args = { bool { true } }, says = "square: x is bool, expected a number" } },
})

spec "relu" (same_dtype {
  example = { { -1, 2 }, gives = { 0, 2 }, dtype = "int32" },
  examples = {
    { { -inf, inf, nan, -1e-40, 1e-3 }, gives = { 0, inf, nan, 0, 1e-3 } },
    { int64 { math.mininteger, math.maxinteger }, gives = { 0, math.maxinteger } },
  },
  reference = function(x) return x > 0 and x or x - x end,
  rejects = { { args = { bool { true } }, says = "relu: x is bool, expected a number" } },
  check = function(t) t.ok(1 / lt.relu(lt.constant(-0.0)):item() == inf, "-0 becomes 0") end,
})

spec "sqrt" (fraction {
  example = { { 4, 2.25 }, gives = { 2.0, 1.5 } },
  examples = {
    { { 4, 9 }, gives = { 2.0, 3.0 }, dtype = "float32" },
    { { 0.0, inf, -1.0, nan }, gives = { 0, inf, nan, nan } },
    { 16, gives = 4.0, shape = {}, dtype = "float32" },
  },
  reference = function(x) return math.sqrt(x) end,
  domain = { 0, 1000 },
  rejects = { { args = { bool { true } }, says = "sqrt: x is bool, expected a number" } },
})

spec "exp" (fraction {
  example = { { 0.0, 1.0 }, gives = { 1.0, 2.7182818 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 89.0, -104.0 }, gives = { inf, 0, nan, inf, 0 } },
    -- Next to the largest number, and among the subnormal ones.
    { { 88.72, -100.0 }, gives = { 3.3937e38, 3.7835e-44 }, tolerance = 0.02 },
    { float64 { 709.7, -745.0, 710.0, -746.0 }, gives = { 1.6549840276802644e308, 4.9406564584124654e-324, inf, 0 },
      tolerance = 1e-12 },
    { int64 { 0, 1, -1 }, gives = { 1, 2.7182818, 0.36787944 }, dtype = "float32", tolerance = 1e-6 },
    { zeros(0), shape = { 0 }, dtype = "float32" },
  },
  reference = function(x) return math.exp(x) end,
  domain = { -80, 80 },
  tolerance = 1e-6,
  rejects = { { args = { bool { true } }, says = "exp: x is bool, expected a number" } },
  check = function(t)
    -- Every position of a vector register, and the rest of a loop, gives the same bits.
    local x = (lt.range(5000) - 2500) / 125
    local all = lt.exp(x):totable()
    for _, i in ipairs { 1, 2, 17, 2048, 2049, 4097, 4999, 5000 } do
      t.equal(lt.exp(x[i]):item(), all[i])
    end
  end,
})

spec "log" (fraction {
  example = { { 1.0, 10.0 }, gives = { 0.0, 2.302585 }, tolerance = 1e-6 },
  examples = {
    { { 0.0, -0.0, -1.0, inf, -inf, nan }, gives = { -inf, -inf, nan, inf, nan, nan } },
    { { 1e-40, 3e38 }, gives = { -92.1034, 88.5967 } },
    { float64 { 4.9406564584124654e-324, 1.7976931348623157e308 }, gives = { -744.4400719213812, 709.782712893384 },
      tolerance = 1e-14 },
    { { 1, 2 }, gives = { 0, 0.6931 }, dtype = "float32" },
  },
  reference = function(x) return math.log(x) end,
  domain = { 1, 50 },
  rejects = { { args = { bool { true } }, says = "log: x is bool, expected a number" } },
  check = function(t) t.close(lt.log(lt.exp { -80.0, -1e-3, 0, 1e-3, 1, 80 }), { -80.0, -1e-3, 0, 1e-3, 1, 80 }, 1e-4) end,
})

spec "tanh" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 0.7616 } },
  examples = {
    { { inf, -inf, nan, 100.0, -100.0 }, gives = { 1, -1, nan, 1, -1 } },
    { { 1e-30, -1e-30, 0.6249, 0.6251 }, gives = { 1e-30, -1e-30, 0.5545304, 0.5546689 }, tolerance = 1e-6 },
    { { 0, 1 }, gives = { 0, 0.7616 }, dtype = "float32" },
  },
  reference = function(x)
    local e = math.exp(-2 * math.abs(x))
    local y = (1 - e) / (1 + e)
    return x < 0 and -y or y
  end,
  domain = { -20, 20 },
  rejects = { { args = { bool { true } }, says = "tanh: x is bool, expected a number" } },
  check = function(t) t.ok(1 / lt.tanh(lt.constant(-0.0)):item() == -inf, "-0 stays -0") end,
})

spec "sigmoid" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.5, 0.7311 } },
  examples = {
    { { inf, -inf, nan, 1000.0, -1000.0 }, gives = { 1, 0, nan, 1, 0 } },
    { { -80.0, 20.0 }, gives = { 1.8048514e-35, 1 - 2.0611537e-9 }, tolerance = 1e-5 },
    { { 0, 1 }, gives = { 0.5, 0.7311 }, dtype = "float32" },
  },
  reference = function(x) return 1 / (1 + math.exp(-x)) end,
  domain = { -30, 30 },
  rejects = { { args = { bool { true } }, says = "sigmoid: x is bool, expected a number" } },
})

spec "logical_not" {
  example = { { true, false }, gives = { false, true }, dtype = "bool" },
  examples = { { true, gives = false, shape = {} } },
  reference = function(x) return not x end,
  samples = sizes,
  dtypes = { "bool" },
  result = "bool",
  rejects = {
    { args = { { 1, 0 } }, says = "logical_not: x is int32, expected bool" },
    { args = { { 1.5 } }, says = "logical_not: x is float32, expected bool" },
  },
}
