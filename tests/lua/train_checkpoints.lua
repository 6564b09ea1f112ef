-- lt.train.Checkpoint and CheckpointManager: a training loop of the program's own goes on from a file as if it had not
-- stopped; files that do not fit change nothing.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local folder = dofile("tests/support/folder.lua")
local nn, Checkpoint = lt.nn, lt.train.Checkpoint

lt.config.set_simulated_gpus(2)
lt.random.set_seed(3)
local x = lt.random.normal { 32, 4 }
local y = x:sum(-1, { keepdims = true })

local Net = nn.Model:extend "Net"
function Net:init()
  self.hidden, self.drop, self.out = nn.Dense(6, { activation = "tanh" }), nn.Dropout(0.3), nn.Dense(1)
end
function Net:call(rows) return self.out(self.drop(self.hidden(rows))) end

-- A loop's objects, and a function that takes one step.
local function loop(options)
  lt.random.set_seed(4)
  local model = Net()
  local optimizer = lt.optim.Adam(options or { learning_rate = 0.05, amsgrad = true })
  local checkpoint = Checkpoint { model = model, optimizer = optimizer, step = 0, best = math.huge, mean = lt.Variable(0.5) }
  return checkpoint, function()
    local tape <close> = lt.GradientTape()
    local loss = (model(x, true) - y):square():mean()
    local variables = model:trainable_variables()
    optimizer:apply(tape:gradient(loss, variables), variables)
    checkpoint.step = checkpoint.step + 1
    checkpoint.best = math.min(checkpoint.best, loss:item())
    checkpoint.mean:assign(checkpoint.mean * 0.9 + loss * 0.1)
  end
