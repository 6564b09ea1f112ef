-- Descriptions of elements, for element_files.lua. A value is described by {kind = "tensor", dtype, shape}, {kind = "texts",
-- sizes} or {kind = "table", keys, entries}. Tensors and texts are the leaves, in the order of the keys. A group of elements
-- of one description has a column for each leaf.
local lutra, tools, use = ...
local texts = use "texts"

local described = {}

-- Integers before strings.
local function key_order(a, b)
  if type(a) ~= type(b) then return type(a) == "number" end
  return a < b
end

local function below(shape) return { table.unpack(shape, 2) } end

local function of_value(who, value, is_stacked)
  if type(value) == "userdata" then
    local shape = is_stacked and below(value.shape) or { table.unpack(value.shape) }
    return { kind = "tensor", dtype = value.dtype, shape = shape }
  elseif type(value) == "string" then
    return { kind = "texts", sizes = {} }
  elseif texts.is(value) then
    texts.check(who, "an element's texts", value)
    local sizes = texts.sizes(value)
    return { kind = "texts", sizes = is_stacked and below(sizes) or sizes }
  end
  local keys, entries = {}, {}
  for key in pairs(value) do
    if type(key) ~= "string" and math.type(key) ~= "integer" then
      tools.fail("InvalidArgument", ("%s: a table of an element has the key %s, expected strings and whole numbers"):format(who,
        tools.what_is(key)))
    end
    keys[#keys + 1] = key
  end
  table.sort(keys, key_order)
  for i, key in ipairs(keys) do entries[i] = of_value(who, value[key], is_stacked) end
  return { kind = "table", keys = keys, entries = entries }
end

-- The descriptions of an element's values; is_stacked: values are those of several elements along a first axis.
function described.of(who, values, is_stacked)
  local list = {}
  for i = 1, values.n do list[i] = of_value(who, values[i], is_stacked) end
  return list
end

local function has_sizes(sizes, wanted, skipped)
  if #sizes ~= #wanted + skipped then return false end
  for axis = 1, #wanted do
    if sizes[axis + skipped] ~= wanted[axis] then return false end
  end
  return true
end

local function fits(told, value, skipped)
  if told.kind == "tensor" then
    return type(value) == "userdata" and value.dtype == told.dtype and has_sizes(value.shape, told.shape, skipped)
  elseif told.kind == "texts" then
    return (type(value) == "string" or texts.are(value)) and has_sizes(texts.sizes(value), told.sizes, skipped)
  end
  if type(value) ~= "table" or texts.is(value) then return false end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  if count ~= #told.keys then return false end
  for i, key in ipairs(told.keys) do
    if value[key] == nil or not fits(told.entries[i], value[key], skipped) then return false end
  end
  return true
end

-- Whether values are of these descriptions.
function described.fit(list, values, is_stacked)
  if #list ~= values.n then return false end
  for i, told in ipairs(list) do
    if not fits(told, values[i], is_stacked and 1 or 0) then return false end
  end
  return true
end

-- f(leaf's description, number, value) for each leaf. Returns the number of leaves up to here.
local function each_leaf(told, value, at, f)
  if told.kind ~= "table" then
    f(told, at + 1, value)
    return at + 1
  end
  for i, key in ipairs(told.keys) do at = each_leaf(told.entries[i], value and value[key], at, f) end
  return at
end

local function length_of(text)
  if type(text) == "string" then return #text + 8 end
  local bytes = 0
  for _, each in ipairs(text) do bytes = bytes + length_of(each) end
  return bytes
end

-- Adds the values' leaves to the group's columns. Returns their bytes.
function described.collect(group, values)
  local at, bytes = 0, 0
  for i, told in ipairs(group.values) do
    at = each_leaf(told, values[i], at, function(leaf, number, value)
      local column = group.columns[number] or {}
      group.columns[number] = column
      column[#column + 1] = value
      bytes = bytes + (leaf.kind == "tensor" and value.nbytes or length_of(value))
    end)
  end
  return bytes
end

-- The number of rows of a stacked value.
function described.rows(value)
  while type(value) == "table" and not texts.is(value) do value = select(2, next(value)) end
  return #value
end

local function name_of(group, leaf) return ("%d.%d"):format(group, leaf) end

-- Appends all strings in nested tables.
local function flatten(text, out)
  if type(text) == "string" then out[#out + 1] = text return end
  for _, each in ipairs(text) do flatten(each, out) end
end

-- The column of a tensor as one tensor {elements, ...}, as a file can hold it.
local function stored(column, is_stacked, leaf, most_rank)
  if #leaf.shape >= most_rank then
    for i, each in ipairs(column) do column[i] = each:reshape { -1 } end
  end
  local all = is_stacked and (#column == 1 and column[1] or lutra.concat(column, 1)) or lutra.stack(column)
  -- NumPy's files have no bfloat16.
  if leaf.dtype == "bfloat16" then all = lutra.from_bytes(all:bytes(), "int16", all.shape) end
  return all
end

-- Puts the group's columns among the tensors of a file.
function described.store(group, number, tensors, most_rank)
  local at = 0
  for _, told in ipairs(group.values) do
    at = each_leaf(told, nil, at, function(leaf, k)
      local name, column = name_of(number, k), group.columns[k]
      if leaf.kind == "tensor" then
        tensors[name] = stored(column, group.is_stacked, leaf, most_rank)
        return
      end
      local all, lengths = {}, {}
      flatten(column, all)
      for i, text in ipairs(all) do lengths[i] = #text end
      local bytes = table.concat(all)
      tensors[name] = lutra.from_bytes(bytes, "uint8", { #bytes })
      tensors[name .. ".lengths"] = lutra.constant(lengths, { dtype = "int64" })
    end)
  end
end

local function value_as_json(told)
  if told.kind == "tensor" then return { dtype = told.dtype, shape = told.shape } end
  if told.kind == "texts" then return { texts = told.sizes } end
  local entries = {}
  for i, key in ipairs(told.keys) do entries[i] = { key, value_as_json(told.entries[i]) } end
  return { entries = entries }
end

-- A form of descriptions that JSON keeps: keys stay strings or integers.
function described.as_json(list)
  local out = {}
  for i, told in ipairs(list) do out[i] = value_as_json(told) end
  return out
end

local function is_size(value) return math.type(value) == "integer" and value >= 0 end

-- Checks a description from a file, and puts `kind` and the others' fields back in.
local function restore(told)
  if type(told) ~= "table" then return false end
  local sizes = told.shape or told.texts
  if sizes then
    if type(sizes) ~= "table" then return false end
    for i = 1, #sizes do
      if not is_size(sizes[i]) then return false end
    end
    if told.shape then
      told.kind = "tensor"
      return type(told.dtype) == "string"
    end
    told.kind, told.sizes = "texts", sizes
    return true
  end
  if type(told.entries) ~= "table" then return false end
  local keys, entries = {}, {}
  for i, entry in ipairs(told.entries) do
    if type(entry) ~= "table" or type(entry[1]) ~= "string" and math.type(entry[1]) ~= "integer" or not restore(entry[2]) then
      return false
    end
    keys[i], entries[i] = entry[1], entry[2]
  end
  told.kind, told.keys, told.entries = "table", keys, entries
  return true
end

function described.is_right(list)
  if type(list) ~= "table" or #list == 0 then return false end
  for _, told in ipairs(list) do
    if not restore(told) then return false end
  end
  return true
end

-- The texts of all elements, one after the other, from a file's tensors; nil if these do not fit together.
local function texts_of(bytes, lengths)
  if not bytes or bytes.dtype ~= "uint8" or not lengths or lengths.dtype ~= "int64" or lengths.rank ~= 1 then return nil end
  local all, from, list = bytes:bytes(), 1, {}
  for i, length in ipairs(lengths:totable()) do
    if length < 0 or length > #all - from + 1 then return nil end
    list[i] = all:sub(from, from + length - 1)
    from = from + length
  end
  return from == #all + 1 and list or nil
end

local function size_of(sizes)
  local size = 1
  for _, n in ipairs(sizes) do size = size * n end
  return size
end

-- What the leaves of a group are in a file: tensors of all elements, or lists of all texts. nil if the file's tensors are not
-- as it says.
function described.leaves(group, number, tensors)
  local list, at, is_right = {}, 0, true
  for _, told in ipairs(group.values) do
    at = each_leaf(told, nil, at, function(leaf, k)
      local name = name_of(number, k)
      local tensor = tensors[name]
      if leaf.kind == "texts" then
        list[k] = texts_of(tensor, tensors[name .. ".lengths"])
        is_right = is_right and list[k] and #list[k] == group.count * size_of(leaf.sizes)
        return
      end
      local dtype = leaf.dtype == "bfloat16" and "int16" or leaf.dtype
      is_right = is_right and tensor and tensor.dtype == dtype and tensor.rank > 0 and #tensor == group.count
        and tensor.size == group.count * size_of(leaf.shape)
      if not is_right then return end
      if leaf.dtype == "bfloat16" then
        tensor = lutra.device("/CPU:0", lutra.from_bytes, tensor:bytes(), "bfloat16", tensor.shape)
      end
      list[k] = tensor
    end)
  end
  return is_right and list or nil
end

-- Nested tables of texts with these sizes, from the list's entries from `at` on, and where they end.
local function nested(list, sizes, axis, at)
  if axis > #sizes then return list[at], at + 1 end
  local rows = {}
  for i = 1, sizes[axis] do rows[i], at = nested(list, sizes, axis + 1, at) end
  return rows, at
end

local function value_at(told, leaves, at, row)
  if told.kind == "tensor" then
    local value = leaves[at + 1][row]
    if value.rank ~= #told.shape then value = value:reshape(told.shape) end
    return value, at + 1
  elseif told.kind == "texts" then
    local value = nested(leaves[at + 1], told.sizes, 1, (row - 1) * size_of(told.sizes) + 1)
    return value, at + 1
  end
  local out = {}
  for i, key in ipairs(told.keys) do out[key], at = value_at(told.entries[i], leaves, at, row) end
  return out, at
end

-- The values of an element.
function described.element(list, leaves, row)
  local values, at = {}, 0
  for i, told in ipairs(list) do values[i], at = value_at(told, leaves, at, row) end
  return values
end

return described
