local spec = require "spec"
local forms = require "unary_forms"

local nan, inf = 0 / 0, math.huge
local fraction = forms.fraction
local checks, refuses_bool, keeps_sign_of_zero = forms.checks, forms.refuses_bool, forms.keeps_sign_of_zero

-- Huge angles next to small ones: each must come out as if it were alone.
local function huge_angles(op)
  return function(t)
    for _, dtype in ipairs { "float32", "float64" } do
      local x = { 0.5, 1e30, -1e30, 1e6, 3, inf, -inf, nan, 799999, 800001, 1e-30, -2 }
      local f, all = lt[op], lt[op](lt.constant(x, { dtype = dtype })):totable()
      for i = 1, #x do t.equal(f(lt.constant(x[i], { dtype = dtype })), all[i]) end
      for i = 6, 8 do t.ok(all[i] ~= all[i], op .. " of " .. x[i]) end
      local angle = dtype == "float32" and 1000000015047466219876688855040 or 1e30
      t.close(all[2], math[op](angle), dtype == "float32" and 6e-7 or 1e-14, "of 1e30")
    end
  end
end

spec "sin" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 0.84147098 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan }, gives = { nan, nan, nan } },
    { float64 { 1e22, 3.141592653589793 }, gives = { -0.8522008497671888, 1.2246467991473532e-16 }, tolerance = 1e-15 },
    { float32 { 1e22, 3.1415927 }, gives = { -0.7340815, -8.742278e-8 }, tolerance = 1e-6 },
    { float16 { 60000 }, gives = { 0.95746675 }, dtype = "float16", tolerance = 1e-3 },
    { { 1, 2 }, gives = { 0.8415, 0.9093 }, dtype = "float32" },
  },
  reference = function(x) return math.sin(x) end,
  domain = { -100, 100 },
  rejects = refuses_bool "sin",
  gradients = { { { { 0.25, -2 }, { 30, 0 } } } },
  check = checks("sin", -20, 20, { 0.25, -2, 30 }, function(t)
    keeps_sign_of_zero(t, "sin")
    huge_angles "sin" (t)
  end),
})

spec "cos" (fraction {
  example = { { 0.0, 1.0 }, gives = { 1.0, 0.54030231 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan }, gives = { nan, nan, nan } },
    { float64 { 1e22, 1.5707963267948966 }, gives = { 0.5232147853951389, 6.123233995736766e-17 }, tolerance = 1e-15 },
    { { 1, 2 }, gives = { 0.5403, -0.4161 }, dtype = "float32" },
  },
  reference = function(x) return math.cos(x) end,
  domain = { -100, 100 },
  rejects = refuses_bool "cos",
  gradients = { { { { 0.25, -2 }, { 30, 0 } } } },
  check = checks("cos", -20, 20, { 0.25, -2, 30 }, huge_angles "cos"),
})

spec "tan" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 1.5574077 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan }, gives = { nan, nan, nan } },
    { float64 { 1e22, 1.5707963267948966 }, gives = { -1.628778225606898, 1.633123935319537e16 }, tolerance = 1e-15 },
    { { 1, 2 }, gives = { 1.5574, -2.1850 }, dtype = "float32" },
  },
  reference = function(x) return math.tan(x) end,
  domain = { -1.5, 1.5 },
  rejects = refuses_bool "tan",
  gradients = { { { { 0.25, -2 }, { 30, 0 } } } },
  check = checks("tan", -20, 20, { 0.25, -2, 30 }, function(t)
    keeps_sign_of_zero(t, "tan")
    huge_angles "tan" (t)
  end),
})

