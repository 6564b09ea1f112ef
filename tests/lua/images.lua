-- lt.image against TensorFlow's and PyTorch's numbers (make_image_reference.py), gradients, random changes, refused calls.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local image = lt.image

lt.config.set_simulated_gpus(1)

local function noise(seed, shape)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local i = lt.range(size, { dtype = "int64" })
  return (((i + 17) * (i + 31 * seed + 7) * 7919) % 65521):float32():reshape(shape) / 65521
end

local function call_of(text) return load("local image, x, noise = ... return image." .. text) end

local function check(golden)
  for _, case in ipairs(golden) do
    local text, shape, wanted_shape, wanted = table.unpack(case)
    local x = noise(1, shape)
    if case.dtype then x = lt.floor(x * 256):cast(case.dtype) end
    local y = call_of(text)(image, x, noise)
    expect.equal({ table.unpack(y.shape) }, wanted_shape, text)
    if case.dtype and not text:find "resize" then expect.equal(y.dtype, case.dtype, text) end
    expect.close(y:float32():flatten():totable(), wanted, case.tolerance or 2e-5, text)
  end
end

expect.case("TensorFlow's numbers", function() check(dofile "tests/support/golden/image_reference.lua") end)
-- TensorFlow's bicubic weights without antialias are of three digits, and its Gaussian ends where float32 rounds.
expect.case("formulas in float64", function() check(dofile "tests/support/golden/resize_formulas.lua") end)
expect.case("PyTorch's grids", function() check(dofile "tests/support/golden/grid_reference.lua") end)

expect.case("on a GPU, and in other dtypes", function()
  local x = noise(1, { 2, 6, 5, 3 })
  for _, text in ipairs {
    "resize(x, { 9, 4 }, { method = 'bicubic' })", "resize(x, { 3, 3 }, { antialias = true })", "adjust_hue(x, 0.2)",
    "rotate(x, 0.4)", "adjust_contrast(x, 2)", "rot90(x, 1)",
  } do
    local f = call_of(text)
    local wanted = f(image, lt.device("/CPU:0", function() return x + 0 end))
    local scope <close> = lt.device("/GPU:0")
    expect.close(f(image, x:to "GPU:0"), wanted:totable(), 1e-6, text)
    expect.close(f(image, x:cast "float64"), wanted:totable(), 1e-5, text .. ", float64")
    expect.close(f(image, x:cast "float16"):float32(), wanted:totable(), 2e-2, text .. ", float16")
    expect.equal(f(image, x:cast "float16").dtype, "float16", text)
  end
end)

-- Slopes against differences, at every element.
expect.case("gradients", function()
  for _, text in ipairs {
    "resize(x, { 5, 2 })", "resize(x, { 2, 2 }, { method = 'area' })", "resize(x, { 5, 6 }, { method = 'bicubic' })",
    "resize(x, { 2, 2 }, { method = 'lanczos3', antialias = true })", "resize(x, { 5, 7 }, { method = 'nearest' })",
    "rotate(x, 0.3)", "rgb_to_hsv(x)", "adjust_saturation(x, 0.7)", "adjust_contrast(x, 1.5)", "per_image_standardization(x)",
    "resize_with_crop_or_pad(x, 2, 5)", "grid_sample(x, noise(2, { 2, 2, 2 }) * 2 - 1, { padding_mode = 'border' })",
  } do
    local f, x = call_of(text), noise(5, { 3, 4, 3 }):cast "float64"
    local weights
    local function loss(v)
      local y = f(image, v, noise)
      weights = weights or noise(9, { table.unpack(y.shape) }):cast "float64"
      return (y * weights):sum()
    end
    local slope
    do
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      slope = tape:gradient(loss(x), x):flatten():totable()
    end
    for i = 1, #slope, 5 do
      local step = lt.one_hot({ i }, 36, { dtype = "float64" }):reshape { 3, 4, 3 } * 1e-6
      local wanted = (loss(x + step):item() - loss(x - step):item()) / 2e-6
      expect.close(slope[i], wanted, 1e-5, text .. ", element " .. i)
    end
  end
end)

expect.case("random changes", function()
  local x = noise(1, { 40, 4, 5, 3 })
  for text, kind in pairs {
    ["random_flip_left_right(x, { seed = 3 })"] = "flip", ["random_flip_up_down(x, { seed = 3 })"] = "flip",
    ["random_crop(x, { 2, 3 }, { seed = 3 })"] = "crop", ["random_brightness(x, 0.2, { seed = 3 })"] = "shift",
    ["random_contrast(x, 0.5, 1.5, { seed = 3 })"] = "", ["random_saturation(x, 0.5, 1.5, { seed = 3 })"] = "",
    ["random_hue(x, 0.2, { seed = 3 })"] = "",
  } do
    local f = call_of(text)
    local y = f(image, x)
    expect.equal(y:bytes(), f(image, x):bytes(), text)
    local other = call_of((text:gsub(", { seed = 3 }", "")))
    lt.random.set_seed(1)
    local first = other(image, x)
    lt.random.set_seed(1)
    expect.equal(other(image, x):bytes(), first:bytes(), text .. ", set_seed")
    if kind == "flip" then
      local flipped = text:find "left" and image.flip_left_right(x) or image.flip_up_down(x)
      local same, turned = 0, 0
      for i = 1, 40 do
        if y[i]:bytes() == x[i]:bytes() then same = same + 1 end
        if y[i]:bytes() == flipped[i]:bytes() then turned = turned + 1 end
      end
      expect.equal(same + turned, 40)
      assert(same > 5 and turned > 5, text)
    elseif kind == "crop" then
      expect.equal({ table.unpack(y.shape) }, { 40, 2, 3, 3 })
      local found = false
      for top = 0, 2 do
        for left = 0, 2 do found = found or image.crop(x, top, left, 2, 3):bytes() == y:bytes() end
      end
      assert(found, "no box of the image")
    elseif kind == "shift" then
      local shifts = (y - x):mean { 2, 3, 4 }
      assert(lt.all(lt.abs(shifts):le(0.2001)):item() and shifts:std():item() > 0.05)
      expect.close((y - x):std({ 2, 3, 4 }):max():item(), 0, 1e-6)
    end
    assert(f(image, x[1]).rank == 3)
  end
end)

