-- The part of grid.lua with functions that are written with ops (lua/lutra/functions, lua/lutra/image). PyTorch gets images
-- with the channels before their places.
return function(add)
  local function matrix(name, lutra, torch, options)
    local entry = {name = name, inputs = "m", read = 4, write = 4, lutra = "r = " .. lutra, torch = "r = " .. torch}
    for key, value in pairs(options or {}) do entry[key] = value end
    add(entry)
  end
  local function images(name, lutra, torch, options)
    local entry = {name = name, inputs = "image", lutra = "r = " .. lutra, torch = "r = " .. torch, read = 4, tolerance = 1e-4,
      setup = {torch = "t = image.permute(0, 3, 1, 2).contiguous()"}, check = {torch = "r.permute(0, 2, 3, 1)"}}
    for key, value in pairs(options or {}) do entry[key] = value end
    add(entry)
  end

  matrix("glu", "lt.glu(m)", "F.glu(m)", {write = 2, tolerance = 1e-4})
  matrix("rms_norm", "lt.rms_norm(m)", "F.rms_norm(m, (m.shape[-1],), None, 1e-6)", {tolerance = 1e-4})
  images("resize bilinear", "lt.image.resize(image, {2 * image.shape[2], 2 * image.shape[3]})",
    "F.interpolate(t, scale_factor=2, mode='bilinear')", {write = 16})
  images("resize nearest", "lt.image.resize(image, {2 * image.shape[2], 2 * image.shape[3]}, {method = 'nearest'})",
    "F.interpolate(t, scale_factor=2, mode='nearest')", {write = 16})
  images("resize antialias", "lt.image.resize(image, {image.shape[2] // 2, image.shape[3] // 2}, {antialias = true})",
    "F.interpolate(t, size=(t.shape[2] // 2, t.shape[3] // 2), mode='bilinear', antialias=True)", {write = 1})
  images("adaptive_avg_pool2d", "lt.adaptive_avg_pool2d(image, 4)", "F.adaptive_avg_pool2d(t, 4)", {})
  images("pixel_shuffle", "lt.pixel_shuffle(image, 2)", "F.pixel_shuffle(t, 2)", {write = 4})
  images("instance_norm", "lt.instance_norm(image)", "F.instance_norm(t)", {write = 4, tolerance = 1e-3})
  images("unfold", "lt.unfold(image, 2)", "F.unfold(t, 2)", {write = 16,
    check = {lutra = "r:sum()", torch = "r.sum()"}, tolerance = 1e-2})
  images("flip_left_right", "lt.image.flip_left_right(image)", "torch.flip(t, (3,))", {write = 4})
  for _, each in ipairs {{128, 32}, {512, 64}, {2048, 64}} do
    local steps, size = each[1], each[2]
    local shape = ("1, 8, %d, %d"):format(steps, size)
    for _, causal in ipairs {false, true} do
      add {name = ("attention %s%d x %d"):format(causal and "causal " or "", steps, size), class = "shapes", tolerance = 1e-3,
        flops = 4 * 8 * steps * steps * size,
        setup = {
          lutra = ("local q = ((lt.range(%d, {dtype = 'int64'}) * 7919 %% 127):float32() / 64 - 1):reshape {%s}"):format(8 * steps * size, shape),
          torch = ("q = torch.tensor(((np.arange(%d) * 7919 %% 127).astype(np.float32) / np.float32(64) - 1).reshape(%s))"):format(8 * steps * size, shape),
        },
        lutra = ("r = lt.scaled_dot_product_attention(q, q, q%s)"):format(causal and ", {is_causal = true}" or ""),
        torch = ("r = F.scaled_dot_product_attention(q, q, q%s)"):format(causal and ", is_causal=True" or "")}
    end
  end
  -- Ten elements a row.
  for _, width in ipairs {1, 64} do
    add {name = "sparse csr times " .. (width == 1 and "a vector" or width .. " columns"), class = "shapes", tolerance = 1e-3,
      flops = 2 * 200000 * width,
      setup = {
        lutra = ([[local i = lt.range(200000, {dtype = 'int64'})
          local s = lt.sparse.coo {indices = lt.stack({i * 7919 %% 20011 %% 20000, i * 104729 %% 20021 %% 20000}, 2) + 1,
            values = (i %% 127):float32() / 64 - 1, shape = {20000, 20000}}:to_csr()
          local b = ((lt.range(20000 * %d, {dtype = 'int64'}) * 7919 %% 127):float32() / 64 - 1):reshape {20000, %d}]])
          :gsub("%s+", " "):format(width, width),  -- workers read a line
        torch = (("i = np.arange(200000); b = torch.tensor(((np.arange(20000 * %d) * 7919 %% 127).astype(np.float32) / np.float32(64) - 1)"
          .. ".reshape(20000, %d)); s = torch.sparse_coo_tensor(np.stack([i * 7919 %% 20011 %% 20000, i * 104729 %% 20021 %% 20000]), "
          .. "torch.tensor(((i %% 127).astype(np.float32) / np.float32(64) - 1)), (20000, 20000)).to_sparse_csr()"):format(width, width)),
      },
      lutra = "r = s:matmul(b)", torch = "r = s @ b"}
  end
end
