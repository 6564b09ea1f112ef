-- Loops that call the program's functions: over elements, over states.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local loops = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

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

function loops.map_fn(f, ...)
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

function loops.vmap(f, given)
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

function loops.scan(f, x, given)
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

function loops.while_loop(condition, body, ...)
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

loops.vmap = options.bounded("vmap", 2, loops.vmap)
loops.scan = options.bounded("scan", 3, loops.scan)

return loops
