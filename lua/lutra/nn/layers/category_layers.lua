-- Layers of categories: numbers in bins, and ids as rows. Loaded when one is named.
local lutra, tools, use = ...
local options, define = use "options", use "nn.layers.define_layer"

local made = {}
local modes = { int = "int", one_hot = "one_hot", multi_hot = "multi_hot", count = "count" }

-- Ids from 1 as rows of `size` numbers. multi_hot and count add up the last axis.
local function encoded(ids, size, mode, weights)
  local rows = lutra.one_hot(lutra.cast(ids, "int64"), size, { dtype = "float32" })
  if mode == "one_hot" then return rows end
  if ids.rank == 1 then
    -- A row of one id each.
    return weights and rows * lutra.expand_dims(lutra.cast(weights, "float32"), -1) or rows
  end
  if mode == "multi_hot" then return rows:max(-2) end
  if weights then rows = rows * lutra.expand_dims(lutra.cast(weights, "float32"), -1) end
  return rows:sum(-2)
end
local function encoded_shape(shape, size, mode)
  local out = { table.unpack(shape) }
  if mode == "int" then return out end
  if mode ~= "one_hot" then out[#out] = nil end
  out[#out + 1] = size
  return out
end

local CategoryEncoding = define("CategoryEncoding", { output_mode = "multi_hot" }, 1, function(self, read, num_tokens)
  self.num_tokens = options.count("CategoryEncoding", "num_tokens", num_tokens, 1)
  self.mode = options.word("CategoryEncoding", "output_mode", read.output_mode,
    { one_hot = "one_hot", multi_hot = "multi_hot", count = "count" })
end)
CategoryEncoding.takes_one = true
CategoryEncoding.call_options = { count_weights = true }
made.CategoryEncoding = CategoryEncoding
function CategoryEncoding:compute_output_shape(shape) return encoded_shape(shape, self.num_tokens, self.mode) end
function CategoryEncoding:call(ids, _, given)
  return encoded(ids, self.num_tokens, self.mode, given and given.count_weights)
end

-- Bin 1 is below the first boundary, bin n + 1 from the last one on.
local Discretization = define("Discretization", { bin_boundaries = false, num_bins = false, output_mode = "int" }, 0,
  function(self, read)
    self.mode = options.word("Discretization", "output_mode", read.output_mode, modes)
    if not read.bin_boundaries == not read.num_bins then
      tools.fail("InvalidArgument", "Discretization: expected bin_boundaries, or num_bins and adapt(data), and not both")
    end
    if read.num_bins then self.num_bins = options.count("Discretization", "num_bins", read.num_bins, 1) end
    if read.bin_boundaries then self:set_boundaries(read.bin_boundaries) end
  end)
Discretization.takes_one = true
made.Discretization = Discretization
function Discretization:set_boundaries(list)
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    tools.fail("InvalidArgument", ("Discretization: bin_boundaries is %s, expected a list of numbers"):format(tools.what_is(list)))
  end
  local numbers = {}
  for i, value in ipairs(list) do
    numbers[i] = options.number("Discretization", ("bin_boundaries[%d]"):format(i), value)
    if i > 1 and numbers[i] < numbers[i - 1] then
      tools.fail("InvalidArgument", ("Discretization: bin_boundaries[%d] is less than the one before"):format(i))
    end
  end
  rawset(self, "bin_boundaries", numbers)
end
-- The quantiles of the data: a tensor, or a dataset of batches.
function Discretization:adapt(data)
  if not self.num_bins then self:refuse("adapt is for num_bins, and it has bin_boundaries") end
  local parts = {}
  local function add(x) parts[#parts + 1] = lutra.cast(tools.is_tensor(x) and x or lutra.constant(x), "float64"):flatten() end
  if options.is_dataset(data) then
    for x in data:iterate() do add(x) end
  else
    add(data)
  end
  local all = #parts > 0 and lutra.concat(parts) or lutra.zeros { 0 }
  if all.size == 0 then self:refuse("adapt: its data has no numbers") end
  local numbers = {}
  for i = 1, self.num_bins - 1 do numbers[i] = lutra.quantile(all, i / self.num_bins):item() end
  self:set_boundaries(numbers)
  return self
end
-- What a model's file keeps (files/saving.lua): boundaries that were learned.
function Discretization:saved_state()
  local numbers = self.num_bins and rawget(self, "bin_boundaries")
  return numbers and { bin_boundaries = { table.unpack(numbers) } } or nil
end
function Discretization:restore_state(state) self:set_boundaries(state.bin_boundaries) end
function Discretization:compute_output_shape(shape)
  return encoded_shape(shape, #(rawget(self, "bin_boundaries") or {}) + 1, self.mode)
end
function Discretization:call(x)
  local numbers = rawget(self, "bin_boundaries")
  if not numbers then self:refuse("it has no boundaries yet: call adapt(data) first") end
  x = options.as_float(x, self.kind, "x")
  local ids
  if #numbers == 0 then
    ids = lutra.ones(x.shape, { dtype = "int64" })
  else
    local boundaries = lutra.device(x.device, lutra.constant, numbers, { dtype = x.dtype })
    ids = lutra.searchsorted(boundaries, x, { right = true })
  end
  if self.mode == "int" then return ids end
  return encoded(ids, #numbers + 1, self.mode)
end

return made
