-- Proximal policy optimisation (Schulman et al., 2017): a cart learns to balance a pole.
--   lutra scripts/experiments/ppo.lua [ROUNDS]
-- Many carts move at once, each a row of a tensor; the physics are those of Barto, Sutton and Anderson (1983).
local nn, D = lt.nn, lt.distributions
lt.random.set_seed(2)

local rounds = tonumber(arg[1]) or 40
local carts, steps, most_steps = 32, 64, 200
local gamma, lambda, clip = 0.99, 0.95, 0.2

local function new_states(n) return lt.random.uniform({ n, 4 }, { minval = -0.05, maxval = 0.05 }) end

-- The states after actions 1 (left) and 2 (right), and whether the pole or the cart is out of bounds.
local function move(state, action)
  local x, speed, angle, turning = table.unpack(lt.unstack(state, 2))
  local force = (action:float32() * 2 - 3) * 10
  local push = (force + 0.05 * lt.square(turning) * lt.sin(angle)) / 1.1
  local bend = (9.8 * lt.sin(angle) - lt.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * lt.square(lt.cos(angle)) / 1.1))
  local pull = push - 0.05 * bend * lt.cos(angle) / 1.1
  local after = lt.stack({ x + 0.02 * speed, speed + 0.02 * pull, angle + 0.02 * turning, turning + 0.02 * bend }, 2)
  return after, lt.logical_or(after[{ {}, 1 }]:abs():gt(2.4), after[{ {}, 3 }]:abs():gt(0.2095))
end

local function network(outputs, last)
  return nn.Sequential {
    nn.Dense(64, { activation = "tanh", kernel_initializer = "orthogonal", input_shape = { 4 } }),
    nn.Dense(64, { activation = "tanh", kernel_initializer = "orthogonal" }),
    nn.Dense(outputs, { kernel_initializer = nn.initializers.Orthogonal { gain = last } }),
  }
end
local policy, critic = network(2, 0.01), network(1, 1.0)
local variables = policy:trainable_variables()
table.move(critic:trainable_variables(), 1, #critic:trainable_variables(), #variables + 1, variables)
local optimizer = lt.optim.Adam { learning_rate = 0.003, global_clipnorm = 0.5 }

local state, age = new_states(carts), lt.zeros { carts }
local finished = {}  -- how long the poles stood that have fallen, or stood to the end

-- `steps` moves of all carts: lists of tensors [carts].
local function play()
  local states, actions, logs, values, dones = {}, {}, {}, {}, {}
  for t = 1, steps do
    local choice = D.Categorical { logits = policy(state) }
    local action = choice:sample()
    states[t], actions[t], logs[t], values[t] = state, action, choice:log_prob(action), critic(state):squeeze(2)
    local after, is_out = move(state, action)
    age = age + 1
    local is_done = lt.logical_or(is_out, age:ge(most_steps))
    for _, each in ipairs(age[is_done]:totable()) do finished[#finished + 1] = each end
    dones[t] = is_done:float32()
    state = lt.where(is_done:expand_dims(2), new_states(carts), after)
    age = lt.where(is_done, 0, age)
  end
  return states, actions, logs, values, dones
end

-- Generalised advantages (Schulman et al., 2016), from the last move to the first. Each move earns 1.
local function advantages_of(values, dones)
  local list, later, next_value = {}, lt.zeros { carts }, critic(state):squeeze(2)
  for t = steps, 1, -1 do
    local goes_on = 1 - dones[t]
    later = 1 + gamma * next_value * goes_on - values[t] + gamma * lambda * goes_on * later
    list[t], next_value = later, values[t]
  end
  return list
end

local function learn(s, a, old, advantage, target)
  local tape <close> = lt.GradientTape()
  local choice = D.Categorical { logits = policy(s) }
  local ratio = lt.exp(choice:log_prob(a) - old)
  local gain = lt.minimum(ratio * advantage, lt.clip(ratio, 1 - clip, 1 + clip) * advantage):mean()
  local error = lt.square(critic(s):squeeze(2) - target):mean()
  local loss = error * 0.5 - gain - choice:entropy():mean() * 0.01
  optimizer:apply(tape:gradient(loss, variables), variables)
end

for round = 1, rounds do
  finished = {}
  local states, actions, logs, values, dones = play()
  local advantages = advantages_of(values, dones)
  local s, a, old = lt.concat(states, 1), lt.concat(actions, 1), lt.concat(logs, 1)
  local advantage = lt.concat(advantages, 1)
  local target = advantage + lt.concat(values, 1)
  advantage = (advantage - advantage:mean()) / (advantage:std() + 1e-8)
  for _ = 1, 4 do
    local order = lt.random.permutation(carts * steps):reshape { 4, -1 }
    for part = 1, 4 do
      local rows = order[part]
      learn(s:gather(rows), a:gather(rows), old:gather(rows), advantage:gather(rows), target:gather(rows))
    end
  end
  if round % 10 == 0 or round == 1 then
    local sum = 0
    for _, each in ipairs(finished) do sum = sum + each end
    print(("round %2d: a pole stands %.1f steps, of %d at most"):format(round, sum / math.max(#finished, 1), most_steps))
  end
end
