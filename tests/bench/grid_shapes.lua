-- The part of grid.lua with shapes of its own: matmul, convolutions, and factorisations, which stay out of the means.
return function(add)
  -- Code that fills a tensor with multiples of 1/64, the same everywhere.
  local function filled(name, sizes, modulus)
    local count = 1
    for n in sizes:gmatch("%d+") do count = count * n end
    local numpy = "%s = ((np.arange(%d) * 7919 %% %d).astype(np.float32) / np.float32(64) - 1).reshape(%s)"
    numpy = numpy:format(name, count, modulus, sizes)
    local lutra = "local %s = ((lt.range(%d, {dtype = 'int64'}) * 7919 %% %d):float32() / 64 - 1):reshape {%s}"
    return {
      lutra = lutra:format(name, count, modulus, sizes),
      numpy = numpy,
      torch = ("%s; %s = torch.from_numpy(%s).clone()"):format(numpy, name, name),
    }
  end
  local function joined(...)
    local all = {}
    for _, key in ipairs {"lutra", "numpy", "torch"} do
      local parts = {}
      for i, part in ipairs {...} do parts[i] = part[key] end
      all[key] = table.concat(parts, "; ")
    end
    return all
  end

  for _, n in ipairs {32, 64, 128, 256, 512, 1024, 2048} do
    local sizes = ("%d, %d"):format(n, n)
    add {
      name = "matmul " .. n, class = "shapes", flops = 2 * n ^ 3, onednn = ("%d %d %d 0 0"):format(n, n, n),
      setup = joined(filled("a", sizes, 127), filled("b", sizes, 113)),
      lutra = "r = lt.matmul(a, b)", torch = "r = torch.matmul(a, b)", numpy = "r = np.matmul(a, b)",
      tolerance = 1e-4,
    }
  end
  for _, shape in ipairs {{64, 1024, 1024}, {64, 2048, 2048}, {256, 512, 512}} do
    local m, k, n = table.unpack(shape)
    add {
      name = ("matmul %dx%dx%d"):format(m, k, n), class = "shapes", flops = 2 * m * k * n, tolerance = 1e-4,
      onednn = ("%d %d %d 0 0"):format(m, k, n),
      setup = joined(filled("a", ("%d, %d"):format(m, k), 127), filled("b", ("%d, %d"):format(k, n), 113)),
      lutra = "r = lt.matmul(a, b)", torch = "r = torch.matmul(a, b)", numpy = "r = np.matmul(a, b)",
    }
  end
  add {
    name = "matmul weight gradient 512x512x256", class = "shapes", flops = 2 * 512 * 512 * 256, tolerance = 1e-4,
    onednn = "512 256 512 1 0",
    setup = joined(filled("a", "256, 512", 127), filled("b", "256, 512", 113)),
    lutra = "r = lt.matmul(a, b, {transpose_a = true})", torch = "r = torch.matmul(a.t(), b)",
    numpy = "r = np.matmul(a.T, b)",
  }
  add {
    name = "matmul transposed 512", class = "shapes", flops = 2 * 512 ^ 3, tolerance = 1e-4,
    onednn = "512 512 512 0 1",
    setup = joined(filled("a", "512, 512", 127), filled("b", "512, 512", 113)),
    lutra = "r = lt.matmul(a, b, {transpose_b = true})", torch = "r = torch.matmul(a, b.t())",
    numpy = "r = np.matmul(a, b.T)",
  }
  add {
    name = "matmul batch 32x64x64x64", class = "shapes", flops = 2 * 32 * 64 ^ 3, tolerance = 1e-4,
    setup = joined(filled("a", "32, 64, 64", 127), filled("b", "32, 64, 64", 113)),
    lutra = "r = lt.matmul(a, b)", torch = "r = torch.matmul(a, b)", numpy = "r = np.matmul(a, b)",
  }
  add {
    name = "einsum bij,bkj->bik 16x64x128x64", class = "shapes", flops = 2 * 16 * 64 * 128 * 64, tolerance = 1e-4,
    setup = joined(filled("a", "16, 64, 128", 127), filled("b", "16, 64, 128", 113)),
    lutra = "r = lt.einsum('bij,bkj->bik', a, b)", torch = "r = torch.einsum('bij,bkj->bik', a, b)",
    numpy = "r = np.einsum('bij,bkj->bik', a, b, optimize=True)",
  }
  for _, shape in ipairs {{64, 512, 512}, {1024, 64, 256}} do
    local m, k, n = table.unpack(shape)
    local sizes = ("%dx%dx%d"):format(m, k, n)
    local setup = joined(filled("a", ("%d, %d"):format(m, k), 127), filled("w", ("%d, %d"):format(k, n), 113),
      filled("b", tostring(n), 101), {lutra = "", numpy = "", torch = "w = w.t().contiguous()"})
    add {
      name = "linear " .. sizes, class = "shapes", flops = 2 * m * k * n, tolerance = 1e-4, setup = setup,
      lutra = "r = lt.linear(a, w, b)", torch = "r = F.linear(a, w, b)", numpy = "r = a @ w + b",
    }
    add {
      name = "linear, relu " .. sizes, class = "shapes", flops = 2 * m * k * n, tolerance = 1e-4, setup = setup,
      lutra = "r = lt.relu(lt.linear(a, w, b))", torch = "r = F.relu(F.linear(a, w, b))",
      numpy = "r = np.maximum(a @ w + b, 0)",
    }
  end
  add {
    name = "attention 16x128x64", class = "shapes", flops = 4 * 16 * 128 ^ 2 * 64, tolerance = 1e-4,
    setup = joined(filled("q", "16, 128, 64", 127), filled("k", "16, 128, 64", 113), filled("v", "16, 128, 64", 101)),
    lutra = "r = lt.matmul(lt.softmax(lt.matmul(q, k, {transpose_b = true}) * 0.125), v)",
    torch = "r = torch.matmul(torch.softmax(torch.matmul(q, k.mT) * 0.125, -1), v)",
  }

  -- PyTorch's images and weights have the channels last in memory, its fastest order here.
  for _, shape in ipairs {{56, 64}, {28, 128}, {14, 256}, {7, 512}} do
    local side, channels = table.unpack(shape)
    local images = ("8, %d, %d, %d"):format(side, side, channels)
    add {
      name = ("conv2d 3x3 %dx%dx%d"):format(side, side, channels), class = "shapes", tolerance = 1e-4,
      flops = 2 * 8 * side ^ 2 * channels ^ 2 * 9,
      setup = joined(filled("x", images, 127), filled("w", ("3, 3, %d, %d"):format(channels, channels), 113), {
        lutra = "", numpy = "",
        torch = "x = x.permute(0, 3, 1, 2); w = w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)",
      }),
      lutra = "r = lt.conv2d(x, w, {padding = 'same'})", torch = "r = F.conv2d(x, w, padding=1)",
      check = {torch = "r.permute(0, 2, 3, 1)"},
    }
  end

  for _, n in ipairs {64, 256, 512, 1024} do
    local sizes = ("%d, %d"):format(n, n)
    -- Well conditioned: a small matrix on a large diagonal, and its symmetric twin.
    local setup = joined(filled("a", sizes, 127), {
      lutra = ("a = a + lt.eye(%d) * %d; local s = (a + lt.transpose(a)) * 0.5; local b = a[{{}, 1}]"):format(n, n),
      numpy = ("a = a + np.eye(%d, dtype=np.float32) * %d; s = (a + a.T) * np.float32(0.5); "):format(n, n)
        .. "b = a[:, 0].copy()",
      torch = ("a = a + torch.eye(%d) * %d; s = (a + a.t()) * 0.5; b = a[:, 0].clone()"):format(n, n),
    })
    local function factorise(name, lutra, torch, numpy, check)
      add {
        name = name .. " " .. n, class = "factorisations", setup = setup, tolerance = 1e-3, check = check,
        lutra = "r = " .. lutra, torch = "r = " .. torch, numpy = numpy and "r = " .. numpy,
      }
    end
    factorise("cholesky", "lt.cholesky(s)", "torch.linalg.cholesky(s)", "np.linalg.cholesky(s)")
    factorise("solve", "lt.solve(a, b)", "torch.linalg.solve(a, b)", "np.linalg.solve(a, b)")
    factorise("inv", "lt.inv(a)", "torch.linalg.inv(a)", "np.linalg.inv(a)")
    factorise("slogdet", "{lt.slogdet(a)}", "torch.linalg.slogdet(a)", "np.linalg.slogdet(a)",
      {lutra = "r[2]", torch = "r[1]", numpy = "r[1]"})
    factorise("eigh", "lt.eigh(s)", "torch.linalg.eigh(s)[0]", "np.linalg.eigh(s)[0]")
    factorise("eigvalsh", "lt.eigvalsh(s)", "torch.linalg.eigvalsh(s)", "np.linalg.eigvalsh(s)")
    factorise("lu", "lt.lu(a)", "torch.linalg.lu(a)[0]")
    factorise("pinv", "lt.pinv(a)", "torch.linalg.pinv(a)", "np.linalg.pinv(a)")
    factorise("expm", "lt.expm(a / 256)", "torch.linalg.matrix_exp(a / 256)")
    -- Signs of rows and columns are anybody's choice.
    factorise("qr", "{lt.qr(a)}", "torch.linalg.qr(a)", "np.linalg.qr(a)",
      {lutra = "lt.abs(r[2])", torch = "r[1].abs()", numpy = "np.abs(r[1])"})
    factorise("svd", "{lt.svd(a)}", "torch.linalg.svd(a, full_matrices=False)", "np.linalg.svd(a, full_matrices=False)",
      {lutra = "r[2]", torch = "r[1]", numpy = "r[1]"})
  end
end
