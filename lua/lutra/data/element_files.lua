-- Datasets in folders: save, load and snapshot. A folder has files elements-RUN-NUMBER.npz with the elements, in order, and
-- dataset.npz, which lists them. That is written last, so a folder without it is an interrupted save. npz files are
-- replaced atomically and carry checksums (src/io), so damage is an error and never other elements. Loaded when one of
-- the methods is first called.
local lutra, tools, use = ...
local options, json, texts, dataset = use "options", use "json", use "texts", use "data.dataset"
local described = use "data.described"
local Dataset, derive, require_self = dataset.Dataset, dataset.derive, dataset.require_self

-- A file of elements is written when so much is waiting.
local kMostBytes, kMostElements = 32 << 20, 1 << 13
-- Rows that are read and written at a time.
local kRows = 256
local kList, kFormat, kMostRank = "dataset.npz", 1, 8

local function file_name(run, number) return ("elements-%d-%05d.npz"):format(run, number) end
local function run_of(name) return math.tointeger(tonumber(name:match "^elements%-(%d+)%-%d+%.npz$")) end

local function text_tensor(text) return lutra.from_bytes(text, "uint8", { #text }) end

-- Writes a file: tensors by name, and a table that says what they are.
local function write(path, tensors, about, compress)
  lutra.device("/CPU:0", function()
    tensors.about = text_tensor(json.encode(about))
    lutra.save(path, tensors, { compress = compress })
  end)
end

local function damaged(who, path, problem)
  tools.fail("InvalidArgument", ("%s: %s: %s"):format(who, path, problem or "it is damaged, or not of a dataset"))
end

-- The tensors of such a file, in host memory, and its table.
local function read(who, path)
  local ok, tensors = pcall(lutra.device, "/CPU:0", lutra.load, path)
  if not ok then
    if not lutra.iserror(tensors) then error(tensors, 0) end
    tools.fail(tensors.code, ("%s: %s"):format(who, tensors.message:gsub("^load: ", "")))
  end
  local about = type(tensors) == "table" and tensors.about
  if not about or about.dtype ~= "uint8" then damaged(who, path) end
  about = json.decode(about:bytes(), who .. ": " .. path)
  if type(about) ~= "table" or math.type(about.format) ~= "integer" then damaged(who, path) end
  if about.format > kFormat then
    damaged(who, path, ("its format is %d, and this version of Lutra reads up to %d"):format(about.format, kFormat))
  end
  return tensors, about
end

local function is_count(value) return math.type(value) == "integer" and value >= 0 end

-- The list of a folder, checked; nil if there is none.
local function read_list(who, folder)
  local path = folder .. "/" .. kList
  local ok, problem, about = pcall(read, who, path)
  if not ok then
    if lutra.iserror(problem, "NotFound") then return nil end
    error(problem, 0)
  end
  local count = 0
  local is_right = is_count(about.run) and is_count(about.count) and type(about.files) == "table"
  for number = 1, is_right and #about.files or 0 do
    is_right = is_right and is_count(about.files[number])
    count = count + (is_right and about.files[number] or 0)
  end
  if not is_right or count ~= about.count then damaged(who, path) end
  return about
end

-- The names in a folder that may be made or written to, none if it does not exist yet.
local function names_in(who, folder)
  tools.make_folder(folder, who)
  local names = tools.list_folder(folder, who)
  for _, name in ipairs(names) do
    if name ~= kList and not run_of(name) and not name:find "^%.lutra%-.*%.tmp$" then
      tools.fail("FailedPrecondition", ("%s: %s has '%s', which is not of a saved dataset: give a folder for the dataset alone"):format(
        who, folder, options.quoted(name)))
    end
  end
  return names
end

-- Writes elements to a folder. Those of one description (described.lua) that follow each other are a group, whose values
-- are stacked.
local Writer = {}
Writer.__index = Writer

-- The last run in each folder that a writer of this program has, which may not have written a file yet.
local runs = {}

local function new_writer(who, folder, compress)
  local last = runs[folder] or 0
  for _, name in ipairs(names_in(who, folder)) do last = math.max(last, run_of(name) or 0) end
  -- A file that only looks like a list is not replaced.
  read_list(who, folder)
  runs[folder] = last + 1
  return setmetatable({ who = who, folder = folder, compress = compress, run = last + 1, files = {}, groups = {}, elements = 0,
    bytes = 0 }, Writer)
end

function Writer:path(number) return self.folder .. "/" .. file_name(self.run, number) end

function Writer:flush()
  if self.elements == 0 then return end
  local tensors, groups, number = {}, {}, #self.files + 1
  lutra.device("/CPU:0", function()
    for g, group in ipairs(self.groups) do
      groups[g] = { count = group.count, values = described.as_json(group.values) }
      described.store(group, g, tensors, kMostRank)
    end
  end)
  write(self:path(number), tensors, { format = kFormat, run = self.run, number = number, groups = groups }, self.compress)
  self.files[number], self.groups, self.elements, self.bytes = self.elements, {}, 0, 0
end

-- Adds an element's values, or `rows` elements whose values are stacked already.
function Writer:add(values, rows)
  local group = self.groups[#self.groups]
  if not group or group.is_stacked ~= (rows ~= nil) or not described.fit(group.values, values, rows ~= nil) then
    group = { values = described.of(self.who, values, rows ~= nil), count = 0, columns = {}, is_stacked = rows ~= nil }
    self.groups[#self.groups + 1] = group
  end
  self.bytes = self.bytes + described.collect(group, values)
  group.count, self.elements = group.count + (rows or 1), self.elements + (rows or 1)
  if self.bytes >= kMostBytes or self.elements >= kMostElements then self:flush() end
end

-- Completes the dataset, and removes the files that it replaces.
function Writer:finish(more)
  self:flush()
  local count = 0
  for _, elements in ipairs(self.files) do count = count + elements end
  local about = { format = kFormat, run = self.run, count = count, files = self.files }
  for key, value in pairs(more or {}) do about[key] = value end
  write(self.folder .. "/" .. kList, {}, about, self.compress)
  self.is_complete = true
  for _, name in ipairs(tools.list_folder(self.folder, self.who)) do
    local run = run_of(name)
    if run and run ~= self.run and os.remove then os.remove(self.folder .. "/" .. name) end
  end
end

-- Removes what an incomplete save has written.
function Writer:__close()
  if self.is_complete or not os.remove then return end
  for number in ipairs(self.files) do os.remove(self:path(number)) end
end

-- An iterator over the elements of a folder with this list.
local function open_list(who, folder, list)
  local number, groups, tensors, g, row, leaves = 0, {}, nil, 0, 0, nil
  local function open_file()
    number = number + 1
    local path = folder .. "/" .. file_name(list.run, number)
    local about
    tensors, about = read(who, path)
    local count, is_right = 0, about.run == list.run and about.number == number and type(about.groups) == "table"
    for _, group in ipairs(is_right and about.groups or {}) do
      is_right = is_right and type(group) == "table" and is_count(group.count) and described.is_right(group.values)
      count = count + (is_right and group.count or 0)
    end
    if not is_right then damaged(who, path) end
    if count ~= list.files[number] then
      damaged(who, path, ("it has %d elements, and the list %d: it is of another dataset"):format(count, list.files[number]))
    end
    groups, g, row = about.groups, 1, 0
    leaves = nil
  end
  return function()
    while not groups[g] or row >= groups[g].count do
      if groups[g] and groups[g + 1] then
        g, row, leaves = g + 1, 0, nil
      elseif not list.files[number + 1] then
        groups, tensors, leaves = {}, nil, nil
        return nil
      else
        open_file()
      end
    end
    if not leaves then
      leaves = described.leaves(groups[g], g, tensors)
      if not leaves then damaged(who, folder .. "/" .. file_name(list.run, number)) end
    end
    row = row + 1
    return table.unpack(described.element(groups[g].values, leaves, row))
  end
end

local function read_options(who, folder, given)
  options.text(who, "path", folder)
  local read_given = options.read(who, given, { compression = false })
  local words = { GZIP = true, NONE = false, AUTO = false }
  return read_given.compression and options.word(who, "compression", read_given.compression, words) or false
end

local function require_finite(who, self)
  if self.count ~= dataset.kInfinite then return end
  tools.fail("InvalidArgument", ("%s: the dataset is infinite: write dataset:take(n):%s(path)"):format(who, who))
end

-- dataset:save(path[, {compression}]): writes all elements to the folder `path`, in place of a dataset there.
function Dataset:save(path, given)
  require_self("save", self)
  local compress = read_options("save", path, given)
  require_finite("save", self)
  local writer <close> = new_writer("save", path, compress)
  if self.batches then
    local next = self:batches(kRows, false)
    while true do
      local values = table.pack(next())
      if values[1] == nil then break end
      writer:add(values, described.rows(values[1]))
    end
  else
    local next, _, _, closing = self:iterate()
    local _ <close> = closing
    while true do
      local values = table.pack(next())
      if values[1] == nil then break end
      writer:add(values)
    end
  end
  writer:finish()
end

local function loaded(who, kind, path, list)
  return Dataset(kind, list.count, {}, function() return open_list(who, path, list) end)
end

-- Dataset.load(path): the elements that save or snapshot wrote there, which are read when an iteration needs them.
function Dataset.load(path)
  options.text("load", "path", path)
  local list = read_list("load", path)
  if not list then
    tools.fail("NotFound", ("load: %s has no complete dataset: there is no %s, which save writes last"):format(path, kList))
  end
  return loaded("load", "load", path, list)
end

-- dataset:snapshot(path[, {compression}]): the first complete iteration writes the elements to the folder `path`; later
-- ones, also of other programs, read them there.
derive("snapshot", function(self, path, given)
  local compress = read_options("snapshot", path, given)
  require_finite("snapshot", self)
  return self.count, function(ahead)
    local list = read_list("snapshot", path)
    if list then
      if self.count >= 0 and list.count ~= self.count then
        tools.fail("FailedPrecondition", ("snapshot: %s has %d elements, and the dataset %d: remove the folder to write it anew"):format(
          path, list.count, self.count))
      end
      return open_list("snapshot", path, list)
    end
    local writer, next = new_writer("snapshot", path, compress), self.open(ahead)
    local function noted(...)
      if not writer then return ... end
      if (...) ~= nil then
        writer:add(table.pack(...))
        return ...
      end
      -- Another iteration may have completed it.
      if not read_list("snapshot", path) then writer:finish() end
      local _ <close> = writer
      writer = nil
      return nil
    end
    return function() return noted(next()) end
  end
end)
