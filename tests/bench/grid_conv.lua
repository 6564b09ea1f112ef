-- The part of grid.lua with convolutions as nets have them: MobileNet's, a reader of text lines' (PP-OCR), those of speech
-- (QuartzNet, wav2vec 2.0). ONNX Runtime takes images with the channels before their places; PyTorch takes the faster of
-- its two orders, found out beforehand.
return function(add)
  local function product(list)
    local count = 1
    for _, n in ipairs(list) do count = count * n end
    return count
  end

  -- Code that fills a tensor with multiples of 1/64, the same everywhere; weights so small that sums stay below 32.
  local function filled(name, sizes, modulus, language, scale)
    local list, count = table.concat(sizes, ", "), product(sizes)
    if language == "lutra" then
      return ("local %s = (((lt.range(%d, {dtype = 'int64'}) * 7919 %% %d):float32() / 64 - 1) * %g):reshape {%s}")
        :format(name, count, modulus, scale, list)
    end
    return ("%s = (((np.arange(%d) * 7919 %% %d).astype(np.float32) / np.float32(64) - 1) * np.float32(%g)).reshape(%s%s)")
      :format(name, count, modulus, scale, list, #sizes == 1 and "," or "")
  end

  -- x {batch, height, width, channels}, w {height, width, in, out}; pad {height, width} on both sides. `layer` names the
  -- class of lt.nn that adds a bias and applies `activation`.
  local function conv(name, x, w, options)
    local stride, pad, groups = options.stride or {1, 1}, options.pad or {0, 0}, options.groups or 1
    local places = 1
    for axis = 1, 2 do places = places * ((x[axis + 1] + 2 * pad[axis] - w[axis]) // stride[axis] + 1) end
    local scale = 2.0 ^ -math.floor(math.log(w[1] * w[2] * w[3], 2) / 2)
    local function setup(language)
      local code = filled("x", x, 127, language, 1) .. "; " .. filled("w", w, 113, language, scale)
      return options.layer and code .. "; " .. filled("b", {w[4]}, 101, language, 1) or code
    end
    local lutra = ("local o = {stride = {%d, %d}, padding = {%d, %d}, groups = %d}"):format(stride[1], stride[2], pad[1],
      pad[2], groups)
    if options.layer then
      local filters = groups == 1 and w[4] .. ", " or ""
      lutra = ("local f = lt.nn.%s(%s{%d, %d}, {padding = 'same', activation = '%s'}); f(x); "):format(options.layer, filters,
        w[1], w[2], options.activation) .. "f.kernel:assign(w:reshape {table.unpack(f.kernel.shape)}); f.bias:assign(b)"
    end
    local arguments = ("stride=(%d, %d), padding=(%d, %d), groups=%d"):format(stride[1], stride[2], pad[1], pad[2], groups)
    local torch = ("F.conv2d(x, w, %s, %s)"):format(options.layer and "b" or "None", arguments)
    if options.activation then torch = ("F.%s(%s)"):format(options.activation, torch) end
    add {
      name = name, class = "conv", tolerance = 1e-4, flops = 2 * x[1] * places * product(w),
      setup = {
        lutra = setup("lutra") .. "; " .. lutra,
        torch = setup("numpy") .. "; x, w, b = faster_order(lambda x, w, b: " .. torch .. ", x, w, "
          .. (options.layer and "b)" or "None)"),
        onnx = setup("numpy") .. ("; x, f = conv_session(x, w, %s, %s, strides=[%d, %d], pads=[%d, %d, %d, %d], group=%d)")
          :format(options.layer and "b" or "None", options.activation and ("'%s'"):format(options.activation) or "None",
            stride[1], stride[2], pad[1], pad[2], pad[1], pad[2], groups),
      },
      lutra = options.layer and "r = f(x)" or "r = lt.conv2d(x, w, o)", torch = "r = " .. torch, onnx = "r = f(x)",
      check = {torch = "r.permute(0, 2, 3, 1)", onnx = "r.transpose(0, 2, 3, 1)"},
    }
  end

  conv("stem 3x3/2 224x224x3-32 b1", {1, 224, 224, 3}, {3, 3, 3, 32}, {stride = {2, 2}, pad = {1, 1}})
  conv("1x1 112x112x16-96 b1", {1, 112, 112, 16}, {1, 1, 16, 96}, {})
  conv("1x1 14x14x384-64 b1", {1, 14, 14, 384}, {1, 1, 384, 64}, {})
  conv("1x1 7x7x960-320 b8", {8, 7, 7, 960}, {1, 1, 960, 320}, {})
  conv("1x1 1x1x960-1280 b1", {1, 1, 1, 960}, {1, 1, 960, 1280}, {})
  conv("1x1 1x1x672-168 b8", {8, 1, 1, 672}, {1, 1, 672, 168}, {})
  conv("1x1/2 56x56x64-128 b1", {1, 56, 56, 64}, {1, 1, 64, 128}, {stride = {2, 2}})
  conv("depthwise 3x3 112x112x32 b1", {1, 112, 112, 32}, {3, 3, 1, 32}, {pad = {1, 1}, groups = 32})
  conv("depthwise 3x3/2 112x112x96 b1", {1, 112, 112, 96}, {3, 3, 1, 96}, {stride = {2, 2}, pad = {1, 1}, groups = 96})
  conv("depthwise 3x3 14x14x384 b8", {8, 14, 14, 384}, {3, 3, 1, 384}, {pad = {1, 1}, groups = 384})
  conv("depthwise 5x5 14x14x672 b1", {1, 14, 14, 672}, {5, 5, 1, 672}, {pad = {2, 2}, groups = 672})
  conv("depthwise 3x3 bias relu6 28x28x192 b1", {1, 28, 28, 192}, {3, 3, 1, 192},
    {pad = {1, 1}, groups = 192, layer = "DepthwiseConv2D", activation = "relu6"})
  conv("1x1 bias relu6 28x28x32-192 b1", {1, 28, 28, 32}, {1, 1, 32, 192}, {layer = "Conv2D", activation = "relu6"})
  conv("3x3 bias relu 28x28x128 b1", {1, 28, 28, 128}, {3, 3, 128, 128}, {pad = {1, 1}, layer = "Conv2D", activation = "relu"})
  conv("3x3 bias silu 56x56x32-64 b1", {1, 56, 56, 32}, {3, 3, 32, 64}, {pad = {1, 1}, layer = "Conv2D", activation = "silu"})
  -- Text lines: 48 x 320 pixels.
  conv("line stem 3x3/2 48x320x3-16 b8", {8, 48, 320, 3}, {3, 3, 3, 16}, {stride = {2, 2}, pad = {1, 1}})
  conv("line 3x3 12x80x64 b1", {1, 12, 80, 64}, {3, 3, 64, 64}, {pad = {1, 1}})
  conv("line depthwise 5x5 3x80x256 b1", {1, 3, 80, 256}, {5, 5, 1, 256}, {pad = {2, 2}, groups = 256})
  conv("line depthwise 3x3/2,1 6x80x256 b8", {8, 6, 80, 256}, {3, 3, 1, 256}, {stride = {2, 1}, pad = {1, 1}, groups = 256})
  conv("line 1x1 3x80x256-512 b1", {1, 3, 80, 256}, {1, 1, 256, 512}, {})
  conv("3x3 80x4x64 b8", {8, 80, 4, 64}, {3, 3, 64, 64}, {pad = {1, 1}})
  -- Sequences: as images of height 1, and of width 1.
  conv("sequence 3/2 1600x512 b1", {1, 1, 1600, 512}, {1, 3, 512, 512}, {stride = {1, 2}})
  conv("sequence 10/5 16000x1-512 b1", {1, 1, 16000, 1}, {1, 10, 1, 512}, {stride = {1, 5}})
  conv("sequence 128 200x768 16 groups b1", {1, 1, 200, 768}, {1, 128, 48, 768}, {pad = {0, 64}, groups = 16})
  conv("sequence depthwise 11 400x256 b8", {8, 1, 400, 256}, {1, 11, 1, 256}, {pad = {0, 5}, groups = 256})
  conv("sequence depthwise 33 400x256 b1", {1, 1, 400, 256}, {1, 33, 1, 256}, {pad = {0, 16}, groups = 256})
  conv("sequence 1 400x256 b1", {1, 1, 400, 256}, {1, 1, 256, 256}, {})
  conv("upright sequence 5 500x128 b1", {1, 500, 1, 128}, {5, 1, 128, 128}, {pad = {2, 0}})
  conv("upright sequence depthwise 15 500x256 b1", {1, 500, 1, 256}, {15, 1, 1, 256}, {pad = {7, 0}, groups = 256})

  local function bias(sizes)
    add {
      name = "bias_add " .. table.concat(sizes, "x"), class = "conv",
      setup = {
        lutra = filled("x", sizes, 127, "lutra", 1) .. "; " .. filled("b", {sizes[4]}, 101, "lutra", 1),
        torch = filled("x", sizes, 127, "numpy", 1) .. "; " .. filled("b", {sizes[4]}, 101, "numpy", 1)
          .. "; x, b = torch.from_numpy(x), torch.from_numpy(b)",
      },
      lutra = "r = lt.bias_add(x, b)", torch = "r = x + b",
    }
  end
  bias {1, 14, 14, 64}
  bias {1, 1, 400, 256}
end
