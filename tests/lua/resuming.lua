-- What is refused of a file before anything is changed, and what callbacks remember of a fit that goes on.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir '" .. folder .. "'"))
local function at(name) return folder .. "/" .. name end
local path = at "model.safetensors"

local function bytes_of(tensors)
  local list = {}
  for i, tensor in ipairs(tensors) do list[i] = (tensor + 0):bytes() end
  return table.concat(list)
end
local function bits(model) return bytes_of(model:get_weights()) end
local function slot_bits(model) return bytes_of(model.optimizer:variables()) end

local x, y = lt.random.normal({ 16, 4 }, { seed = 1 }), lt.random.normal({ 16, 1 }, { seed = 2 })
local function trained(optimizer, epochs)
  lt.random.set_seed(5)
  local model = nn.Sequential { nn.Dense(3, { activation = "tanh", input_shape = { 4 } }), nn.Dropout(0.3), nn.Dense(1) }
  model:compile { optimizer = optimizer, loss = "mse" }
  local function fit(which, last) return which:fit(x, y, { epochs = last, verbose = 0, batch_size = 7 }) end
  fit(model, epochs)
  return model, fit
end

expect.case("a description that is refused has changed nothing", function()
  local model = trained("adam", 2)
  model:save(path)
  local tensors, metadata = lt.load(path)
  local other, fit = trained("adam", 1)
  local function refused(words, pattern, new)
    local text, count = metadata["lutra.model"]:gsub(pattern, new)
    expect.equal(count, 1, pattern)
    lt.save(at "other.safetensors", tensors, { metadata = { ["lutra.model"] = text } })
    local before, slots, taken = bits(other), slot_bits(other), other.optimizer.iterations
    expect.raises("InvalidArgument", words, other.load, other, at "other.safetensors", { resume = true })
    expect.equal(bits(other) == before and slot_bits(other) == slots and other.optimizer.iterations, taken, pattern)
  end
  for _, random in ipairs { "[]", "5", "[1.5,-3]", '["x",1]', "null" } do
    refused("damaged: 'training'", '"random":%b[]', '"random":' .. random)
  end
  refused("damaged: 'training'", '"random":', '"randon":')
  refused("it does not say where training stood, so that there is nothing to resume", '"training":', '"trainin":')
  for _, value in ipairs { '"x"', "null", "-1", "1.5" } do
    refused("damaged: 'training'", '"epoch":%d+', '"epoch":' .. value)
    refused("damaged: 'optimizer'", '"iterations":%d+', '"iterations":' .. value)
  end
  refused("damaged: 'optimizer'", '"kind":"Adam","learning_rate":[%d.e+-]+', '"kind":"Adam","learning_rate":-1')
  expect.equal(fit(other, 2).epoch, { 1, 2 }, "nothing is resumed")
end)

expect.case("an optimizer that remembers more or less than the file's", function()
  local plain, momentum = lt.optim.SGD(), lt.optim.SGD { momentum = 0.9 }
  local with = trained(momentum, 1)
  with:save(path)
  local without = trained(plain, 1)
  local before = bits(without)
  expect.raises("InvalidArgument", "its SGD remembers 'momentum', which that of the model '" .. without.name .. "' does not", without.load,
    without, path)
  expect.equal(bits(without), before)
  without:save(path)
  before = bits(with)
  expect.raises("InvalidArgument", "is missing in the file", with.load, with, path)
  expect.equal(bits(with), before)
  trained(lt.optim.Adam { amsgrad = true }, 1):save(path)
  local adam = trained("adam", 1)
  expect.raises("InvalidArgument", "its Adam remembers 'velocity_hat'", adam.load, adam, path)
end)

os.execute(("rm -r '%s'"):format(folder))
expect.end_of_cases()
