-- lutra.image: images as tensors. Documented in _meta/image.lua.
local lutra, tools, use = ...
local options = use "options"

local image = {}
for _, file in ipairs { "resize", "arranging", "colors", "sampling", "random" } do
  for name, f in pairs(use("image." .. file)) do image[name] = f end
end
image.as_shares, image.by_hsv = nil, nil
-- Mistakes that an inner op finds name the function.
for name, f in pairs(image) do image[name] = options.bounded(name, math.huge, f, true) end
image.crop = image.crop_to_bounding_box

return image
