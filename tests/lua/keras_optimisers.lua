-- Optimisers against trajectories that Keras computed (make_keras_optimisers.py), in fit, in replicas, from files.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local data = dofile("tests/support/golden/keras_optimisers.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(2)

-- Keras has its rate in float32, and Adam, which Muon contains, the powers of its betas too: exact ones differ from its
-- results as ours do.
local function tolerance_of(kind) return (kind == "Adam" or kind == "Muon") and 2e-6 or 5e-8 end
local function ramps(shape)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local i = lt.range(size, { dtype = "float64" }):reshape(shape)
  return 0.5 + 0.25 * i, 1 - 0.3 * i
end
local function gradients(variables, step)
  local list = {}
  for k, w in ipairs(variables) do
    local steep, tilt = ramps(data.shapes[k])
    list[k] = steep * w - tilt * math.cos(step)
  end
  return list
end
local function started(dtype)
  local variables = {}
  for k, start in ipairs(data.starts) do
    variables[k] = lt.Variable(lt.constant(start, { dtype = dtype or "float64" }):reshape(data.shapes[k]))
  end
  return variables
end

for place, device in pairs { CPU = "/CPU:0", GPU = "/GPU:0" } do
  for i, case in ipairs(data) do
    expect.case(("%s %d on the %s"):format(case[1], i, place), function()
      local scope <close> = lt.device(device)
      local optimizer = lt.optim[case[1]](case[2])
      local variables = started()
      for step, row in ipairs(case[3]) do
        optimizer:apply(gradients(variables, step), variables)
        for k, w in ipairs(variables) do
          expect.close(w:value():flatten():totable(), row[k], tolerance_of(case[1]), ("step %d, variable %d"):format(step, k))
        end
      end
      local every = case[2].gradient_accumulation_steps or 1
      expect.equal(optimizer.iterations, #case[3] // every)
    end)
  end
end

-- All new kinds, with options under which they learn.
local kinds = {
  Nadam = {}, Adamax = {}, Adadelta = { learning_rate = 1.0 }, Ftrl = { learning_rate = 0.1 }, Lamb = { learning_rate = 0.01 },
  Adafactor = { learning_rate = 0.05 }, Muon = { learning_rate = 0.01 }, SGD = { gradient_accumulation_steps = 2 },
}
lt.random.set_seed(1)
local x = lt.random.normal { 48, 4 }
local y = x:sum(-1, { keepdims = true })
local function model_of(kind, strategy)
  lt.random.set_seed(2)
  local function make()
    local model = nn.Sequential { nn.Dense(8, { activation = "tanh", input_shape = { 4 } }), nn.Dense(1) }
    model:compile { optimizer = lt.optim[kind](kinds[kind]), loss = "mse" }
    return model
  end
  return strategy and strategy:scope(make) or make()
end
local plain = { epochs = 4, batch_size = 16, shuffle = false, verbose = 0 }

expect.case("in fit, by name and from a file", function()
  for kind in pairs(kinds) do
    local model = model_of(kind)
    local losses = model:fit(x, y, plain).history.loss
    assert(losses[4] < losses[1], kind .. " does not learn")
    local path = expect.path ".safetensors"
    local half = model_of(kind)
    half:fit(x, y, { epochs = 2, batch_size = 16, shuffle = false, verbose = 0 })
    half:save(path)
    local again = nn.load_model(path, { resume = true })
    os.remove(path)
    again:fit(x, y, plain)
    for i, weight in ipairs(model:get_weights()) do
      assert(again:get_weights()[i]:bytes() == weight:bytes(), kind .. ": a resumed fit gives other bits")
    end
    nn.Sequential { nn.Dense(1) }:compile { optimizer = kind:lower(), loss = "mse" }
  end
end)

expect.case("in replicas", function()
  local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" }
  for kind in pairs(kinds) do
    local one, two = model_of(kind), model_of(kind, strategy)
    one:fit(x, y, plain)
    two:fit(x, y, plain)
    for i, weight in ipairs(one:get_weights()) do expect.close(two:get_weights()[i], weight:totable(), 2e-4, kind) end
  end
end)

expect.case("gradients that are added up", function()
  local w = lt.Variable { 1.0, 2.0 }
  local optimizer = lt.optim.SGD { learning_rate = 0.5, gradient_accumulation_steps = 2 }
  optimizer:apply({ lt.constant { 1.0, 2.0 } }, { w })
  expect.equal({ w:totable(), optimizer.iterations }, { { 1, 2 }, 0 })
  optimizer:apply({ lt.constant { 3.0, 0.0 } }, { w })
  expect.equal({ w:totable(), optimizer.iterations }, { { 0, 1.5 }, 1 })
  local at = {}
  optimizer.learning_rate = function(step)
    at[#at + 1] = step
    return 0.1
  end
  for _ = 1, 3 do optimizer:apply { lt.ones { 2 } } end
  expect.equal(at, { 1 })
end)

expect.case("in graphs and with scales", function()
  local w = lt.Variable { { 3.0, 4.0 } }
  local optimizer = lt.optim.Lamb { learning_rate = 1, global_clipnorm = 1 }
  local step = lt.graph(function(g) optimizer:apply({ g }, { w }) end)
  for _ = 1, 3 do step(lt.constant { { 30.0, 40.0 } }) end
  expect.equal(optimizer.iterations, 3)
end)

expect.case("what is refused", function()
  local function refused(words, kind, options) expect.raises("InvalidArgument", words, lt.optim[kind], options) end
  refused("optim.Nadam: beta_1 is 1, expected a number from 0 to below 1", "Nadam", { beta_1 = 1 })
  refused("optim.Adamax: beta_2 is 2, expected a number of 0 to 1", "Adamax", { beta_2 = 2 })
  refused("optim.Adadelta: rho is -1", "Adadelta", { rho = -1 })
  refused("optim.Ftrl: learning_rate_power is 1, expected a number of 0 or less", "Ftrl", { learning_rate_power = 1 })
  refused("optim.Ftrl: beta is -1", "Ftrl", { beta = -1 })
  refused("optim.Lamb: epsilon is -1", "LAMB", { epsilon = -1 })
  refused("optim.Adafactor: clip_threshold is 0, expected a number above 0", "Adafactor", { clip_threshold = 0 })
  refused("optim.Muon: ns_steps is 1.5", "Muon", { ns_steps = 1.5 })
  refused("optim.Muon: exclude_layers is \"a\"", "Muon", { exclude_layers = "a" })
  local w = lt.Variable { 1.0 }
  expect.raises("InvalidArgument", "optim.Ftrl: the learning rate is 0", function()
    lt.optim.Ftrl { learning_rate = 0 }:apply({ lt.ones { 1 } }, { w })
  end)
  for _, kind in ipairs { "Lamb", "Nadam" } do
    expect.raises("InvalidArgument", "none of the variables has a gradient", function()
      lt.optim[kind]():apply({ false }, { w })
    end)
    expect.raises("InvalidArgument", "the gradient of the variable", function()
      lt.optim[kind]():apply({ lt.ones { 2 } }, { w })
    end)
  end
end)

expect.case("numbers that spoil the weights", function()
  local function refused(words, name, given) expect.raises("InvalidArgument", words, lt.optim[name], given) end
  for _, decay in ipairs { 0, 1, 0 / 0 } do refused("optim.Adafactor: beta_2_decay is", "Adafactor", { beta_2_decay = decay }) end
  refused("optim.Adadelta: rho is 1, expected a number from 0 to below 1", "Adadelta", { rho = 1 })
  refused("optim.Muon: ns_steps is 0, expected a whole number, 1 or more", "Muon", { ns_steps = 0 })
end)

expect.end_of_cases()
