-- Holds ops against NumPy and SciPy: the data of make_statistics_golden.py,
-- make_numerics_golden.py and make_incomplete_gamma_golden.py.
local collector = require "collector"
local golden = {
  require "golden.statistics_golden", require "golden.numerics_golden", require "golden.incomplete_gamma_golden",
}

local statistics = {}

local function tensor(given)
  if type(given) ~= "table" then return given end
  local elements = table.move(given, 1, #given, 1, {})
  local dtype = type(given[1]) == "boolean" and "bool" or "float64"
  if #elements == 0 then return lt.zeros(given.shape, { dtype = dtype }) end
  return lt.constant(elements, { dtype = dtype }):reshape(given.shape)
end

-- To `tolerance` relative, by default a few last digits.
local function check_cases(t, op, tolerance, cases)
  local count = 0
  for _, case in ipairs(cases) do
    if case.op == op then
      count = count + 1
      local args = {}
      for i, arg in ipairs(case.args) do args[i] = tensor(arg) end
      if next(case.options) then args[#args + 1] = case.options end
      local results = table.pack(lt[op](table.unpack(args)))
      for i, wanted in ipairs(case.gives) do
        local what = ("%s, case %d"):format(op, count)
        t.equal(results[i].shape, wanted.shape, what)
        local got = results[i]:reshape { -1 }
        t.close(got, tensor(wanted):reshape({ -1 }):cast(got.dtype), tolerance or 1e-13, what)
      end
    end
  end
  return count
end

local function check(t, op, tolerance)
  local count = 0
  for _, cases in ipairs(golden) do count = count + check_cases(t, op, tolerance, cases) end
  t.ok(count > 0, "there are no cases of " .. op)
end

function statistics.check(t, op, tolerance) collector.in_peace(check, t, op, tolerance) end

return statistics
