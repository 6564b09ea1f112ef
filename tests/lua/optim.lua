-- Optimisers against trajectories computed with NumPy (tests/support/generate/make_optimiser_data.py), clipping,
-- schedules, and refused arguments.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local data = dofile("tests/support/golden/optimiser_data.lua")

lt.config.set_simulated_gpus(1)
local scope <close> = lt.device("/CPU:0")

local close = expect.close

-- The gradient that make_optimiser_data.py has.
local steep = lt.constant({ 2.0, 0.5, 1.5, 4.0 }, { dtype = "float64" })
local tilt = lt.constant({ 1.0, -0.3, 0.7, 0.9 }, { dtype = "float64" })
local function gradient(w, step) return steep * w - tilt * math.cos(step) end

for i, case in ipairs(data) do
  local kind, options, rows = case[1], case[2], case[3]
  local optimizer = lt.optim[kind](options)
  local w = lt.Variable(lt.constant(data.start, { dtype = "float64" }))
  for step, row in ipairs(rows) do
    optimizer:apply({ gradient(w:value(), step) }, { w })
    close(w:totable(), row, 1e-12, ("case %d, %s, step %d"):format(i, kind, step))
  end
  expect.equal(optimizer.iterations, #rows)
end
assert(#data == 18, "cases")

-- Values of a variable and its slots that finalizers read during a step do not change later, and the step is not affected.
do
  package.path = "tests/support/?.lua;" .. package.path
  local collector = require "collector"
  local function trained(hostile)
    local v, g = lt.Variable(lt.ones { 500 }), lt.range(500, { dtype = "float32" }) / 500
    local adam, reads = lt.optim.Adam { learning_rate = 0.1, amsgrad = true }, {}
    adam:build { v }
    local before
    if hostile then
      collector.at_each_collection(function(n)
        local which = n % 4 == 0 and v or adam:variables()[n % 4]
        local value = which:value()
        if #reads < 200 then reads[#reads + 1] = { value, value:sum():item() } end
        return n < 3000
      end)
      before = collector.tighten()
    end
    for _ = 1, 200 do adam:apply { g } end
    if before then collector.loosen(before) end
    for i, read in ipairs(reads) do expect.equal(read[1]:sum():item(), read[2], "read " .. i) end
    assert(not hostile or #reads > 100, "reads: " .. #reads)
    return v:totable()
  end
  expect.equal(trained(true), trained(false))
end

-- Clipping.
local function stepped(options, ...)
  options.learning_rate = 1
  local variables, gradients = {}, { ... }
  for i, g in ipairs(gradients) do
    gradients[i] = lt.constant(g)
    variables[i] = lt.Variable(lt.zeros { #g })
  end
  lt.optim.SGD(options):apply(gradients, variables)
  for i, v in ipairs(variables) do variables[i] = v:totable() end
  return variables
end
expect.equal(stepped({ clipvalue = 0.5 }, { 3.0, -0.25 }), { { -0.5, 0.25 } })
expect.equal(stepped({ clipnorm = 2.5 }, { 3.0, 4.0 }, { 0.0, 0.5 }), { { -1.5, -2 }, { 0, -0.5 } })
expect.equal(stepped({ global_clipnorm = 6.5 }, { 3.0, 4.0 }, { 12.0, 0.0 }), { { -1.5, -2 }, { -6, 0 } })
expect.equal(stepped({ global_clipnorm = 100 }, { 3.0, 4.0 }), { { -3, -4 } })
-- Gradients of several dtypes and devices together; those that are not there do not count.
do
  local a, b, c = lt.Variable { 0.0, 0.0 }, lt.device("/GPU:0", lt.Variable, { 0.0, 0.0 }), lt.Variable({ 0.0 }, { dtype = "float64" })
  local on_gpu = lt.device("/GPU:0", lt.constant, { 12.0, 0.0 })
  local sgd = lt.optim.SGD { learning_rate = 1, global_clipnorm = 6.5 }
  sgd:apply({ lt.constant { 3.0, 0.0 }, on_gpu, lt.constant({ 4.0 }, { dtype = "float64" }), false }, { a, b, c, lt.Variable(1.0) })
  expect.equal({ a:totable(), b:totable(), c:totable() }, { { -1.5, 0 }, { -6, 0 }, { -2 } })
end
-- A trajectory is that of gradients scaled beforehand.
do
  local function trajectory(options, scales)
    local v, w = lt.Variable(lt.range(1, 100, { dtype = "float64" }) / 10), lt.Variable(lt.ones({ 7 }, { dtype = "float64" }))
    local adam = lt.optim.Adam(options)
    for step = 1, 5 do
      local g, h = lt.sin(v:value() * step), lt.cos(w:value() * step)
      local norm = lt.sqrt((g * g):sum() + (h * h):sum())
      local factor = scales and 1.5 / lt.maximum(norm, 1.5) or 1.0
      adam:apply({ g * factor, h * factor }, { v, w })
    end
    return lt.concat { v:value(), w:value() }:totable()
  end
  close(trajectory({ global_clipnorm = 1.5 }, false), trajectory({}, true), 1e-12, "clipped by the global norm")
end

-- Schedules: numbers worked out by hand from Keras 3's formulas.
local s = lt.optim.schedules
local function near(got, wanted) close({ got }, { wanted }, 1e-14, "schedule") end
near(s.ExponentialDecay(0.1, 10, 0.5)(5), 0.1 * 2 ^ -0.5)
near(s.ExponentialDecay(0.1, 10, 0.5, { staircase = true })(19), 0.05)
near(s.InverseTimeDecay(0.1, 10, 0.5)(20), 0.05)
near(s.PolynomialDecay(0.1, 10, { end_learning_rate = 0.02, power = 2 })(5), 0.04)
near(s.PolynomialDecay(0.1, 10)(50), 0.0001)
near(s.PolynomialDecay(0.1, 10, { end_learning_rate = 0, cycle = true })(15), 0.025)
near(s.CosineDecay(0.1, 10)(5), 0.05)
near(s.CosineDecay(0.1, 10, { alpha = 0.1 })(10), 0.01)
near(s.CosineDecay(0.0, 10, { warmup_target = 0.2, warmup_steps = 4 })(1), 0.05)
near(s.CosineDecay(0.0, 10, { warmup_target = 0.2, warmup_steps = 4 })(9), 0.1)
-- Keras 3.15's values.
local again = s.CosineDecayRestarts(0.5, 3, { t_mul = 2, m_mul = 0.5, alpha = 0.1 })
for step, rate in pairs { [0] = 0.5, [2] = 0.1625, [3] = 0.275, [8] = 0.0650721, [9] = 0.1625, [20] = 0.0519167, [21] = 0.10625, [44] = 0.0502406 } do
  assert(math.abs(again(step) - rate) < 1e-7, step)
end
local alike = s.CosineDecayRestarts(0.5, 3, { t_mul = 1, m_mul = 0.5 })
for step, rate in pairs { [0] = 0.5, [2] = 0.125, [3] = 0.25, [5] = 0.0625, [6] = 0.125 } do near(alike(step), rate) end
local steps = s.PiecewiseConstantDecay({ 2, 5 }, { 1, 0.5, 0.25 })
expect.equal({ steps(0), steps(2), steps(3), steps(5), steps(6) }, { 1, 1, 0.5, 0.5, 0.25 })
do
  local w = lt.Variable { 0.0 }
  local sgd = lt.optim.SGD { learning_rate = steps }
  for _ = 1, 7 do sgd:apply({ lt.ones { 1 } }, { w }) end
  expect.equal(w[1]:item(), -(1 + 1 + 1 + 0.5 + 0.5 + 0.5 + 0.25))
  sgd.learning_rate = 2.0
  sgd:apply { lt.ones { 1 } }
  expect.equal(w[1]:item(), -6.75)
end

-- Pairs as Keras has them; variables without a gradient stay as they are.
do
  local a, b = lt.Variable { 1.0, 2.0 }, lt.Variable(3.0)
  local sgd = lt.optim.SGD { learning_rate = 1 }
  sgd:apply_gradients { { lt.ones { 2 }, a }, { false, b } }
  expect.equal({ a[1]:item(), a[2]:item(), b:item() }, { 0, 1, 3 })
end

-- All variables at once, or one by one where somebody looks on or holds their memory: the same bits. Many of them, of
-- several sizes, dtypes and devices; a value that was read stays what it was.
do
  local function stepped_all(kind, options, way)
    local variables, gradients, reads = {}, {}, {}
    for i = 1, 80 do
      local size = ({ 1, 7, 300, 0, 20000 })[i % 5 + 1]
      local dtype, device = i % 7 == 0 and "float64" or "float32", i % 11 == 0 and "GPU:0" or "CPU:0"
      lt.device(device, function()
        variables[i] = lt.Variable(lt.random.normal({ size }, { seed = i, dtype = dtype }))
        gradients[i] = i % 13 ~= 0 and lt.random.normal({ size }, { seed = 100 + i, dtype = dtype })
      end)
    end
    local optimizer = lt.optim[kind](options)
    for step = 1, 3 do
      if way == "held" then
        for i = 1, 80, 3 do reads[#reads + 1] = { variables[i]:value(), variables[i]:totable() } end
        for i = 1, #optimizer:variables(), 17 do reads[#reads + 1] = { optimizer:variables()[i]:value(), optimizer:variables()[i]:totable() } end
      end
      if way == "told" then lt.debugging.set_log_handler(function() end) end
      optimizer:apply(gradients, variables)
      lt.debugging.set_log_handler(nil)
    end
    for _, read in ipairs(reads) do expect.equal(read[1]:totable(), read[2], "what was read") end
    local all = optimizer:variables()
    table.move(variables, 1, #variables, #all + 1, all)
    for i, variable in ipairs(all) do all[i] = variable:totable() end
    return all
  end
  for _, case in ipairs {
    { "SGD", { learning_rate = 0.5 } }, { "SGD", { momentum = 0.9, nesterov = true } }, { "Adam", { amsgrad = true } },
    { "AdamW", {} }, { "RMSprop", { centered = true, momentum = 0.5 } }, { "RMSprop", { momentum = 0.5 } }, { "Lion", {} },
    { "Adagrad", {} }, { "Adam", { global_clipnorm = 2.0 } }, { "SGD", { momentum = 0.9, global_clipnorm = 2.0 } },
    { "RMSprop", { centered = true, momentum = 0.5, global_clipnorm = 0.5 } },
  } do
    local told = stepped_all(case[1], case[2], "told")
    expect.equal(stepped_all(case[1], case[2], "at once"), told, case[1] .. " at once")
    expect.equal(stepped_all(case[1], case[2], "held"), told, case[1] .. " with values that are held")
  end

  -- A gradient that is a variable which changes in the same step is what it was before its own turn, as one by one.
  local a, b = lt.Variable(lt.fill({ 40 }, 2.0)), lt.Variable(lt.fill({ 40 }, 8.0))
  lt.optim.SGD { learning_rate = 0.5 }:apply({ lt.ones { 40 }, a }, { a, b })
  expect.equal({ a[1]:item(), b[40]:item() }, { 1.5, 7.25 })

  -- Its line in the log, for each variable, is TensorFlow's.
  local lines = {}
  lt.debugging.set_log_handler(function(event) lines[#lines + 1] = event.op end)
  lt.optim.SGD():apply({ lt.ones { 40 }, lt.ones { 40 } }, { a, b })
  lt.debugging.set_log_handler(nil)
  expect.equal(lines[#lines - 1] .. " " .. lines[#lines], "ResourceApplyGradientDescent ResourceApplyGradientDescent")
  lt.optim.SGD():apply({ lt.ones { 40 }, lt.ones { 40 } }, { a, b })
  expect.equal(lt.debugging.explain(b:value()).op, "ResourceApplyGradientDescent")
end

-- The list of variables is the caller's, and may be used for something else after the first step.
do
  local a, b = lt.Variable { 1.0 }, lt.Variable { 2.0 }
  local list, sgd = { a }, lt.optim.SGD { learning_rate = 1, momentum = 0.5 }
  sgd:apply({ lt.ones { 1 } }, list)
  list[1] = b
  expect.raises("FailedPrecondition", "was built for 1 variables, and these are others", sgd.apply, sgd, { lt.ones { 1 } }, list)
  list[1], list[2] = a, b
  expect.raises("FailedPrecondition", "was built for 1 variables, and these are others", sgd.apply, sgd, { lt.ones { 1 }, lt.ones { 1 } }, list)
  sgd:apply { lt.ones { 1 } }
  expect.equal({ a:item(), b:item() }, { 1 - 1 - 1.5, 2 })
end

-- Rates that are no rates, before anything moves.
do
  local w = lt.Variable { 1.0 }
  for given, words in pairs {
    [function() return 0 / 0 end] = "nan after 0 steps, expected a number of 0 or more", [function() return -1 end] = "learning_rate gives -1",
    [function() end] = "learning_rate gives nil", [function() return "x" end] = 'learning_rate gives "x"',
  } do
    local adam = lt.optim.Adam { learning_rate = given }
    expect.raises("InvalidArgument", words, adam.apply, adam, { lt.ones { 1 } }, { w })
    expect.equal({ w:item(), adam.iterations }, { 1, 0 })
  end
  local sgd = lt.optim.SGD()
  for _, rate in ipairs { "x", -1, 0 / 0, {} } do
    sgd.learning_rate = rate
    expect.raises("InvalidArgument", "expected a number of 0 or more, a schedule or a function of the steps taken", sgd.apply, sgd,
      { lt.ones { 1 } }, { w })
    expect.raises("InvalidArgument", "optim.SGD: learning_rate is", lt.optim.SGD, { learning_rate = rate })
  end
  local function refused(words, name, ...) expect.raises("InvalidArgument", "schedules." .. name .. ": " .. words, s[name], ...) end
  refused("decay_steps is 0, expected a number above 0", "CosineDecay", 0.1, 0)
  refused("decay_steps is 0", "ExponentialDecay", 0.1, 0, 0.5)
  refused("decay_steps is -1", "InverseTimeDecay", 0.1, -1, 0.5)
  refused('decay_steps is "a"', "PolynomialDecay", 0.1, "a")
  refused('initial_learning_rate is "a", expected a number of 0 or more', "CosineDecay", "a", 1)
  refused("decay_rate is -1", "ExponentialDecay", 0.1, 1, -1)
  refused('staircase is "x", expected true or false', "ExponentialDecay", 0.1, 1, 1, { staircase = "x" })
  refused("cycle is 1", "PolynomialDecay", 0.1, 1, { cycle = 1 })
  refused("t_mul is 0.5, expected a number of 1 or more", "CosineDecayRestarts", 0.1, 1, { t_mul = 0.5 })
  refused('alpha is "x"', "CosineDecay", 0.1, 1, { alpha = "x" })
  refused("warmup_target is true", "CosineDecay", 0.1, 1, { warmup_target = true })
  refused("boundaries is 5, expected a list of numbers", "PiecewiseConstantDecay", 5, 6)
  refused("values is 6, expected a list of numbers", "PiecewiseConstantDecay", {}, 6)
  refused("values[2] is -1", "PiecewiseConstantDecay", { 1 }, { 1, -1 })
  refused("boundaries[2] is 1 and the one before 3, expected increasing steps", "PiecewiseConstantDecay", { 3, 1 }, { 1, 2, 3 })
  expect.raises("InvalidArgument", 'step is "x"', s.CosineDecay(0.1, 1), "x")
end

-- Refused calls change nothing.
do
  local w, b = lt.Variable(lt.ones { 2 }, { name = "w" }), lt.Variable(lt.ones { 2 }, { name = "b" })
  local sgd = lt.optim.SGD()
  local function refused(words, ...) expect.raises("InvalidArgument", words, sgd.apply, sgd, ...) end
  refused("none of the variables has a gradient", { false, false }, { w, b })
  refused('the gradient of the variable "b" is float32 (3,), and the variable float32 (2,)', { lt.ones { 2 }, lt.ones { 3 } })
  refused('the gradient of the variable "b" is float64 (2,)', { lt.ones { 2 }, lt.ones({ 2 }, { dtype = "float64" }) })
  refused("there are 1 gradients and 2 variables", { lt.ones { 2 } })
  refused("gradients[1] is 7, expected a tensor or false", { 7, lt.ones { 2 } })
  expect.equal(w:totable(), { 1, 1 })
  expect.raises("FailedPrecondition", "the optimizer was built for 2 variables, and these are others", sgd.apply, sgd, { lt.ones { 2 } }, { w })
  expect.raises("InvalidArgument", "variables[1] is a tensor, expected a Variable", function()
    lt.optim.SGD():apply({ lt.ones { 2 } }, { lt.ones { 2 } })
  end)
  expect.raises("InvalidArgument", "optim.Adam: unknown option 'beta1'", lt.optim.Adam, { beta1 = 0.5 })
  expect.raises("InvalidArgument", "beta_1", lt.optim.Adam, { beta1 = 0.5 })
  expect.raises("InvalidArgument", "optim.SGD: learning_rate is -1, expected a number of 0 or more", lt.optim.SGD, { learning_rate = -1 })
  expect.raises("InvalidArgument", "optim.SGD: momentum is 2, expected a number of 0 to 1", lt.optim.SGD, { momentum = 2 })
  expect.raises("InvalidArgument", "only one of clipnorm, clipvalue and global_clipnorm", lt.optim.SGD, { clipnorm = 1, clipvalue = 1 })
  local function not_made(words, kind, given) expect.raises("InvalidArgument", "optim." .. kind .. ": " .. words, lt.optim[kind], given) end
  for _, key in ipairs { "clipnorm", "clipvalue", "global_clipnorm" } do
    not_made(key .. " is 0, expected a number above 0", "SGD", { [key] = 0 })
  end
  not_made('epsilon is "a", expected a number of 0 or more', "Adam", { epsilon = "a" })
  not_made("epsilon is nan", "RMSprop", { epsilon = math.abs(0 / 0) })
  not_made("beta_1 is 1, expected a number from 0 to below 1", "Adam", { beta_1 = 1 })
  not_made("beta_2 is 1", "AdamW", { beta_2 = 1 })
  not_made('amsgrad is "x", expected true or false', "Adam", { amsgrad = "x" })
  not_made('nesterov is "x"', "SGD", { nesterov = "x" })
  not_made("centered is 1", "RMSprop", { centered = 1 })
  not_made('initial_accumulator_value is "x"', "Adagrad", { initial_accumulator_value = "x" })
  not_made("name is 5, expected a string", "SGD", { name = 5 })
  refused("variables is 5, expected a list of Variables", { lt.ones { 2 } }, 5)
  refused("variables is a tensor, expected a list of Variables", { lt.ones { 2 } }, w)
  refused("gradients is a tensor, expected a list of tensors", lt.ones { 2 }, { w, b })
  refused("gradients is nil, expected a list of tensors")
  expect.raises("InvalidArgument", "pairs_of is nil, expected a list of {gradient, variable}", sgd.apply_gradients, sgd)
  expect.raises("InvalidArgument", "pairs_of[1] is 5, expected a list of two: {gradient, variable}", sgd.apply_gradients, sgd, { 5 })
  expect.raises("InvalidArgument", "3 values and 3 boundaries", s.PiecewiseConstantDecay, { 1, 2, 3 }, { 1, 2, 3 })
end
