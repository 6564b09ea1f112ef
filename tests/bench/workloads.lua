-- The workloads of `scripts/dev bench`: the same work as a Lutra script, in NumPy, in PyTorch and compiled by JAX, side by
-- side.
-- `setup` runs once; `run` is what is timed and leaves its result in r, which must be the same everywhere.
--   module                      measured as a module in the stock interpreter, too
--   limit_ns, module_limit_ns   the limit: in the program, and as a module
--   limit_rate                  the same for work per second; faults: page faults are counted, and none is the limit
--   target, of a peer           how many times faster Lutra should be; starred: the hardware sets the limit for
--                               everybody, and 0.97 counts as reached
--   work, unit                  what one run does: work / nanoseconds is the rate, in units a second
-- Inputs are whole numbers wherever sums are compared, so that no order of additions rounds.

local two_by_two = {
  lutra = "local a = lt.constant {{1.0, 2.0}, {3.0, 4.0}} local b = lt.constant {{5.0, 6.0}, {7.0, 8.0}}",
  numpy = "a = np.array([[1, 2], [3, 4]], np.float32); b = np.array([[5, 6], [7, 8]], np.float32)",
  torch = "a = torch.tensor([[1., 2.], [3., 4.]]); b = torch.tensor([[5., 6.], [7., 8.]])",
}

-- Two vectors of n small whole numbers.
local function vectors(n)
  local function filled(code) return (code:gsub("N", n)) end
  return {
    lutra = filled "local a = lt.cast(lt.range(N) % 4, 'float32') local b = lt.cast(lt.range(N) % 3, 'float32')",
    numpy = filled "a = (np.arange(N) % 4).astype(np.float32); b = (np.arange(N) % 3).astype(np.float32)",
    torch = filled "a = (torch.arange(N) % 4).float(); b = (torch.arange(N) % 3).float()",
  }
end

-- Two n x n matrices of small whole numbers.
local function matrices(n)
  local function filled(code) return (code:gsub("NN", n * n):gsub("N", n)) end
  return {
    lutra = filled "local a = lt.reshape(lt.cast(lt.range(NN) % 7, 'float32'), {N, N})"
      .. filled " local b = lt.reshape(lt.cast(lt.range(NN) % 5, 'float32'), {N, N})",
    numpy = filled "a = (np.arange(NN) % 7).astype(np.float32).reshape(N, N); "
      .. filled "b = (np.arange(NN) % 5).astype(np.float32).reshape(N, N)",
    torch = filled "a = (torch.arange(NN) % 7).float().reshape(N, N); "
      .. filled "b = (torch.arange(NN) % 5).float().reshape(N, N)",
  }
end

-- The formulas, as JAX has no optimisers of its own.
local jax_steps = {
  SGD = "update = lambda p, s, rate, loss, g: ([w - rate * d for w, d in zip(p, g)], s, loss)",
  Adam = table.concat({
    "moments = lambda old, new, b: [b * o + (1 - b) * n for o, n in zip(old, new)]",
    "adam = lambda p, rate, t, m, v: ([w - rate * a / (1 - 0.9 ** t) / (jnp.sqrt(b / (1 - 0.999 ** t)) + 1e-7) "
      .. "for w, a, b in zip(p, m, v)], [t, m, v])",
    "update = lambda p, s, rate, loss, g: (*adam(p, rate, s[0] + 1, moments(s[1], g, 0.9), "
      .. "moments(s[2], [d * d for d in g], 0.999)), loss)",
  }, "; "),
}

