-- lutra.image: images as tensors. Documented in _meta/image.lua.
local lutra, tools, use = ...

local image = {}
for _, file in ipairs { "resize", "arranging", "colors", "sampling", "random" } do
  for name, f in pairs(use("image." .. file)) do image[name] = f end
end
image.as_shares, image.by_hsv = nil, nil

return image
