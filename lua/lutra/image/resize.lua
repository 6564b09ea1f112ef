-- Images of other sizes. Each axis is resized by itself: by gathers where few old places count, else by a product with
-- the matrix of weights.
local lutra, tools, use = ...
local options, arguments, weights_of = use "options", use "image.arguments", use "image.weights"

local resizing = {}

local methods = {
  nearest = true, bilinear = true, bicubic = true, area = true, lanczos3 = true, lanczos5 = true, gaussian = true,
  mitchellcubic = true,
}

local kMostGathers = 4

-- Weights are computed in Lua, one new place after the other.
local kMostSize = 1 << 24

-- Weights of recent calls: {key = {...}}; a loop resizes to the same sizes again and again.
local kept, count_kept = {}, 0

local function tables_for(from, to, method, antialias)
  local key = ("%d %d %s %s"):format(from, to, method, antialias)
  local found = kept[key]
  if found then return found end
  local firsts, rows, longest = weights_of(from, to, method, antialias)
  local made = { is_gathered = longest <= kMostGathers }
  lutra.device("/CPU:0", function()
    local paused <close> = tools.pause()
    if made.is_gathered then
      for k = 1, longest do
        local places, shares = {}, {}
        for i = 1, to do
          places[i], shares[i] = math.min(firsts[i] + k, from), rows[i][k] or 0
        end
        made[k] = { lutra.constant(places, { dtype = "int64" }), lutra.constant(shares, { dtype = "float64" }) }
      end
    else
      local flat = {}
      for i = 1, to do
        for j = 1, from do flat[(i - 1) * from + j] = 0.0 end
        for k, weight in ipairs(rows[i]) do flat[(i - 1) * from + firsts[i] + k] = weight end
      end
      made.matrix = lutra.constant(flat, { dtype = "float64" }):reshape { to, from }
    end
  end)
  if count_kept >= 32 then kept, count_kept = {}, 0 end
  kept[key], count_kept = made, count_kept + 1
  return made
end

local function resized(x, axis, to, method, antialias)
  local from = x.shape[axis]
  if from == to and method ~= "gaussian" and method ~= "mitchellcubic" then return x end
  local tables = tables_for(from, to, method, antialias)
  local shape = {}
  if tables.is_gathered then
    for k = 1, x.rank do shape[k] = k == axis and to or 1 end
    if not tables[2] then return lutra.gather(x, tables[1][1], axis) end
    local y
    for k = 1, #tables do
      local part = lutra.gather(x, tables[k][1], axis) * lutra.cast(tables[k][2], x.dtype):reshape(shape)
      y = y and y + part or part
    end
    return y
  end
  -- {outer, from, inner} times {to, from}
  local outer, inner = 1, 1
  for k = 1, x.rank do
    shape[k] = k == axis and to or x.shape[k]
    if k < axis then outer = outer * shape[k] elseif k > axis then inner = inner * shape[k] end
  end
  return lutra.matmul(lutra.cast(tables.matrix, x.dtype), x:reshape { outer, from, inner }):reshape(shape)
end

-- resize(image, {height, width}[, {method, antialias, preserve_aspect_ratio}])
function resizing.resize(image, size, given)
  image = arguments.images("resize", image)
  local read = options.read("resize", given, { method = "bilinear", antialias = false, preserve_aspect_ratio = false })
  options.word("resize", "method", read.method, methods)
  options.boolean("resize", "antialias", read.antialias)
  options.boolean("resize", "preserve_aspect_ratio", read.preserve_aspect_ratio)
  local height, width = arguments.pair("resize", "size", size, 1, kMostSize)
  local old_height, old_width, axis = arguments.size(image)
  if old_height == 0 or old_width == 0 then
    tools.fail("InvalidArgument", ("resize: image has the shape %s, without a pixel"):format(tostring(image.shape)))
  end
  if read.preserve_aspect_ratio then
    local scale = math.min(height / old_height, width / old_width)
    height, width = math.floor(old_height * scale + 0.5), math.floor(old_width * scale + 0.5)
    height, width = math.max(height, 1), math.max(width, 1)
  end
  local shape = { table.unpack(image.shape) }
  shape[axis], shape[axis + 1] = height, width
  options.require_memory("resize", image.device, shape, image.dtype)
  local y = image
  if read.method ~= "nearest" then y = options.as_float(y, "resize", "image") end
  -- Halves are rounded once.
  local dtype = y.dtype
  if read.method ~= "nearest" and dtype:find "float16" then y = lutra.cast(y, "float32") end
  -- First the axis that makes it smaller.
  local function both(first, first_size, second, second_size)
    return resized(resized(y, first, first_size, read.method, read.antialias), second, second_size, read.method, read.antialias)
  end
  if height / old_height <= width / old_width then
    y = both(axis, height, axis + 1, width)
  else
    y = both(axis + 1, width, axis, height)
  end
  return y.dtype == dtype and y or lutra.cast(y, dtype)
end

return resizing
