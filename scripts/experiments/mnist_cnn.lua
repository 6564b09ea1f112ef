-- Convolutions learn to classify digits. lutra scripts/experiments/mnist_cnn.lua [ROWS [EPOCHS [FOLDER]]]
-- Without a FOLDER of MNIST's own files the digits are drawn (digits.lua). Convolutions treat all positions alike, so
-- shifts cost this model less than the one of mnist_mlp.lua.
local digits = dofile(arg[0]:match "^(.*/)[^/]*$" .. "digits.lua")
local nn = lt.nn
lt.random.set_seed(1)

local model = nn.Sequential {
  nn.Conv2D(16, 3, {activation = "relu", input_shape = {28, 28, 1}}),
  nn.MaxPool2D(),
  nn.Conv2D(32, 3, {activation = "relu"}),
  nn.MaxPool2D(),
  nn.Flatten(),
  nn.Dense(10),
  name = "cnn",
}
digits.train(model, tonumber(arg[1]) or 8000, tonumber(arg[2]) or 3, arg[3])
