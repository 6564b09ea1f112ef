-- Texts: tables of strings, nested to the same depth everywhere. They stand for tensors where datasets and models take
-- strings, which no tensor holds; the first level counts rows.
local lutra, tools = ...

local texts = {}

-- A list of an element's values, which may have strings among tensors, is shorter.
local kLooked = 8

-- Whether value is a string, or a table whose first entry is one.
local function begins_with_string(value)
  while type(value) == "table" and getmetatable(value) == nil do value = rawget(value, 1) end
  return type(value) == "string"
end
texts.begin = begins_with_string

-- Whether value is a table that begins as one of strings; `check` looks at all of it.
function texts.is(value)
  if type(value) ~= "table" or not begins_with_string(value) then return false end
  for i = 2, math.min(#value, kLooked) do
    if not begins_with_string(value[i]) then return false end
  end
  return true
end

-- The sizes of its axes.
function texts.sizes(value)
  local sizes = {}
  while type(value) == "table" do sizes[#sizes + 1], value = #value, value[1] end
  return sizes
end

-- Where value differs from texts of these sizes, as in "[2][1]", and what is there.
local function difference(value, sizes, axis)
  if axis > #sizes then
    if type(value) ~= "string" then return "", tools.what_is(value) .. ", expected a string" end
    return nil
  end
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    return "", tools.what_is(value) .. ", expected a table of strings"
  end
  if #value ~= sizes[axis] then
    return "", ("a table of %d, and the first one has %d; all must be equally long"):format(#value, sizes[axis])
  end
  for i = 1, #value do
    local path, problem = difference(value[i], sizes, axis + 1)
    if path then return ("[%d]%s"):format(i, path), problem end
  end
end

-- Whether all of value is strings, nested to the same depth.
function texts.are(value) return texts.is(value) and difference(value, texts.sizes(value), 1) == nil end

function texts.check(who, name, value)
  local path, problem = difference(value, texts.sizes(value), 1)
  if path then tools.fail("InvalidArgument", ("%s: %s%s is %s"):format(who, name, path, problem)) end
  return value
end

-- Rows first .. last of texts or of a tensor, whose memory they share.
function texts.slice(value, first, last)
  if type(value) == "table" then return table.move(value, first, last, 1, {}) end
  return value[{ { first, last } }]
end
-- Rows of either by a tensor of their numbers.
function texts.gather(value, places)
  if type(value) ~= "table" then return (lutra.gather(value, places)) end
  local rows = {}
  for i, place in ipairs(places:totable()) do rows[i] = value[place] end
  return rows
end

-- Empty strings.
function texts.empty(sizes, axis)
  axis = axis or 1
  if axis > #sizes then return "" end
  local rows = {}
  for i = 1, sizes[axis] do rows[i] = texts.empty(sizes, axis + 1) end
  return rows
end

local function at_depth(value, depth, f)
  if depth == 0 then return f(value) end
  local made = {}
  for i = 1, #value do made[i] = at_depth(value[i], depth - 1, f) end
  return made
end

-- Rows of this shape, nil if they have another one. As in Keras, a last axis of size 1 may be missing or superfluous.
function texts.shaped(value, shape)
  local sizes = texts.sizes(value)
  if #sizes == #shape and shape[#shape] == 1 then
    value = at_depth(value, #sizes, function(text) return { text } end)
  elseif #sizes == #shape + 2 and sizes[#sizes] == 1 then
    value = at_depth(value, #sizes - 1, function(list) return list[1] end)
  end
  sizes = texts.sizes(value)
  for axis = 1, #shape do
    if shape[axis] ~= -1 and shape[axis] ~= sizes[axis + 1] then return nil end
  end
  return #sizes == #shape + 1 and value or nil
end

return texts
