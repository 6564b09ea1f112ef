-- Samples of images at any places: grids, turns, affine maps.
local lutra, tools, use = ...
local options, arguments = use "options", use "image.arguments"

local sampling = {}

local modes = { bilinear = true, nearest = true }
local paddings = { zeros = true, border = true, reflection = true }

-- Rows of a batch {rows, height, width, channels} at whole places {rows, h, w}; 0 outside unless they are within.
local function rows_at(x, row, column, is_inside)
  local n, height, width, channels = table.unpack(x.shape)
  local first = lutra.range(n, { dtype = "int64" }):reshape { n, 1, 1 } * (height * width) + 1
  local place = lutra.cast(lutra.clip(row, 0, height - 1), "int64") * width + lutra.cast(lutra.clip(column, 0, width - 1), "int64")
  local values = lutra.gather(x:reshape { n * height * width, channels }, place + first)
  if not is_inside then return values end
  return values * lutra.expand_dims(lutra.cast(is_inside, x.dtype), -1)
end

-- Places outside are mirrored at low and high, again and again.
local function reflected(place, low, high)
  if high <= low then return lutra.zeros_like(place) end
  local span = high - low
  local distance = lutra.abs(place - low)
  local rest = distance - lutra.floor(distance / (2 * span)) * (2 * span)
  return lutra.where(rest:gt(span), 2 * span - rest, rest) + low
end

-- Samples at rows and columns, as floats that count from 0 at the first pixel's centre.
local function sampled(x, row, column, mode, padding, is_aligned)
  local height, width = x.shape[2], x.shape[3]
  if padding ~= "zeros" then
    local function kept(place, count)
      if padding == "reflection" then
        place = is_aligned and reflected(place, 0, count - 1) or reflected(place, -0.5, count - 0.5)
      end
      return lutra.clip(place, 0, count - 1)
    end
    row, column = kept(row, height), kept(column, width)
  end
  local function inside(r, c)
    if padding ~= "zeros" then return nil end
    return lutra.logical_and(lutra.logical_and(r:ge(0), r:le(height - 1)), lutra.logical_and(c:ge(0), c:le(width - 1)))
  end
  if mode == "nearest" then
    local r, c = lutra.round(row), lutra.round(column)
    return rows_at(x, r, c, inside(r, c))
  end
  local top, left = lutra.floor(row), lutra.floor(column)
  local down, right = lutra.expand_dims(row - top, -1), lutra.expand_dims(column - left, -1)
  local function corner(r, c) return rows_at(x, r, c, inside(r, c)) end
  local above = corner(top, left) * (1 - right) + corner(top, left + 1) * right
  local below = corner(top + 1, left) * (1 - right) + corner(top + 1, left + 1) * right
  return above * (1 - down) + below * down
end

local function read(who, given)
  local read_options = options.read(who, given, { mode = "bilinear", padding_mode = "zeros", align_corners = false })
  options.word(who, "mode", read_options.mode, modes)
  options.word(who, "padding_mode", read_options.padding_mode, paddings)
  options.boolean(who, "align_corners", read_options.align_corners)
  return read_options
end

local function batch_of(who, image)
  image = arguments.images(who, image)
  local is_single = image.rank == 3
  return is_single and lutra.expand_dims(image, 1) or image, is_single
end

-- grid_sample(image, grid[, {mode, padding_mode, align_corners}]): grid {rows, h, w, 2} has x, y from -1 to 1.
function sampling.grid_sample(image, grid, given)
  local x, is_single = batch_of("grid_sample", image)
  local told = read("grid_sample", given)
  grid = options.tensor("grid_sample", "grid", grid)
  if is_single and grid.rank == 3 then grid = lutra.expand_dims(grid, 1) end
  if grid.rank ~= 4 or grid.shape[4] ~= 2 or grid.shape[1] ~= x.shape[1] then
    tools.fail("InvalidArgument", ("grid_sample: grid has the shape %s and image %s, expected (%d, height, width, 2)"):format(
      tostring(grid.shape), tostring(image.shape), x.shape[1]))
  end
  local floats = arguments.floats(x)
  grid = lutra.cast(grid, floats.dtype)
  local across, down = table.unpack(lutra.unstack(grid, 4))
  local function place(at, count)
    if told.align_corners then return (at + 1) * ((count - 1) / 2) end
    return ((at + 1) * count - 1) / 2
  end
  local y = sampled(floats, place(down, x.shape[2]), place(across, x.shape[3]), told.mode, told.padding_mode, told.align_corners)
  return is_single and lutra.squeeze(y, 1) or y
end

