-- Layers that normalise their input to mean 0 and variance 1, then apply a learned scale and shift.
local lutra, tools, use = ...
local options, layers, masks, replicas = use "options", use "nn.layers.layer", use "nn.training.masks", use "distribute.replicas"
local define_layer, running = use "nn.layers.define_layer", layers.running

-- Adds the learned scale and offset, of the sizes of the axes that are normalised, if enabled.
local function add_scale(self, sizes)
  local read = self.read
  local function weight(name)
    return self:add_weight {
      name = name, shape = sizes, initializer = read[name .. "_initializer"], regularizer = read[name .. "_regularizer"],
      constraint = read[name .. "_constraint"],
    }
  end
  local gamma, beta = read.scale and weight "gamma" or nil, read.center and weight "beta" or nil
  self.gamma = gamma  -- weights come in the order in which they are set
  self.beta = beta
  self.ones = gamma or lutra.ones(sizes)
  self.zeros = beta or lutra.zeros(sizes)
end

local function define(kind, defaults, build)
  for name, value in pairs {
    epsilon = 1e-3, center = true, scale = true, gamma_initializer = "ones", beta_initializer = "zeros",
    gamma_regularizer = false, beta_regularizer = false, gamma_constraint = false, beta_constraint = false,
  } do
    defaults[name] = value
  end
  local Made = define_layer(kind, defaults, 0, function(self, read)
    options.number(kind, "epsilon", read.epsilon, 0)
    if read.groups and read.groups ~= -1 then options.count(kind, "groups", read.groups, 1) end
    if read.momentum then options.number(kind, "momentum", read.momentum, 0, 1) end
    self.read = read
  end)
  Made.needs_float32, Made.takes_one, Made.supports_masking = true, true, true
  function Made:build(shape)
    if #shape == 0 then self:refuse("its input has no axis but the batch, expected (..., features)") end
    add_scale(self, self.sizes_of and self:sizes_of(shape) or { shape[#shape] })
    if build then build(self, shape[#shape]) end
  end
  function Made:compute_output_shape(shape) return shape end
  return Made
end

-- The axis may be a list, along all of which a row is normalised.
local LayerNorm = define("LayerNorm", {})
LayerNorm.takes_axes = true

-- The listed axes in order; `rank` counts the batch.
local function listed_axes(self, rank)
  local axes, seen = {}, {}
  for i, axis in ipairs(self.axis) do
    local at = axis < 0 and rank + 1 + axis or axis
    if at < 2 or at > rank or seen[at] then
      self:refuse("axis lists %d, expected different axes from 2 to %d", axis, rank)
    end
    axes[i], seen[at] = at, true
  end
  table.sort(axes)
  return axes
end
function LayerNorm:sizes_of(shape)
  if type(self.axis) ~= "table" then return { shape[#shape] } end
  local sizes = {}
  for i, axis in ipairs(listed_axes(self, #shape + 1)) do sizes[i] = shape[axis - 1] end
  return sizes
end
function LayerNorm:call(x)
  local epsilon = self.read.epsilon
  if type(self.axis) ~= "table" then return lutra.layer_norm(x, self.ones, self.zeros, { epsilon = epsilon }) end
  local axes, sizes = listed_axes(self, x.rank), {}
  for axis = 1, x.rank do sizes[axis] = 1 end
  for _, axis in ipairs(axes) do sizes[axis] = x.shape[axis] end
  local how = { axis = axes, keepdims = true }
  local mean, variance = lutra.mean(x, how), lutra.var(x, how)
  return (x - mean) * lutra.rsqrt(variance + epsilon) * lutra.reshape(self.ones, sizes) + lutra.reshape(self.zeros, sizes)
end

-- Normalises groups of channels over all positions of a row (Wu and He, ECCV 2018). -1 makes each channel a group.
local GroupNorm = define("GroupNorm", { groups = 32 }, function(self, features)
  local groups = self.read.groups == -1 and features or self.read.groups
  if groups == 0 or features % groups ~= 0 then self:refuse("%d channels cannot be divided into %d groups", features, groups) end
  self.groups, self.channels = groups, features
end)
function GroupNorm:call(x)
  local groups, shape, places = self.groups, x.shape, 1
  if shape[#shape] ~= self.channels then
    self:refuse("its input has the shape %s, expected (batch, ..., %d)", tostring(shape), self.channels)
  end
  for axis = 2, #shape - 1 do places = places * shape[axis] end
  local parts = lutra.reshape(x, { shape[1], places, groups, shape[#shape] // groups })
  local how = { axis = { 2, 4 }, keepdims = true }
  local mean, variance = lutra.mean(parts, how), lutra.var(parts, how)
  local y = lutra.reshape((parts - mean) * lutra.rsqrt(variance + self.read.epsilon), shape)
  return y * self.ones + self.zeros
end

-- In training uses the batch's mean and variance, and updates running means of them for later (Ioffe and Szegedy, ICML
-- 2015).
local BatchNorm = define("BatchNorm", { momentum = 0.99, synchronized = false }, function(self, features)
  self.moving_mean = self:add_weight { name = "moving_mean", shape = { features }, initializer = "zeros", trainable = false }
  self.moving_variance = self:add_weight { name = "moving_variance", shape = { features }, initializer = "ones", trainable = false }
end)

local function move(self, mean, variance)
  local momentum = self.read.momentum
  self.moving_mean:assign(self.moving_mean * momentum + mean * (1 - momentum))
  self.moving_variance:assign(self.moving_variance * momentum + variance * (1 - momentum))
end

-- Argument k of a replica, of `count`, weighted by its number of rows.
local function weighted(brought, replica, k, count) return brought[k] * (replica.share or 1 / count) end

-- The mean over the replicas of argument k.
local function mean_of(brought, list, k)
  local parts = {}
  for i, replica in ipairs(list) do parts[i] = weighted(brought[i], replica, k, #list) end
  return #parts > 1 and use "distribute.sums".tree(parts) or parts[1]
end

-- When all replicas have ended, updates the running means by the mean over the replicas.
local function move_by_all(strategy, brought, list)
  if strategy.ranks then
    local parts, count = {}, strategy.num_replicas_in_sync
    for id = 1, #strategy.devices do parts[id] = { false, false } end
    for i, replica in ipairs(list) do
      if not replica.is_silent then
        lutra.device(replica.device, function()
          local stopped = { false, lutra.stop_gradient(brought[i][2]), lutra.stop_gradient(brought[i][3]) }
          parts[replica.id] = { weighted(stopped, replica, 2, count), weighted(stopped, replica, 3, count) }
        end)
      end
    end
    local layer = brought[1][1]
    local means = use "distribute.sums".totals(strategy, parts, "sum", ("the running means of the layer '%s'"):format(layer.name))[1]
    return lutra.device(strategy.devices[1], move, layer, means[1], means[2])
  end
  lutra.device(strategy.devices[1], function()
    move(brought[1][1], mean_of(brought, list, 2), mean_of(brought, list, 3))
  end)
end

-- Mean and variance over the rows of all replicas, those of other processes too (Chan, Golub and LeVeque, 1979). A tape
-- around all replicas sees it.
local function of_all(strategy, brought, list)
  local sums, count, silent = use "distribute.sums", strategy.num_replicas_in_sync, nil
  local what = ("the statistics of the layer '%s'"):format(brought[1][3].name)
  -- The sums of f(i), weighted.
  local function total(f)
    local parts = {}
    for i, replica in ipairs(list) do
      if replica.is_silent then silent = replica.id end
      parts[replica.id] = lutra.device(replica.device, function() return weighted({ f(i) }, replica, 1, count) end)
    end
    return sums.with_gradient(strategy, parts, "sum", what, silent)
  end
  local mean = total(function(i) return brought[i][1] end)
  local variance = total(function(i) return brought[i][2] + lutra.square(brought[i][1] - mean[list[i].id]) end)
  local answers = {}
  for i, replica in ipairs(list) do answers[i] = { mean[replica.id], variance[replica.id], n = 2 } end
  return answers
end

local function synchronized(self, mean, variance)
  if not replicas.current.rows then
    tools.fail("Unimplemented", ("layer '%s': synchronized statistics need a tape around all replicas, which fit, evaluate and "
      .. "train_on_batch have: train the model by them, or make the layer without synchronized"):format(self.name))
  end
  return replicas.meet("the layer '" .. self.name .. "'", of_all, mean, variance, self)
end

BatchNorm.call_options = { mask = true }
function BatchNorm:mask_options(mask) return { mask = mask } end

-- Mean and variance of the batch, over the rows that count if there is a mask.
local function moments(x, mask)
  local axes = {}
  for axis = 1, x.rank - 1 do axes[axis] = axis end
  if not mask then return lutra.mean(x, axes), lutra.var(x, axes) end
  local how = { axis = axes }
  local sum, count = masks.sums(x, mask, how)
  local some = count + 1e-7
  local mean = sum / some
  return mean, masks.sums(lutra.square(x - mean), mask, how) / some
end

function BatchNorm:call(x, training, given)
  local read = self.read
  if not training or not self.trainable or running.frozen then
    return lutra.batch_norm(x, self.moving_mean, self.moving_variance, self.ones, self.zeros, { epsilon = read.epsilon })
  end
  local mean, variance = moments(x, given and given.mask or nil)
  if replicas.current and read.synchronized then mean, variance = synchronized(self, mean, variance) end
  -- In a recomputation the running means have been updated already.
  if not running.again then
    if replicas.current then replicas.defer(move_by_all, self, mean, variance) else move(self, mean, variance) end
  end
  return lutra.batch_norm(x, mean, variance, self.ones, self.zeros, { epsilon = read.epsilon })
end

return use "nn.layers.channel_order".axis { LayerNorm = LayerNorm, GroupNorm = GroupNorm, BatchNorm = BatchNorm }