spec "asin" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 1.5707963 }, tolerance = 1e-6 },
  examples = {
    { { -1.0, 1.5, -1.0000001, inf, nan }, gives = { -1.5707963, nan, nan, nan, nan }, tolerance = 1e-6 },
    { { 0, 1 }, gives = { 0, 1.5708 }, dtype = "float32" },
  },
  reference = function(x) return math.asin(x) end,
  domain = { -1, 1 },
  rejects = refuses_bool "asin",
  gradients = { { { { 0.25, -0.5 }, { 0.9, 0 } } } },
  check = checks("asin", -1, 0.99, { 0.25, -0.5, 0.9 }, function(t)
    keeps_sign_of_zero(t, "asin")
    t.close(forms.slopes(lt.asin, { 1 - 2.0 ^ -40 }), { 741455.200189633844 }, 1e-12, "next to 1")
    t.close(lt.sin(lt.asin { -1.0, -0.7, 0.1, 0.5001 }), { -1.0, -0.7, 0.1, 0.5001 }, 1e-6)
  end),
})

spec "acos" (fraction {
  example = { { 1.0, 0.0 }, gives = { 0.0, 1.5707963 }, tolerance = 1e-6 },
  examples = {
    { { -1.0, 1.5, -1.0000001, inf, nan }, gives = { 3.1415927, nan, nan, nan, nan }, tolerance = 1e-6 },
    { { 0, 1 }, gives = { 1.5708, 0 }, dtype = "float32" },
    { float64 { 1 - 2.0 ^ -50 }, gives = { 4.214684851089407e-8 }, tolerance = 1e-14 },
  },
  reference = function(x) return math.acos(x) end,
  domain = { -1, 1 },
  rejects = refuses_bool "acos",
  gradients = { { { { 0.25, -0.5 }, { 0.9, 0 } } } },
  check = checks("acos", -1, 0.99, { 0.25, -0.5, 0.9 }),
})

spec "atan" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 0.78539816 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 1e30 }, gives = { 1.5707963, -1.5707963, nan, 1.5707963 }, tolerance = 1e-6 },
    { { 0, 1 }, gives = { 0, 0.7854 }, dtype = "float32" },
  },
  reference = function(x) return math.atan(x) end,
  domain = { -20, 20 },
  rejects = refuses_bool "atan",
  gradients = { { { { 0.25, -2 }, { 30, 0 } } } },
  check = checks("atan", -5, 5, { 0.25, -2, 30 }, function(t)
    keeps_sign_of_zero(t, "atan")
    t.equal(forms.slopes(lt.atan, { 1e200, -inf }), { 0, 0 })
    t.close(lt.tan(lt.atan { -100.0, -0.7, 0.1, 3 }), { -100.0, -0.7, 0.1, 3 }, 2e-5)
  end),
})

spec "sinh" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 1.1752012 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 89.4, -90 }, gives = { inf, -inf, nan, 3.34886e38, -inf }, tolerance = 1e-4 },
    { float64 { 710, -1e-300 }, gives = { 1.1169973830808557e308, -1e-300 }, tolerance = 1e-12 },
    { { 0, 1 }, gives = { 0, 1.1752 }, dtype = "float32" },
  },
  reference = function(x) return (math.exp(x) - math.exp(-x)) / 2 end,
  domain = { -8, 8 },
  rejects = refuses_bool "sinh",
  gradients = { { { { 0.25, -2 }, { 3, 0 } } } },
  check = checks("sinh", -5, 5, { 0.25, -2, 3 }, function(t) keeps_sign_of_zero(t, "sinh") end),
})

spec "cosh" (fraction {
  example = { { 0.0, 1.0 }, gives = { 1.0, 1.5430807 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 89.4, -90 }, gives = { inf, inf, nan, 3.34886e38, inf }, tolerance = 1e-4 },
    { { 0, 1 }, gives = { 1, 1.5431 }, dtype = "float32" },
  },
  reference = function(x) return (math.exp(x) + math.exp(-x)) / 2 end,
  domain = { -8, 8 },
  rejects = refuses_bool "cosh",
  gradients = { { { { 0.25, -2 }, { 3, 0 } } } },
  check = checks("cosh", -5, 5, { 0.25, -2, 3 }),
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
  rejects = refuses_bool "tanh",
  gradients = { { { { 0.25, -2 }, { 3, 0 } } } },
  check = checks("tanh", -5, 5, { 0.25, -2, 3 }, function(t)
    keeps_sign_of_zero(t, "tanh")
    forms.half_slopes(t, lt.tanh, { 0, -1, 0.5 })
  end),
})
