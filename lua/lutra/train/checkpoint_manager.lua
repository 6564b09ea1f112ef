-- lutra.train.CheckpointManager: numbered files of a Checkpoint in one folder, of which the last few are kept. The file
-- NAME.json there lists them. Where the objects are those of several processes, all call its functions: rank 0 has the
-- folder, and the others know what is in it.
local lutra, tools, use = ...
local class, options, json = use "class", use "options", use "json"
local ranks, writing = use "distribute.ranks", use "train.writing"

local CheckpointManager = class "train.CheckpointManager"

-- The next number must not wrap around.
local kMostNumber = 1 << 53

local function file_name(name, number) return ("%s-%d.safetensors"):format(name, number) end

-- The entries of the list, the oldest first. A list that the manager did not write is refused: the next save would replace
-- it, and remove the files that it names.
local function read_list(path, name)
  local file, problem, code = io.open(path, "rb")
  if not file then
    -- 2 is ENOENT: nothing was saved yet.
    if code == 2 then return {} end
    tools.fail("FailedPrecondition", ("CheckpointManager: %s"):format(problem))
  end
  local text, why = file:read "a"
  file:close()
  if not text then tools.fail("FailedPrecondition", ("CheckpointManager: %s: %s"):format(path, why)) end
  local function refuse()
    tools.fail("InvalidArgument", ("CheckpointManager: %s does not list files of a Checkpoint, as in "
      .. "[{\"file\":\"%s\",\"number\":1}]; move it away to begin anew"):format(path, file_name(name, 1)))
  end
  if not text:find "^%s*%[" then refuse() end
  local names = {}
  for i, entry in ipairs(json.decode(text, "CheckpointManager: " .. path)) do
    local number = type(entry) == "table" and entry.number
    if math.type(number) ~= "integer" or number < 0 or number > kMostNumber or entry.file ~= file_name(name, number) then
      refuse()
    end
    names[i] = { number = number, file = entry.file }
  end
  return names
end

local function is_alone(self) return not writing.is_of_ranks(self.checkpoint) or ranks.size() == 1 end

-- Calls f() on rank 0 alone. Then all ranks have its folder and list, or its error.
local function on_chief(self, what, equal, f)
  if is_alone(self) then return f() end
  local told, ok, err = "", true, nil
  if ranks.rank() == 0 then
    ok, err = pcall(f)
    -- An interrupted rank tells the others by ending.
    if not ok and (not lutra.iserror(err) or lutra.iserror(err, "Cancelled")) then error(err, 0) end
    told = json.encode(ok and { folder = self.folder, files = self.files } or { code = err.code, message = err.message })
  end
  told = json.decode(ranks.of_chief(what, told, equal), what)
  if not ok then error(err, 0) end
  if told.code then tools.fail(told.code, ("%s: rank 0 failed: %s"):format(what, told.message)) end
  self.folder, self.files = told.folder, told.files
  self.list = ("%s/%s.json"):format(self.folder, self.name)
  self:update()
end

function CheckpointManager:init(checkpoint, folder, given)
  local kind = getmetatable(checkpoint)
  if type(kind) ~= "table" or kind.__name ~= "lutra.train.Checkpoint" then
    tools.fail("InvalidArgument", ("CheckpointManager: checkpoint is %s, expected a lt.train.Checkpoint"):format(
      tools.what_is(checkpoint)))
  end
  options.text("CheckpointManager", "folder", folder)
  if not os.rename then
    tools.fail("FailedPrecondition", "CheckpointManager: a script in a sandbox cannot rename files: use the Checkpoint's "
      .. "save and restore")
  end
  local read = options.read("CheckpointManager", given, { max_to_keep = 5, name = "checkpoint" })
  self.max_to_keep = options.count("CheckpointManager", "max_to_keep", read.max_to_keep, 1)
  if not read.name:find "^[%w_%-]+$" then
    tools.fail("InvalidArgument", ("CheckpointManager: name is \"%s\", expected a word: it begins the files' names"):format(
      options.quoted(read.name)))
  end
  self.checkpoint, self.folder, self.name = checkpoint, folder, read.name
  self.list = folder .. "/" .. read.name .. ".json"
  on_chief(self, "CheckpointManager", ("%s %d"):format(self.name, self.max_to_keep), function()
    tools.make_folder(folder, "CheckpointManager")
    self.files = read_list(self.list, read.name)
    self:update()
  end)
end

function CheckpointManager:update()
  local last = self.files[#self.files]
  self.latest_checkpoint = last and self.folder .. "/" .. last.file or nil
end

-- The paths of the files that are kept, the oldest first.
function CheckpointManager:checkpoints()
  local paths = {}
  for i, entry in ipairs(self.files) do paths[i] = self.folder .. "/" .. entry.file end
  return paths
end

local function write_list(self)
  local beside = self.list .. ".new"
  local file, problem = io.open(beside, "wb")
  local ok = file
  if file then
    ok, problem = file:write(json.encode(self.files), "\n")
    local closed, why = file:close()
    if ok and not closed then ok, problem = nil, why end
  end
  if ok then ok, problem = os.rename(beside, self.list) end
  if not ok then tools.fail("FailedPrecondition", ("CheckpointManager: %s: %s"):format(self.list, problem)) end
end

-- The list with one more file, and the files that are too many.
local function with_file(self, number, name)
  local files, removed = {}, {}
  for _, entry in ipairs(self.files) do
    if entry.file ~= name then files[#files + 1] = entry end
  end
  files[#files + 1] = { number = number, file = name }
  while #files > self.max_to_keep do removed[#removed + 1] = table.remove(files, 1).file end
  return files, removed
end

-- save([number]): writes a file, and removes those that are too many. Returns its path.
function CheckpointManager:save(number)
  local last = self.files[#self.files]
  number = options.count("save", "number", number == nil and (last and last.number or 0) + 1 or number, 0, kMostNumber)
  local name = file_name(self.name, number)
  local path = self.folder .. "/" .. name
  local function save()
    writing.write(self.checkpoint, path, true)
    local removed
    self.files, removed = with_file(self, number, name)
    -- The list is written first: it never names a file that is gone.
    write_list(self)
    for _, file in ipairs(removed) do os.remove(self.folder .. "/" .. file) end
    self:update()
  end
  if not is_alone(self) then
    -- Before ranks gather the optimizer's state, they agree that this is what they do.
    ranks.meet("CheckpointManager:save", name)
    if ranks.rank() > 0 then writing.write(self.checkpoint, path, false) end
  end
  on_chief(self, "CheckpointManager:save", name, save)
  return path
end

-- Restores the latest file, if there is one. Returns its path or nil.
function CheckpointManager:restore_or_initialize()
  local latest, path, is_copy = self.latest_checkpoint, self.latest_checkpoint, false
  if latest and not is_alone(self) then
    -- Only rank 0 needs to have the file.
    path, is_copy = ranks.share_file("CheckpointManager:restore_or_initialize", latest)
  end
  local _ <close> = setmetatable({}, { __close = function() if is_copy then os.remove(path) end end })
  if not self.checkpoint:restore(path or latest) then return nil end
  return latest
end

function CheckpointManager:__tostring()
  return ("<lutra.train.CheckpointManager %s, %d files>"):format(self.folder, #self.files)
end

use "colon"(CheckpointManager, "manager", "manager", "save restore_or_initialize checkpoints")

return CheckpointManager
