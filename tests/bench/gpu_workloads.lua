-- The workloads of scripts/lib/gpu_bench.lua, in Lutra and PyTorch. n: elements of the long vectors, side: rows of the
-- square matrices. Fields of a workload:
--   setup, run     {lutra, torch}: code; `run` puts its result into r
--   bytes, flops   that a run must move or do: a rate beside the time
--   peak           the least share of the card's memory bandwidth
--   of_copy        the same of the copy timed in the same run
--   ratio          the least ratio of PyTorch's time to Lutra's
--   submit         measures the host's time for queueing, without waiting; `limit_ns`: at most so much
return function(n, side)
  local bytes = 4 * n
  local list = {}
  local function add(workload) list[#list + 1] = workload end

  local vector = {
    lutra = ("local x, y = lt.random.uniform({%d}), lt.random.uniform({%d})"):format(n, n),
    torch = ("x, y = torch.rand(%d, device='cuda'), torch.rand(%d, device='cuda')"):format(n, n),
  }
  -- A variable takes over a tensor that has its memory to itself; of what is a small part of something it takes a copy.
  add {
    name = "copy", bytes = 2 * bytes,
    setup = {
      lutra = ("local x = lt.random.uniform({%d})[{{1, %d}}] local v = lt.Variable(lt.zeros({%d}))"):format(2 * n + 64, n, n),
      torch = vector.torch,
    },
    run = {lutra = "v:assign(x)", torch = "y.copy_(x)"},
  }
  add {
    name = "add", bytes = 3 * bytes, peak = 0.92, ratio = 1, setup = vector, run = {lutra = "r = x + y", torch = "r = x + y"},
  }
  for _, function_of in ipairs {
    {"mul by a number", "x * 1.5", "x * 1.5"}, {"exp", "x:exp()", "x.exp()"}, {"tanh", "x:tanh()", "x.tanh()"},
    {"relu", "x:relu()", "x.relu()"}, {"cast float16", "x:float16()", "x.half()"},
  } do
    local name, lutra, torch = table.unpack(function_of)
    add {
      name = name, bytes = name == "cast float16" and bytes * 3 // 2 or 2 * bytes, of_copy = 0.97, setup = vector,
      run = {lutra = "r = " .. lutra, torch = "r = " .. torch},
    }
  end
  add {name = "sum", bytes = bytes, setup = vector, run = {lutra = "r = x:sum()", torch = "r = x.sum()"}}

  local square = {
    lutra = ("local a, b = lt.random.normal({%d, %d}), lt.random.normal({%d, %d})"):format(side, side, side, side),
    torch = ("a, b = torch.randn(%d, %d, device='cuda'), torch.randn(%d, %d, device='cuda')"):format(side, side, side, side),
  }
  for _, name in ipairs {"softmax", "transpose"} do
    add {
      name = name, bytes = 8 * side * side, setup = square,
      run = name == "softmax" and {lutra = "r = lt.softmax(a)", torch = "r = torch.softmax(a, 1)"}
        or {lutra = "r = lt.transpose(a)", torch = "r = a.t().contiguous()"},
    }
  end
  add {
    name = "random.normal", bytes = bytes, peak = 0.7, ratio = 1.1, setup = {lutra = "", torch = ""},
    run = {lutra = ("r = lt.random.normal({%d})"):format(n), torch = ("r = torch.randn(%d, device='cuda')"):format(n)},
  }

  local modes = {
    fp32 = {"lt.config.set_float32_matmul_precision('fp32')", "torch.backends.cuda.matmul.allow_tf32 = False"},
    tf32 = {"lt.config.set_float32_matmul_precision('tf32')", "torch.backends.cuda.matmul.allow_tf32 = True"},
    bfloat16 = {"a, b = a:bfloat16(), b:bfloat16()", "a, b = a.bfloat16(), b.bfloat16()"},
  }
  for _, mode in ipairs {"fp32", "tf32", "bfloat16"} do
    add {
      name = "matmul " .. mode, flops = 2 * side ^ 3, ratio = 0.99,
      setup = {lutra = square.lutra .. " " .. modes[mode][1], torch = square.torch .. "; " .. modes[mode][2]},
      run = {lutra = "r = lt.matmul(a, b)", torch = "r = a @ b"},
    }
  end
  local small = {
    lutra = "local a, b = lt.random.normal({256, 256}), lt.random.normal({256, 256})",
    torch = "a, b = torch.randn(256, 256, device='cuda'), torch.randn(256, 256, device='cuda')",
  }
  add {
    name = "matmul 256, queueing", submit = true, ratio = 1.5, setup = small,
    run = {lutra = "r = lt.matmul(a, b)", torch = "r = a @ b"},
  }
  add {
    name = "add 256, queueing", submit = true, limit_ns = 2800, setup = small,
    run = {lutra = "r = a + b", torch = "r = a + b"},
  }
  return list
end
