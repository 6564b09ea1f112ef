-- A network that is too big for any one GPU: its weights and gradients need nearly twice what a card has. A plan spreads
-- the layers, and training stays within each card's limit.
--   lutra scripts/experiments/too_big.lua [STEPS]
local kSteps = tonumber(arg[1]) or 10
local kRows, kWidth, kLayers, kCardMB = 16, 512, 12, 14

lt.config.set_simulated_gpus(3, {memory_limit = kCardMB})

-- 12 matrices of 1 MB, made in the host's memory; each has a gradient of the same size.
local weights = {}
lt.device("/CPU:0", function()
  for i = 1, kLayers do
    weights[i] = lt.Variable(lt.random.normal({kWidth, kWidth}, {seed = i}) * kWidth ^ -0.5, {name = "layer" .. i})
  end
end)

-- The tape is closed before the update: what it has saved, the weights, would otherwise need memory of its own.
local function loss_and_gradients(x, y)
  local tape <close> = lt.GradientTape()
  local h = x
  for i, w in ipairs(weights) do
    h = h:matmul(w)
    if i < kLayers then h = lt.tanh(h) end
  end
  local loss = lt.mean(lt.square(h - y))
  return loss, tape:gradient(loss, weights)
end

local function step(x, y)
  local loss, gradients = loss_and_gradients(x, y)
  for i, gradient in ipairs(gradients) do weights[i]:assign_sub(gradient * 2.0) end
  return loss
end

local x = lt.device("/CPU:0", function() return lt.random.normal({kRows, kWidth}, {seed = 50}) end)
local y = lt.device("/CPU:0", function() return lt.random.normal({kRows, kWidth}, {seed = 51}) * 0.3 end)

-- Recorded on the CPU, as no card could run it.
local cards = {"GPU:0", "GPU:1", "GPU:2"}
local memory = {}
for _, name in ipairs(cards) do memory[name] = 0.75 * kCardMB * 2 ^ 20 end  -- the rest is for what is not yet collected
local plan = lt.placement.optimize(step, {x, y}, {devices = cards, memory = memory, record = "CPU:0"})
for _, name in ipairs(cards) do print(name .. " alone: " .. tostring(plan.alternatives[name])) end
for i = 1, kSteps do
  local loss = plan:run(x, y)
  if i == 1 or i == kSteps then print(("step %2d: loss %.6f"):format(i, loss:item())) end
end
for _, name in ipairs(cards) do
  local info, layers = lt.config.get_memory_info(name), 0
  for _, w in ipairs(weights) do
    if w.device:find(name, 1, true) then layers = layers + 1 end
  end
  print(("%s has %d layers; it held at most %.1f MB of %d (planned: %.1f)"):format(name, layers, info.peak / 2 ^ 20, kCardMB,
    plan.devices[name].peak_bytes / 2 ^ 20))
end
