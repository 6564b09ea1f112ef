-- compile {precision = "bf16"}: the dtype that layers compute in, what stays float32, and that an error undoes the
-- setting.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_logical_device_configuration(lt.config.list_physical_devices("CPU")[1], { {}, {} })

local function same(a, b, what)
  assert(a.dtype == b.dtype and lt.all(a:eq(b)):item(), ("%s: %s, expected %s"):format(what, tostring(a), tostring(b)))
end
local function compiled(model, given)
  given = given or {}
  given.precision, given.loss = given.precision or "bf16", given.loss or "mse"
  return model:compile(given)
end

-- A layer that writes down what it sees.
local Spy = nn.Layer:extend "Spy"
function Spy:build(shape)
  self.scale = self:add_weight { name = "scale", shape = { shape[#shape] }, initializer = "ones" }
  self.list = { self:add_weight { name = "in_a_list", initializer = "ones" } }
  self.fixed = self:add_weight { name = "fixed", initializer = "ones", trainable = false }
end
function Spy:compute_output_shape(shape) return shape end
function Spy:call(x)
  rawset(self, "seen", { x.dtype, self.scale.dtype, self.list[1].dtype, self.fixed.dtype })
  return x * self.scale * self.list[1]
end

expect.case("a dense layer computes in bfloat16, and gives float32", function()
  local x, w = lt.random.normal({ 5, 7 }, { seed = 1 }), lt.random.normal({ 7, 3 }, { seed = 2 })
  local model = compiled(nn.Sequential { nn.Dense(3, { input_shape = { 7 }, bias_initializer = "ones" }) })
  model:set_weights { w, lt.ones { 3 } }
  local by_hand = lt.linear(x:cast "bfloat16", w:cast "bfloat16", lt.ones({ 3 }, { dtype = "bfloat16" })):cast "float32"
  same(model(x), by_hand, "the model called")
  same(model:predict(x, { batch_size = 2 }), by_hand, "predict")
  local y = lt.zeros { 5, 3 }
  local loss = model:evaluate(x, y, { verbose = 0 })
  assert(math.abs(loss - by_hand:square():mean():item()) < 1e-6, "evaluate computes the loss in float32")
  assert(not lt.all(by_hand:eq(x:matmul(w) + 1)):item(), "this is another result than float32's")
  model:compile { loss = "mse" }
  same(model(x), lt.linear(x, w, lt.ones { 3 }), "compiled without it")
end)

expect.case("weights, gradients and the optimiser stay float32", function()
  local model = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", use_bias = false, input_shape = { 1 } }) }
  compiled(model, { optimizer = lt.optim.SGD { learning_rate = 1e-4 }, loss = function(_, p) return p:mean() end })
  -- 1 - 1e-4 is 1 in bfloat16; ten such steps are there in float32.
  model:fit(lt.ones { 10, 1 }, lt.ones { 10, 1 }, { batch_size = 1, verbose = 0 })
  local kernel = model:get_weights()[1]
  expect.equal(kernel.dtype, "float32")
  assert(math.abs(kernel:item() - (1 - 1e-3)) < 1e-6, kernel:item())
  compiled(model, { optimizer = "adam" })
  model:train_on_batch(lt.ones { 2, 1 }, lt.ones { 2, 1 })
  for _, slot in ipairs(model.optimizer:variables()) do expect.equal(slot.dtype, "float32", "a slot") end
end)

expect.case("what a layer sees, and what a loss sees", function()
  local spy, kept, dtypes = Spy(), Spy(), {}
  kept.autocast = false
  local inner = nn.Model:extend "Inner"
  function inner:init() self.spy = Spy() end
  function inner:call(x) return self.spy(x) end
  local nested = inner()
  local model = nn.Sequential { spy, nn.LayerNorm(), nested, kept, nn.BatchNorm() }
  compiled(model, { loss = function(y, p)
    dtypes[#dtypes + 1] = y.dtype .. " " .. p.dtype
    return (p - y):square():mean()
  end })
  model:fit(lt.ones { 4, 3 }, lt.ones { 4, 3 }, { verbose = 0 })
  expect.equal(spy.seen, { "bfloat16", "bfloat16", "bfloat16", "float32" })
  expect.equal(nested.spy.seen, { "bfloat16", "bfloat16", "bfloat16", "float32" })
  expect.equal(kept.seen, { "float32", "float32", "float32", "float32" })
  expect.equal(dtypes, { "float32 float32" })
  for _, variable in ipairs(model:variables()) do expect.equal(variable.dtype, "float32", variable.name) end
  spy(lt.ones { 4, 3 })
  expect.equal(spy.seen[1], "float32", "a layer called by itself")
end)

expect.case("an error in a layer leaves its weights in place", function()
  local Fails = Spy:extend "Fails"
  function Fails:call(x) return x:matmul(x * self.scale) end
  local layer = Fails()
  local model = compiled(nn.Sequential { layer })
  local x = lt.ones { 4, 3 }
  expect.raises("InvalidArgument", "layer 'fails': matmul", model.fit, model, x, x, { verbose = 0 })
  expect.equal(layer.scale.dtype .. " " .. layer.list[1].dtype, "float32 float32")
  expect.equal(#model:trainable_variables(), 2)
  local after = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
  same(after(lt.constant { { 1.001 } }), lt.constant { { 1.001 } }, "another model after the error")
end)

-- Every kind of layer with weights trains, and is near what it gives in float32.
expect.case("all layers compute in it", function()
  lt.random.set_seed(4)
  local models = {
    { nn.Sequential { nn.Conv2D(4, 3, { activation = "relu" }), nn.BatchNorm(), nn.MaxPool2D(), nn.Conv2D(2, 2), nn.AvgPool2D(), nn.Flatten(),
      nn.Dropout(0.2), nn.Dense(2) }, { 8, 12, 12, 1 } },
    { nn.Sequential { nn.LSTM(6, { return_sequences = true, recurrent_dropout = 0.1 }), nn.Bidirectional(nn.GRU(4, { return_sequences = true })),
      nn.SimpleRNN(3), nn.Dense(2) }, { 8, 5, 3 } },
    { nn.Sequential { nn.MultiHeadAttention(2, 4), nn.LayerNorm(), nn.TimeDistributed(nn.Dense(2, { activation = "gelu" })), nn.Flatten(), nn.Dense(2) },
      { 8, 4, 6 } },
  }
  for _, each in ipairs(models) do
    local model, x = each[1], lt.random.normal(each[2])
    local y = lt.random.normal { 8, 2 }
    local exact = model(x)
    compiled(model, { optimizer = lt.optim.Adam { learning_rate = 0.01 } })
    local off = lt.max(lt.abs(model(x) - exact)):item() / lt.max(lt.abs(exact)):item()
    assert(off > 0 and off < 0.05, "off by " .. off)
    local losses = model:fit(x, y, { epochs = 30, verbose = 0 }).history.loss
    assert(losses[30] < 0.6 * losses[1], losses[30])
  end
  local words = nn.Sequential { nn.Embedding(10, 4, { input_shape = { 3 } }), nn.Flatten(), nn.Dense(1) }
  compiled(words)
  local ids = lt.constant { { 1, 10, 3 }, { 4, 4, 4 } }
  words:fit(ids, lt.ones { 2, 1 }, { epochs = 2, verbose = 0 })
  expect.equal(words:get_weights()[1].dtype, "float32")
end)

-- Two replicas give what one device gives: sums of bfloat16 products, so to its rounding.
expect.case("replicas compute in it", function()
  local x, y = lt.random.normal({ 8, 6 }, { seed = 7 }), lt.random.normal({ 8, 1 }, { seed = 8 })
  local function trained(strategy)
    local function make()
      local model = nn.Sequential { nn.Dense(4, { activation = "tanh", input_shape = { 6 }, kernel_initializer = function(shape)
        return lt.random.normal(shape, { seed = 9 })
      end }), nn.Dense(1, { kernel_initializer = "ones" }) }
      return compiled(model, { optimizer = lt.optim.SGD { learning_rate = 0.1 } })
    end
    local model
    if strategy then strategy:scope(function() model = make() end) else model = make() end
    model:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0 })
    return model:get_weights()[1]
  end
  local one, two = trained(), trained(lt.distribute.MirroredStrategy { "/CPU:0", "/CPU:1" })
  expect.equal(two.dtype, "float32")
  local off, moved = lt.norm(one - two):item(), lt.norm(one - lt.random.normal({ 6, 4 }, { seed = 9 })):item()
  assert(off < 0.02 * moved, ("off by %g of %g"):format(off, moved))
end)

expect.case("a file tells it", function()
  local model = nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.Activation("softmax") }
  model.layers[2].autocast = false
  compiled(model)
  local path = expect.path ".safetensors"
  model:save(path)
  local loaded = nn.load_model(path)
  os.remove(path)
  local x = lt.random.normal { 5, 3 }
  same(loaded(x), model(x), "the model loaded")
  expect.equal({ loaded.compute_dtype, loaded.layers[2].autocast }, { "bfloat16", false })
end)

expect.case("what is no precision is refused", function()
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 } }) }
  expect.raises("InvalidArgument", 'compile: precision is "fp16", which is not known; there are bf16, fp32', model.compile, model,
    { loss = "mse", precision = "fp16" })
  expect.raises("InvalidArgument", 'compile: precision is 16, expected "bf16" or "fp32"', model.compile, model, { loss = "mse", precision = 16 })
end)

expect.end_of_cases()
