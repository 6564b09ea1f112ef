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

-- Elements first to last of an axis, from 1 on, or backwards if last < first.
local function range_of(x, axis, first, last)
  local key = {}
  for k = 1, x.rank do key[k] = {} end
  key[axis] = { first, last, last < first and -1 or 1 }
  return x[key]
end

-- For each mode, what stands before and behind x if that is no more than x has: two ranges, whose last may be below the
-- first. Copies of pieces take less time than a lookup of each element.
local pieces = {
  [mirrors.reflect] = function(n, before, behind) return before + 1, 2, n - 1, n - behind end,
  [mirrors.symmetric] = function(n, before, behind) return before, 1, n, n - behind + 1 end,
  [mirrors.wrap] = function(n, before, behind) return n - before + 1, n, 1, behind end,
}

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
      local ranges = pieces[mirror]
      if ranges and math.max(before, behind) < n then
        local first, last, next_first, next_last = ranges(n, before, behind)
        local list = { x }
        if before > 0 then table.insert(list, 1, range_of(x, axis, first, last)) end
        if behind > 0 then list[#list + 1] = range_of(x, axis, next_first, next_last) end
        x = lutra.concat(list, axis)
      else
        -- Places, and what mirror computes with them.
        options.require_memory(who, x.device, { 4, before + n + behind }, "int64")
        local place = lutra.range(-before, n + behind, { dtype = "int64" })
        x = lutra.gather(x, mirror(place, n) + 1, axis)
      end
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
