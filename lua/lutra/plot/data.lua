-- What a plot is given: y, {x, y} or {name = y, ...}, each a list of numbers or a tensor, as series of Lua numbers.
local lutra, tools, use = ...
local options = use "options"
local data = {}

local function refuse(...) tools.fail("InvalidArgument", (...):format(select(2, ...))) end

-- A table that is no object of another kind: its metamethods would run the program's code.
local function is_plain(value) return type(value) == "table" and getmetatable(value) == nil end
local function is_column(value) return tools.is_tensor(value) or is_plain(value) end

local function as_numbers(booleans)
  for i = 1, #booleans do booleans[i] = booleans[i] and 1 or 0 end
end

-- A column of numbers: a list of numbers and booleans, or a tensor with one axis.
function data.numbers(who, what, value)
  if tools.is_tensor(value) then
    local shape = value.shape
    if #shape ~= 1 then
      refuse("%s: %s is a tensor %s, expected one axis%s", who, what, options.shape_text(shape),
        #shape == 0 and ": {x:item()}"
          or #shape == 2 and "; write y[{ {}, 1 }] for its first column, or lt.plot.heat(y)" or "")
    end
    local list = value:totable()
    if value.dtype == "bool" then as_numbers(list) end
    return list
  end
  if not is_plain(value) then
    refuse("%s: %s is %s, expected a list of numbers or a tensor", who, what, tools.what_is(value))
  end
  local list = {}
  for i = 1, rawlen(value) do
    local each = rawget(value, i)
    if type(each) == "boolean" then each = each and 1 or 0 end
    if type(each) ~= "number" then
      refuse("%s: %s[%d] is %s, expected a number", who, what, i, tools.what_is(each))
    end
    list[i] = each
  end
  for key in next, value do
    if math.type(key) ~= "integer" or key < 1 or key > #list then
      refuse("%s: %s has the key %s, expected a list of numbers", who, what, tools.what_is(key))
    end
  end
  return list
end

-- {y} with x = 1, 2, ..., or {x, y}. With takes_words x may be a list of strings.
local function pair(who, what, value, takes_words)
  local first = is_plain(value) and rawget(value, 1)
  if not (first and is_column(first)) then
    local y, x = data.numbers(who, what, value), {}
    for i = 1, #y do x[i] = i end
    return { x = x, y = y, counts = true }
  end
  if rawlen(value) ~= 2 then
    refuse("%s: %s is a list of %d columns, expected y or {x, y}; several series have names: {a = y1, b = y2}",
      who, what, rawlen(value))
  end
  local x, labels = rawget(value, 1), nil
  if takes_words and is_plain(x) and type(rawget(x, 1)) == "string" then
    labels = {}
    for i = 1, rawlen(x) do labels[i] = options.text(who, ("%s: x[%d]"):format(what, i), rawget(x, i)) end
    x = labels
  else
    x = data.numbers(who, what == "y" and "x" or what .. "'s x", x)
  end
  local y = data.numbers(who, what == "y" and what or what .. "'s y", rawget(value, 2))
  if #x ~= #y then
    refuse("%s: %s has %d of x and %d of y, expected as many", who, what == "y" and "the plot" or what, #x, #y)
  end
  if labels then
    x = {}
    for i = 1, #y do x[i] = i end
  end
  return { x = x, y = y, labels = labels }
end

-- Whether a table has names, and no list.
local function has_names(who, value)
  if not is_plain(value) then return false end
  local name, count = nil, rawlen(value)
  for key in next, value do
    if type(key) == "string" then name = key end
  end
  if name and count > 0 then
    refuse("%s: the table has %d entries without a name and the name \"%s\", expected y, {x, y} or {name = y, ...}",
      who, count, options.quoted(name))
  end
  return name ~= nil
end

-- The series of a plot, {name or nil, x, y}, by name.
function data.series(who, given, takes_words)
  if given == nil then refuse("%s: y is missing, expected y, {x, y} or {name = y, ...}", who) end
  if not has_names(who, given) then return { pair(who, "y", given, takes_words) } end
  for key in next, given do
    if type(key) ~= "string" then refuse("%s: the series' name is %s, expected a string", who, tools.what_is(key)) end
  end
  local list = {}
  for i, name in ipairs(options.sorted_names(given)) do
    list[i] = pair(who, options.quoted(name), rawget(given, name), takes_words)
    list[i].name = name
  end
  return list
end

-- {cats = 3, dogs = 5} is a bar for each name.
function data.bars(who, given)
  if has_names(who, given) then
    local names, y, x = options.sorted_names(given), {}, {}
    for i, name in ipairs(names) do
      y[i], x[i] = rawget(given, name), i
      if type(y[i]) ~= "number" then return data.series(who, given, true) end
    end
    return { { x = x, y = y, labels = names } }
  end
  return data.series(who, given, true)
end

-- Rows of numbers: a tensor with two axes, or a list of rows of one length.
function data.matrix(who, given)
  if tools.is_tensor(given) then
    if #given.shape ~= 2 then
      refuse("%s: the tensor is %s, expected two axes", who, options.shape_text(given.shape))
    end
    local columns = given.shape[2]
    local rows = given.shape[1] * columns > 0 and given:totable() or {}
    if given.dtype == "bool" then
      for _, row in ipairs(rows) do as_numbers(row) end
    end
    return rows, #rows, columns
  end
  if not is_plain(given) then
    refuse("%s: the values are %s, expected rows: a tensor with two axes or a list of lists", who, tools.what_is(given))
  end
  local rows = {}
  for i = 1, rawlen(given) do
    rows[i] = data.numbers(who, ("row %d"):format(i), rawget(given, i))
    if #rows[i] ~= #rows[1] then
      refuse("%s: row %d has %d numbers and row 1 has %d, expected as many", who, i, #rows[i], #rows[1])
    end
  end
  if next(given) ~= nil and #rows == 0 then refuse("%s: the table has no rows, expected a list of lists", who) end
  return rows, #rows, rows[1] and #rows[1] or 0
end

return data
