-- Sounds told apart by their spectrograms: tones, rising and falling chirps, and bursts of noise.
--   lutra scripts/experiments/spectrogram_classifier.lua [SOUNDS [EPOCHS]]
local nn = lt.nn
lt.random.set_seed(1)

local count, epochs = tonumber(arg[1]) or 600, tonumber(arg[2]) or 8
local names = { "tone", "rising", "falling", "burst" }
local rate, length = 4000, 2048

-- Sounds [n, length] and their classes from 1 on.
local function sounds(n)
  local class = lt.random.randint({ n }, 1, 4)
  local time = lt.range(length):float32() / rate
  local function column(low, high) return lt.random.uniform({ n, 1 }, { minval = low, maxval = high }) end
  local pitch, change = column(300, 900), column(400, 1200)
  -- The frequency is pitch + slope t, and the phase its integral.
  local slope = change * lt.where(class:eq(2), 1, lt.where(class:eq(3), -0.4, 0)):expand_dims(2)
  local tone = lt.sin((pitch * time + slope * time * time / 2) * (2 * math.pi) + column(0, 6))
  local began = column(0.05, 0.3)
  local is_loud = lt.logical_and(time:ge(began), time:lt(began + 0.12))
  local noise = lt.random.normal { n, length }
  local wave = lt.where(class:eq(4):expand_dims(2), noise * is_loud:float32(), tone)
  return wave * column(0.3, 1) + lt.random.normal { n, length } * 0.2, class
end

-- Logarithms of power, {frames, frequencies, 1}.
local function pictures(wave)
  local power = lt.spectrogram(wave, 128, 64, { window = "hann" })
  return lt.log1p(power):expand_dims(-1)
end

local wave, class = sounds(count)
local x, test_wave, test_class = pictures(wave), sounds(300)
test_wave = pictures(test_wave)
print(("%d sounds of %d samples become pictures %s"):format(count, length, x.shape))

local scale = nn.Normalization { axis = false }
scale:adapt(x)
local model = nn.Sequential {
  nn.Input { table.unpack(x.shape, 2) }, scale,
  nn.Conv2D(8, 3, { activation = "relu" }), nn.MaxPool2D(2),
  nn.Conv2D(16, 3, { activation = "relu" }), nn.GlobalMaxPool2D(), nn.Dense(#names),
}
model:compile {
  optimizer = lt.optim.Adam { learning_rate = 0.01 }, metrics = { "accuracy" },
  loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true },
}
local history = model:fit(x, class, { epochs = epochs, batch_size = 32, verbose = 0 }).history
print(("loss %.3f after the first epoch, %.3f after the last"):format(history.loss[1], history.loss[#history.loss]))

local guessed = model:predict(test_wave, { verbose = 0 }):argmax(-1)
print(("right: %.1f%% of 300 others; by row what it is, by column what it is taken for"):format(
  100 * guessed:eq(test_class):float32():mean():item()))
local matrix = lt.confusion_matrix(test_class, guessed, { classes = #names })
for i, name in ipairs(names) do print(("%-8s %s"):format(name, matrix[i])) end
