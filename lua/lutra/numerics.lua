-- Functions over ops that return lists, have results whose sizes depend on values, or call the user's functions. They
-- are documented in _meta/lutra.lua.
local lutra, tools, use = ...
local options = use "options"
local numerics = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local function tensor(who, what, value)
  if tools.is_tensor(value) then return value end
  local kind = type(value)
  if kind ~= "table" and kind ~= "number" and kind ~= "boolean" then
    fail("%s: %s is %s, expected a tensor", who, what, tools.what_is(value))
  end
  return options.literal(who, what, value)
end

local function vector(who, what, value)
  local x = tensor(who, what, value)
  if x.rank == 0 then x = x:reshape { 1 } end
  if x.rank ~= 1 then fail("%s: %s %s has %d axes, expected a vector", who, what, tostring(x.shape), x.rank) end
  return x
end

-- The arguments without a table of options at the end, and that table. A list of numbers is an argument.
local function with_options(args)
  local last = args[args.n]
  if type(last) == "table" and getmetatable(last) == nil and next(last) ~= nil and #last == 0 then
    args[args.n], args.n = nil, args.n - 1
    return last
  end
end

function numerics.meshgrid(...)
  local args = table.pack(...)
  local read = options.read("meshgrid", with_options(args), { indexing = "xy" })
  options.word("meshgrid", "indexing", read.indexing, { xy = true, ij = true })
  if args.n > 8 then fail("meshgrid: %d arguments given, at most 8 vectors make a grid", args.n) end
  local vectors, shape = {}, {}
  for i = 1, args.n do
    vectors[i] = vector("meshgrid", i == 1 and "x" or "argument " .. i, args[i])
    shape[i] = vectors[i].shape[1]
  end
  local order = {}
  for i = 1, args.n do order[i] = i end
  if read.indexing == "xy" and args.n > 1 then order[1], order[2] = 2, 1 end
  local sizes = {}
  for i = 1, args.n do sizes[order[i]] = shape[i] end
  for i, x in ipairs(vectors) do
    local along = {}
    for axis = 1, args.n do along[axis] = 1 end
    along[order[i]] = shape[i]
    vectors[i] = x:reshape(along):broadcast_to(sizes)
  end
  return table.unpack(vectors)
end

-- For each mode the element of an axis of n, from 0 on, that stands at a place before, in or behind it.
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

function numerics.mirror_pad(x, paddings, mode)
  local who = "mirror_pad"
  x = tensor(who, "x", x)
  local mirror = options.word(who, "mode", mode == nil and "reflect" or mode, mirrors)
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

-- The places of a triangle's elements, by `cut`, lutra.tril or lutra.triu.
local function triangle(who, cut, n, given)
  local read = options.read(who, given, { k = 0, m = false })
  n = options.count(who, "n", n, 0)
  local m = read.m and options.count(who, "m", read.m, 0) or n
  return lutra.nonzero(cut(lutra.ones({ n, m }, { dtype = "int8" }), options.whole(who, "k", read.k)))
end
function numerics.tril_indices(n, given) return (triangle("tril_indices", lutra.tril, n, given)) end
function numerics.triu_indices(n, given) return (triangle("triu_indices", lutra.triu, n, given)) end

function numerics.union1d(a, b)
  local both = { tensor("union1d", "a", a):flatten(), tensor("union1d", "b", b):flatten() }
  return (lutra.unique(lutra.concat(both)))
end
function numerics.intersect1d(a, b)
  local values = lutra.unique(tensor("intersect1d", "a", a))
  return (values[values:isin(tensor("intersect1d", "b", b))])
end
function numerics.setdiff1d(a, b)
  local values = lutra.unique(tensor("setdiff1d", "a", a))
  return (values[values:isin(tensor("setdiff1d", "b", b)):logical_not()])
end

-- With as many segments as the largest number says.
for _, kind in ipairs { "sum", "mean", "max", "min" } do
  local who, op = "segment_" .. kind, lutra["unsorted_segment_" .. kind]
  numerics[who] = function(x, ids)
    x, ids = tensor(who, "x", x), tensor(who, "segment_ids", ids)
    if not ids.dtype:find("int") then fail("%s: segment_ids is %s, expected integers", who, ids.dtype) end
    local found = op(x, ids, ids.size > 0 and ids:max():item() or 0)
    return found
  end
end

local function list_of_tensors(who, list)
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    fail("%s: list is %s, expected a list of tensors", who, tools.what_is(list))
  end
  for i = 1, #list do
    if list[i] ~= false and not tools.is_tensor(list[i]) then
      fail("%s: list[%d] is %s, expected a tensor, or false for none", who, i, tools.what_is(list[i]))
    end
  end
  return list
end

