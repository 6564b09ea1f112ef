-- The workloads of `scripts/dev bench busy`: the same work in Lutra, PyTorch and ONNX Runtime, in loops as in programs.
-- `setup` runs once, `run` is timed. For ONNX Runtime: `op` with its attributes, and `inputs`, all but the first of which are
-- constants; rows without `onnx` have no such op.
local function row(name, title, work)
  work.name, work.title = name, title
  return work
end

return {
  row("tanh", "tanh of 256 x 32", {
    lutra = {setup = "local x = lt.ones {256, 32}", run = "r = x:tanh()"},
    torch = {setup = "x = torch.ones(256, 32)", run = "r = x.tanh()"},
    onnx = {op = "Tanh", inputs = "np.ones((256, 32), np.float32)"},
  }),
  row("add", "x + y of 1e5", {
    lutra = {setup = "local x, y = lt.ones {100000}, lt.ones {100000}", run = "r = x + y"},
    torch = {setup = "x, y = torch.ones(100000), torch.ones(100000)", run = "r = x + y"},
    onnx = {op = "Add", inputs = "np.ones(100000, np.float32), np.ones(100000, np.float32)"},
  }),
  row("linear", "32 x 784 by 784 x 128", {
    lutra = {setup = "local x, w = lt.ones {32, 784}, lt.ones {784, 128}", run = "r = x:matmul(w)"},
    torch = {setup = "x, w = torch.ones(32, 784), torch.ones(784, 128)", run = "r = x @ w"},
    onnx = {op = "MatMul", inputs = "np.ones((32, 784), np.float32), np.ones((784, 128), np.float32)"},
  }),
  row("product", "256 x 256 by 256 x 256", {
    lutra = {setup = "local x, w = lt.ones {256, 256}, lt.ones {256, 256}", run = "r = x:matmul(w)"},
    torch = {setup = "x, w = torch.ones(256, 256), torch.ones(256, 256)", run = "r = x @ w"},
    onnx = {op = "MatMul", inputs = "np.ones((256, 256), np.float32), np.ones((256, 256), np.float32)"},
  }),
  row("large_product", "1024 x 1024 by 1024 x 1024", {
    lutra = {setup = "local x, w = lt.ones {1024, 1024}, lt.ones {1024, 1024}", run = "r = x:matmul(w)"},
    torch = {setup = "x, w = torch.ones(1024, 1024), torch.ones(1024, 1024)", run = "r = x @ w"},
    onnx = {op = "MatMul", inputs = "np.ones((1024, 1024), np.float32), np.ones((1024, 1024), np.float32)"},
  }),
  row("convolution", "3 x 3 convolution of an image 28 x 28, 32 to 32 channels", {
    lutra = {
      setup = "local x, w = lt.ones {1, 28, 28, 32}, lt.ones {3, 3, 32, 32}",
      run = 'r = lt.conv2d(x, w, {padding = "same"})',
    },
    torch = {
      setup = "x, w = torch.ones(1, 32, 28, 28), torch.ones(32, 32, 3, 3)",
      run = "r = torch.nn.functional.conv2d(x, w, padding=1)",
    },
    onnx = {op = "Conv", attributes = "pads=[1, 1, 1, 1]", inputs = "np.ones((1, 32, 28, 28), np.float32), np.ones((32, 32, 3, 3), np.float32)"},
  }),
  row("step", "a training step of 784-128-10, 32 rows, SGD", {
    lutra = {
      setup = [[
        local nn = lt.nn
        local model = nn.Sequential {nn.Dense(128, {activation = "relu", input_shape = {784}}), nn.Dense(10)}
        model:compile {optimizer = lt.optim.SGD {learning_rate = 0}, loss = nn.losses.SparseCategoricalCrossentropy {from_logits = true}}
        local x, y = lt.ones {32, 784}, lt.range(32) % 10 + 1]],
      run = "r = model:train_on_batch(x, y)",
    },
    torch = {
      setup = table.concat({
        "model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.0)", "loss_of = torch.nn.CrossEntropyLoss()",
        "x, y = torch.ones(32, 784), torch.arange(32) % 10",
      }, "; "),
      run = "optimizer.zero_grad(); loss_of(model(x), y).backward(); optimizer.step()",
    },
  }),
}
