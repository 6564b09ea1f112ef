-- Divides a layer's kernel by its largest singular value before each call in training (Miyato et al., ICLR 2018). Loaded
-- when it is named.
local lutra, tools, use = ...
local options, layers, replicas = use "options", use "nn.layers.layer", use "distribute.replicas"
local running = layers.running

local SpectralNormalization = layers.Layer:extend "SpectralNormalization"
SpectralNormalization.takes_one, SpectralNormalization.supports_masking = true, true

function SpectralNormalization:init(layer, given)
  local read = self:read_options(given, { power_iterations = 1 })
  if not layers.is_layer(layer) then
    tools.fail("InvalidArgument", "SpectralNormalization: layer is " .. tools.what_is(layer) .. ", expected a layer")
  end
  self.power_iterations = options.count("SpectralNormalization", "power_iterations", read.power_iterations, 1)
  self.layer = layer
  if not rawget(self, "input_shape") then self.input_shape = rawget(layer, "input_shape") end
end

local function kernel_of(self)
  local kernel = rawget(self.layer, "kernel") or rawget(self.layer, "embeddings")
  if getmetatable(kernel) == "lutra.Variable" then return kernel end
  self:refuse("its layer '%s', a %s, has no weight named kernel or embeddings", self.layer.name, self.layer.kind)
end

function SpectralNormalization:build(shape)
  self.layer:ensure_built(shape)
  local kernel = kernel_of(self)
  self.vector_u = self:add_weight {
    name = "vector_u", shape = { 1, kernel.shape[kernel.rank] }, trainable = false,
    initializer = use "nn.layers.initializers".public.TruncatedNormal { stddev = 0.02 },
  }
end

function SpectralNormalization:compute_output_shape(shape) return self.layer:compute_output_shape(shape) end

local function normalize(vector)
  return vector * lutra.minimum(lutra.rsqrt(lutra.square(vector):sum()), 1e7)
end

-- Power iteration for the singular vectors of the largest singular value. A kernel of zeros stays.
local function update(self)
  local kernel, u = lutra.stop_gradient(kernel_of(self)), lutra.stop_gradient(self.vector_u)
  local rows = lutra.reshape(kernel, { -1, kernel.shape[kernel.rank] })
  local before, v = u, nil
  for _ = 1, self.power_iterations do
    v = normalize(lutra.matmul(u, rows, { transpose_b = true }))
    u = normalize(lutra.matmul(v, rows))
  end
  local sigma = lutra.matmul(lutra.matmul(v, rows), u, { transpose_b = true }):reshape {}
  local is_zero = kernel:eq(0):all()
  self.vector_u:assign(lutra.where(is_zero, before, u))
  kernel_of(self):assign(lutra.where(is_zero, kernel, kernel / sigma))
end

-- When all replicas are there, once for all of them.
local function update_once(strategy, brought, list)
  lutra.device(strategy.devices[1], update, brought[1][1])
  return replicas.no_answers(list)
end

function SpectralNormalization:call(x, training)
  -- In a recomputation the kernel has been updated already.
  if training and not running.again then
    if replicas.current then
      replicas.meet("the layer '" .. self.name .. "'", update_once, self)
    else
      update(self)
    end
  end
  return self.layer(x, training)
end

return { SpectralNormalization = SpectralNormalization }
