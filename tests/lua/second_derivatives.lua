-- Gradients of gradients: known functions, small nets against central differences, a step with a gradient penalty. The
-- specifications test those of single ops.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)

local function float64(value) return lt.constant(value, { dtype = "float64" }) end

local function close(got, wanted, tolerance, what)
  wanted = type(wanted) == "table" and float64(wanted) or wanted
  local off = (got:cast("float64") - wanted):abs():max():item()
  assert(off <= tolerance, ("%s: off by %g: %s, expected %s"):format(what, off, got, wanted))
end

-- The n-th derivative of f at x, by n tapes one in the other.
local function derivative(f, x, n)
  if n == 0 then return f(x) end
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(derivative(f, x, n - 1), x)
end

for _, device in ipairs { "/CPU:0", "/GPU:0" } do
  local scope <close> = lt.device(device)
  local x = float64 { 0.3, 1.2, -0.7 }
  close(derivative(function(v) return v ^ 5 end, x, 3), 60 * x ^ 2, 1e-9, "third derivative of x^5")
  close(derivative(lt.sin, x, 4), lt.sin(x), 1e-9, "fourth derivative of sin")
  close(derivative(lt.exp, x, 5), lt.exp(x), 1e-9, "fifth derivative of exp")
  close(derivative(lt.tanh, x, 2), -2 * lt.tanh(x) * (1 - lt.tanh(x) ^ 2), 1e-9, "second derivative of tanh")

  -- The Hessian of Rosenbrock's function, (1 - a)^2 + 100 (b - a^2)^2.
  local at = float64 { 0.5, -0.25 }
  local outer <close> = lt.GradientTape()
  outer:watch(at)
  local slope
  do
    local inner <close> = lt.GradientTape()
    inner:watch(at)
    local a, b = at[1], at[2]
    slope = inner:gradient((1 - a) ^ 2 + 100 * (b - a ^ 2) ^ 2, at)
  end
  close(outer:jacobian(slope, at), { { 2 - 400 * (-0.25 - 3 * 0.25), -200 }, { -200, 200 } }, 1e-9, "Hessian of Rosenbrock's")
end

-- Central differences of what loss() gives, by a variable.
local function differences(loss, variable)
  local kept, flat, slopes = variable:value(), variable:reshape { -1 }:totable(), {}
  local step = 1e-5
  for i, number in ipairs(flat) do
    local function moved(by)
      flat[i] = number + by
      variable:assign(float64(flat):reshape(kept.shape))
      flat[i] = number
      return loss():item()
    end
    slopes[i] = (moved(step) - moved(-step)) / (2 * step)
  end
  variable:assign(kept)
  return float64(slopes):reshape(kept.shape)
end

local function variable(shape, seed)
  return lt.Variable(lt.random.normal(shape, { seed = seed, dtype = "float64", stddev = 0.5 }))
end

-- A critic's loss with a gradient penalty (Gulrajani et al., NIPS 2017, equation 3): the norm of its gradient by its input
-- is held near 1, so a step of its weights takes a second derivative.
local function penalised(critic, real, fake, mix)
  local between = real * mix + fake * (1 - mix)
  local slope
  do
    local tape <close> = lt.GradientTape()
    tape:watch(between)
    slope = tape:gradient(critic(between), between)
  end
  local norm = (slope:reshape { slope.shape[1], -1 } ^ 2):sum(2):sqrt()
  return critic(fake):mean() - critic(real):mean() + 10 * ((norm - 1) ^ 2):mean()
end

