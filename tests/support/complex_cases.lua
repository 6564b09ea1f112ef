-- What tests of complex tensors share: NumPy's results, and gradients against differences.
local lt = require "lutra"
local complex = {}

complex.real_dtypes = { complex64 = "float32", complex128 = "float64" }

-- The tensor of what make_complex_golden.py wrote; other arguments as they are.
local function tensor(given, dtype)
  if type(given) ~= "table" or not given.shape then return given end
  local function part(list) return lt.constant(list, { dtype = complex.real_dtypes[dtype] }):reshape(given.shape) end
  if #given.re == 0 then return lt.zeros(given.shape, { dtype = given.im and dtype or complex.real_dtypes[dtype] }) end
  if type(given.re[1]) == "boolean" then return lt.constant(given.re):reshape(given.shape) end
  return given.im and lt.complex(part(given.re), part(given.im)) or part(given.re)
end

-- The largest distance of two tensors' elements; those that are not finite must be equal.
local function distance(got, wanted)
  if got.size == 0 then return 0 end
  local function parts(t)
    local wide = t.dtype:find "complex" and t:complex128() or lt.complex(t:float64(), 0)
    return wide:real():flatten():totable(), wide:imag():flatten():totable()
  end
  local most = 0
  local a, b = { parts(got) }, { parts(wanted) }
  for k = 1, 2 do
    for i = 1, #a[k] do
      local x, y = a[k][i], b[k][i]
      local is_same = x == y or x ~= x and y ~= y
      if not is_same then most = math.max(most, x - x == 0 and y - y == 0 and math.abs(x - y) or math.huge) end
    end
  end
  return most
end
local function size(t)
  local largest = 1
  for _, v in ipairs(t:abs():flatten():totable()) do if v == v and v < math.huge then largest = math.max(largest, v) end end
  return largest
end

-- Calls the ops of `cases` in both dtypes and compares result number `case.result`, the first if it has none.
function complex.check_cases(cases)
  for i, case in ipairs(cases) do
    for dtype, tolerance in pairs { complex128 = 1e-13, complex64 = 4e-6 } do
      local args, has_edges = {}, false
      for k, arg in ipairs(case.args) do
        args[k] = tensor(arg, dtype)
        for _, v in ipairs(type(arg) == "table" and arg.re or {}) do has_edges = has_edges or v == math.huge or v == 1e200 end
      end
      if not (has_edges and dtype == "complex64") then
        if next(case.options) then args[#args + 1] = case.options end
        local wanted = tensor(case.gives, dtype)
        local got = select(case.result or 1, lt[case.op](table.unpack(args)))
        assert(got.dtype == wanted.dtype and got.shape == wanted.shape,
          ("case %d, %s: %s %s, not %s %s"):format(i, case.op, got.dtype, got.shape, wanted.dtype, wanted.shape))
        local off = distance(got, wanted)
        local most = got.dtype == "bool" and 0 or tolerance * size(wanted) * (case.condition or 1)
        assert(off <= most, ("case %d, %s of %s: off by %g: %s, not %s"):format(i, case.op, dtype, off, got, wanted))
      end
    end
  end
end

-- The gradient of a real loss is its slope along the real axis plus i times that along the imaginary axis, as TensorFlow's
-- and PyTorch's.
function complex.check_gradient(what, f, ...)
  local parts, count = { ... }, select("#", ...)
  local function loss(list)
    local z = {}
    for k = 1, count do z[k] = lt.complex(list[k][1], list[k][2]) end
    local y = f(table.unpack(z))
    if y.dtype:find "complex" then
      local w = lt.linspace(0.5, 1.5, y.size, { dtype = "float64" }):reshape(y.shape)
      return (y:real() * w):sum() + (y:imag() * (w * w - 0.3)):sum()
    end
    return (y * lt.linspace(0.5, 1.5, y.size, { dtype = "float64" }):reshape(y.shape)):sum()
  end
  for k = 1, count do parts[k] = { parts[k]:real(), parts[k]:imag() } end
  local z = {}
  for k = 1, count do z[k] = lt.complex(parts[k][1], parts[k][2]) end
  local tape <close> = lt.GradientTape()
  tape:watch(z)
  local y = f(table.unpack(z))
  local w = lt.linspace(0.5, 1.5, y.size, { dtype = "float64" }):reshape(y.shape)
  local total = y.dtype:find "complex" and (y:real() * w):sum() + (y:imag() * (w * w - 0.3)):sum() or (y * w):sum()
  local slopes = tape:gradient(total, z)
  local h = 1e-6
  for k = 1, count do
    assert(slopes[k] and slopes[k].dtype == "complex128" and slopes[k].shape == z[k].shape, what)
    local got = { slopes[k]:real():flatten():totable(), slopes[k]:imag():flatten():totable() }
    for part = 1, 2 do
      local x = parts[k][part]
      for i = 1, x.size do
        local step = (lt.one_hot(lt.constant(i), x.size, { dtype = "float64" }) * h):reshape(x.shape)
        parts[k][part] = x + step
        local up = loss(parts):item()
        parts[k][part] = x - step
        local down = loss(parts):item()
        parts[k][part] = x
        local wanted = (up - down) / (2 * h)
        assert(math.abs(got[part][i] - wanted) <= 1e-6 * math.max(1, math.abs(wanted)),
          ("%s: argument %d, part %d, element %d: %g, not %g"):format(what, k, part, i, got[part][i], wanted))
      end
    end
  end
end

function complex.sample(shape, seed)
  local function part(s) return lt.random.uniform(shape, { minval = 0.3, maxval = 1.7, seed = s }):float64() end
  return lt.complex(part(seed), part(seed + 1) - 1.2)
end

return complex
