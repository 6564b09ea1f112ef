-- An image augmenter: few images, changed at random in each epoch, against the same images unchanged.
--   lutra scripts/experiments/augmenter.lua [IMAGES [EPOCHS]]
-- A dataset's map changes the images by lt.image; layers of lt.nn do it inside the model.
local digits = dofile(arg[0]:match "^(.*/)[^/]*$" .. "digits.lua")
local image, nn = lt.image, lt.nn

local count, epochs = tonumber(arg[1]) or 300, tonumber(arg[2]) or 40
local x, y = digits.draw(count, 1)
local test_x, test_y = digits.draw(1000, 2)
-- Test images are shifted, rotated and brighter than the training images.
local function disturbed(batch, seed)
  local angles = lt.random.uniform({ #batch }, { minval = -0.3, maxval = 0.3, seed = seed })
  local moved = {}
  for i, each in ipairs(lt.unstack(batch)) do moved[i] = image.rotate(each, angles[i]:item()) end
  batch = image.random_crop(image.pad_to_bounding_box(lt.stack(moved), 4, 4, 34, 34), { 28, 28 }, { seed = seed + 1 })
  return image.adjust_brightness(batch, 0.1)
end
test_x = disturbed(test_x, 5)

-- One batch's images, changed; each call differs.
local function augmented(batch)
  batch = image.random_crop(image.pad_to_bounding_box(batch, 4, 4, 36, 36), { 28, 28 })
  batch = image.random_contrast(image.random_brightness(batch, 0.15), 0.8, 1.2)
  return lt.clip(batch, 0, 1)
end

local function accuracy(map, layers)
  lt.random.set_seed(1)
  local stack = { nn.Input { 28, 28, 1 } }
  table.move(layers, 1, #layers, #stack + 1, stack)
  for _, layer in ipairs {
    nn.Conv2D(8, 3, { strides = 2, activation = "relu" }), nn.Conv2D(16, 3, { strides = 2, activation = "relu" }), nn.Flatten(),
    nn.Dense(10),
  } do
    stack[#stack + 1] = layer
  end
  local model = nn.Sequential(stack)
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.003 }, metrics = { "accuracy" },
    loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
  local data = lt.data.from_tensor_slices(x, y):shuffle(count):batch(30)
  if map then data = data:map(function(images, labels) return map(images), labels end) end
  model:fit(data, { epochs = epochs, verbose = 0 })
  return model:evaluate(test_x, test_y, { verbose = 0, return_dict = true }).accuracy
end

local plain = accuracy(nil, {})
local mapped = accuracy(augmented, { nn.RandomRotation(0.06, { fill_mode = "constant" }) })
print(("learned from %d images, %d epochs"):format(count, epochs))
print(("as they are: %.1f%% of disturbed images right"):format(100 * plain))
print(("changed at random: %.1f%%"):format(100 * mapped))

-- With a seed the changes repeat.
local first, again = image.random_crop(x, { 20, 20 }, { seed = 7 }), image.random_crop(x, { 20, 20 }, { seed = 7 })
print("with a seed the same:", lt.array_equal(first, again):item())