end
local function bits(checkpoint)
  local list = { checkpoint.mean:bytes() }
  for _, each in ipairs(checkpoint.model:variables()) do list[#list + 1] = each:bytes() end
  for _, each in ipairs(checkpoint.optimizer:variables()) do list[#list + 1] = each:bytes() end
  return table.concat(list)
end

local path = folder.at "run.safetensors"

local whole, take = loop()
for i = 1, 8 do
  take()
  if i == 3 then expect.equal(whole:save(path), path) end
end

expect.case("restored before the first step, a loop ends with the same bits", function()
  local again, step = loop()
  expect.equal(again:restore(path), true)
  expect.equal({ again.step, again.optimizer.iterations }, { 3, 3 })
  for _ = 4, 8 do step() end
  expect.equal({ again.step, again.best }, { 8, whole.best })
  assert(bits(again) == bits(whole), "other bits")
end)

expect.case("restored after some steps, also on another device", function()
  for _, device in ipairs { "/CPU:0", "/GPU:1" } do
    local again, step = lt.device(device, loop)
    lt.device(device, step)
    again:restore(path)
    expect.equal(again.step, 3)
    for _ = 4, 8 do lt.device(device, step) end
    assert(bits(again) == bits(whole) or device == "/GPU:1", "other bits")
    expect.close(again.mean:item(), whole.mean:item(), 1e-5)
  end
end)

expect.case("in replicas", function()
  local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" }
  local function mirrored()
    lt.random.set_seed(1)
    local model, optimizer
    strategy:scope(function()
      model = nn.Sequential { nn.Dense(4, { input_shape = { 4 } }), nn.Dense(1) }
      optimizer = lt.optim.Adam { learning_rate = 0.1 }
    end)
    return Checkpoint { model = model, optimizer = optimizer, step = 0 }, function()
      strategy:run(function()
        local tape <close> = lt.GradientTape()
        local loss = (model(x, true) - y):square():mean()
        local variables = model:trainable_variables()
        optimizer:apply(tape:gradient(loss, variables), variables)
      end)
    end
  end
  local one, step = mirrored()
  for i = 1, 5 do
    step()
    if i == 2 then one:save(path) end
  end
  local two, other_step = mirrored()
  two:restore(path)
  for _ = 3, 5 do other_step() end
  for i, weight in ipairs(one.model:get_weights()) do expect.equal(two.model:get_weights()[i]:bytes(), weight:bytes()) end
end)

expect.case("a file has the gradients of a step that is not complete, and those here are dropped", function()
  local function made()
    local w = lt.Variable { 1.0, -2.0 }
    return Checkpoint { w = w, optimizer = lt.optim.SGD { learning_rate = 0.5, momentum = 0.5, gradient_accumulation_steps = 3 } }
  end
  local function apply(checkpoint, ...)
    for _, i in ipairs { ... } do checkpoint.optimizer:apply({ lt.constant { i, 2.0 * i } }, { checkpoint.w }) end
  end
  local one, two, wanted = made(), made(), made()
  apply(one, 1, 2, 3, 4)
  one:save(path)
  apply(two, 9)
  two:restore(path)
  apply(two, 5, 6, 7)
  apply(wanted, 1, 2, 3, 4, 5, 6, 7)
  expect.equal(two.w:bytes(), wanted.w:bytes())
  expect.equal(two.optimizer.iterations, 2)
end)

expect.case("without a path nothing is restored", function()
  local again = loop()
  expect.equal({ again:restore(nil), again.step }, { false, 0 })
  expect.raises("NotFound", "nothing.safetensors", again.restore, again, folder.at "nothing.safetensors")
end)

expect.case("layers, tables, objects with a state, variables in several objects", function()
  local function made(k)
    local dense = nn.Dense(2)
    dense(lt.ones { 1, 3 })
    local counter = setmetatable({ n = k }, { __index = {
      get_state = function(self) return { n = self.n, at = lt.constant { self.n } } end,
      set_state = function(self, state) self.n = state.n + state.at:item() end,
    } })
    return Checkpoint {
      parts = { dense, { name = "a" .. k, on = k == 1 } }, kernel = dense.kernel, counter = counter,
      list = { lt.Variable(k), lt.Variable { k, 2 } }, model = nn.Sequential { dense },
    }
  end
  local one, two = made(1), made(2)
  two:save(path)
  one:restore(path)
  expect.equal({ one.parts[2].name, one.parts[2].on, one.counter.n, one.list[1]:item() }, { "a2", false, 4, 2 })
  assert(one.kernel:bytes() == two.kernel:bytes())
  local names = {}
  for name in pairs((lt.load(path))) do names[#names + 1] = name end
  table.sort(names)
  expect.equal(names, { "kernel", "list.1", "list.2", "model.layers.1.bias", "states/counter/at" })
end)

expect.case("a model without weights is built for the rows of the file's", function()
  whole:save(path)
  local plain = Net()
  expect.equal(Checkpoint { model = plain }:restore(path, { partial = true }), true)
  expect.equal(plain(x):bytes(), whole.model(x):bytes())
  local dense = nn.Dense(3)
  dense(lt.ones { 2, 5 })
  Checkpoint { layer = dense }:save(path)
  local fresh = nn.Dense(3)
  Checkpoint { layer = fresh }:restore(path)
  assert(fresh.kernel:bytes() == dense.kernel:bytes())
end)

expect.case("what does not fit is refused, and nothing is changed", function()
  whole:save(path)
  local function refused(words, objects, change)
    local checkpoint = Checkpoint(objects)
    local before = {}
    for i, each in ipairs(objects.model and objects.model:variables() or {}) do before[i] = each:bytes() end
    expect.raises("InvalidArgument", words, checkpoint.restore, checkpoint, change or path)
    for i, each in ipairs(objects.model and objects.model:variables() or {}) do expect.equal(each:bytes(), before[i]) end
  end
  local same = { best = 1, mean = lt.Variable(0.0), step = 1, optimizer = lt.optim.Adam { amsgrad = true } }
  local function with(more)
    local made = {}
    for k, v in pairs(same) do made[k] = v end
    for k, v in pairs(more) do made[k] = v or nil end
    return made
  end
  local other = nn.Sequential { nn.Dense(6, { input_shape = { 4 } }) }
  refused("it has no 'model.layers.1.kernel'", with { model = other })
  local net = Net()
  net(lt.ones { 2, 5 })
  refused("'model.hidden.kernel' is float32 (4, 6) in the file and float32 (5, 6) here", with { model = net })
  net = Net()
  net(x)
  refused("'optimizer' is Adam in the file and SGD here", with { model = net, optimizer = lt.optim.SGD() })
  refused("'optimizer' remembers 'momentum, velocity, velocity_hat' in the file and 'momentum, velocity' here",
    with { model = net, optimizer = lt.optim.Adam() })
  refused("it has no value 'epoch'", with { model = net, epoch = 3 })
  refused("which the Checkpoint does not hold; {partial = true} leaves it out", { model = net })
  other:save(folder.at "model.safetensors")
  refused("it was not written by a Checkpoint but by model:save; model:load reads it", with { model = net },
    folder.at "model.safetensors")
  lt.save(folder.at "plain.safetensors", { w = lt.ones { 2 } })
  refused("it was not written by a Checkpoint", with { model = net }, folder.at "plain.safetensors")
  for i, text in ipairs { "{", "3", '{"format":1}', '{"format":1,"layers":[],"optimizers":{"optimizer":3},"states":[],"plain":[],"random":[1,2]}',
    '{"format":1,"layers":[],"optimizers":[],"states":[],"plain":[],"random":[1]}' } do
    lt.save(folder.at "bad.safetensors", { w = lt.ones { 2 } }, { metadata = { ["lutra.checkpoint"] = text } })
    refused(i == 1 and "restore: " or "its description is damaged", with { model = net }, folder.at "bad.safetensors")
  end
  lt.save(folder.at "bad.safetensors", { w = lt.ones { 2 } }, { metadata = { ["lutra.checkpoint"] = '{"format":9}' } })
  refused("its format is 9, and this version of Lutra reads up to 1", with { model = net }, folder.at "bad.safetensors")
end)

expect.case("what a Checkpoint cannot hold", function()
  local function refused(words, ...) expect.raises("InvalidArgument", words, Checkpoint, ...) end
  refused("its argument is nil, expected a table of objects by name")
  refused("expected a table of objects by name: write lt.train.Checkpoint {model = model", nn.Dense(1))
  refused("an object has the name 1", { nn.Dense(1) })
  refused("an object cannot have the name 'save'", { save = 1 })
  refused("Checkpoint: f is a function, expected a model", { f = print })
  refused("Checkpoint: x is a tensor, expected a model", { x = x })
  refused("Checkpoint: rate is nan", { rate = 0 / 0 })
  local ring = {}
  ring.ring = ring
  refused("ring.ring holds itself", { ring = ring })
  local checkpoint = Checkpoint { step = 1 }
  expect.raises("InvalidArgument", "a Checkpoint has no object 'stepp' (did you mean 'step'?)", function() checkpoint.stepp = 2 end)
  expect.raises("InvalidArgument", "expected one that ends in .safetensors", checkpoint.save, checkpoint, "a.txt")
  expect.raises("InvalidArgument", "write checkpoint:save(...) with a colon", checkpoint.save, "a.safetensors")
end)

expect.case("a manager keeps the last files", function()
  local objects = Checkpoint { step = 0 }
  local manager = lt.train.CheckpointManager(objects, folder.at ".", { max_to_keep = 2, name = "run" })
  expect.equal({ manager.latest_checkpoint, manager:restore_or_initialize() }, {})
  for i = 1, 3 do
    objects.step = 10 * i
    manager:save(i == 3 and 30 or nil)
  end
  local there = {}
  for _, n in ipairs { 1, 2, 30 } do there[#there + 1] = io.open(folder.at(("run-%d.safetensors"):format(n))) ~= nil end
  expect.equal(there, { false, true, true })
  local fresh = Checkpoint { step = 0 }
  local again = lt.train.CheckpointManager(fresh, folder.at ".", { name = "run" })
  expect.equal(#again:checkpoints(), 2)
  assert(again:restore_or_initialize():find "run%-30%.safetensors$")
  expect.equal(fresh.step, 30)
  assert(again:save():find "run%-31%.safetensors$")
  local function refused(words, ...) expect.raises("InvalidArgument", words, lt.train.CheckpointManager, ...) end
  refused("checkpoint is 3, expected a lt.train.Checkpoint", 3, ".")
  refused("folder is nil", objects)
  refused("max_to_keep is 0", objects, ".", { max_to_keep = 0 })
  refused("name is \"a/b\"", objects, ".", { name = "a/b" })
  -- The folder is made.
  local deep = lt.train.CheckpointManager(objects, folder.at "a/b")
  assert(deep:save():find "a/b/checkpoint%-1%.safetensors$")
  folder.write(folder.at "file", "x")
  expect.raises("FailedPrecondition", "cannot make the folder", lt.train.CheckpointManager, objects, folder.at "file/c")
end)

expect.case("a manager refuses a list that it did not write", function()
  local objects = Checkpoint { step = 1 }
  local list, victim = folder.at "m/checkpoint.json", folder.at "m/victim.txt"
  local manager = lt.train.CheckpointManager(objects, folder.at "m", { max_to_keep = 1 })
  folder.write(victim, "x")
  for _, text in ipairs {
    "", "{}", "null", "3", '"x"', '{"a":1}', "[3]", "[null]", "[{}]", '[{"number":1,"file":"victim.txt"}]', '[{"number":1,"file":""}]',
    '[{"number":1,"file":".."}]', '[{"number":1,"file":"../checkpoint-1.safetensors"}]', '[{"number":1,"file":"run-1.safetensors"}]',
    '[{"number":2,"file":"checkpoint-1.safetensors"}]', '[{"number":-1,"file":"checkpoint--1.safetensors"}]',
  } do
    folder.write(list, text)
    expect.raises("InvalidArgument", "m/checkpoint.json does not list files of a Checkpoint", lt.train.CheckpointManager, objects,
      folder.at "m", { max_to_keep = 1 })
    expect.equal(folder.read(list), text)
  end
  expect.raises("InvalidArgument", "save: number is 9223372036854775807, expected at most", manager.save, manager, math.maxinteger)
  manager:save(1 << 53)
  expect.raises("InvalidArgument", "save: number is 9007199254740993, expected at most", manager.save, manager)
  assert(os.remove(list) and os.execute(("mkdir '%s'"):format(list)))
  expect.raises("FailedPrecondition", "m/checkpoint.json: Is a directory", lt.train.CheckpointManager, objects, folder.at "m")
  expect.equal(folder.read(victim), "x")
end)

folder.remove()
expect.end_of_cases()