-- One step of training a network of two layers. The learning rate is 0, so that every step gives the same loss, however
-- many there were; nothing else gets less work by that.
local function training(sizes, batch, loss, optimizer)
  local names = {
    IN = sizes[1], HIDDEN = sizes[2], OUT = sizes[3], BATCH = batch, LOSS = loss.lutra, TORCHLOSS = loss.torch,
    Y = loss.y, TORCHY = loss.torch_y, OPTIMIZER = optimizer, JAXLOSS = loss.jax, JAXY = loss.jax_y,
    JAXSTEP = jax_steps[optimizer],
  }
  -- Twice: what labels are names the sizes again.
  local function filled(code)
    local function once(text) return (text:gsub("%f[%w]%u+%f[^%w]", names)) end
    return once(once(code))
  end
  return {
    lutra = filled [[
      local function counted(shape) return (lt.range(shape[1] * (shape[2] or 1), {dtype = "float32"}) % 5 - 2):reshape(shape) / 64 end
      local nn = lt.nn
      local model = nn.Sequential {
        nn.Dense(HIDDEN, {activation = "relu", input_shape = {IN}, kernel_initializer = counted}),
        nn.Dense(OUT, {kernel_initializer = counted}),
      }
      model:compile {optimizer = lt.optim.OPTIMIZER {learning_rate = 0}, loss = LOSS}
      local x = counted {BATCH, IN} * 16
      local y = Y]],
    torch = filled(table.concat({
      "counted = lambda *s: (torch.arange(int(np.prod(s))) % 5 - 2).float().reshape(s) / 64",
      "first, second = torch.nn.Linear(IN, HIDDEN), torch.nn.Linear(HIDDEN, OUT)",
      "first.weight.data.copy_(counted(IN, HIDDEN).T)", "second.weight.data.copy_(counted(HIDDEN, OUT).T)",
      "first.bias.data.zero_()", "second.bias.data.zero_()", "model = torch.nn.Sequential(first, torch.nn.ReLU(), second)",
      "optimizer = torch.optim.OPTIMIZER(model.parameters(), lr=0.0)", "loss_of = torch.nn.TORCHLOSS()",
      "x = counted(BATCH, IN) * 16", "y = TORCHY",
    }, "; ")),
    jax = filled(table.concat({
      "counted = lambda *s: jnp.asarray((np.arange(np.prod(s)) % 5 - 2).astype(np.float32).reshape(s) / 64)",
      "params = [counted(IN, HIDDEN), jnp.zeros(HIDDEN), counted(HIDDEN, OUT), jnp.zeros(OUT)]",
      "x, y, rate = counted(BATCH, IN) * 16, JAXY, jnp.float32(0)",
      "loss_of = jax.value_and_grad(lambda p, x, y: JAXLOSS)",
      "outputs = lambda p, x: jax.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3]",
      "state = [jnp.float32(0), [0 * p for p in params], [0 * p for p in params]]", "JAXSTEP",
      "step = jax.jit(lambda p, s, rate, x, y: update(p, s, rate, *loss_of(p, x, y)))",
    }, "; ")),
  }
