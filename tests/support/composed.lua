-- Holds ops that are composed of others against NumPy: the data of make_composed_golden.py.
local collector = require "collector"
local golden = require "golden.composed_golden"

local composed = {}

-- A function of two numbers: float32 to `single`, float64 to `double` relative.
function composed.check_pairs(t, op, single, double)
  local f, data = lt[op], golden[op]
  local n = #golden.special
  for dtype, tolerance in pairs { float32 = single, float64 = double } do
    local special = lt.constant(golden.special, { dtype = dtype })
    local got = f(special:reshape { n, 1 }, special):reshape { -1 }
    t.close(got, lt.constant(data[dtype], { dtype = got.dtype }), tolerance, dtype)
  end
  local got = f(lt.constant(data.a, { dtype = "float64" }), lt.constant(data.b, { dtype = "float64" }))
  t.close(got, lt.constant(data.gives, { dtype = got.dtype }), double)
end

local function check_reductions(t, op)
  local count = 0
  for _, case in ipairs(golden.reductions) do
    if case.op == op then
      count = count + 1
      local x = lt.constant(golden[case.x], { dtype = "float64" }):reshape(golden.shape)
      local got = lt[op](x, case.options):reshape { -1 }
      t.close(got, lt.constant(case.gives, { dtype = "float64" }), 1e-13, ("%s, case %d"):format(op, count))
    end
  end
  t.ok(count > 0, "there are no cases of " .. op)
end
function composed.check_reductions(t, op) collector.in_peace(check_reductions, t, op) end

return composed