local function norm_of_all(who, list)
  local norms = {}
  for _, x in ipairs(list_of_tensors(who, list)) do
    if x then norms[#norms + 1] = lutra.norm(x) end
  end
  return #norms > 0 and lutra.norm(lutra.stack(norms)) or lutra.constant(0.0)
end

function numerics.global_norm(list) return (norm_of_all("global_norm", list)) end

function numerics.clip_by_global_norm(list, clip_norm, given)
  local who = "clip_by_global_norm"
  local read = options.read(who, given, { use_norm = false })
  list_of_tensors(who, list)
  options.number(who, "clip_norm", clip_norm, 0)
  local norm = read.use_norm and tensor(who, "use_norm", read.use_norm) or norm_of_all(who, list)
  -- Without a comparison in Lua, which would wait for the norm. With clip_norm 0 and norm 0 everything is 0 as it is.
  local scale = clip_norm > 0 and clip_norm / lutra.maximum(norm, clip_norm) or norm * 0
  local clipped = {}
  for i, x in ipairs(list_of_tensors(who, list)) do clipped[i] = x and x * scale:cast(x.dtype) end
  return clipped, norm
end

local function callable(who, what, f)
  if not options.is_callable(f) then fail("%s: %s is %s, expected a function", who, what, tools.what_is(f)) end
end

-- Calls f `count` times with the arguments that at(i) returns, and stacks each of its results along an axis.
local function stacked(who, f, count, at, axis)
  local lists
  for i = 1, count do
    local results = table.pack(f(at(i)))
    lists = lists or { n = results.n }
    if results.n == 0 or results.n ~= lists.n then
      fail("%s: call %d of f returned %d results, expected %s", who, i, results.n,
        results.n == 0 and "a tensor" or ("%d, as call 1"):format(lists.n))
    end
    for r = 1, results.n do
      lists[r] = lists[r] or {}
      lists[r][i] = tensor(who, ("result %d of call %d of f"):format(r, i), results[r])
    end
  end
  for r = 1, lists.n do lists[r] = lutra.stack(lists[r], axis) end
  return table.unpack(lists, 1, lists.n)
end

function numerics.map_fn(f, ...)
  callable("map_fn", "f", f)
  local inputs, count = table.pack(...), nil
  if inputs.n == 0 then fail("map_fn: a tensor is missing, expected map_fn(f, x, ...)") end
  for i = 1, inputs.n do
    local what = i == 1 and "x" or "argument " .. 1 + i
    local x = tensor("map_fn", what, inputs[i])
    if x.rank == 0 then fail("map_fn: %s is a scalar, which has no elements to map", what) end
    count = count or x.shape[1]
    if x.shape[1] ~= count then
      fail("map_fn: %s has %d elements along its first axis, x has %d", what, x.shape[1], count)
    end
    inputs[i] = x
  end
  if count == 0 then fail("map_fn: there are no elements, so f cannot be called to know its results") end
  return stacked("map_fn", f, count, function(i)
    local slices = {}
    for k = 1, inputs.n do slices[k] = inputs[k][i] end
    return table.unpack(slices, 1, inputs.n)
  end, 1)
end

function numerics.vmap(f, given)
  callable("vmap", "f", f)
  local read = options.read("vmap", given, { in_axes = 1, out_axis = 1 })
  local out_axis = options.whole("vmap", "out_axis", read.out_axis)
  local axes = read.in_axes
  if type(axes) ~= "table" then options.whole("vmap", "in_axes", axes) end
  return function(...)
    local args, count, slices = table.pack(...), nil, {}
    for i = 1, args.n do
      local axis = axes
      if type(axes) == "table" then
        axis = axes[i]
        if axis == nil then fail("vmap: in_axes has %d entries, and the function got %d arguments", #axes, args.n) end
      end
      if axis then
        slices[i] = lutra.unstack(tensor("vmap", "argument " .. i, args[i]), options.whole("vmap", "in_axes", axis))
        count = count or #slices[i]
        if #slices[i] ~= count then
          fail("vmap: argument %d has %d elements along its mapped axis, another has %d", i, #slices[i], count)
        end
      end
    end
    if not count or count == 0 then fail("vmap: no argument has elements to map over") end
    return stacked("vmap", f, count, function(at)
      local now = {}
      for i = 1, args.n do
        if slices[i] then now[i] = slices[i][at] else now[i] = args[i] end
      end
      return table.unpack(now, 1, args.n)
    end, out_axis)
  end
end

function numerics.scan(f, x, given)
  callable("scan", "f", f)
  local read = options.read("scan", given, { initial = false, reverse = false })
  options.boolean("scan", "reverse", read.reverse)
  x = tensor("scan", "x", x)
  if x.rank == 0 or #x == 0 then fail("scan: x %s has no elements along a first axis", tostring(x.shape)) end
  local first, last, step = 1, #x, 1
  if read.reverse then first, last, step = last, 1, -1 end
  local states, state = {}, nil
  if read.initial ~= false then state = tensor("scan", "initial", read.initial) end
  for i = first, last, step do
    if state == nil then state = x[i] else state = tensor("scan", "the result of f", f(state, x[i])) end
    states[i] = state
  end
  return (lutra.stack(states))
end

function numerics.while_loop(condition, body, ...)
  callable("while_loop", "condition", condition)
  callable("while_loop", "body", body)
  local state = table.pack(...)
  while true do
    local goes_on = condition(table.unpack(state, 1, state.n))
    if tools.is_tensor(goes_on) then goes_on = goes_on:item() end
    if type(goes_on) ~= "boolean" then
      fail("while_loop: condition returned %s, expected true or false", tools.what_is(goes_on))
    end
    if not goes_on then return table.unpack(state, 1, state.n) end
    local results = table.pack(body(table.unpack(state, 1, state.n)))
    if results.n ~= state.n then
      fail("while_loop: body returned %d values, expected %d, as it was given", results.n, state.n)
    end
    state = results
  end
end

-- The others take what they are documented with, and no more.
local most = {
  mirror_pad = 3, tril_indices = 2, triu_indices = 2, union1d = 2, intersect1d = 2, setdiff1d = 2, segment_sum = 2,
  segment_mean = 2, segment_max = 2, segment_min = 2, global_norm = 1, clip_by_global_norm = 3, vmap = 2, scan = 3,
}
for name, count in pairs(most) do
  numerics[name] = options.bounded(name, count, numerics[name], name ~= "vmap" and name ~= "scan")
end
numerics.meshgrid = options.bounded("meshgrid", math.huge, numerics.meshgrid, true)

return numerics
