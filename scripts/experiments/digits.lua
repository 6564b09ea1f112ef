-- Drawn images of MNIST's shape: ten digits of seven strokes, shifted, of varying brightness, with noise.
-- local digits = dofile(folder .. "digits.lua"); local x, y = digits.draw(1000, 100): x [rows, 28, 28, 1] from 0 to 1, y 1 to 10,
-- where 10 is the digit 0.
local digits = {}

local size = 28
-- The strokes of 1, 2, ... 9, 0: t(op), m(iddle), b(ottom), and the left and right upper (l, r) and lower (k, s) sides.
local strokes = { "rs", "trmkb", "trmsb", "lmrs", "tlmsb", "tlmksb", "trs", "tlrmksb", "tlrmsb", "tlrksb" }
local boxes = {  -- first row, last row, first column, last column
  t = { 5, 7, 9, 19 }, m = { 13, 15, 9, 19 }, b = { 21, 23, 9, 19 }, l = { 5, 15, 9, 11 }, r = { 5, 15, 17, 19 },
  k = { 13, 23, 9, 11 }, s = { 13, 23, 17, 19 },
}

local function template(word)
  local image = lt.Variable(lt.zeros { size, size })
  for stroke in word:gmatch "." do
    local top, bottom, left, right = table.unpack(boxes[stroke])
    image[{ { top, bottom }, { left, right } }] = 1.0
  end
  return image:value():flatten()
end

function digits.draw(rows, seed)
  local templates = {}
  for i, word in ipairs(strokes) do templates[i] = template(word) end
  local y = lt.random.randint({ rows }, 1, 10, { seed = seed })
  -- Each pixel of a row comes from the position given by its shift; pixels past the edge are dark.
  local function shifts(which) return lt.random.randint({ rows, 1 }, -4, 4, { seed = seed + which }) end
  local places = lt.range(size * size)
  local down = lt.clip(places // size - shifts(1), 0, size - 1)
  local right = lt.clip(places % size - shifts(2), 0, size - 1)
  local x = lt.take_along_axis(lt.gather(lt.stack(templates), y), down * size + right + 1, -1)
  local light = lt.random.uniform({ rows, 1 }, { minval = 0.5, maxval = 1, seed = seed + 3 })
  local noise = lt.random.normal({ rows, size * size }, { stddev = 0.3, seed = seed + 4 })
  return lt.clip(x * light + noise, 0, 1):reshape { rows, size, size, 1 }, y
end

-- An image as lines of text, two rows a line.
function digits.text(image)
  local shades, lines = { [0] = " ", ".", ":", "+", "#", "@" }, {}
  local pixels = lt.cast(lt.avg_pool2d(image:reshape { 1, size, size, 1 }, { 2, 1 }) * 5.99, "int32"):reshape { size // 2, size }
  for i, row in ipairs(pixels:totable()) do
    for k = 1, size do row[k] = shades[row[k]] end
    lines[i] = table.concat(row)
  end
  return lines
end

-- The program's arguments: rows, epochs, and a folder with MNIST's own files instead of drawn ones.
function digits.load(rows, folder)
  if not folder then
    local x, y = digits.draw(rows, 100)
    return x, y, digits.draw(rows // 4, 200)
  end
  local x, y, x_test, y_test = lt.data.mnist(folder)
  local function images(pixels) return lt.cast(pixels, "float32"):reshape { #pixels, size, size, 1 } / 255 end
  return images(x), y, images(x_test), y_test
end

-- Trains a classifier and prints its progress, then two errors.
function digits.train(model, rows, epochs, folder)
  local x, y, x_test, y_test = digits.load(rows, folder)
  model:compile { optimizer = "adam", metrics = { "accuracy" }, loss = lt.nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
  model:summary()
  print(("\n%d images to learn from, %d to be asked about"):format(#x, #x_test))
  local began = lt.time()
  model:fit(x, y, { epochs = epochs, batch_size = 64, verbose = 0, seed = 1, validation_data = { x_test, y_test }, callbacks = {
    function(epoch, logs)
      print(("epoch %2d  loss %.4f  accuracy %5.1f%%  of others %5.1f%%  %5.1f s"):format(epoch, logs.loss, 100 * logs.accuracy,
        100 * logs.val_accuracy, lt.time() - began))
    end,
  } })
  local answer = lt.argmax(model:predict(x_test), -1)
  local wrong = lt.nonzero(answer:ne(y_test)):flatten():totable()
  print(("%d of %d are told wrongly"):format(#wrong, #x_test))
  for _, at in ipairs { wrong[1] or 1, wrong[2] } do
    print(("\nthis %d is taken for a %d"):format(y_test[at]:item() % 10, answer[at]:item() % 10))
    print(table.concat(digits.text(x_test[at]), "\n"))
  end
end

return digits