-- affine_grid(theta, {rows, height, width}[, {align_corners}]): the grid whose x, y are theta's 2 x 3 matrices times
-- (x, y, 1).
function sampling.affine_grid(theta, size, given)
  local who = "affine_grid"
  local is_aligned = options.read(who, given, { align_corners = false }).align_corners
  options.boolean(who, "align_corners", is_aligned)
  theta = options.tensor(who, "theta", theta, "a tensor (rows, 2, 3)")
  if theta.rank ~= 3 or theta.shape[2] ~= 2 or theta.shape[3] ~= 3 then
    tools.fail("InvalidArgument", ("%s: theta is %s, expected a tensor (rows, 2, 3)"):format(who, tostring(theta.shape)))
  end
  size = options.shape(who, "size", size)
  local height, width = size[2], size[3]
  if #size < 3 or size[1] ~= theta.shape[1] then
    tools.fail("InvalidArgument", ("%s: size has %d numbers, expected {%d, height, width}"):format(who, #size, theta.shape[1]))
  end
  theta = options.as_float(theta, who, "theta")
  local function line(count)
    if is_aligned then return count > 1 and lutra.linspace(-1, 1, count) or lutra.zeros { count } end
    return (lutra.range(count) * 2 + 1) / count - 1
  end
  local x = lutra.broadcast_to(line(width):reshape { 1, width }, { height, width })
  local y = lutra.broadcast_to(line(height):reshape { height, 1 }, { height, width })
  local points = lutra.cast(lutra.stack({ x, y, lutra.ones_like(x) }, -1), theta.dtype):reshape { height * width, 3 }
  return lutra.matmul(points, theta, { transpose_b = true }):reshape { size[1], height, width, 2 }
end

-- Places of the new image's pixels in the old one, from 8 numbers a0 .. c1 of each row: x' = (a0 x + a1 y + a2) / (c0 x +
-- c1 y + 1) and y' = (b0 x + b1 y + b2) / (...), as tf.image's and Keras' transforms.
function sampling.transform(image, transforms, given)
  local who = "transform"
  local x, is_single = batch_of(who, image)
  local told = options.read(who, given, { mode = "bilinear", padding_mode = "zeros" })
  options.word(who, "mode", told.mode, modes)
  options.word(who, "padding_mode", told.padding_mode, paddings)
  transforms = options.tensor(who, "transforms", transforms)
  if transforms.rank == 1 then transforms = lutra.expand_dims(transforms, 1) end
  local n, height, width = table.unpack(x.shape)
  if transforms.rank ~= 2 or transforms.shape[2] ~= 8 or transforms.shape[1] ~= n and transforms.shape[1] ~= 1 then
    tools.fail("InvalidArgument", ("%s: transforms have the shape %s, expected (%d, 8)"):format(who, tostring(transforms.shape), n))
  end
  local floats, back = arguments.floats(x)
  local list = lutra.unstack(lutra.broadcast_to(lutra.cast(transforms, floats.dtype), { n, 8 }), 2)
  for k = 1, 8 do list[k] = list[k]:reshape { n, 1, 1 } end
  local across = lutra.range(width, { dtype = floats.dtype }):reshape { 1, 1, width }
  local down = lutra.range(height, { dtype = floats.dtype }):reshape { 1, height, 1 }
  local scale = list[7] * across + list[8] * down + 1
  local column = (list[1] * across + list[2] * down + list[3]) / scale
  local row = (list[4] * across + list[5] * down + list[6]) / scale
  local y = back(sampled(floats, row, column, told.mode, told.padding_mode, false))
  return is_single and lutra.squeeze(y, 1) or y
end

-- rotate(image, angle[, {mode, padding_mode}]): against the clock, about the middle; one angle in radians, or one for each
-- image.
function sampling.rotate(image, angle, given)
  image = arguments.images("rotate", image)
  local n = image.rank == 4 and image.shape[1] or 1
  if type(angle) == "number" then angle = lutra.constant { angle + 0.0 } end
  if type(angle) == "table" then angle = lutra.constant(angle) end
  if not tools.is_tensor(angle) or angle.size ~= 1 and angle.size ~= n then
    tools.fail("InvalidArgument", ("rotate: angle is %s, expected a number, or one for each of %d images"):format(
      tools.is_tensor(angle) and tostring(angle.shape) or tools.what_is(angle), n))
  end
  angle = lutra.cast(angle:flatten(), "float32")
  local height, width = arguments.size(image)
  local cosine, sine = lutra.cos(angle), lutra.sin(angle)
  local middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
  local zero = lutra.zeros_like(angle)
  return sampling.transform(image, lutra.stack({
    cosine, -sine, middle_x - (cosine * middle_x - sine * middle_y),
    sine, cosine, middle_y - (sine * middle_x + cosine * middle_y), zero, zero,
  }, 2), given)
end

return sampling
