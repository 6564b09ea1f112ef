-- Checks the cases of keras_reference.lua and the files beside it, which Keras computed: a layer's results, losses and gradients; and the same
-- layer in a graph, rebuilt from its config, in mixed precision and in replicas.
local lt = require "lutra"
local expect, nn_cases = dofile("tests/support/expect.lua"), require "nn_cases"
local nn = lt.nn

local cases = {}

local function noise(seed, shape, factor, shift) return nn_cases.tensor(seed, shape, "float32", factor, shift) end
local function sizes(shape) return { table.unpack(shape) } end
local function rows(shape) return { table.unpack(shape, 2) } end
local function one_or_all(list) return #list == 1 and list[1] or list end
local function all(list, f)
  local out = {}
  for i, each in ipairs(list) do out[i] = f(each, i) end
  return out
end

-- Within `tolerance` of the largest number there.
local function close(got, wanted, what, tolerance)
  local shape = { table.unpack(got.shape, 1, #got.shape) }
  local kind = ("%s { %s }"):format(got.dtype, table.concat(shape, ", "))
  got = got:flatten():totable()
  expect.equal(#got, #wanted, what .. ": how many numbers")
  local largest = 1
  for _, value in ipairs(wanted) do largest = math.max(largest, math.abs(value)) end
  for i, value in ipairs(wanted) do
    if not (math.abs(got[i] - value) <= (tolerance or 4e-6) * largest) then
      error(("%s, %s, element %d: %.9g, expected %.9g"):format(what, kind, i, got[i], value), 2)
    end
  end
end

local function set_weights(layer)
  layer:set_weights(all(layer:variables(), function(variable, i)
    local name = variable.name
    return noise(9 + i, sizes(variable.shape), 0.5, (name:find "gamma$" or name:find "moving_variance$") and 1 or 0)
  end))
end

local function made(case)
  local layer = case.make(nn)
  layer:ensure_built(one_or_all(all(case.inputs, rows)))
  set_weights(layer)
  return layer
end

local function call(case) return case.call and case.call(noise) or nil end

local function as_list(y) return type(y) == "table" and y or { y } end

local function check_values(case, layer, what)
  local xs = all(case.inputs, function(shape, i) return noise(i, shape) end)
  local tape <close> = lt.GradientTape()
  tape:watch(xs)
  local ys = as_list(layer(one_or_all(xs), call(case)))
  local loss = lt.constant(0.0)
  for i, y in ipairs(ys) do
    expect.equal(sizes(y.shape), case.shapes[i], what .. ": shape")
    close(y, case.gives[i], what .. ", result " .. i)
    loss = loss + (y * noise(49 + i, case.shapes[i])):sum()
  end
  local losses = layer:losses()
  expect.equal(#losses, #(case.losses or {}), what .. ": losses")
  for i, each in ipairs(losses) do
    close(each, { case.losses[i] }, what .. ", loss " .. i)
    loss = loss + each
  end
  local sources, variables = { table.unpack(xs) }, layer:trainable_variables()
  table.move(variables, 1, #variables, #sources + 1, sources)
  for i, gradient in ipairs(tape:gradient(loss, sources)) do
    if case.gradients[i] then close(gradient, case.gradients[i], what .. ", gradient " .. i, 1e-5) end
    expect.equal(not gradient, not case.gradients[i], what .. ", gradient " .. i)
  end
  expect.equal(#sources, #case.gradients, what .. ": how many gradients")
end

local function check_weights(case, layer, what)
  expect.equal(all(layer:variables(), function(variable)
    return variable.name:match "[^/]+$" .. " { " .. table.concat(variable.shape, ", ") .. " }"
  end), case.weights, what .. ": weights")
end

-- A graph of the layer alone, with sizes that are known and sizes that may be any.
local function graph_of(case, layer)
  local inputs = all(case.inputs, function(shape) return nn.Input(rows(shape)) end)
  local outputs = as_list(layer(one_or_all(inputs), call(case)))
  if outputs.is_symbol then outputs = { outputs } end
  return nn.Model { inputs = inputs, outputs = outputs }, outputs
end

local function check_graph(case, layer, what)
  local model, outputs = graph_of(case, layer)
  for i, output in ipairs(outputs) do expect.equal(output.shape, rows(case.shapes[i]), what .. ": a graph's shape") end
  local xs = all(case.inputs, function(shape, i) return noise(i, shape) end)
  for i, y in ipairs(as_list(model(one_or_all(xs)))) do close(y, case.gives[i], what .. ", in a graph") end
end

local function check_description(case, layer, what)
  local copy = nn.Layer.from_config(layer:get_config())
  copy:ensure_built(one_or_all(all(case.inputs, rows)))
  set_weights(copy)
  check_values(case, copy, what .. ", made anew")
end

local function check_bf16(case, layer, what)
  local model = graph_of(case, layer)
  model:compile { precision = "bf16", loss = all(case.shapes, function() return "mse" end) }
  local xs = all(case.inputs, function(shape, i) return noise(i, shape) end)
  for i, y in ipairs(as_list(model(one_or_all(xs)))) do
    expect.equal(y.dtype, "float32")
    close(y, case.gives[i], what .. ", in bf16", 3e-2)
  end
end

-- The weights after steps on rows that replicas share out.
local function trained(case, strategy)
  local function make()
    local model = graph_of(case, made(case))
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = all(case.shapes, function() return "mse" end) }
    return model
  end
  local model = strategy and strategy:scope(make) or make()
  local function three(shape) return { 3, table.unpack(shape, 2) } end
  local xs = all(case.inputs, function(shape, i) return noise(i, three(shape)) end)
  local ys = all(case.shapes, function(shape, i) return noise(70 + i, three(shape)) end)
  local losses = model:fit(one_or_all(xs), one_or_all(ys), { epochs = 2, batch_size = 3, shuffle = false, verbose = 0 }).history.loss
  return model:get_weights(), losses
end

local function check_replicas(case, strategy, what)
  local alone, alone_losses = trained(case)
  local together, losses = trained(case, strategy)
  close(lt.constant(losses), alone_losses, what .. ": losses in replicas", 1e-5)
  for i, weight in ipairs(alone) do close(together[i], weight:flatten():totable(), what .. ": weights in replicas", 1e-5) end
end

-- All cases of a part of the reference.
function cases.check(part, strategy)
  local list
  for _, file in ipairs { "keras_reference", "keras_layers", "keras_conv_lstm" } do
    list = list or (require("golden." .. file))[part]
  end
  assert(#list > 0, part)
  for number, case in ipairs(list) do
    local layer, what = made(case), ("%s %d"):format(part, number)
    check_weights(case, layer, what)
    check_values(case, layer, what)
    check_graph(case, layer, what)
    check_description(case, layer, what)
    check_bf16(case, layer, what)
    if layer:count_params() > 0 and not case.call then check_replicas(case, strategy, what) end
  end
end

return cases
