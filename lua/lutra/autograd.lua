-- Features built on tapes: functions with custom gradients, recomputation, Jacobians. They are documented in
-- _meta/autograd.lua. Methods of tapes get the tape as their first argument.
local lutra, tools, use = ...
local options = use "options"
local is_tensor = tools.is_tensor
local autograd = {}

-- Fails unless `who` was called with a function and nothing else.
local function require_callable(who, f, ...)
  local surplus = select("#", ...)
  if surplus > 0 then
    tools.fail("InvalidArgument", ("%s: %d arguments given, expected %s(f)"):format(who, 1 + surplus, who))
  end
  if options.is_callable(f) then return end
  tools.fail("InvalidArgument", ("%s: f is %s, expected a function"):format(who, tools.what_is(f)))
end

-- Fails if there are more than four arguments.
local function refuse_fifth(who, ...)
  local surplus = select("#", ...)
  if surplus > 0 then
    tools.fail("InvalidArgument", ("%s: %d arguments given, at most 4 are taken"):format(who, 4 + surplus))
  end
end

-- The tensors among the arguments. A tensor inside a table is an error, since it would silently get no gradient.
local function inputs_of(who, args)
  local inputs = {}
  for i = 1, args.n do
    local value = args[i]
    if is_tensor(value) then
      inputs[#inputs + 1] = value
    elseif type(value) == "table" and getmetatable(value) == nil then
      for key, entry in pairs(value) do
        if is_tensor(entry) then
          tools.fail("InvalidArgument",
            ("%s: argument %d is a table with a tensor at %s, which would get no gradient: give "
            .. "each tensor as an argument of its own"):format(who, i, tools.what_is(key)))
        end
      end
    end
  end
  return inputs
end

-- The inputs, followed by the variables that are not inputs.
local function with_variables(inputs, variables)
  local all, others, known = table.move(inputs, 1, #inputs, 1, {}), {}, {}
  for _, input in ipairs(inputs) do known[input] = true end
  for _, variable in ipairs(variables) do
    if not known[variable] then others[#others + 1], all[#all + 1] = variable, variable end
  end
  return all, others
end

local function require_tensors(who, results, count)
  if count == 0 then tools.fail("InvalidArgument", who .. ": the function returned no tensor") end
  for i = 1, count do
    if not is_tensor(results[i]) then
      tools.fail("InvalidArgument",
        ("%s: the function's result %d is %s, expected a tensor"):format(who, i, tools.what_is(results[i])))
    end
  end
  return table.move(results, 1, count, 1, {})
end

-- Makes f run in the scopes that are open now, and in no others.
local function in_this_scope(f)
  local name = tools.current_scope()
  return function(...)
    local none <close> = lutra.device(false)
    local scope <close> = lutra.device(name)
    return f(...)
  end
end

-- Shape and dtype of each input, without keeping the inputs alive.
local function kinds_of(inputs)
  local kinds = {}
  for i, input in ipairs(inputs) do
    local dtype = input.dtype
    kinds[i] = { shape = input.shape, dtype = dtype, has_gradient = (dtype:find "float" or dtype:find "complex") ~= nil }
  end
  return kinds
end

local function names_of(variables)
  local names = {}
  for i, variable in ipairs(variables) do names[i] = ("'%s'"):format(variable.name) end
  return table.concat(names, ", ")
end

-- Fails unless there is a gradient (or nil or false) for each input, with the input's shape and dtype.
local function check_gradients(got, kinds, variables)
  if got.n ~= #kinds then
    local arguments = #kinds - #variables
    local of = ("%d for the arguments that are tensors"):format(arguments)
    if #variables > 0 then
      of = ("%s and %d for the variables %s that the function uses"):format(of, #variables, names_of(variables))
    end
    tools.fail("InvalidArgument",
      ("custom_gradient: the function for gradients returned %d values, expected %s"):format(got.n, of))
  end
  for i, kind in ipairs(kinds) do
    local gradient = got[i]
    if gradient and not is_tensor(gradient) then
      tools.fail("InvalidArgument",
        ("custom_gradient: gradient %d is %s, expected a tensor, nil or false"):format(i, tools.what_is(gradient)))
    end
    if gradient and (gradient.shape ~= kind.shape or gradient.dtype ~= kind.dtype) then
      tools.fail("InvalidArgument", ("custom_gradient: gradient %d is %s of %s, expected %s of %s, as its argument or "
        .. "variable"):format(
        i, gradient.shape, gradient.dtype, kind.shape, kind.dtype))
    end
  end
  return got
end

function autograd.custom_gradient(f, ...)
  require_callable("custom_gradient", f, ...)
  return function(...)
    local inputs = inputs_of("custom_gradient", table.pack(...))
    local results, variables
    do
      local watcher <close> = tools.variable_watcher()
      results = table.pack(f(...))
      variables = watcher:watched_variables()
    end
    local gradient = results[results.n]
    if type(gradient) ~= "function" then
      tools.fail("InvalidArgument",
        ("custom_gradient: the function returned %s last, expected its results and then a function "
        .. "that gives the gradients of its arguments"):format(tools.what_is(gradient)))
    end
    results = require_tensors("custom_gradient", results, results.n - 1)
    inputs, variables = with_variables(inputs, variables)
    local kinds = kinds_of(inputs)
    local rule = in_this_scope(function(...)
      -- The last argument says whether the tape may compute this gradient again.
      local upstream = table.pack(...)
      local count = upstream.n
      if #variables > 0 then upstream[count] = variables else count = count - 1 end
      return check_gradients(table.pack(gradient(table.unpack(upstream, 1, count))), kinds, variables)
    end)
    return table.unpack((tools.record_custom(rule, inputs, results)))
  end
end

-- Marks the first of two runs for layers: it is not recorded, and the second run computes the gradient.
local function first_of_two()
  local running = tools.running
  local before = running.recomputed
  running.recomputed = true
  return setmetatable({}, { __close = function() running.recomputed = before end })
end

-- Makes f run with the layer call state of now, marked as a second run.
local function as_trained(f)
  local running = tools.running
  local training, dtype, frozen = running.training, running.dtype, running.frozen
  return function(...)
    local before, dtype_before, again_before, frozen_before = running.training, running.dtype, running.again,
      running.frozen
    local restore <close> = setmetatable({}, { __close = function()
      running.training, running.dtype, running.again, running.frozen = before, dtype_before, again_before, frozen_before
    end })
    running.training, running.dtype, running.again, running.frozen = training, dtype, true, frozen
    return f(...)
  end
end

local function only_floats(tensors, kinds)
  local floats, places = {}, {}
  for i, tensor in ipairs(tensors) do
    if kinds[i].has_gradient then floats[#floats + 1], places[#places + 1] = tensor, i end
  end
  return floats, places
end

-- Fails unless the second run returns the shapes and dtypes of the first.
local function check_same(results, kinds)
  if results.n ~= #kinds then
    tools.fail("InvalidArgument",
      ("recompute_grad: the function returned %d values when it ran again for the gradient, and %d the "
      .. "first time: it must do the same each time"):format(results.n, #kinds))
  end
  for i, kind in ipairs(kinds) do
    local result = results[i]
    if not is_tensor(result) or result.shape ~= kind.shape or result.dtype ~= kind.dtype then
      tools.fail("InvalidArgument",
        ("recompute_grad: the function's result %d is %s when it runs again for the gradient, and was %s of %s "
        .. "the first time: it must do the same each time"):format(i,
          is_tensor(result) and ("%s of %s"):format(result.shape, result.dtype)
        or tools.what_is(result), kind.shape, kind.dtype))
    end
  end
  return results
end

function autograd.recompute_grad(f, ...)
  require_callable("recompute_grad", f, ...)
  local Journal = use "variable_journal"
  return function(...)
    local args = table.pack(...)
    local inputs, random = inputs_of("recompute_grad", args), tools.random_place()
    -- Keeps the variables' values of now, in case f or others assign them before the gradient is computed.
    local journal, results, variables = Journal(), nil, nil
    do
      local paused <close> = tools.pause()
      local told <close> = first_of_two()
      local watcher <close> = tools.variable_watcher()
      results = table.pack(f(...))
      variables = watcher:watched_variables()
    end
    results = require_tensors("recompute_grad", results, results.n)
    inputs = with_variables(inputs, variables)
    local kinds, result_kinds = kinds_of(inputs), kinds_of(results)
    local again = as_trained(function()
      local sequence <close> = tools.replay(random)
      return check_same(table.pack(f(table.unpack(args, 1, args.n))), result_kinds)
    end)
    local asking
    local rule = in_this_scope(function(...)
      local upstream = table.pack(...)
      local back <close> = journal:go_back()
      local sources, places = only_floats(inputs, kinds)
      local tape <close> = lutra.GradientTape { watch_accessed_variables = false }
      tape:watch(sources)
      local targets, at = only_floats(again(), result_kinds)
      local seeds = {}
      for k, i in ipairs(at) do seeds[k] = upstream[i] end
      local gradients, found = tape:gradient(targets, sources, { output_gradients = seeds }), {}
      for k, i in ipairs(places) do found[i] = gradients[k] end
      if upstream[upstream.n] then asking = asking - 1 end
      if asking == 0 then journal:close() end
      return found
    end)
    results, asking = tools.record_custom(rule, inputs, results)
    if asking == 0 then journal:close() end
    return table.unpack(results)
  end
end

function autograd.stop_recording(tape, f, ...)
  require_callable("stop_recording", f)
  local paused <close> = tools.pause(tape)
  return f(...)
end

local kMostAxes = 8

-- Concatenates two shapes.
local function joined(first, second, from)
  local shape = table.move(first, 1, #first, 1, {})
  return table.move(second, from or 1, #second, #shape + 1, shape)
end

-- Stacks gradients, one per element of the target, into one tensor. Nil if a source is not connected.
local function stacked(rows, axis, shape)
  if not rows[1] then return nil end
  return lutra.device(rows[1].device, function() return lutra.stack(rows, axis):reshape(shape) end)
end

local function asked_tensor(who, name, value)
  if not is_tensor(value) then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a tensor"):format(who, name, tools.what_is(value)))
  end
end

-- Calls f(i, options) for each of n elements of the target, or of its row. The options make a gradient start from
-- element i.
local function each_seed(target, n, row_shape, f)
  local function seed(i)
    return lutra.one_hot(i, n):cast(target.dtype):reshape(row_shape):broadcast_to(target.shape)
  end
  for i = 1, n do f(i, { output_gradients = lutra.device(target.device, seed, i), unconnected_gradients = "none" }) end
end

local function read_unconnected(who, given)
  local word = options.read(who, given, { unconnected_gradients = "none" }).unconnected_gradients
  if word ~= "none" and word ~= "zero" then
    tools.fail("InvalidArgument",
      ("%s: unconnected_gradients is %s, expected \"none\" or \"zero\""):format(who, tools.what_is(word)))
  end
  return word == "zero"
end

-- The result for a source that the target does not depend on, or for a target without elements.
local function of_nothing(source, shape, wants_zeros)
  if not wants_zeros then return nil end
  return lutra.device(source.device, lutra.zeros, shape, { dtype = source.dtype })
end

function autograd.jacobian(tape, target, sources, given, ...)
  refuse_fifth("jacobian", ...)
  asked_tensor("jacobian", "target", target)
  local zeros = read_unconnected("jacobian", given)
  local is_one, rows = is_tensor(sources), {}
  local list = is_one and { sources } or sources
  for _, source in pairs(type(list) == "table" and list or {}) do
    if is_tensor(source) and target.rank + source.rank > kMostAxes then
      tools.fail("InvalidArgument",
        ("jacobian: the target %s has %d axes and the source %s %d, and a tensor at most %d: compute both "
        .. "with fewer axes, as by reshape"):format(target.shape, target.rank, source.shape, source.rank, kMostAxes))
    end
  end
  local held <close> = tools.hold(tape, "jacobian")
  local empty = target.size == 0 and tape:gradient(target, list)
  each_seed(target, target.size, target.shape, function(i, asked)
    for key, gradient in pairs(tape:gradient(target, list, asked)) do
      rows[key] = rows[key] or {}
      rows[key][i] = gradient
    end
  end)
  local found = {}
  for key, source in pairs(list) do
    local shape = joined(target.shape, source.shape)
    found[key] = stacked(rows[key] or {}, 1, shape) or of_nothing(source, shape, zeros or empty and empty[key]) or false
  end
  if is_one then return found[1] or nil end
  return found
end

function autograd.batch_jacobian(tape, target, source, given, ...)
  local who = "batch_jacobian"
  refuse_fifth(who, ...)
  asked_tensor(who, "target", target)
  asked_tensor(who, "source", source)
  local zeros = read_unconnected(who, given)
  local of_target, of_source = target.shape, source.shape
  if #of_target == 0 or #of_source == 0 or of_target[1] ~= of_source[1] then
    tools.fail("InvalidArgument",
      ("%s: target %s and source %s do not match: the first axis of both is the batch"):format(who,
      of_target, of_source))
  end
  local row_shape, n = joined({ 1 }, of_target, 2), 1
  for _, size in ipairs(row_shape) do n = n * size end
  local shape, rows = joined(of_target, of_source, 2), {}
  if #shape > kMostAxes then
    tools.fail("InvalidArgument",
      ("%s: target %s and source %s have %d axes without a second batch, and a tensor at most %d: compute both "
      .. "with fewer axes, as by reshape"):format(who, of_target, of_source, #shape, kMostAxes))
  end
  local held <close> = tools.hold(tape, who)
  each_seed(target, n, row_shape, function(i, asked) rows[i] = tape:gradient(target, source, asked) end)
  return stacked(rows, 2, shape) or of_nothing(source, shape, zeros or n == 0)
end

return autograd