local critics = {
  dense = function()
    local w, b, v = variable({ 4, 5 }, 1), variable({ 5 }, 2), variable({ 5, 1 }, 3)
    return { 6, 4 }, { w, b, v }, function(x) return lt.matmul(lt.tanh(lt.linear(x, w, b)), v) end
  end,
  normalised = function()
    local w, scale, offset, v = variable({ 4, 5 }, 4), variable({ 5 }, 5), variable({ 5 }, 6), variable({ 5, 1 }, 7)
    return { 6, 4 }, { w, scale, offset, v }, function(x)
      return lt.matmul(lt.gelu(lt.layer_norm(x:matmul(w), scale, offset)), v)
    end
  end,
  convolutional = function()
    local w, u, v = variable({ 3, 3, 1, 2 }, 8), variable({ 2, 2, 2, 3 }, 9), variable({ 3, 1 }, 10)
    return { 3, 6, 6, 1 }, { w, u, v }, function(x)
      local y = lt.max_pool2d(lt.leaky_relu(lt.conv2d(x, w, { padding = "same" })), 2)
      return lt.matmul(lt.elu(lt.conv2d(y, u, { stride = 1 })):mean({ axis = { 2, 3 } }), v)
    end
  end,
}

for name, make in pairs(critics) do
  for _, device in ipairs { "/CPU:0", "/GPU:0" } do
    local scope <close> = lt.device(device)
    local shape, variables, critic = make()
    local function noise(seed) return lt.random.normal(shape, { seed = seed, dtype = "float64" }) end
    local mix_shape = { shape[1] }
    for i = 2, #shape do mix_shape[i] = 1 end
    local mix = lt.random.uniform(mix_shape, { seed = 20, dtype = "float64" })
    local real, fake = noise(21), noise(22)
    local function loss() return penalised(critic, real, fake, mix) end
    local tape <close> = lt.GradientTape()
    local gradients = tape:gradient(loss(), variables)
    for k, gradient in ipairs(gradients) do
      close(gradient, differences(loss, variables[k]), 1e-6, ("%s critic on %s, variable %d"):format(name, device, k))
    end
  end
end

-- Training with it reduces the loss.
do
  lt.random.set_seed(3)
  local model = lt.nn.Sequential { lt.nn.Dense(16, { activation = "tanh", input_shape = { 2 } }), lt.nn.Dense(1) }
  local optimizer = lt.optim.Adam { learning_rate = 0.01 }
  local real, fake = lt.random.normal({ 64, 2 }, { mean = 1 }), lt.random.normal({ 64, 2 }, { mean = -1 })
  local first, last
  for step = 1, 60 do
    local tape <close> = lt.GradientTape()
    local loss = penalised(model, real, fake, lt.random.uniform { 64, 1 })
    local variables = model:trainable_variables()
    -- The last bias moves both means alike: the loss does not depend on it.
    optimizer:apply(tape:gradient(loss, variables, { unconnected_gradients = "zero" }), variables)
    last = loss:item()
    first = first or last
  end
  assert(last < first - 2, ("the critic's loss went from %g to %g"):format(first, last))
end

-- Eigenvector of a Hessian by Hessian-vector products, a gradient of a product with a gradient: of x^T A x it is 2 A v.
do
  local a = float64 { { 2, 1, 0 }, { 1, 3, -1 }, { 0, -1, 1 } }
  local x, v = float64 { 0.1, 0.2, 0.3 }, float64 { 1, -2, 0.5 }
  local outer <close> = lt.GradientTape()
  outer:watch(x)
  local inner <close> = lt.GradientTape()
  inner:watch(x)
  local slope = inner:gradient(x:dot(a:matmul(x)), x)
  close(outer:gradient(slope, x, { output_gradients = v }), 2 * a:matmul(v), 1e-12, "Hessian times a vector")
end

-- A step function's gradient is 0, and so is that one's.
do
  local x = lt.constant { 0.4, 1.6 }
  local outer <close> = lt.GradientTape { persistent = true }
  outer:watch(x)
  local inner <close> = lt.GradientTape()
  inner:watch(x)
  local slope = inner:gradient(x:floor() * x, x)
  expect.equal(slope:totable(), { 0, 1 })
  expect.equal(outer:gradient(slope, x):totable(), { 0, 0 })
end
print "ok"
