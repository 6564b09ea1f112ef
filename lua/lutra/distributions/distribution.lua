-- What all distributions share: their parameters, the shapes of samples, and the checks of arguments.
local lutra, tools, use = ...
local options = use "options"
local class = use "class"

local Distribution = class("distributions.Distribution")

function Distribution.fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end
local fail = Distribution.fail

-- A parameter as a tensor of floats.
function Distribution.parameter(who, name, value)
  value = options.tensor(who, name, value, "a tensor or a number")
  if value.dtype == "bool" then fail("%s: %s is bool, expected a number", who, name) end
  return options.as_float(value, who, name)
end

-- Fails unless all elements are as they must be, where the arguments are checked.
function Distribution.check(who, read, name, is_good, wanted)
  if read.validate_args and not lutra.all(is_good):item() then
    fail("%s: %s has a number that is not %s", who, name, wanted)
  end
end

function Distribution.options(who, given) return options.read(who, given, { validate_args = true }) end

-- Two parameters in their broadcast shape and promoted dtype.
function Distribution.broadcast(a, b)
  local sum = a + b
  return lutra.broadcast_to(a, sum.shape):cast(sum.dtype), lutra.broadcast_to(b, sum.shape):cast(sum.dtype)
end

-- The given sizes, and then those of one sample.
function Distribution:sizes(shape)
  local who = self.__name:gsub("^lutra%.", "") .. ":sample"
  local sizes = {}
  for i, size in ipairs(options.shape(who, "shape", shape == nil and {} or shape)) do
    if size < 0 then fail("%s: shape[%d] is %d, expected 0 or more", who, i, size) end
    sizes[i] = size
  end
  local given = #sizes
  for _, size in ipairs(self.shape) do sizes[#sizes + 1] = size end
  return sizes, given
end

-- The seed that options or a generator give; nil: the next of set_seed's sequence.
function Distribution:seed(given)
  local who = self.__name:gsub("^lutra%.", "") .. ":sample"
  local read = options.read(who, given, { seed = false, generator = false })
  if read.generator then
    local generator = read.generator
    if type(generator) ~= "table" or not math.tointeger(rawget(generator, "count")) then
      fail("%s: generator is %s, expected a lutra.random.Generator", who, tools.what_is(generator))
    end
    return generator:seed()
  end
  return read.seed or nil
end

-- log_prob's result: minus infinity outside of the support.
function Distribution.outside(is_outside, y) return (lutra.where(is_outside, -math.huge, y)) end

-- The most arguments of each method, the distribution included.
local kMethods = { sample = 3, log_prob = 2, prob = 2, entropy = 1, mean = 1, variance = 1, stddev = 1, kl = 2, cdf = 2, icdf = 2,
  covariance = 1 }

-- Makes a distribution's constructor and methods name themselves in the errors of ops that they call, and methods say so
-- when they are called with a dot.
function Distribution.finish_class(made)
  local who = made.__name:gsub("^lutra%.", "")
  made.init = options.bounded(who, math.maxinteger, made.init, true)
  for name, count in pairs(kMethods) do
    if made[name] then
      made[name] = options.bounded(who .. ":" .. name, count, made[name], true)
      use "colon"(made, "d", "distribution", name)
    end
  end
  return made
end

function Distribution:prob(x) return (lutra.exp(self:log_prob(x))) end
function Distribution:stddev() return (lutra.sqrt(self:variance())) end

-- An argument of log_prob and the like as a tensor of floats.
function Distribution:value(x)
  return (Distribution.parameter(self.__name:gsub("^lutra%.", "") .. ":log_prob", "x", x))
end

function Distribution:kl(other)
  local who = self.__name:gsub("^lutra%.", "") .. ":kl"
  if type(other) ~= "table" or getmetatable(other) ~= getmetatable(self) or rawget(other, "shape") == nil then
    fail("%s: other is %s, expected another %s", who, tools.what_is(other), self.__name)
  end
  return (self:divergence(other))
end

return Distribution
