-- The structure of a dataset's element: one or several values, each a tensor, texts (texts.lua) or a table of these, in a
-- list or by name.
local lutra, tools, use = ...
local options, texts = use "options", use "texts"

local structure = {}

-- `around`: the tables that contain this one.
local function refuse_cycle(who, value, around)
  if around[value] then
    tools.fail("InvalidArgument",
      who .. ": an element has a table that holds itself, expected a tensor, numbers, or a table of them")
  end
end

-- Whether a table holds tensors, strings or string keys at any depth, so that it is not a table of numbers.
local function holds_tensors(who, value, around)
  refuse_cycle(who, value, around)
  around[value] = true
  local holds = false
  for key, entry in next, value do
    holds = type(key) == "string" or type(entry) == "userdata" or type(entry) == "string"
      or type(entry) == "table" and holds_tensors(who, entry, around)
    if holds then break end
  end
  around[value] = nil
  return holds
end

-- Numbers, booleans and tables of them become tensors; texts stay.
local function converted(who, value, around)
  local kind = type(value)
  if kind == "userdata" or kind == "string" or texts.are(value) then return value end
  if kind == "number" or kind == "boolean" then return lutra.constant(value) end
  if kind ~= "table" or getmetatable(value) ~= nil then
    tools.fail("InvalidArgument",
      ("%s: an element has %s, expected a tensor, numbers, strings, or a table of them"):format(who, tools.what_is(value)))
  end
  around = around or {}
  if not holds_tensors(who, value, around) then return lutra.constant(value) end
  around[value] = true
  local out = {}
  for key, entry in pairs(value) do out[key] = converted(who, entry, around) end
  around[value] = nil
  return out
end
structure.converted = converted

-- The given values as a list. A single list that holds tensors counts as its entries, as does one of texts and numbers.
function structure.parts(who, ...)
  local given = table.pack(...)
  if given.n == 1 and type(given[1]) == "table" and rawget(given[1], 1) ~= nil and holds_tensors(who, given[1], {})
    and not texts.are(given[1]) then
    given = table.move(given[1], 1, rawlen(given[1]), 1, { n = rawlen(given[1]) })
  end
  if given.n == 0 then
    tools.fail("InvalidArgument", who .. ": nothing is given, expected tensors or tables of numbers")
  end
  local parts = {}
  for i = 1, given.n do parts[i] = converted(who, given[i]) end
  return parts
end

-- The same structure with f(value) in place of each tensor and text.
local function each(value, f)
  if type(value) ~= "table" or texts.is(value) then return f(value) end
  local out = {}
  for key, entry in pairs(value) do out[key] = each(entry, f) end
  return out
end
structure.each = each

-- A tensor of the structure; nil if there are only texts.
function structure.first_tensor(value)
  local found
  each(value, function(part)
    if type(part) == "userdata" then found = found or part end
    return part
  end)
  return found
end

-- The number of rows, which must be the same for all tensors.
function structure.rows(who, parts)
  local rows, first
  local function visit(value, name)
    if type(value) == "table" and not texts.is(value) then
      for key, entry in pairs(value) do visit(entry, ("%s[%s]"):format(name, options.quoted(key))) end
      return
    end
    if type(value) == "string" or type(value) == "userdata" and value.rank == 0 then
      tools.fail("InvalidArgument", ("%s: %s is a %s, expected rows along a first axis"):format(who, name,
        type(value) == "string" and "string" or "scalar"))
    end
    if rows and #value ~= rows then
      tools.fail("InvalidArgument",
        ("%s: %s has %d rows and %s %d; the first axes must be equally long"):format(who, first, rows,
        name, #value))
    end
    rows, first = #value, first or name
  end
  for i, part in ipairs(parts) do visit(part, "value " .. i) end
  return rows
end

local function stack(list, place)
  local shape, dtype = list[1].shape, list[1].dtype
  for i = 2, #list do
    if type(list[i]) ~= "userdata" or list[i].shape ~= shape or list[i].dtype ~= dtype then
      local other = type(list[i]) == "userdata" and ("%s %s"):format(list[i].dtype, tostring(list[i].shape))
        or tools.what_is(list[i])
      tools.fail("InvalidArgument",
        ("batch: value %d of the first element is %s %s, and of element %d %s; all elements "
        .. "of a batch must have the same dtype and shape")
        :format(place, dtype, tostring(shape), i, other))
    end
  end
  return lutra.stack(list)
end

-- Stacks the elements' values of one position along a new first axis.
function structure.stacked(values, place)
  if texts.is(values) then return texts.check("batch", ("value %d of the elements"):format(place), values) end
  if type(values[1]) ~= "table" then return stack(values, place) end
  local out = {}
  for key in pairs(values[1]) do
    local inner = {}
    for i, value in ipairs(values) do
      inner[i] = type(value) == "table" and value[key] or nil
      if inner[i] == nil then
        tools.fail("InvalidArgument",
          ("batch: value %d of element %d has no '%s', which the first element has"):format(place, i,
          tostring(key)))
      end
    end
    out[key] = structure.stacked(inner, place)
  end
  return out
end

return structure
