-- t:plot(), t:describe() and history:plot().
local lutra, tools, use = ...
local options = use "options"
local methods = {}

-- Whether the last axis of a tensor with three axes has as many entries as a picture has channels.
local function is_picture(shape) return #shape == 3 and shape[3] >= 1 and shape[3] <= 4 end

local function require_tensor(who, value)
  if tools.is_tensor(value) then return end
  tools.fail("InvalidArgument",
    ("%s: called on %s, expected a tensor: write t:%s()"):format(who, tools.what_is(value), who))
end

function methods.plot(tensor, given)
  require_tensor("plot", tensor)
  local shape = tensor.shape
  if #shape == 1 then return lutra.plot.line(tensor, given) end
  if #shape == 2 then return lutra.plot.heat(tensor, given) end
  if is_picture(shape) then return lutra.plot.image(tensor, given) end
  tools.fail("InvalidArgument",
    ("plot: the tensor is %s; one axis is drawn as a line, two as a heat map, {height, width, 1 to 4} as a picture%s")
    :format(options.shape_text(shape), #shape > 2 and ": write t[1]:plot() for its first part" or ""))
end

-- The epochs that a list of a history belongs to: all, or those that validated.
local function epochs_of(history, count)
  local every = history.params and history.params.validation_freq or 1
  if count == #history.epoch then return history.epoch end
  local list = {}
  for _, epoch in ipairs(history.epoch) do
    if epoch % every == 0 then list[#list + 1] = epoch end
  end
  if #list == count then return list end
  -- A list that the program has made: its numbers are those of the last epochs.
  return table.move(history.epoch, math.max(#history.epoch - count, 0) + 1, #history.epoch, 1, {})
end

function methods.plot_history(history, given)
  -- `names` is an option of this method; the others are line's, which checks them.
  local read, only = given, nil
  if given == nil or type(given) == "table" and getmetatable(given) == nil then
    read = { xlabel = "epoch" }
    for name, value in next, given or {} do read[name] = value end
    only, read.names = read.names, nil
  end
  local known = options.sorted_names(history.history)
  if only == nil then only = known end
  if type(only) ~= "table" then
    tools.fail("InvalidArgument", ("history:plot: names is %s, expected a list of names"):format(tools.what_is(only)))
  end
  local series = {}
  for _, name in ipairs(only) do
    local list = type(name) == "string" and history.history[name]
    if not list then
      tools.refuse_word(("history:plot: there is no '%s'"):format(options.quoted(name)), name, known)
    end
    series[name] = { epochs_of(history, #list), list }
  end
  return lutra.plot.line(series, read)
end

function methods.describe(tensor)
  require_tensor("describe", tensor)
  return use "plot.describe"(tensor)
end

return methods
