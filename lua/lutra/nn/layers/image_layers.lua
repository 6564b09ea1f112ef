-- Layers of images {rows, height, width, channels}: other sizes, and random changes in training. Loaded when one is named.
local lutra, tools, use = ...
local options, define, drawing = use "options", use "nn.layers.define_layer", use "nn.layers.drawing"

local made = {}

local function require_image(self, shape)
  if #shape ~= 3 then
    self:refuse("its input has the shape %s, expected (batch, height, width, channels)", options.batch_text(shape))
  end
end

local function add(kind, defaults, places, init, call, sizes)
  local Made = define(kind, defaults, places, init)
  Made.takes_one, Made.never_replayed = true, true
  function Made:build(shape) require_image(self, shape) end
  function Made:compute_output_shape(shape)
    require_image(self, shape)
    if not sizes then return shape end
    local height, width = sizes(self, shape)
    return { height, width, shape[3] }
  end
  Made.call = call
  made[kind] = Made
  return Made
end

local function size_init(kind, more)
  return function(self, read, height, width)
    self.height, self.width = options.count(kind, "height", height, 1), options.count(kind, "width", width, 1)
    if more then more(self, read) end
  end
end
local function own_size(self) return self.height, self.width end

add("Resizing", { interpolation = "bilinear", antialias = false, crop_to_aspect_ratio = false }, 2,
  size_init("Resizing", function(self, read)
    self.method, self.antialias = read.interpolation, options.boolean("Resizing", "antialias", read.antialias)
    self.crops = options.boolean("Resizing", "crop_to_aspect_ratio", read.crop_to_aspect_ratio)
    options.word("Resizing", "interpolation", read.interpolation, {
      nearest = true, bilinear = true, bicubic = true, area = true, lanczos3 = true, lanczos5 = true, gaussian = true,
      mitchellcubic = true,
    })
  end), function(self, x)
    if self.crops then
      local height, width = x.shape[2], x.shape[3]
      local crop_height = math.min(height, math.floor(width * self.height / self.width))
      local crop_width = math.min(width, math.floor(height * self.width / self.height))
      x = lutra.image.crop(x, (height - crop_height) // 2, (width - crop_width) // 2, crop_height, crop_width)
    end
    return lutra.image.resize(x, { self.height, self.width }, { method = self.method, antialias = self.antialias })
  end, own_size)

local function centre(self, x)
  local height, width = x.shape[2], x.shape[3]
  if height >= self.height and width >= self.width then
    return lutra.image.crop(x, (height - self.height) // 2, (width - self.width) // 2, self.height, self.width)
  end
  -- Too small an image is made larger, and cut where its form differs.
  local scale = math.max(self.height / height, self.width / width)
  x = lutra.image.resize(x, { math.max(math.ceil(height * scale), self.height), math.max(math.ceil(width * scale), self.width) })
  return lutra.image.crop(x, (x.shape[2] - self.height) // 2, (x.shape[3] - self.width) // 2, self.height, self.width)
end
add("CenterCrop", {}, 2, size_init "CenterCrop", centre, own_size)

-- n numbers from 0 to 1 for each row of x.
local function shares(self, x, n)
  return drawing.rows(x, { n }, self.seed, function(shape, seed) return lutra.random.uniform(shape, { seed = seed }) end)
end
local function seeded(kind, more)
  return function(self, read, ...)
    self.seed = read.seed or nil
    if more then more(self, read, ...) end
  end
end

-- One box for all rows of a batch; in inference the middle.
add("RandomCrop", { seed = false }, 2, function(self, read, height, width)
  size_init "RandomCrop"(self, read, height, width)
  self.seed = read.seed or nil
end, function(self, x, training)
  local height, width = x.shape[2], x.shape[3]
  if not training or height < self.height or width < self.width then return centre(self, x) end
  local first = shares(self, x, 2)[1]:totable()
  local function place(share, most) return math.min(math.floor(share * (most + 1)), most) end
  return lutra.image.crop(x, place(first[1], height - self.height), place(first[2], width - self.width), self.height, self.width)
end, own_size)

add("RandomFlip", { mode = "horizontal_and_vertical", seed = false }, 0, seeded("RandomFlip", function(self, read)
  self.mode = options.text("RandomFlip", "mode", read.mode)
  options.word("RandomFlip", "mode", read.mode, { horizontal = true, vertical = true, horizontal_and_vertical = true })
end), function(self, x, training)
  if not training then return x end
  local chosen = shares(self, x, 2):lt(0.5)
  local function flipped(k, axis)
    x = lutra.where(chosen[{ {}, k }]:reshape { x.shape[1], 1, 1, 1 }, lutra.flip(x, axis), x)
  end
  if self.mode ~= "vertical" then flipped(1, 3) end
  if self.mode ~= "horizontal" then flipped(2, 2) end
  return x
end)

-- A factor f stands for {-f, f}.
local function range_of(kind, name, value, least)
  if type(value) == "number" then value = { -value, value } end
  if type(value) ~= "table" or #value ~= 2 then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number or {lower, upper}"):format(kind, name, tools.what_is(value)))
  end
  for i = 1, 2 do
    local what = ("%s[%d]"):format(name, i)
    options.number(kind, what, value[i], least, math.huge)
    if value[i] ~= value[i] or math.abs(value[i]) == math.huge then
      tools.fail("InvalidArgument", ("%s: %s is %s, expected a finite number"):format(kind, what, tools.what_is(value[i])))
    end
  end
  if value[1] > value[2] then
    tools.fail("InvalidArgument", ("%s: %s is {%g, %g}, expected the lower one first"):format(kind, name, value[1], value[2]))
  end
  return { value[1], value[2] }
end
local function within(range, share) return share * (range[2] - range[1]) + range[1] end

local fills = { constant = "zeros", nearest = "border", reflect = "reflection" }
local function mapping(kind, more)
  return seeded(kind, function(self, read, ...)
    self.fill = options.word(kind, "fill_mode", read.fill_mode, fills)
    self.mode = read.interpolation
    options.word(kind, "interpolation", read.interpolation, { bilinear = true, nearest = true })
    more(self, read, ...)
  end)
end
local function mapped(self, x, columns)
  return lutra.image.transform(x, lutra.stack(columns, 2), { mode = self.mode, padding_mode = self.fill })
end
local kMapping = { fill_mode = "reflect", interpolation = "bilinear", seed = false }
local function with_mapping(more)
  for name, value in pairs(kMapping) do more[name] = value end
  return more
end

-- By parts of a whole turn, against the clock.
add("RandomRotation", with_mapping {}, 1, mapping("RandomRotation", function(self, _, factor)
  self.factor = range_of("RandomRotation", "factor", factor)
end), function(self, x, training)
  if not training then return x end
  local angle = within(self.factor, shares(self, x, 1)[{ {}, 1 }]) * (2 * math.pi)
  return lutra.image.rotate(x, angle, { mode = self.mode, padding_mode = self.fill })
end)

-- By shares of height and width; positive ones move down and right.
add("RandomTranslation", with_mapping {}, 2, mapping("RandomTranslation", function(self, _, height, width)
  self.height, self.width = range_of("RandomTranslation", "height_factor", height), range_of("RandomTranslation", "width_factor", width)
end), function(self, x, training)
  if not training then return x end
  local drawn = shares(self, x, 2)
  local down = within(self.height, drawn[{ {}, 1 }]) * x.shape[2]
  local right = within(self.width, drawn[{ {}, 2 }]) * x.shape[3]
  local zero, one = lutra.zeros_like(down), lutra.ones_like(down)
  return mapped(self, x, { one, zero, -right, zero, one, -down, zero, zero })
end)

-- Positive factors zoom out, negative ones in; without width_factor both sides have the same one.
add("RandomZoom", with_mapping { width_factor = false }, 1, mapping("RandomZoom", function(self, read, height)
  self.height = range_of("RandomZoom", "height_factor", height, -1)
  self.width = read.width_factor and range_of("RandomZoom", "width_factor", read.width_factor, -1)
end), function(self, x, training)
  if not training then return x end
  local drawn = shares(self, x, 2)
  local down = within(self.height, drawn[{ {}, 1 }]) + 1
  local across = self.width and within(self.width, drawn[{ {}, 2 }]) + 1 or down
  local zero = lutra.zeros_like(down)
  local middle_y, middle_x = (x.shape[2] - 1) / 2, (x.shape[3] - 1) / 2
  return mapped(self, x, { across, zero, (1 - across) * middle_x, zero, down, (1 - down) * middle_y, zero, zero })
end)

-- Numbers for each image, to be multiplied with it.
local function numbers_of(self, x, range) return within(range, shares(self, x, 1)):reshape { x.shape[1], 1, 1, 1 } end

-- Colours lie in value_range, where the results are cut.
local function value_range(kind, read)
  return range_of(kind, "value_range", read.value_range)
end
add("RandomBrightness", { value_range = { 0, 255 }, seed = false }, 1, seeded("RandomBrightness", function(self, read, factor)
  self.factor, self.values = range_of("RandomBrightness", "factor", factor), value_range("RandomBrightness", read)
end), function(self, x, training)
  if not training then return x end
  local shift = numbers_of(self, x, self.factor) * (self.values[2] - self.values[1])
  return lutra.clip(x + lutra.cast(shift, x.dtype), self.values[1], self.values[2])
end)
add("RandomContrast", { value_range = { 0, 255 }, seed = false }, 1, seeded("RandomContrast", function(self, read, factor)
  self.factor, self.values = range_of("RandomContrast", "factor", factor), value_range("RandomContrast", read)
  self.factor = { self.factor[1] + 1, self.factor[2] + 1 }
end), function(self, x, training)
  if not training then return x end
  local mean = x:mean({ 2, 3 }, { keepdims = true })
  local y = (x - mean) * lutra.cast(numbers_of(self, x, self.factor), x.dtype) + mean
  return lutra.clip(y, self.values[1], self.values[2])
end)

return made
