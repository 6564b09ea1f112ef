-- Fourier transforms along several axes, and what goes with them. They are calls of the ops fft.fft, fft.ifft, fft.rfft and
-- fft.irfft, and are documented in _meta/fft.lua.
local lutra, tools, use = ...
local options = use "options"
local fft = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local kDefaults = { s = false, axes = false, norm = "backward" }
local kNorms = { backward = true, ortho = true, forward = true }
-- hfft is a forward transform of what irfft transforms back, and the other way round.
local kReverse = { backward = "forward", ortho = "ortho", forward = "backward" }

local function list_of(who, name, value)
  if math.type(value) == "integer" then return { value } end
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    fail("%s: %s is %s, expected a list of integers", who, name, tools.what_is(value))
  end
  if #value == 0 and next(value) ~= nil then fail("%s: %s is a table with names, expected a list of integers", who, name) end
  local list = {}
  for i, each in ipairs(value) do list[i] = options.whole(who, ("%s[%d]"):format(name, i), each) end
  return list
end

-- The axes from 1 on; each once.
local function checked_axes(who, x, given)
  local axes, seen = {}, {}
  for i, axis in ipairs(given) do
    local positive = axis < 0 and axis + x.rank + 1 or axis
    if positive < 1 or positive > x.rank then
      fail("%s: axis %d does not exist: x has the shape %s", who, axis, tostring(x.shape))
    end
    if seen[positive] then fail("%s: axes lists axis %d twice", who, axis) end
    axes[i], seen[positive] = positive, true
  end
  return axes
end

-- The tensor, the axes to transform along, the number of points along each (nil: as many as there are), and the norm.
local function arguments(who, x, given, default_axes)
  x = options.tensor(who, "x", x)
  local read = options.read(who, given, kDefaults)
  options.word(who, "norm", read.norm, kNorms)
  local sizes = read.s and list_of(who, "s", read.s) or {}
  local axes = read.axes and list_of(who, "axes", read.axes) or default_axes
  if not axes then
    axes = {}
    local first = read.s and x.rank - #sizes + 1 or 1
    for axis = first, x.rank do axes[#axes + 1] = axis end
  end
  if read.s and #sizes ~= #axes then
    fail("%s: s lists %d sizes for %d axes", who, #sizes, #axes)
  end
  axes = checked_axes(who, x, axes)
  if #axes == 0 then fail("%s: x has the shape %s, and there is no axis to transform along", who, tostring(x.shape)) end
  for i, size in ipairs(sizes) do options.count(who, ("s[%d]"):format(i), size, 1) end
  return x, axes, sizes, read.norm
end

local function along(op, x, axis, n, norm) return (op(x, { axis = axis, n = n, norm = norm })) end

local kLastTwo = { -2, -1 }
for suffix, axes_of in pairs { ["2"] = kLastTwo, n = false } do
  local default_axes = axes_of or nil
  for _, name in ipairs { "fft", "ifft" } do
    local who = "fft." .. name .. suffix
    fft[name .. suffix] = options.bounded(who, 2, function(x, given)
      local y, axes, sizes, norm = arguments(who, x, given, default_axes)
      for i = #axes, 1, -1 do y = along(lutra.fft[name], y, axes[i], sizes[i], norm) end
      return y
    end, true)
  end
  local forwards, backwards = "fft.rfft" .. suffix, "fft.irfft" .. suffix
  fft["rfft" .. suffix] = options.bounded(forwards, 2, function(x, given)
    local y, axes, sizes, norm = arguments(forwards, x, given, default_axes)
    y = along(lutra.fft.rfft, y, axes[#axes], sizes[#axes], norm)
    for i = #axes - 1, 1, -1 do y = along(lutra.fft.fft, y, axes[i], sizes[i], norm) end
    return y
  end, true)
  fft["irfft" .. suffix] = options.bounded(backwards, 2, function(x, given)
    local y, axes, sizes, norm = arguments(backwards, x, given, default_axes)
    for i = 1, #axes - 1 do y = along(lutra.fft.ifft, y, axes[i], sizes[i], norm) end
    return along(lutra.fft.irfft, y, axes[#axes], sizes[#axes], norm)
  end, true)
end

local function one_axis_options(who, given)
  local read = options.read(who, given, { n = false, axis = -1, norm = "backward" })
  options.word(who, "norm", read.norm, kNorms)
  return read
end

fft.hfft = options.bounded("fft.hfft", 2, function(x, given)
  local read = one_axis_options("fft.hfft", given)
  x = options.tensor("fft.hfft", "x", x)
  if not x.dtype:find "complex" then x = x:cast(x.dtype == "float64" and "complex128" or "complex64") end
  return along(lutra.fft.irfft, lutra.conj(x), read.axis, read.n or nil,
    kReverse[read.norm])
end, true)

fft.ihfft = options.bounded("fft.ihfft", 2, function(x, given)
  local read = one_axis_options("fft.ihfft", given)
  return (lutra.conj(along(lutra.fft.rfft, options.tensor("fft.ihfft", "x", x), read.axis, read.n or nil,
    kReverse[read.norm])))
end, true)

-- The frequencies of the numbers first to last, in cycles per unit of the sample spacing d.
local function frequencies(who, n, given, ranges)
  local read = options.read(who, given, { d = 1, dtype = "float32" })
  options.count(who, "n", n, 1)
  if type(read.d) ~= "number" or read.d == 0 or read.d ~= read.d then
    fail("%s: d is %s, expected a number other than 0", who, tools.what_is(read.d))
  end
  if not tostring(read.dtype):find "float" then fail("%s: dtype is %s, expected a float", who, tools.what_is(read.dtype)) end
  local parts = {}
  for i, range in ipairs(ranges(n)) do parts[i] = lutra.range(range[1], range[2], { dtype = "float64" }) end
  return (lutra.concat(parts) / (n * read.d)):cast(read.dtype)
end

fft.fftfreq = options.bounded("fft.fftfreq", 2, function(n, given)
  return (frequencies("fft.fftfreq", n, given, function(count)
    return { { 0, (count + 1) // 2 }, { -(count // 2), 0 } }
  end))
end, true)

fft.rfftfreq = options.bounded("fft.rfftfreq", 2, function(n, given)
  return (frequencies("fft.rfftfreq", n, given, function(count) return { { 0, count // 2 + 1 } } end))
end, true)

-- Rolls every axis by as much as distance(size).
local function shifted(who, x, given, distance)
  x = options.tensor(who, "x", x)
  local axes = given
  if axes == nil then
    axes = {}
    for axis = 1, x.rank do axes[axis] = axis end
  end
  axes = checked_axes(who, x, list_of(who, "axes", axes))
  local distances = {}
  for i, axis in ipairs(axes) do distances[i] = distance(x.shape[axis]) end
  return #axes == 0 and x or lutra.roll(x, distances, axes)
end

fft.fftshift = options.bounded("fft.fftshift", 2, function(x, axes)
  return (shifted("fft.fftshift", x, axes, function(size) return size // 2 end))
end, true)

fft.ifftshift = options.bounded("fft.ifftshift", 2, function(x, axes)
  return (shifted("fft.ifftshift", x, axes, function(size) return -(size // 2) end))
end, true)

return fft
