-- Colours of images: floats from 0 to 1, where nothing else is said.
local lutra, tools, use = ...
local options, arguments = use "options", use "image.arguments"

local colors = {}

-- Shares of red, green and blue in brightness (ITU-R BT.601).
local kShares = { 0.2989, 0.587, 0.114 }

local function row(values, x) return lutra.device(x.device, lutra.constant, values, { dtype = x.dtype }) end

function colors.rgb_to_grayscale(image)
  image = arguments.images("rgb_to_grayscale", image, 3)
  local x, back = arguments.floats(image)
  return back((x * row(kShares, x)):sum(-1, { keepdims = true }))
end

function colors.grayscale_to_rgb(image)
  image = arguments.images("grayscale_to_rgb", image, 1)
  return lutra.concat({ image, image, image }, image.rank)
end

local function channels_of(x) return table.unpack(lutra.split(x, 3, x.rank)) end

-- Hue, saturation and value, all from 0 to 1.
function colors.rgb_to_hsv(image)
  image = arguments.images("rgb_to_hsv", image, 3)
  local x = arguments.floats(image)
  local r, g, b = channels_of(x)
  local value, least = x:max(-1, { keepdims = true }), x:min(-1, { keepdims = true })
  local range = value - least
  local is_grey, is_red, is_green = range:eq(0), value:eq(r), value:eq(g)
  local width = lutra.where(is_grey, 1, range)
  local hue = lutra.where(is_red, (g - b) / width, lutra.where(is_green, (b - r) / width + 2, (r - g) / width + 4)) / 6
  hue = lutra.where(is_grey, 0, hue)
  hue = lutra.where(hue:lt(0), hue + 1, hue)
  local saturation = lutra.where(value:gt(0), range / lutra.where(value:gt(0), value, 1), 0)
  return lutra.concat({ hue, saturation, value }, x.rank)
end

function colors.hsv_to_rgb(image)
  image = arguments.images("hsv_to_rgb", image, 3)
  local x = arguments.floats(image)
  local hue, saturation, value = channels_of(x)
  local h = hue * 6
  local function share(distance) return lutra.clip(distance, 0, 1) end
  local r = share(lutra.abs(h - 3) - 1)
  local g = share(2 - lutra.abs(h - 2))
  local b = share(2 - lutra.abs(h - 4))
  return ((lutra.concat({ r, g, b }, x.rank) - 1) * saturation + 1) * value
end

-- Integers count as shares of the largest one.
local largest = { uint8 = 255, int8 = 127, int16 = 32767, int32 = 2147483647, int64 = 2147483647 }
local function as_shares(x)
  local most = largest[x.dtype]
  if not most then return x, function(y) return y end end
  local dtype = x.dtype
  return lutra.cast(x, "float32") / most, function(y)
    return lutra.cast(lutra.clip(y * (most + 0.5), 0, most), dtype)
  end
end

function colors.adjust_brightness(image, delta)
  image = arguments.images("adjust_brightness", image)
  options.number("adjust_brightness", "delta", delta)
  local x, back = as_shares(image)
  return back(x + delta)
end

-- (x - mean) factor + mean, with the mean of each channel of each image.
function colors.adjust_contrast(image, factor)
  image = arguments.images("adjust_contrast", image)
  options.number("adjust_contrast", "contrast_factor", factor)
  local x, back = as_shares(image)
  local mean = x:mean({ x.rank - 2, x.rank - 1 }, { keepdims = true })
  return back((x - mean) * factor + mean)
end

local function by_hsv(who, image, change)
  image = arguments.images(who, image, 3)
  local x, back = as_shares(image)
  local hue, saturation, value = channels_of(colors.rgb_to_hsv(x))
  hue, saturation = change(hue, saturation)
  return back(colors.hsv_to_rgb(lutra.concat({ hue, saturation, value }, x.rank)))
end
function colors.adjust_saturation(image, factor)
  options.number("adjust_saturation", "saturation_factor", factor, 0)
  return by_hsv("adjust_saturation", image, function(hue, saturation)
    return hue, lutra.clip(saturation * factor, 0, 1)
  end)
end
-- delta: of the whole circle, from -1 to 1.
function colors.adjust_hue(image, delta)
  options.number("adjust_hue", "delta", delta, -1, 1)
  return by_hsv("adjust_hue", image, function(hue, saturation)
    hue = hue + delta
    return hue - lutra.floor(hue), saturation
  end)
end

function colors.adjust_gamma(image, gamma, gain)
  image = arguments.images("adjust_gamma", image)
  options.number("adjust_gamma", "gamma", gamma == nil and 1 or gamma, 0)
  options.number("adjust_gamma", "gain", gain == nil and 1 or gain)
  local x, back = as_shares(image)
  return back(x ^ (gamma or 1) * (gain or 1))
end

-- Mean 0 and variance 1 in each image; the deviation counts as no less than that of one pixel among all.
function colors.per_image_standardization(image)
  image = arguments.images("per_image_standardization", image)
  local x = arguments.floats(image)
  local axes, size = { x.rank - 2, x.rank - 1, x.rank }, 1
  for _, axis in ipairs(axes) do size = size * x.shape[axis] end
  local apart = x - x:mean(axes, { keepdims = true })
  local deviation = lutra.sqrt((apart * apart):mean(axes, { keepdims = true }))
  return apart / lutra.maximum(deviation, 1 / math.sqrt(math.max(size, 1)))
end

-- For random.lua; not public (init.lua).
colors.as_shares, colors.by_hsv = as_shares, by_hsv

return colors
