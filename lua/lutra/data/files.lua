-- Datasets of files: their paths, lines of texts, columns of a csv, images in folders of classes. Loaded when one is named.
local lutra, tools, use = ...
local options, dataset, structure = use "options", use "data.dataset", use "data.structure"
local Dataset, kUnknown = dataset.Dataset, dataset.kUnknown

local files = {}

-- text_lines(path, ...): the lines of text files, one after the other, as strings.
function files.text_lines(...)
  local paths = { ... }
  if #paths == 1 and type(paths[1]) == "table" then paths = paths[1] end
  if #paths == 0 then tools.fail("InvalidArgument", "text_lines: no path is given, expected paths of text files") end
  for i, path in ipairs(paths) do
    if type(path) ~= "string" then
      tools.fail("InvalidArgument", ("text_lines: path %d is %s, expected a string"):format(i, tools.what_is(path)))
    end
    local file, problem = io.open(path, "rb")
    if not file then tools.fail("NotFound", "text_lines: " .. problem) end
    -- A folder can be opened, but not read.
    local _, why = file:read(0)
    file:close()
    if why then tools.fail("FailedPrecondition", ("text_lines: %s: %s"):format(path, why)) end
  end
  return Dataset("text_lines", kUnknown, {}, function()
    local at, file = 0, nil
    return function()
      while true do
        if not file then
          at = at + 1
          if not paths[at] then return nil end
          local problem
          file, problem = io.open(paths[at], "rb")
          if not file then tools.fail("NotFound", "text_lines: " .. problem) end
        end
        local line = file:read "l"
        if line then return (line:gsub("\r$", "")) end
        file:close()
        file = nil
      end
    end
  end)
end

-- csv(path[, {label, columns, delimiter, missing, dtype}]): rows as tables of scalars by column, and the label if one is named.
function files.csv(path, given)
  local read = options.read("csv", given, { label = false, columns = false, delimiter = ",", missing = false, dtype = false })
  options.text("csv", "path", path)
  local values, names = lutra.load(path, {
    header = true, delimiter = read.delimiter, missing = read.missing or nil, dtype = read.dtype or nil,
  })
  local place, is_twice = {}, {}
  for i, name in ipairs(names) do
    is_twice[name] = place[name] ~= nil
    place[name] = i
  end
  local function column(name)
    if type(name) ~= "string" or not place[name] then
      tools.refuse_word(("csv: %s has no column %s"):format(path, type(name) == "string" and "'" .. options.quoted(name) .. "'"
        or tools.what_is(name)), name, names)
    end
    if is_twice[name] then
      tools.fail("InvalidArgument", ("csv: %s has more than one column '%s'; rename one, or name others in columns"):format(path,
        options.quoted(name)))
    end
    return values[{ {}, place[name] }]
  end
  local wanted = read.columns or names
  if type(wanted) ~= "table" then
    tools.fail("InvalidArgument", ("csv: columns is %s, expected a list of names"):format(tools.what_is(wanted)))
  end
  local features, count = {}, 0
  for _, name in ipairs(wanted) do
    if name ~= read.label then features[name], count = column(name), count + 1 end
  end
  if count == 0 then tools.fail("InvalidArgument", "csv: no column is left beside the label") end
  if not read.label then return Dataset.from_tensor_slices(features) end
  return Dataset.from_tensor_slices(features, column(read.label))
end