expect.case("a turn", function()
  local x = noise(2, { 5, 5, 1 })
  expect.close(image.rotate(x, math.pi / 2), image.rot90(x):totable(), 1e-5)
  expect.close(image.rotate(x, { -math.pi }), lt.flip(x, { 1, 2 }):totable(), 1e-5)
end)

expect.case("what is refused", function()
  local x = lt.ones { 4, 5, 3 }
  local function refused(words, name, ...) expect.raises("InvalidArgument", words, image[name], ...) end
  refused("resize: image has the shape (3,), expected (height, width, channels) or (rows, height, width, channels)", "resize", { 1, 2, 3 }, 2)
  refused("resize: image is a function", "resize", print, 2)
  refused("resize: size is nil, expected {height, width}", "resize", x)
  refused("resize: size[1] is 0, expected a whole number, 1 or more", "resize", x, { 0, 2 })
  refused("resize: method is \"cubic\", which is not known", "resize", x, 2, { method = "cubic" })
  refused("resize: unknown option 'antialiased' (did you mean 'antialias'?)", "resize", x, 2, { antialiased = true })
  refused("resize: image has the shape (0, 5, 3), without a pixel", "resize", lt.zeros { 0, 5, 3 }, 2)
  refused("a box of 3 x 3 at row 2 and column 0 is not within an image of 4 x 5", "crop_to_bounding_box", x, 2, 0, 3, 3)
  refused("an image of 4 x 5 at row 1 and column 0 is not within 4 x 5", "pad_to_bounding_box", x, 1, 0, 4, 5)
  refused("central_crop: fraction is 2, expected a number of 0 to 1", "central_crop", x, 2)
  refused("rgb_to_hsv: image has the shape (4, 5, 1), expected 3 channels in its last axis", "rgb_to_hsv", lt.ones { 4, 5, 1 })
  refused("adjust_hue: delta is 2, expected a number of -1 to 1", "adjust_hue", x, 2)
  refused("rot90: k is 0.5, expected a whole number", "rot90", x, 0.5)
  refused("random_contrast: lower is 2 and upper 1", "random_contrast", x, 2, 1)
  refused("random_crop: size is 5 x 5, larger than an image of 4 x 5", "random_crop", x, { 5, 5 })
  refused("grid_sample: grid has the shape (2, 2) and image (4, 5, 3)", "grid_sample", x, lt.ones { 2, 2 })
  refused("grid_sample: padding_mode is \"wrap\"", "grid_sample", x, lt.ones { 2, 2, 2 }, { padding_mode = "wrap" })
  refused("affine_grid: theta is (2, 3), expected a tensor (rows, 2, 3)", "affine_grid", lt.ones { 2, 3 }, { 1, 2, 2 })
  refused("rotate: angle is \"a\", expected a number, or one for each of 1 images", "rotate", x, "a")
end)

expect.case("sizes out of range, and images that are none", function()
  local x, huge = lt.zeros { 2, 2, 2 }, math.maxinteger
  local function refused(words, name, ...) expect.raises("InvalidArgument", words, image[name], ...) end
  refused("resize: size[1] is 1099511627776, expected at most 16777216", "resize", x, 1 << 40)
  expect.raises("ResourceExhausted", "resize: out of memory", image.resize, x, 1 << 24)
  refused("crop_to_bounding_box: offset_height is 4611686018427387904, expected at most", "crop_to_bounding_box", x, 1 << 62, 1 << 62,
    1 << 62, 1 << 62)
  refused("pad_to_bounding_box: offset_height is 9223372036854775807, expected at most", "pad_to_bounding_box", x, huge, 1, 5, 5)
  refused("resize_with_crop_or_pad: target_width is 9223372036854775807, expected at most", "resize_with_crop_or_pad", x, 5, huge)
  refused("random_crop: size[2] is 9223372036854775807, expected at most", "random_crop", x, { 1, huge })
  refused("adjust_gamma: image: ", "adjust_gamma", { a = 1 })
  refused("grid_sample: ", "grid_sample", lt.zeros { 1, 2, 2, 1 }, { a = 1 })
  refused("crop_to_bounding_box: a box of 1 x 1", "crop", x, 2, 2, 1, 1)
  refused("flip_up_down: image: ", "flip_up_down", { { 1 }, { 2, 3 } })
end)

expect.case("translations of no finite size", function()
  for _, factor in ipairs { 0 / 0, math.huge } do
    expect.raises("InvalidArgument", "RandomTranslation: height_factor[1] is", lt.nn.RandomTranslation, factor, 0.1)
  end
  expect.raises("InvalidArgument", "expected a finite number", lt.nn.RandomZoom, { 0, math.huge })
end)

expect.end_of_cases()
