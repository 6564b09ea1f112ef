-- data_format = "channels_first" of convolutions and pools: images {rows, channels, height, width}. They are transposed, as
-- oneDNN takes about twice as long in this order (docs/decisions/channels-first-is-transposed.md). A convolution with a
-- window of one element is a product, which needs no copy.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local order = {}

local formats = { channels_last = true, channels_first = true }
local forms = {
  "(batch, channels, steps)", "(batch, channels, height, width)", "(batch, channels, depth, height, width)",
}

-- Whether the options ask for channels first; and the other options.
local function split(who, given)
  if type(given) ~= "table" or getmetatable(given) ~= nil or rawget(given, "data_format") == nil then return false, given end
  options.word(who, "data_format", given.data_format, formats)
  local rest = {}
  for name, value in pairs(given) do
    if name ~= "data_format" then rest[name] = value end
  end
  return given.data_format == "channels_first", next(rest) ~= nil and rest or nil
end

local function to_last(x)
  local axes = { 1 }
  for axis = 3, x.rank do axes[axis - 1] = axis end
  axes[x.rank] = 2
  return lutra.transpose(x, axes)
end
local function to_first(y)
  local axes = { 1, y.rank }
  for axis = 2, y.rank - 1 do axes[axis + 1] = axis end
  return lutra.transpose(y, axes)
end

-- Whether all numbers of an option are 1, or it is not given.
local function is_one(value)
  if type(value) ~= "table" then return value == nil or value == 1 end
  for _, number in ipairs(value) do
    if number ~= 1 then return false end
  end
  return true
end
local function adds_nothing(padding)
  if type(padding) == "table" then return padding[1] == 0 and padding[2] == 0 end
  return padding == nil or padding == "valid" or padding == "same"
end

-- {out, channels} times {batch, channels, places}; nil if it is no such product.
local function product(x, w, given)
  given = given or {}
  if w.rank ~= 4 or w.shape[1] ~= 1 or w.shape[2] ~= 1 or w.shape[3] ~= x.shape[2] then return nil end
  if not (is_one(given.stride) and is_one(given.groups) and adds_nothing(given.padding)) then return nil end
  for name in pairs(given) do
    -- The op knows what to say about others.
    if name ~= "stride" and name ~= "groups" and name ~= "padding" then return nil end
  end
  local n, channels, height, width = table.unpack(x.shape)
  local matrix = arguments.float(w:reshape { channels, w.shape[4] })
  local y = lutra.matmul(matrix, arguments.float(x):reshape { n, channels, height * width }, { transpose_a = true })
  return y:reshape { n, w.shape[4], height, width }
end

-- f, which takes x, one more argument and options, with the option data_format. Without it f is called as it is.
function order.with_format(who, axes, f)
  return function(x, second, given, ...)
    local is_first, rest = split(who, given)
    if not is_first then
      -- f counts its arguments.
      if rest == nil and select("#", ...) == 0 then return f(x, second) end
      return f(x, second, rest, ...)
    end
    x = arguments.tensor(who, "x", x, axes + 2, forms[axes])
    if who == "conv2d" then
      second = arguments.tensor(who, "w", second)
      local y = product(x, second, rest)
      if y then return y end
    end
    if rest == nil then return to_first(f(to_last(x), second)) end
    return to_first(f(to_last(x), second, rest, ...))
  end
end

for _, name in ipairs { "conv2d", "conv2d_transpose", "max_pool2d", "avg_pool2d" } do
  -- Without the option, the op (prelude.lua).
  order[name] = options.bounded(name, 3, order.with_format(name, 2, lutra[name]), true)
end

return order
