-- Parts of images, borders, flips and turns.
local lutra, tools, use = ...
local options, arguments = use "options", use "image.arguments"

local arranging = {}

local function count(who, name, value, least) return options.count(who, name, value, least, options.kMostSize) end

local function part(x, axis, top, left, height, width)
  local key = {}
  for k = 1, x.rank do key[k] = {} end
  key[axis], key[axis + 1] = { top + 1, top + height }, { left + 1, left + width }
  return x[key]
end

local function require_inside(who, x, top, left, height, width, old_height, old_width)
  if top + height > old_height or left + width > old_width then
    tools.fail("InvalidArgument", ("%s: a box of %d x %d at row %d and column %d is not within an image of %d x %d"):format(who,
      height, width, top, left, old_height, old_width))
  end
end

local function read_box(who, top, left, height, width)
  return count(who, "offset_height", top, 0), count(who, "offset_width", left, 0), count(who, "target_height", height, 1),
    count(who, "target_width", width, 1)
end

-- Offsets are numbers of rows and columns that are left out, from 0.
function arranging.crop_to_bounding_box(image, top, left, height, width)
  local who = "crop_to_bounding_box"
  image = arguments.images(who, image)
  top, left, height, width = read_box(who, top, left, height, width)
  local old_height, old_width, axis = arguments.size(image)
  require_inside(who, image, top, left, height, width, old_height, old_width)
  return part(image, axis, top, left, height, width)
end
arranging.crop = arranging.crop_to_bounding_box

local function padded(x, axis, top, left, height, width)
  local borders = {}
  for k = 1, x.rank do borders[k] = { 0, 0 } end
  borders[axis] = { top, height - top - x.shape[axis] }
  borders[axis + 1] = { left, width - left - x.shape[axis + 1] }
  return lutra.pad(x, borders)
end

function arranging.pad_to_bounding_box(image, top, left, height, width)
  local who = "pad_to_bounding_box"
  image = arguments.images(who, image)
  top, left, height, width = read_box(who, top, left, height, width)
  local old_height, old_width, axis = arguments.size(image)
  if top + old_height > height or left + old_width > width then
    tools.fail("InvalidArgument", ("%s: an image of %d x %d at row %d and column %d is not within %d x %d"):format(who, old_height,
      old_width, top, left, height, width))
  end
  return padded(image, axis, top, left, height, width)
end

-- The middle of the image, or the image in the middle of zeros.
function arranging.resize_with_crop_or_pad(image, height, width)
  local who = "resize_with_crop_or_pad"
  image = arguments.images(who, image)
  height, width = count(who, "target_height", height, 1), count(who, "target_width", width, 1)
  local old_height, old_width, axis = arguments.size(image)
  local kept_height, kept_width = math.min(height, old_height), math.min(width, old_width)
  image = part(image, axis, (old_height - kept_height) // 2, (old_width - kept_width) // 2, kept_height, kept_width)
  return padded(image, axis, (height - kept_height) // 2, (width - kept_width) // 2, height, width)
end

-- The middle, of this share of height and width.
function arranging.central_crop(image, fraction)
  image = arguments.images("central_crop", image)
  options.number("central_crop", "fraction", fraction, 0, 1)
  if fraction == 0 then
    tools.fail("InvalidArgument", "central_crop: fraction is 0, expected a number above 0, at most 1")
  end
  local height, width, axis = arguments.size(image)
  local top, left = math.floor((height - height * fraction) / 2), math.floor((width - width * fraction) / 2)
  return part(image, axis, top, left, height - 2 * top, width - 2 * left)
end

function arranging.flip_left_right(image)
  image = arguments.images("flip_left_right", image)
  return lutra.flip(image, image.rank - 1)
end
function arranging.flip_up_down(image)
  image = arguments.images("flip_up_down", image)
  return lutra.flip(image, image.rank - 2)
end

local function swapped(image)
  local order = {}
  for k = 1, image.rank do order[k] = k end
  order[image.rank - 2], order[image.rank - 1] = image.rank - 1, image.rank - 2
  return lutra.transpose(image, order)
end
function arranging.transpose(image) return swapped(arguments.images("transpose", image)) end

-- Turns by k right angles against the clock.
function arranging.rot90(image, k)
  image = arguments.images("rot90", image)
  k = options.whole("rot90", "k", k == nil and 1 or k) % 4
  if k == 0 then return image end
  if k == 2 then return lutra.flip(image, { image.rank - 2, image.rank - 1 }) end
  if k == 1 then return lutra.flip(swapped(image), image.rank - 2) end
  return swapped(lutra.flip(image, image.rank - 2))
end

return arranging