end
local step = {
  lutra = "r = model:train_on_batch(x, y)",
  torch = "optimizer.zero_grad(); loss = loss_of(model(x), y); loss.backward(); optimizer.step(); r = loss.detach()",
  jax = "params, state, r = step(params, state, rate, x, y); jax.block_until_ready((params, r))",
}
-- The same of an LSTM that reads 16 rows of 32 steps, 32 numbers each, and of what comes of its last step.
local recurrent = {
  lutra = [[
    local function counted(shape) return (lt.range(shape[1] * shape[2] * (shape[3] or 1), {dtype = "float32"}) % 5 - 2):reshape(shape) / 64 end
    local nn = lt.nn
    local model = nn.Sequential {
      nn.LSTM(128, {input_shape = {32, 32}, kernel_initializer = counted, recurrent_initializer = counted, unit_forget_bias = false}),
      nn.Dense(1, {kernel_initializer = counted}),
    }
    model:compile {optimizer = lt.optim.Adam {learning_rate = 0}, loss = "mse"}
    local x = counted {16, 32, 32} * 16
    local y = lt.ones {16, 1}]],
  torch = table.concat({
    "counted = lambda *s: (torch.arange(int(np.prod(s))) % 5 - 2).float().reshape(s) / 64",
    "lstm, dense = torch.nn.LSTM(32, 128, batch_first=True), torch.nn.Linear(128, 1)",
    "lstm.weight_ih_l0.data.copy_(counted(32, 512).T)", "lstm.weight_hh_l0.data.copy_(counted(128, 512).T)",
    "lstm.bias_ih_l0.data.zero_()", "lstm.bias_hh_l0.data.zero_()", "dense.weight.data.copy_(counted(128, 1).T)",
    "dense.bias.data.zero_()", "model = lambda x: dense(lstm(x)[0][:, -1])",
    "optimizer = torch.optim.Adam([*lstm.parameters(), *dense.parameters()], lr=0.0)", "loss_of = torch.nn.MSELoss()",
    "x = counted(16, 32, 32) * 16", "y = torch.ones(16, 1)",
  }, "; "),
}
local classes = {
  lutra = "nn.losses.SparseCategoricalCrossentropy {from_logits = true}", y = "lt.range(BATCH) % 10 + 1",
  torch = "CrossEntropyLoss", torch_y = "torch.arange(BATCH) % 10",
  jax = "-jnp.take_along_axis(jax.nn.log_softmax(outputs(p, x)), y, 1).mean()", jax_y = "jnp.arange(BATCH)[:, None] % 10",
}
local numbers = {
  lutra = '"mse"', y = "counted {BATCH, OUT}", torch = "MSELoss", torch_y = "counted(BATCH, OUT)",
  jax = "jnp.square(outputs(p, x) - y).mean()", jax_y = "counted(BATCH, OUT)",
}

