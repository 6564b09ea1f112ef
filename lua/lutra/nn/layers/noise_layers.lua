-- Layers that change their input at random in training: noise, and dropout of whole channels. Loaded when one is named.
local lutra, tools, use = ...
local options, define, drawing = use "options", use "nn.layers.define_layer", use "nn.layers.drawing"

local made = {}

local function add(kind, number, least, most, change)
  local Made = define(kind, { seed = false }, 1, function(self, read, value)
    self[number] = options.number(kind, number, value, least, most)
    self.seed = read.seed or nil
  end)
  Made.takes_one, Made.supports_masking = true, true
  -- A replayed step would draw the same numbers again.
  Made.never_replayed = true
  function Made:compute_output_shape(shape) return shape end
  function Made:call(x, training)
    if not training or self[number] == 0 then return x end
    return change(self, x)
  end
  made[kind] = Made
  return Made
end

local function sizes_of(x) return { table.unpack(x.shape, 2) } end

local function normal(self, x, mean, deviation)
  return lutra.cast(drawing.rows(x, sizes_of(x), self.seed, function(shape, seed)
    return lutra.random.normal(shape, { mean = mean, stddev = deviation, seed = seed })
  end), x.dtype)
end
local function uniform(self, x, sizes)
  return drawing.rows(x, sizes, self.seed, function(shape, seed) return lutra.random.uniform(shape, { seed = seed }) end)
end

add("GaussianNoise", "stddev", 0, math.huge, function(self, x) return x + normal(self, x, 0, self.stddev) end)

-- Multiplies by normal numbers of mean 1 and the variance that Dropout has.
add("GaussianDropout", "rate", 0, 1, function(self, x)
  if self.rate == 1 then
    tools.fail("InvalidArgument", "GaussianDropout: rate is 1, expected less: its noise has the variance rate / (1 - rate)")
  end
  return x * normal(self, x, 1, math.sqrt(self.rate / (1 - self.rate)))
end)

-- Sets elements to selu's limit, and keeps mean and variance (Klambauer et al., NIPS 2017).
add("AlphaDropout", "rate", 0, 1, function(self, x)
  local limit = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
  local scale = ((1 - self.rate) * (1 + self.rate * limit ^ 2)) ^ -0.5
  local kept = uniform(self, x, sizes_of(x)):ge(self.rate)
  return lutra.where(kept, x, limit) * scale - scale * limit * self.rate
end)

-- Drops channels of all steps or pixels of a row together.
for axes = 1, 3 do
  local kind = ("SpatialDropout%dD"):format(axes)
  local Made = add(kind, "rate", 0, 1, function(self, x)
    if self.rate == 1 then return lutra.zeros_like(x) end
    local sizes, at = {}, self.data_format == "channels_first" and 1 or axes + 1
    for k = 1, axes + 1 do sizes[k] = k == at and x.shape[k + 1] or 1 end
    local kept = uniform(self, x, sizes):ge(self.rate)
    return x * lutra.cast(kept, x.dtype) * (1 / (1 - self.rate))
  end)
  function Made:build(shape)
    if #shape ~= axes + 1 then
      self:refuse("its input has the shape %s, expected %d axes: the batch, %s and channels", options.batch_text(shape), axes + 2,
        ({ "steps", "height, width", "depth, height, width" })[axes])
    end
  end
  if axes > 1 then
    -- The channels stay where they are.
    local drop = Made.call
    use "nn.layers.channel_order".data_format { Made }
    Made.call_first = drop
  end
end

return made