-- A pattern of one folder's names as a pattern of Lua: * stands for any text, ? for one character, [ab] and [a-c] for one
-- of those, [!a] for none of them.
local function name_pattern(text)
  local out, i = { "^" }, 1
  while i <= #text do
    local c = text:sub(i, i)
    local first, last, negated, set = text:find("^%[(!?)(%]?[^%]]*)%]", i)
    if c == "*" then out[#out + 1] = ".*"
    elseif c == "?" then out[#out + 1] = "."
    elseif c == "[" and first then
      out[#out + 1] = "[" .. (negated == "!" and "^" or "") .. set:gsub("[%%%]%^]", "%%%0") .. "]"
      i = last
    else out[#out + 1] = (c:gsub("%p", "%%%0")) end
    i = i + 1
  end
  return table.concat(out) .. "$"
end

-- Adds the paths of files that match the pattern's parts from `at` on, below `folder`.
local function add_matches(found, folder, parts, at)
  local is_there, names = pcall(tools.list_folder, folder == "" and "." or folder, "list_files")
  if not is_there then
    if not lutra.iserror(names, "NotFound") then error(names, 0) end
    return
  end
  local wanted, is_last = name_pattern(parts[at]), at == #parts
  for _, name in ipairs(names) do
    local is_folder = name:find "/$" ~= nil
    name = name:gsub("/$", "")
    if is_folder ~= is_last and name:find(wanted) then
      if is_last then found[#found + 1] = folder .. name
      else add_matches(found, folder .. name .. "/", parts, at + 1) end
    end
  end
end

-- list_files(pattern[, {shuffle, seed}]): the paths of files that match a pattern, or one of several.
function files.list_files(pattern, given)
  local who = "list_files"
  local read = options.read(who, given, { shuffle = true, seed = false })
  options.boolean(who, "shuffle", read.shuffle)
  if read.seed then options.count(who, "seed", read.seed, math.mininteger) end
  local list = type(pattern) == "table" and getmetatable(pattern) == nil and pattern or { pattern }
  if #list == 0 then tools.fail("InvalidArgument", "list_files: pattern is an empty list, expected patterns of paths") end
  local found = {}
  for i = 1, #list do
    local text = list[i]
    if type(text) ~= "string" or text == "" then
      tools.fail("InvalidArgument", ("list_files: pattern is %s, expected a pattern of paths, or a list of them"):format(
        text == "" and "empty" or tools.what_is(text)))
    end
    local folder, parts = "", {}
    -- Folders before the first wildcard need not be listed.
    for part in text:gmatch "[^/]+" do parts[#parts + 1] = part end
    if text:find "^/" then folder = "/" end
    while #parts > 1 and not parts[1]:find "[%*%?%[]" do folder = folder .. table.remove(parts, 1) .. "/" end
    if #parts > 0 and not text:find "/$" then add_matches(found, folder, parts, 1) end
  end
  if #found == 0 then
    tools.fail("NotFound", ("list_files: no file matches %s"):format(table.concat(list, ", ")))
  end
  table.sort(found)
  local ds = Dataset.from_tensor_slices(found)
  return read.shuffle and ds:shuffle(#found, { seed = read.seed }) or ds
end

local function names_in(folder)
  local folders, pictures = {}, {}
  for _, name in ipairs(tools.list_folder(folder, "image_folder")) do
    if name:find "/$" then folders[#folders + 1] = name:sub(1, -2)
    elseif name:lower():find "%.png$" then pictures[#pictures + 1] = name end
  end
  return folders, pictures
end

local function read_image(path, told)
  local x = lutra.load(path)
  local channels = x.shape[x.rank]
  -- Transparency is left out.
  if channels == 2 or channels == 4 then
    x = x[{ {}, {}, { 1, channels - 1 } }]
    channels = channels - 1
  end
  if told.color_mode == "rgb" and channels == 1 then x = lutra.image.grayscale_to_rgb(x) end
  if told.color_mode == "grayscale" and channels == 3 then x = lutra.image.rgb_to_grayscale(x) end
  if not told.image_size then return lutra.cast(x, "float32") end
  return lutra.cast(lutra.image.resize(x, told.image_size, { method = told.interpolation, antialias = told.antialias }), "float32")
end

-- image_folder(folder[, {image_size, color_mode, label_mode, ...}]): png files in one folder for each class, in alphabetical
-- order; class numbers count from 1. Returns the dataset and the names of the classes.
function files.image_folder(folder, given)
  local who = "image_folder"
  options.text(who, "folder", folder)
  local read = options.read(who, given, {
    image_size = { 256, 256 }, color_mode = "rgb", label_mode = "int", batch_size = 32, shuffle = true, seed = false,
    interpolation = "bilinear", antialias = false, validation_split = 0.0, subset = false, class_names = false,
  })
  options.word(who, "color_mode", read.color_mode, { rgb = true, grayscale = true })
  if read.label_mode then options.word(who, "label_mode", read.label_mode, { int = true, categorical = true, binary = true }) end
  if read.batch_size then options.count(who, "batch_size", read.batch_size, 1) end
  options.number(who, "validation_split", read.validation_split, 0, 1)
  if read.subset then options.word(who, "subset", read.subset, { training = true, validation = true }) end
  if (read.validation_split > 0) ~= (read.subset ~= false) then
    tools.fail("InvalidArgument", "image_folder: validation_split and subset = \"training\" or \"validation\" go together")
  end
  local classes = read.class_names or (names_in(folder))
  local paths, labels = {}, {}
  for number, name in ipairs(classes) do
    local _, pictures = names_in(folder .. "/" .. name)
    for _, picture in ipairs(pictures) do
      paths[#paths + 1], labels[#labels + 1] = ("%s/%s/%s"):format(folder, name, picture), number
    end
  end
  if #paths == 0 then
    tools.fail("NotFound", ("image_folder: %s has no png files in folders of classes"):format(folder))
  end
  -- One order for both parts, so that they never share a picture.
  if read.subset then
    local order = lutra.random.permutation(#paths, { seed = read.seed or 1 }):totable()
    -- The share of validation is rounded down, as Keras does.
    local first, last = 1, #paths - math.floor(#paths * read.validation_split)
    if read.subset == "validation" then first, last = last + 1, #paths end
    local some_paths, some_labels = {}, {}
    for i = first, last do some_paths[#some_paths + 1], some_labels[#some_labels + 1] = paths[order[i]], labels[order[i]] end
    paths, labels = some_paths, some_labels
  end
  local ds = Dataset.range(1, #paths + 1)
  if read.shuffle then ds = ds:shuffle(math.max(#paths, 1), { seed = read.seed }) end
  local told = read
  ds = ds:map(function(i)
    i = i:item()
    local x = read_image(paths[i], told)
    if not told.label_mode then return x end
    if told.label_mode == "categorical" then return x, lutra.one_hot(lutra.constant(labels[i]), #classes) end
    if told.label_mode == "binary" then return x, lutra.constant { labels[i] - 1.0 } end
    return x, lutra.constant(labels[i], { dtype = "int64" })
  end)
  if read.batch_size then ds = ds:batch(read.batch_size) end
  return ds, { table.unpack(classes) }
end

return files
