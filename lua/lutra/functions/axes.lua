-- Axes in another order, rows turned, and sequences reversed.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local axes = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

function axes.moveaxis(x, source, destination)
  local who = "moveaxis"
  x = tensor(who, "x", x)
  local from = arguments.axes(who, "source", source, x.rank)
  local to = arguments.axes(who, "destination", destination, x.rank)
  if #from ~= #to then fail("%s: source lists %d axes, and destination %d", who, #from, #to) end
  local perm, is_moved = {}, {}
  for i, axis in ipairs(from) do perm[to[i]], is_moved[axis] = axis, true end
  local place = 1
  for axis = 1, x.rank do
    if not is_moved[axis] then
      while perm[place] do place = place + 1 end
      perm[place] = axis
    end
  end
  return (lutra.transpose(x, perm))
end

-- x with two axes exchanged, which may be the same.
local function exchanged(x, a, b)
  local perm = {}
  for axis = 1, x.rank do perm[axis] = axis end
  perm[a], perm[b] = b, a
  return (lutra.transpose(x, perm))
end

function axes.swapaxes(x, a, b)
  local who = "swapaxes"
  x = tensor(who, "x", x)
  a, b = options.whole(who, "a", a), options.whole(who, "b", b)
  return (exchanged(x, arguments.axis(who, a, x.rank), arguments.axis(who, b, x.rank)))
end

function axes.rot90(x, given)
  local who = "rot90"
  local read = options.read(who, given, { k = 1, axes = false })
  local turns = options.whole(who, "k", read.k) % 4
  x = tensor(who, "x", x)
  if x.rank < 2 then fail("%s: x has the shape %s, expected two axes or more", who, tostring(x.shape)) end
  local plane = arguments.axes(who, "axes", read.axes or { 1, 2 }, x.rank)
  if #plane ~= 2 then fail("%s: axes lists %d axes, expected two", who, #plane) end
  local a, b = table.unpack(plane)
  if turns == 0 then return x end
  if turns == 2 then return (lutra.flip(x, plane)) end
  if turns == 1 then return (exchanged(lutra.flip(x, b), a, b)) end
  return (lutra.flip(exchanged(x, a, b), b))
end

function axes.reverse_sequence(x, lengths, given)
  local who = "reverse_sequence"
  local read = options.read(who, given, { axis = 2, batch_axis = 1 })
  x, lengths = tensor(who, "x", x), arguments.integers(who, "lengths", lengths)
  local axis = arguments.axis(who, read.axis, x.rank)
  local batch = arguments.axis(who, options.whole(who, "batch_axis", read.batch_axis), x.rank)
  if axis == batch then fail("%s: axis and batch_axis are both %d", who, axis) end
  if lengths.rank ~= 1 or lengths.size ~= x.shape[batch] then
    fail("%s: lengths has the shape %s, expected a vector of %d numbers, one for each entry of axis %d", who,
      tostring(lengths.shape), x.shape[batch], batch)
  end
  local rows, places = {}, {}
  for i = 1, x.rank do rows[i], places[i] = 1, 1 end
  local n = x.shape[axis]
  rows[batch], places[axis] = x.shape[batch], n
  lengths = lengths:cast("int64"):reshape(rows)
  local place = lutra.range(1, n + 1, 1, { dtype = "int64" }):reshape(places)
  local mirrored = lutra.where(place:le(lengths), lengths + 1 - place, place)
  -- Index 0 is refused, as an index past the end is.
  return (lutra.take_along_axis(x, lutra.where(lengths:lt(0), 0, mirrored), axis))
end

for name, count in pairs { moveaxis = 3, swapaxes = 3, rot90 = 2, reverse_sequence = 3 } do
  axes[name] = options.bounded(name, count, axes[name], true)
end

return axes
