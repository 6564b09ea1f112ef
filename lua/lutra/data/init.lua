-- lutra.data: input pipelines for training. Documented in _meta/data.lua and _meta/data.
local lutra, tools, use = ...
local options, structure, closing, texts = use "options", use "data.structure", use "data.closing", use "texts"
local dataset, Rows = use "data.dataset", use "data.rows"
local Dataset, kInfinite, kUnknown = dataset.Dataset, dataset.kInfinite, dataset.kUnknown

local data = {
  Dataset = Dataset, mnist = use "data.mnist", AUTOTUNE = dataset.kAutotune, INFINITE_CARDINALITY = kInfinite,
  UNKNOWN_CARDINALITY = kUnknown,
}

-- The rows of one tensor, of several, or of a table of them by name.
function Dataset.from_tensor_slices(...)
  return Rows.of("from_tensor_slices", "from_tensor_slices", structure.parts("from_tensor_slices", ...))
end

-- One element: the tensors themselves.
function Dataset.from_tensors(...)
  local parts = structure.parts("from_tensors", ...)
  for i, part in ipairs(parts) do
    parts[i] = structure.each(part, function(value)
      return type(value) == "userdata" and lutra.expand_dims(value, 1) or { value }
    end)
  end
  return Rows.of("from_tensors", "from_tensors", parts)
end

-- The rows of files, which are read when a batch needs them.
function Dataset.from_file(...)
  local paths, parts = table.pack(...), {}
  for i = 1, math.max(paths.n, 1) do parts[i] = tools.file_rows(paths[i]) end
  local made = Rows.of("from_file", "from_file", parts)
  made.in_file, made.in_order = true, nil
  return made
end

-- Integers, with the arguments of lutra.range.
function Dataset.range(...)
  local numbers = table.pack(...)
  for i = 1, numbers.n do numbers[i] = options.count("range", "argument " .. i, numbers[i], math.mininteger) end
  return Rows.of("range", "range", { lutra.range(...):int64() })
end

-- make() returns the values of a generic `for`: a function and optionally its state, initial and closing value.
function Dataset.from_generator(make)
  if type(make) ~= "function" then
    tools.fail("InvalidArgument", ("from_generator: the generator is %s, expected a function that returns an "
      .. "iterator"):format(tools.what_is(make)))
  end
  return Dataset("from_generator", kUnknown, {}, function()
    local next, state, control, value = make()
    if type(next) ~= "function" then
      tools.fail("InvalidArgument",
        "from_generator: the function gives " .. tools.what_is(next) .. ", expected an iterator: a function")
    end
    local close = closing.note(value)
    local function passed(first, ...)
      if first == nil then
        close()
        return nil
      end
      control = first
      return table.unpack(structure.parts("from_generator", first, ...))
    end
    return function() return passed(next(state, control)) end
  end)
end

-- Combines the elements of several datasets; ends with the shortest. An element with several values becomes a list.
function Dataset.zip(...)
  local inputs, given = { ... }, select("#", ...)
  if given == 1 and type(inputs[1]) == "table" and not options.is_dataset(inputs[1]) then
    local list = inputs[1]
    given = rawlen(list)
    for i = 1, math.max(given, 1) do inputs[i] = rawget(list, i) end
  end
  local count, in_order = kInfinite, true
  for i = 1, math.max(given, 1) do
    local input = dataset.require_dataset("zip", inputs[i])
    local more = input.count
    local are_known = more ~= kInfinite and more ~= kUnknown and count ~= kUnknown
    if count == kInfinite or are_known and more < count then
      count = more
    elseif more == kUnknown then
      count = kUnknown
    end
    in_order = in_order and input.in_order
  end
  if in_order then
    local parts = {}
    for i, input in ipairs(inputs) do
      local cut = {}
      for k, part in ipairs(input.parts) do
        cut[k] = input.count == count and part
          or structure.each(part, function(value) return texts.slice(value, 1, count) end)
      end
      parts[i] = #cut == 1 and cut[1] or cut
    end
    return Rows.of("zip", "zip", parts)
  end
  local function packed(first, second, ...)
    if second == nil then return first end
    return { first, second, ... }
  end
  return Dataset("zip", count, inputs, function(ahead)
    local nexts = {}
    for i, input in ipairs(inputs) do nexts[i] = input.open(ahead) end
    return function()
      local values = {}
      for i = 1, #nexts do
        values[i] = packed(nexts[i]())
        if values[i] == nil then return nil end
      end
      return table.unpack(values)
    end
  end)
end

for _, name in ipairs { "from_tensor_slices", "from_tensors", "from_file", "from_generator", "range", "zip" } do
  data[name] = Dataset[name]
end

return use "late".fields(data, { text_lines = "data.files", csv = "data.files", image_folder = "data.files",
  list_files = "data.files", sample_from_datasets = "data.mixing", choose_from_datasets = "data.mixing" })