return {
  {
    name = "add_2x2", title = "add 2x2", module = true, limit_ns = 130, module_limit_ns = 170, setup = two_by_two,
    lutra = {run = "r = a + b"},
    numpy = {run = "r = a + b", target = 4},
    torch = {run = "r = a + b", target = 12},
  },
  {
    name = "matmul_2x2", title = "matmul 2x2", module = true, limit_ns = 180, setup = two_by_two,
    lutra = {setup = "local matmul = lt.matmul", run = "r = matmul(a, b)"},
    numpy = {run = "r = a @ b"},
    torch = {setup = "matmul = torch.matmul", run = "r = matmul(a, b)", target = 15},
  },
  {
    name = "sum_2x2", title = "sum 2x2", module = true, limit_ns = 160, setup = two_by_two,
    lutra = {run = "r = a:sum()"},
    numpy = {run = "r = a.sum()"},
    torch = {run = "r = a.sum()", target = 12},
  },
  {
    name = "constant_2x2", title = "constant 2x2, tables at hand", module = true, limit_ns = 350,
    lutra = {setup = "local constant, t = lt.constant, {{1.0, 2.0}, {3.0, 4.0}}", run = "r = constant(t)"},
    numpy = {setup = "t = [[1.0, 2.0], [3.0, 4.0]]; array = np.array; f = np.float32", run = "r = array(t, f)"},
    torch = {setup = "t = [[1.0, 2.0], [3.0, 4.0]]; tensor = torch.tensor", run = "r = tensor(t)", target = 15},
  },
  {
    name = "literal_2x2", title = "constant 2x2, tables made too", module = true,
    lutra = {setup = "local constant = lt.constant", run = "r = constant {{1.0, 2.0}, {3.0, 4.0}}"},
    numpy = {setup = "array = np.array; f = np.float32", run = "r = array([[1.0, 2.0], [3.0, 4.0]], f)"},
    torch = {setup = "tensor = torch.tensor", run = "r = tensor([[1.0, 2.0], [3.0, 4.0]])"},
  },
  {
    name = "device_add_2x2", title = "device block + add 2x2", module = true, limit_ns = 400, setup = two_by_two,
    lutra = {
      setup = "local device, add = lt.device, lt.add",
      run = "do local scope <close> = device('/CPU:0') r = add(a, b) end",
    },
    torch = {
      setup = "device = torch.device; add = torch.add",
      run = "with device('cpu'): r = add(a, b)",
      target = 15,
    },
  },
  {
    name = "add_1e5", title = "add 1e5", limit_ns = 9.5e3, starred = true, setup = vectors(100000),
    lutra = {run = "r = a + b"}, numpy = {run = "r = a + b"}, torch = {run = "r = a + b", target = 1.15},
  },
  {
    name = "add_1e7", title = "add 1e7", limit_ns = 3.0e6, setup = vectors(10000000),
    lutra = {run = "r = a + b"}, numpy = {run = "r = a + b", target = 1.9}, torch = {run = "r = a + b", target = 6},
  },
  {
    name = "add_64mb", title = "add, 64 MB results", faults = true, setup = vectors(16777216),
    lutra = {run = "r = a + b"}, numpy = {run = "r = a + b"}, torch = {run = "r = a + b"},
  },
  {
    name = "sum_1e5", title = "sum 1e5", limit_ns = 4.0e3, setup = vectors(100000),
    lutra = {run = "r = a:sum()"}, numpy = {run = "r = a.sum()"}, torch = {run = "r = a.sum()", target = 2.8},
  },
  {
    name = "sum_1e7", title = "sum 1e7", limit_ns = 0.65e6, starred = true, setup = vectors(10000000),
    lutra = {run = "r = a:sum()"}, numpy = {run = "r = a.sum()"}, torch = {run = "r = a.sum()", target = 1},
  },
  {
    name = "matmul_512", title = "matmul 512", starred = true, setup = matrices(512),
    work = 2 * 512 ^ 3, unit = "GFLOP", limit_rate = 187,
    lutra = {setup = "local matmul = lt.matmul", run = "r = matmul(a, b)"},
    numpy = {run = "r = a @ b"},
    torch = {setup = "matmul = torch.matmul", run = "r = matmul(a, b)", target = 1},
  },
  {
    name = "normal_1e7", title = "random.normal 1e7", random = true, work = 1e7 * 1000, unit = "M", limit_rate = 600,
    lutra = {setup = "local normal = lt.random.normal", run = "r = normal {10000000}"},
    numpy = {setup = "g = np.random.default_rng(1); f = np.float32", run = "r = g.standard_normal(10000000, f)"},
    torch = {run = "r = torch.randn(10000000)", target = 4},
  },
  {
    name = "train_784_sgd_32", title = "784-128-10 SGD step, 32 rows", limit_ns = 180e3,
    setup = training({784, 128, 10}, 32, classes, "SGD"),
    lutra = {run = step.lutra}, torch = {run = step.torch, target = 4}, jax = {run = step.jax, target = 1},
  },
  {
    name = "train_784_sgd_256", title = "784-128-10 SGD step, 256 rows", limit_ns = 660e3,
    setup = training({784, 128, 10}, 256, classes, "SGD"),
    lutra = {run = step.lutra}, torch = {run = step.torch, target = 2}, jax = {run = step.jax, target = 1},
  },
  {
    name = "train_784_adam_32", title = "784-128-10 Adam step, 32 rows", limit_ns = 215e3,
    setup = training({784, 128, 10}, 32, classes, "Adam"),
    lutra = {run = step.lutra}, torch = {run = step.torch, target = 4}, jax = {run = step.jax, target = 1},
  },
  {
    name = "train_2_sgd_4", title = "2-16-1 SGD step, 4 rows", limit_ns = 12e3,
    setup = training({2, 16, 1}, 4, numbers, "SGD"),
    lutra = {run = step.lutra}, torch = {run = step.torch, target = 20}, jax = {run = step.jax, target = 1},
  },
  {
    name = "train_lstm_adam_16", title = "LSTM 32-128-1 Adam step, 16 rows of 32 steps", setup = recurrent,
    lutra = {run = step.lutra}, torch = {run = step.torch, target = 1},
  },
}
