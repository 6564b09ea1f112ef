-- What functions of images are given.
local lutra, tools, use = ...
local options = use "options"

local arguments = {}

-- An image {height, width, channels}, or a batch of them; `channels` if they must be so many.
function arguments.images(who, x, channels)
  x = options.tensor(who, "image", x)
  local rank = x.rank
  if rank ~= 3 and rank ~= 4 then
    tools.fail("InvalidArgument", ("%s: image has the shape %s, expected (height, width, channels) or (rows, height, width, "
      .. "channels)"):format(who, tostring(x.shape)))
  end
  if channels and x.shape[rank] ~= channels then
    tools.fail("InvalidArgument", ("%s: image has the shape %s, expected %d channels in its last axis"):format(who,
      tostring(x.shape), channels))
  end
  return x
end

-- Height and width, and the axis of the height.
function arguments.size(x) return x.shape[x.rank - 2], x.shape[x.rank - 1], x.rank - 2 end

-- {height, width}, or one number for both.
function arguments.pair(who, name, value, least, most)
  if type(value) == "number" then value = { value, value } end
  if type(value) ~= "table" or getmetatable(value) ~= nil or #value ~= 2 then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected {height, width}"):format(who, name, tools.what_is(value)))
  end
  most = most or options.kMostSize
  return options.count(who, name .. "[1]", value[1], least, most), options.count(who, name .. "[2]", value[2], least, most)
end

-- As float32, or as it is if it is a float; the second result turns a result into the dtype again.
function arguments.floats(x)
  local dtype = x.dtype
  if dtype:find "float" then return x, function(y) return y end end
  return options.as_float(x), function(y)
    -- As tf.image.convert_image_dtype saturates, a cast of what is outside would wrap.
    local least, most = 0, 255
    if dtype ~= "uint8" then least, most = -2 ^ 31, 2 ^ 31 - 128 end
    return lutra.cast(lutra.clip(y, least, most), dtype)
  end
end

return arguments
