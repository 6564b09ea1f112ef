-- Two dense layers learn to classify digits. lutra scripts/experiments/mnist_mlp.lua [ROWS [EPOCHS [FOLDER]]]
-- Without a FOLDER of MNIST's own files the digits are drawn (digits.lua).
local digits = dofile(arg[0]:match "^(.*/)[^/]*$" .. "digits.lua")
local nn = lt.nn
lt.random.set_seed(1)

local model = nn.Sequential {
  nn.Flatten {input_shape = {28, 28, 1}},
  nn.Dense(128, {activation = "relu"}),
  nn.Dropout(0.2),
  nn.Dense(10),
  name = "mlp",
}
digits.train(model, tonumber(arg[1]) or 8000, tonumber(arg[2]) or 8, arg[3])
