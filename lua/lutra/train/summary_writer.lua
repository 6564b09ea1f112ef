-- lutra.train.SummaryWriter: numbers of a training loop in a folder that TensorBoard shows.
local lutra, tools, use = ...
local class, options, events = use "class", use "options", use "train.events"

local SummaryWriter = class "train.SummaryWriter"
local made = 0

function SummaryWriter:init(folder, given)
  options.text("SummaryWriter", "folder", folder)
  local read = options.read("SummaryWriter", given, { filename_suffix = "" })
  options.text("SummaryWriter", "filename_suffix", read.filename_suffix)
  tools.make_folder(folder, "SummaryWriter")
  made = made + 1
  -- Names that begin so are what TensorBoard looks for; it reads them in order.
  self.folder = folder
  self.path = ("%s/events.out.tfevents.%010d.%d.lutra%s"):format(folder, os.time(), made, read.filename_suffix)
  local file, problem = io.open(self.path, "ab")
  if not file then tools.fail("FailedPrecondition", "SummaryWriter: " .. problem) end
  self.file = file
  self:write(events.version(os.time()))
  self:flush()
end

function SummaryWriter:write(record)
  if not self.file then
    tools.fail("FailedPrecondition", ("SummaryWriter: %s is closed"):format(self.path))
  end
  local ok, problem = self.file:write(record)
  if not ok then tools.fail("FailedPrecondition", ("SummaryWriter: %s: %s"):format(self.path, problem)) end
end

local function read_step(who, step) return options.count(who, "step", step == nil and 0 or step, 0) end

-- add_scalar(tag, value[, step])
function SummaryWriter:add_scalar(tag, value, step)
  options.text("add_scalar", "tag", tag)
  if tools.is_tensor(value) then value = lutra.cast(value, "float64"):item() end
  options.number("add_scalar", "value", value)
  self:write(events.scalar(os.time(), read_step("add_scalar", step), tag, value))
end

-- add_histogram(tag, tensor[, step[, {bins = 30}]])
function SummaryWriter:add_histogram(tag, values, step, given)
  options.text("add_histogram", "tag", tag)
  if not tools.is_tensor(values) then
    if type(values) ~= "table" then
      tools.fail("InvalidArgument", ("add_histogram: values is %s, expected a tensor or numbers"):format(tools.what_is(values)))
    end
    values = lutra.constant(values)
  end
  local bins = options.count("add_histogram", "bins", options.read("add_histogram", given, { bins = 30 }).bins, 1)
  self:write(events.histogram(os.time(), read_step("add_histogram", step), tag, values, bins))
end

-- Hands what was written to the system.
function SummaryWriter:flush()
  if self.file then self.file:flush() end
end

function SummaryWriter:close()
  if self.file then self.file:close() end
  self.file = nil
end
SummaryWriter.__close = SummaryWriter.close
SummaryWriter.__gc = SummaryWriter.close

function SummaryWriter:__tostring() return ("<lutra.train.SummaryWriter %s>"):format(self.folder) end

use "colon"(SummaryWriter, "writer", "writer", "add_scalar add_histogram flush close")
SummaryWriter.__close = SummaryWriter.close

return SummaryWriter
