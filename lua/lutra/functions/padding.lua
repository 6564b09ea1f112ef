-- pad with a mode: elements of x stand before and behind it too.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local padding = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

-- For each mode the element of an axis of n, from 0 on, that stands at a place before, in or behind it. Names are NumPy's,
-- and PyTorch's replicate and circular.
local mirrors = {}
function mirrors.edge(place, n) return lutra.clip(place, 0, n - 1) end
function mirrors.wrap(place, n) return place % n end
function mirrors.symmetric(place, n)
  local turn = place % (2 * n)
  return lutra.minimum(turn, 2 * n - 1 - turn)
end
function mirrors.reflect(place, n)
  if n == 1 then return place * 0 end
  local turn = place % (2 * n - 2)
  return lutra.minimum(turn, 2 * n - 2 - turn)
end
mirrors.replicate, mirrors.circular = mirrors.edge, mirrors.wrap


local function repeated(who, x, paddings, mirror)
  x = tensor(who, "x", x)
  if type(paddings) ~= "table" or #paddings ~= x.rank then
    fail("%s: paddings is %s, expected a pair for each of x's %d axes: {{1, 1}, ...}", who,
      type(paddings) == "table" and ("a list of " .. #paddings) or tools.what_is(paddings), x.rank)
  end
  for axis, pair in ipairs(paddings) do
    local what = ("paddings[%d]"):format(axis)
    if type(pair) ~= "table" or #pair ~= 2 then fail("%s: %s is %s, expected a pair", who, what, tools.what_is(pair)) end
    local before, behind = options.count(who, what .. "[1]", pair[1], 0, options.kMostSize),
      options.count(who, what .. "[2]", pair[2], 0, options.kMostSize)
    local n = x.shape[axis]
    if before + behind > 0 then
      if n == 0 then fail("%s: x %s has no elements to repeat along axis %d", who, tostring(x.shape), axis) end
      -- Places, and what mirror computes with them.
      options.require_memory(who, x.device, { 4, before + n + behind }, "int64")
      local place = lutra.range(-before, n + behind, { dtype = "int64" })
      x = lutra.gather(x, mirror(place, n) + 1, axis)
    end
  end
  return x
end

function padding.mirror_pad(x, paddings, mode)
  return repeated("mirror_pad", x, paddings, options.word("mirror_pad", "mode", mode == nil and "reflect" or mode, mirrors))
end

-- pad(x, paddings, {mode = , value = }); the op itself pads with a constant (prelude.lua).
local op = lutra.pad
local modes = { constant = true }
for name, mirror in pairs(mirrors) do modes[name] = mirror end
function padding.pad(x, paddings, given)
  local read = options.read("pad", given, { mode = "constant", value = false })
  local has_value = rawget(given, "value") ~= nil
  local mirror = options.word("pad", "mode", read.mode, modes)
  if mirror == true then
    if has_value then return (op(x, paddings, { value = given.value })) end
    return (op(x, paddings))
  end
  if has_value then fail("pad: value is for mode = \"constant\", and mode is \"%s\", which repeats elements of x", read.mode) end
  return repeated("pad", x, paddings, mirror)
end

for name, count in pairs { mirror_pad = 3, pad = 3 } do
  padding[name] = options.bounded(name, count, padding[name], true)
end

return padding
