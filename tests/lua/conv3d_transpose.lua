-- Conv3DTranspose against Keras' numbers (tests/support/golden/conv3d_transpose.lua says how they were made).
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local golden = dofile("tests/support/golden/conv3d_transpose.lua")
local nn = lt.nn

local function counted(f, shape)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return f(lt.range(size):float32()):reshape(shape)
end
local function layer_for(case, more)
  local given = {}
  for key, value in pairs(case.options) do given[key] = value end
  for key, value in pairs(more or {}) do given[key] = value end
  return nn.Conv3DTranspose(3, case.kernel, given)
end
local function set(layer)
  local weights = { counted(lt.cos, layer.kernel.shape) }
  if layer.bias then weights[2] = lt.constant { 0.5, -1, 2 } end
  layer:set_weights(weights)
end

local x = counted(lt.sin, { 1, 2, 3, 2, 2 })

expect.case("Keras' numbers, in both orders of axes", function()
  for i, case in ipairs(golden) do
    local layer = layer_for(case)
    layer(x)
    set(layer)
    local y = layer(x)
    expect.equal(y.shape, case.shape, i)
    expect.equal(layer:compute_output_shape { 2, 3, 2, 2 }, { table.unpack(case.shape, 2) }, i)
    expect.close(y:flatten(), case.y, 2e-5, i)
    local first = layer_for(case, { data_format = "channels_first" })
    local turned = lt.transpose(x, { 1, 5, 2, 3, 4 })
    first(turned)
    set(first)
    expect.close(lt.transpose(first(turned), { 1, 3, 4, 5, 2 }):flatten(), y:flatten():totable(), 1e-5, i)
  end
end)

expect.case("gradients by finite differences", function()
  for i, case in ipairs(golden) do
    local layer = layer_for(case)
    layer(x)
    set(layer)
    local direction = counted(lt.cos, x.shape)
    local function loss(v) return lt.sum(layer(v) * counted(lt.sin, case.shape)) end
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local slopes = tape:gradient(loss(x), { x, layer.kernel })
    local h = 1e-2
    local wanted = (loss(x + direction * h):item() - loss(x - direction * h):item()) / (2 * h)
    local found = lt.sum(slopes[1] * direction):item()
    -- Not with ReLU, whose kinks lie between the two points.
    if not case.options.activation then
      assert(math.abs(found - wanted) <= 2e-3 * (1 + math.abs(wanted)), ("%d: %g, expected %g"):format(i, found, wanted))
    end
    expect.equal(slopes[2].shape, layer.kernel.shape)
  end
end)

expect.case("in a model's file, and without rows", function()
  local function make()
    return nn.Sequential { nn.Conv3DTranspose(3, { 3, 2, 1 }, { strides = 2, padding = "same", activation = "tanh", input_shape = { 2, 3, 2, 2 } }) }
  end
  local model, path = make(), expect.path ".safetensors"
  model:save(path)
  expect.equal(nn.load_model(path)(x):totable(), model(x):totable())
  os.remove(path)
  expect.equal(model(lt.zeros { 0, 2, 3, 2, 2 }).shape, { 0, 4, 6, 4, 3 })
end)

expect.case("refused", function()
  local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
  refuses("Conv3DTranspose: filters is 0", nn.Conv3DTranspose, 0, 2)
  refuses("Conv3DTranspose: kernel_size is a table, expected a number or a list of three", nn.Conv3DTranspose, 1, { 2, 2 })
  refuses("output_padding is 2, and strides 2: expected less than that", nn.Conv3DTranspose, 1, 2, { strides = 2, output_padding = 2 })
  refuses("unknown option 'groups'", nn.Conv3DTranspose, 1, 2, { groups = 2 })
  refuses("expected (depth, height, width, channels)", nn.Conv3DTranspose(1, 2), lt.ones { 1, 2, 3, 4 })
end)

expect.end_of_cases()
