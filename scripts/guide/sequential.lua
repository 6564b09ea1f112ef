-- A model as a list of layers: 1024 numbers go in, ten classes come out. compile says how it is trained, fit does it.
local nn = lt.nn
lt.random.set_seed(1)

-- Rows whose class follows from a matrix that the model does not know. Classes count from 1.
local x = lt.random.normal {512, 1024}
local y = lt.argmax(x:matmul(lt.random.normal {1024, 10}), -1)

local model = nn.Sequential { nn.Dense(10, {activation = "softmax", input_shape = {1024}}) }
model:summary()

model:compile {optimizer = "adam", loss = "sparse_categorical_crossentropy", metrics = {"accuracy"}}

-- On a terminal a bar grows; elsewhere each epoch has one line. Both are on stderr.
local history = model:fit(x, y, {epochs = 3, batch_size = 32, validation_split = 0.125, seed = 1}).history
print("the loss falls: " .. tostring(history.loss[3] < history.loss[2] and history.loss[2] < history.loss[1]))

-- The model has not seen the rows that were held back.
print("epochs with a validation loss: " .. #history.val_loss)
print("weights: " .. tostring(model:get_weights()[1].shape) .. ", " .. tostring(model:get_weights()[2].shape))
