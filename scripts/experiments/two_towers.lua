-- Model parallelism: two towers of layers, for users and for items, trained on two simulated GPUs of unequal speed.
--   lutra scripts/experiments/two_towers.lua [STEPS] [PAGE.html]
-- lt.placement.optimize records one step, and plans it on each GPU alone and on both. Each plan's predicted time stands
-- beside the measured one; the losses are the same to the last bit.
local kSteps, kPage = tonumber(arg[1]) or 12, arg[2]
local kRows, kGflops, kGbps = 64, {8, 4}, {20, 10}

lt.config.set_simulated_gpus(2, {gflops = kGflops, gbps = kGbps, link_gbps = 2, link_latency_us = 20})

-- Weights of a tower with these widths.
local function tower(seed, sizes)
  local weights = {}
  for i = 2, #sizes do
    local initial = lt.random.normal({sizes[i - 1], sizes[i]}, {seed = seed + i}) * (2 / sizes[i - 1]) ^ 0.5
    weights[#weights + 1] = lt.Variable(initial, {name = ("tower%d/%d"):format(seed // 100, i - 1)})
  end
  return weights
end

local function output(weights, x)
  for i, w in ipairs(weights) do
    x = x:matmul(w)
    if i < #weights then x = lt.relu(x) end
  end
  return x
end

local function new_step()
  local users, items = tower(100, {512, 768, 768, 128}), tower(200, {512, 768, 128})
  local variables = {}
  for _, weights in ipairs {users, items} do
    for _, w in ipairs(weights) do variables[#variables + 1] = w end
  end
  return function(x, y, wanted)
    local tape <close> = lt.GradientTape()
    local score = lt.sum(output(users, x) * output(items, y), 2)
    local loss = lt.mean(lt.square(score * 0.02 - wanted))
    for i, gradient in ipairs(tape:gradient(loss, variables)) do variables[i]:assign_sub(gradient * 0.02) end
    return loss
  end
end

local x = lt.random.normal({kRows, 512}, {seed = 1})
local y = lt.random.normal({kRows, 512}, {seed = 2})
local wanted = lt.random.normal({kRows}, {seed = 3})

print("devices        predicted   measured   error  loss after " .. kSteps .. " steps")
local times = {}
for _, devices in ipairs {{"GPU:0"}, {"GPU:1"}, {"GPU:0", "GPU:1"}} do
  local step = new_step()
  local plan = lt.placement.optimize(step, {x, y, wanted}, {devices = devices, budget_ms = 200})
  plan:run(x, y, wanted)  -- variables move to their devices, inputs are copied once
  local losses = {}
  for i = 1, kSteps - 2 do
    lt.synchronize()
    local start = lt.time()
    losses[i] = plan:run(x, y, wanted)
    lt.synchronize()
    local us = (lt.time() - start) * 1e6
    times[#devices == 2 and "both" or devices[1]] = math.min(us, times[#devices == 2 and "both" or devices[1]] or us)
  end
  local measured = times[#devices == 2 and "both" or devices[1]]
  print(("%-13s %8.2f ms %7.2f ms %6.1f%%  %.6f"):format(table.concat(devices, "+"), plan.makespan_us / 1e3, measured / 1e3,
    100 * (measured / plan.makespan_us - 1), losses[#losses]:item()))
  if #devices == 2 then
    print(plan:explain(plan.critical_path[#plan.critical_path]))
    if kPage then
      plan:trace(kPage, x, y, wanted)
      print("timeline: " .. kPage)
    end
  end
end
print(("placed on both, a step takes %.0f%% of its time on the faster one"):format(100 * times.both / math.min(times["GPU:0"], times["GPU:1"])))
