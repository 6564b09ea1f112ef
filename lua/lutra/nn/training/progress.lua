-- Prints the progress of fit on stderr: Keras's progress bar on a terminal, one plain line per epoch elsewhere.
local lutra, tools, use = ...
local class = use "class"

local Progress = class "nn.Progress"

-- verbose: "auto" (1 on a terminal, else 2), 0 nothing, 1 the bar, 2 one line per epoch.
function Progress:init(who, verbose, epochs, steps)
  if type(verbose) ~= "boolean" and verbose ~= "auto" and verbose ~= 0 and verbose ~= 1 and verbose ~= 2 then
    tools.fail("InvalidArgument",
      ("%s: verbose is %s, expected \"auto\", 0, 1 or 2"):format(who, tools.what_is(verbose)))
  end
  if verbose == "auto" or verbose == true then verbose = tools.is_terminal() and 1 or 2 end
  self.verbose, self.epochs, self.steps = verbose or 0, epochs, steps
end

local kBar = 20
-- Least seconds between redraws of a line.
local kPause = 0.05

local number_text
function number_text(value)
  if type(value) == "table" then -- of a metric with several thresholds
    local words = {}
    for i, each in ipairs(value) do words[i] = number_text(each) end
    return "[" .. table.concat(words, ", ") .. "]"
  end
  if value ~= value or value == 0 or math.abs(value) > 1e-3 then return ("%.4f"):format(value) end
  return ("%.4e"):format(value)
end

local function time_text(seconds)
  if seconds >= 1 then return ("%.0fs"):format(seconds) end
  if seconds >= 1e-3 then return ("%.0fms"):format(seconds * 1e3) end
  return ("%.0fus"):format(seconds * 1e6)
end

-- " - loss: 0.1234 - mae: 0.2": the names in the list's order, then those of validation.
function Progress.values_text(names, logs)
  local words = {}
  for _, name in ipairs(names) do
    if logs[name] then words[#words + 1] = (" - %s: %s"):format(name, number_text(logs[name])) end
  end
  return table.concat(words)
end

function Progress:begin_epoch(epoch)
  self.epoch, self.started, self.drawn = epoch, lutra.time(), 0
  if self.verbose == 1 and self.epochs then io.stderr:write(("Epoch %d/%d\n"):format(epoch, self.epochs)) end
end

-- Whether a step's values would be shown now; reading them waits for a GPU.
function Progress:wants_step()
  return self.verbose == 1 and lutra.time() - self.drawn > kPause
end

local function step_text(self, step)
  local seconds = lutra.time() - self.started
  return seconds, time_text(seconds / math.max(step, 1)) .. "/step"
end

-- Draws the line anew, cut to the terminal's width: of a longer one the next redraw would clear the last row only.
local function redraw(line)
  local _, columns = tools.is_terminal()
  local behind = columns > 0 and utf8.offset(line, columns)
  io.stderr:write("\r\27[K", behind and line:sub(1, behind - 1) or line)
end

function Progress:step(step, names, logs)
  self.drawn = lutra.time()
  local seconds, rate = step_text(self, step)
  if not self.steps then
    return redraw(("%d/Unknown %s %s%s"):format(step, time_text(seconds), rate, Progress.values_text(names, logs)))
  end
  local full = kBar * step // self.steps
  local left = seconds / step * (self.steps - step)
  redraw(("%d/%d %s%s %s %s%s"):format(step, self.steps, ("━"):rep(full), (" "):rep(kBar - full), time_text(left), rate,
    Progress.values_text(names, logs)))
end

function Progress:end_epoch(steps, names, logs)
  self.steps = self.steps or steps
  if self.verbose == 0 then return end
  local seconds, rate = step_text(self, steps)
  local values = Progress.values_text(names, logs)
  if self.verbose == 1 then
    io.stderr:write(("\r\27[K%d/%d %s %s %s%s\n"):format(steps, self.steps, ("━"):rep(kBar), time_text(seconds), rate,
      values))
  else
    local epoch = self.epochs and ("Epoch %d/%d - "):format(self.epoch, self.epochs) or ""
    io.stderr:write(("%s%d/%d - %s - %s%s\n"):format(epoch, steps, self.steps, time_text(seconds), rate, values))
  end
end

return Progress
