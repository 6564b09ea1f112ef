-- Initialisers of weights: functions of a shape, with Keras 3's names and defaults.
local lutra, tools, use = ...
local options, class = use "options", use "class"

local initializers, by_name = {}, {}

local modes = { fan_in = true, fan_out = true, fan_avg = true }
local distributions = { truncated_normal = true, untruncated_normal = true, uniform = true }

-- initializers.NAME{options} makes a callable object: init(shape) returns a tensor of that shape.
local function define(name, words, defaults, fill)
  local Initializer, who = class("nn.initializers." .. name), "initializers." .. name
  Initializer.remembers = true
  function Initializer:init(given)
    for key, value in pairs(options.read(who, given, defaults)) do
      if type(defaults[key]) == "number" then options.number(who, key, value) end
      rawset(self, key, value)
    end
    if self.scale then options.positive(who, "scale", self.scale) end
    if self.stddev then options.number(who, "stddev", self.stddev, 0) end
    if defaults.mode then options.word(who, "mode", self.mode, modes) end
    if defaults.distribution then options.word(who, "distribution", self.distribution, distributions) end
  end
  function Initializer:__call(shape) return fill(self, shape) end
  initializers[name] = Initializer
  for _, word in ipairs(words) do by_name[word] = Initializer end
end

local function seed_of(self) return self.seed or nil end

define("Zeros", { "zeros", "zero" }, {}, function(_, shape) return lutra.zeros(shape) end)
define("Ones", { "ones", "one" }, {}, function(_, shape) return lutra.ones(shape) end)
define("Constant", { "constant" }, { value = 0.0 },
  function(self, shape) return lutra.fill(shape, self.value + 0.0) end)
define("RandomNormal", { "random_normal" }, { mean = 0.0, stddev = 0.05, seed = false }, function(self, shape)
  return lutra.random.normal(shape, { mean = self.mean, stddev = self.stddev, seed = seed_of(self) })
end)
define("RandomUniform", { "random_uniform" }, { minval = -0.05, maxval = 0.05, seed = false }, function(self, shape)
  return lutra.random.uniform(shape, { minval = self.minval, maxval = self.maxval, seed = seed_of(self) })
end)
define("TruncatedNormal", { "truncated_normal" }, { mean = 0.0, stddev = 0.05, seed = false }, function(self, shape)
  return lutra.random.truncated_normal(shape, { mean = self.mean, stddev = self.stddev, seed = seed_of(self) })
end)
define("Identity", { "identity" }, { gain = 1.0 }, function(self, shape)
  if #shape ~= 2 then
    tools.fail("InvalidArgument", "initializers.Identity: the weight has the shape " .. options.shape_text(shape)
      .. ", expected two axes")
  end
  return lutra.broadcast_to(lutra.eye(math.max(shape[1], shape[2]))[{ { 1, shape[1] }, { 1, shape[2] } }] * self.gain,
    shape)
end)
-- Orthogonal rows or columns, whichever are fewer, of length `gain` (Saxe et al., ICLR 2014).
define("Orthogonal", { "orthogonal" }, { gain = 1.0, seed = false }, function(self, shape)
  local columns, rows = shape[#shape], 1
  for axis = 1, #shape - 1 do rows = rows * shape[axis] end
  local q, r = lutra.qr(
    lutra.random.normal({ math.max(rows, columns), math.min(rows, columns) }, { seed = seed_of(self) }))
  q = q * lutra.sign(lutra.diag(r))
  if rows < columns then q = lutra.transpose(q) end
  return lutra.reshape(q, shape) * self.gain
end)

-- fan_in and fan_out: the number of inputs of a result element, and of result elements that an input affects.
local function fans(shape)
  local field = 1
  for axis = 1, #shape - 2 do field = field * shape[axis] end
  if #shape == 0 then return 1, 1 end
  if #shape == 1 then return shape[1], shape[1] end
  return shape[#shape - 1] * field, shape[#shape] * field
end

-- The standard deviation of a standard normal distribution truncated at two standard deviations.
local kCutDeviation = 0.87962566103423978

local function scaled(scale, mode, distribution, shape, seed)
  local into, out = fans(shape)
  local fan = mode == "fan_in" and into or mode == "fan_out" and out or (into + out) / 2
  local variance = scale / math.max(1, fan)
  if distribution == "uniform" then
    local most = math.sqrt(3 * variance)
    return lutra.random.uniform(shape, { minval = -most, maxval = most, seed = seed })
  elseif distribution == "untruncated_normal" then
    return lutra.random.normal(shape, { stddev = math.sqrt(variance), seed = seed })
  end
  return lutra.random.truncated_normal(shape, { stddev = math.sqrt(variance) / kCutDeviation, seed = seed })
end

-- Initializers that count inputs and results.
local scaled_kinds = {}
local function is_scaled(initializer) return scaled_kinds[getmetatable(initializer)] == true end

define("VarianceScaling", { "variance_scaling" },
  { scale = 1.0, mode = "fan_in", distribution = "truncated_normal", seed = false }, function(self, shape)
    return scaled(self.scale, self.mode, self.distribution, shape, seed_of(self))
  end)
scaled_kinds[initializers.VarianceScaling] = true

for _, entry in ipairs {
  { "GlorotUniform", "glorot_uniform", 1, "fan_avg", "uniform" },
  { "GlorotNormal", "glorot_normal", 1, "fan_avg", "truncated_normal" },
  { "HeUniform", "he_uniform", 2, "fan_in", "uniform" }, { "HeNormal", "he_normal", 2, "fan_in", "truncated_normal" },
  { "LecunUniform", "lecun_uniform", 1, "fan_in", "uniform" },
  { "LecunNormal", "lecun_normal", 1, "fan_in", "truncated_normal" },
} do
  define(entry[1], { entry[2] }, { seed = false }, function(self, shape)
    return scaled(entry[3], entry[4], entry[5], shape, seed_of(self))
  end)
  scaled_kinds[initializers[entry[1]]] = true
end

-- Internal: resolves a layer's option: a word, an object or a function of the shape.
local function get(who, what, value)
  local found = options.resolve_callable(who, what, value, by_name, "a name, an initializer or a function of the shape")
  return type(value) == "string" and found() or found
end

return { public = initializers, get = get, is_scaled = is_scaled }
