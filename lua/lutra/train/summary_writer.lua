-- lutra.train.SummaryWriter: numbers of a training loop in a folder that TensorBoard shows.
local lutra, tools, use = ...
local class, options, events, ranks = use "class", use "options", use "train.events", use "distribute.ranks"

local SummaryWriter = class "train.SummaryWriter"
local made = 0

-- By writer, and not a field: a script in a sandbox must not get hold of a file.
local files = setmetatable({}, { __mode = "k" })

local function write(self, record)
  local file = files[self]
  if not file then
    tools.fail("FailedPrecondition", ("SummaryWriter: %s is closed"):format(tostring(self.path)))
  end
  local ok, problem = file:write(record)
  if not ok then tools.fail("FailedPrecondition", ("SummaryWriter: %s: %s"):format(tostring(self.path), problem)) end
end

function SummaryWriter:init(folder, given)
  options.text("SummaryWriter", "folder", folder)
  local read = options.read("SummaryWriter", given, { filename_suffix = "" })
  options.text("SummaryWriter", "filename_suffix", read.filename_suffix)
  if read.filename_suffix:find "[%c/]" then
    tools.fail("InvalidArgument", ("SummaryWriter: filename_suffix is \"%s\", expected the end of a file's name, without / and "
      .. "control characters"):format(options.quoted(read.filename_suffix)))
  end
  tools.make_folder(folder, "SummaryWriter")
  made = made + 1
  -- Names that begin so are what TensorBoard looks for; it reads them in order. Processes that share the folder begin in
  -- the same second.
  local rank = ranks.known_rank()
  self.folder = folder
  self.path = ("%s/events.out.tfevents.%010d.%d.lutra%s%s"):format(folder, os.time(), made,
    rank > 0 and ".rank" .. rank or "", read.filename_suffix)
  local file, problem = io.open(self.path, "ab")
  if not file then tools.fail("FailedPrecondition", "SummaryWriter: " .. problem) end
  files[self] = file
  write(self, events.version(os.time()))
  self:flush()
end

-- Protocol buffers hold text in UTF-8 only.
local function read_tag(who, tag)
  options.text(who, "tag", tag)
  if not utf8.len(tag) then
    tools.fail("InvalidArgument", ("%s: tag is not text in UTF-8, which TensorBoard needs"):format(who))
  end
  return tag
end
local function read_step(who, step) return options.count(who, "step", step == nil and 0 or step, 0) end

-- add_scalar(tag, value[, step])
function SummaryWriter:add_scalar(tag, value, step)
  read_tag("add_scalar", tag)
  if tools.is_tensor(value) then value = lutra.cast(value, "float64"):item() end
  options.number("add_scalar", "value", value)
  write(self, events.scalar(os.time(), read_step("add_scalar", step), tag, value))
end

-- add_histogram(tag, tensor[, step[, {bins = 30}]])
function SummaryWriter:add_histogram(tag, values, step, given)
  read_tag("add_histogram", tag)
  values = options.tensor("add_histogram", "values", values, "a tensor or numbers")
  local bins = options.count("add_histogram", "bins", options.read("add_histogram", given, { bins = 30 }).bins, 1)
  write(self, events.histogram(os.time(), read_step("add_histogram", step), tag, values, bins))
end

-- Hands what was written to the system.
function SummaryWriter:flush()
  if files[self] then files[self]:flush() end
end

-- A writer that is no longer used closes its file, too: the file is collected with it.
function SummaryWriter:close()
  if files[self] then files[self]:close() end
  files[self] = nil
end

function SummaryWriter:__tostring() return ("<lutra.train.SummaryWriter %s>"):format(self.folder) end

use "colon"(SummaryWriter, "writer", "writer", "add_scalar add_histogram flush close")
SummaryWriter.__close = SummaryWriter.close

return SummaryWriter
