-- Random changes of images. Each image of a batch has its own; with a seed they are the same each time.
local lutra, tools, use = ...
local options, arguments = use "options", use "image.arguments"
local arranging, colors = use "image.arranging", use "image.colors"

local random = {}

local function seed_of(who, given) return options.read(who, given, { seed = false }).seed or nil end

-- n numbers from low to high, to be multiplied with a batch of images, or with one image.
local function drawn(image, low, high, seed)
  local n = image.rank == 4 and image.shape[1] or 1
  local numbers = lutra.random.uniform({ n }, { minval = low, maxval = high, seed = seed })
  return image.rank == 4 and numbers:reshape { n, 1, 1, 1 } or numbers:reshape { 1, 1, 1 }
end

local function flipped(who, image, axis_from_end, given)
  image = arguments.images(who, image)
  return lutra.where(drawn(image, 0, 1, seed_of(who, given)):lt(0.5), lutra.flip(image, image.rank - axis_from_end), image)
end
function random.random_flip_left_right(image, given) return flipped("random_flip_left_right", image, 1, given) end
function random.random_flip_up_down(image, given) return flipped("random_flip_up_down", image, 2, given) end

-- One box for all images, as tf.image.random_crop takes it.
function random.random_crop(image, size, given)
  local who = "random_crop"
  image = arguments.images(who, image)
  local height, width = arguments.pair(who, "size", size, 1)
  local old_height, old_width = arguments.size(image)
  if height > old_height or width > old_width then
    tools.fail("InvalidArgument", ("%s: size is %d x %d, larger than an image of %d x %d"):format(who, height, width, old_height,
      old_width))
  end
  local numbers = lutra.random.uniform({ 2 }, { seed = seed_of(who, given) }):totable()
  local function place(share, most) return math.min(math.floor(share * (most + 1)), most) end
  return arranging.crop_to_bounding_box(image, place(numbers[1], old_height - height), place(numbers[2], old_width - width),
    height, width)
end

-- The change of each image is chosen by its own factor: `change` is linear in it between `none`, where it changes nothing,
-- and any other.
function random.random_brightness(image, max_delta, given)
  local who = "random_brightness"
  image = arguments.images(who, image)
  options.number(who, "max_delta", max_delta, 0)
  local x, back = colors.as_shares(image)
  return back(x + lutra.cast(drawn(image, -max_delta, max_delta, seed_of(who, given)), x.dtype))
end

local function require_range(who, low, high)
  options.number(who, "lower", low, 0)
  options.number(who, "upper", high, 0)
  if low >= high then
    tools.fail("InvalidArgument", ("%s: lower is %s and upper %s, expected a smaller and a larger number"):format(who, low, high))
  end
end

function random.random_contrast(image, lower, upper, given)
  local who = "random_contrast"
  image = arguments.images(who, image)
  require_range(who, lower, upper)
  local x, back = colors.as_shares(image)
  local mean = x:mean({ x.rank - 2, x.rank - 1 }, { keepdims = true })
  return back((x - mean) * lutra.cast(drawn(image, lower, upper, seed_of(who, given)), x.dtype) + mean)
end

function random.random_saturation(image, lower, upper, given)
  local who = "random_saturation"
  image = arguments.images(who, image, 3)
  require_range(who, lower, upper)
  local factor = drawn(image, lower, upper, seed_of(who, given))
  return colors.by_hsv(who, image, function(hue, saturation)
    return hue, lutra.clip(saturation * lutra.cast(factor, saturation.dtype), 0, 1)
  end)
end

function random.random_hue(image, max_delta, given)
  local who = "random_hue"
  image = arguments.images(who, image, 3)
  options.number(who, "max_delta", max_delta, 0, 0.5)
  local delta = drawn(image, -max_delta, max_delta, seed_of(who, given))
  return colors.by_hsv(who, image, function(hue, saturation)
    hue = hue + lutra.cast(delta, hue.dtype)
    return hue - lutra.floor(hue), saturation
  end)
end

return random
