-- t:describe(): the numbers that one asks of a tensor first.
local lutra, tools, use = ...
local scale, options = use "plot.scale", use "options"

-- Not as methods: scripts may change what strings have.
local format, find = string.format, string.find

local Description = {}
Description.__index, Description.__name = Description, "lutra.plot.Description"

local blocks = { [false] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
  [true] = { ".", ":", "-", "=", "+", "*", "#", "@" } }

-- A histogram in one line; bins without a number are blank.
local function sparkline(counts, is_ascii)
  local most, out = math.max(table.unpack(counts)), {}
  for i, count in ipairs(counts) do
    out[i] = count == 0 and " " or blocks[is_ascii][math.max(math.ceil(count / most * 8), 1)]
  end
  return table.concat(out)
end

function Description:__tostring()
  local out = { format("lutra.Description(shape=%s, dtype=%s)", options.shape_text(self.shape), self.dtype) }
  local function add(name, text) out[#out + 1] = format("  %-8s%s", name, text) end
  local function number(name, value) add(name, scale.number(value, 6)) end
  add("device", self.device)
  add("count", format("%d", self.count))
  if self.dtype == "bool" then add("true", format("%d of %d", self.count - self.zeros, self.count))
  elseif self.count > 0 then add("zeros", format("%d", self.zeros)) end
  if find(self.dtype, "float") then add("nan", format("%d", self.nan)) add("inf", format("%d", self.inf)) end
  if not self.mean then return table.concat(out, "\n") end
  number("mean", self.mean)
  number("std", self.std)
  number("min", self.min)
  for i, name in ipairs { "25%", "50%", "75%" } do number(name, self.quartiles[i]) end
  number("max", self.max)
  local is_ascii = not tools.terminal().is_utf8
  if self.max > self.min then
    out[#out + 1] = format("  %s %s %s", scale.number(self.min, 4), sparkline(self.counts, is_ascii),
      scale.number(self.max, 4))
  end
  return table.concat(out, "\n")
end

return function(tensor)
  local found = tools.describe(tensor)
  local function of_bool(value)
    if type(value) == "boolean" then return value and 1 or 0 end
    return value
  end
  return setmetatable({
    shape = tensor.shape, dtype = tensor.dtype, device = tensor.device, count = tensor.size, nan = found.nans,
    inf = found.infinities, zeros = found.zeros, min = of_bool(found.min), max = of_bool(found.max), mean = found.mean,
    std = found.std, quartiles = found.quartiles, counts = found.counts,
  }, Description)
end
