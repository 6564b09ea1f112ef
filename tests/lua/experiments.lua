-- The programs in scripts/experiments run with small settings, and their models improve.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

-- The lines that a program prints.
local function run(command)
  local pipe = assert(io.popen(("%s scripts/experiments/%s 2>&1 </dev/null"):format(os.getenv("LUTRA") or "lutra", command)))
  local text = pipe:read "a"
  assert(pipe:close(), text)
  return text
end

-- All numbers that follow the words of a pattern, in order.
local function numbers(text, pattern)
  local list = {}
  for number in text:gmatch(pattern) do list[#list + 1] = assert(tonumber(number)) end
  return list
end

expect.case("digits are ten kinds of images", function()
  local digits = dofile "scripts/experiments/digits.lua"
  local x, y = digits.draw(200, 100)
  expect.equal({ table.unpack(x.shape) }, { 200, 28, 28, 1 })
  expect.equal({ lt.min(x):item() >= 0, lt.max(x):item() <= 1, lt.min(y):item(), lt.max(y):item() }, { true, true, 1, 10 })
  assert(lt.all(digits.draw(200, 100):eq(x)):item(), "a seed")
  -- The 8 has all strokes, the 1 two of seven.
  local function light(kind) return x[y:eq(kind)]:mean():item() end
  assert(light(8) > light(1) + 0.05, "strokes are brighter than the ground")
  expect.equal(#digits.text(x[1]), 14)
end)

expect.case("classifiers learn", function()
  for _, command in ipairs { "mnist_mlp.lua 1500 6", "mnist_cnn.lua 1000 5" } do
    local text = run(command)
    local losses, right = numbers(text, "loss (%d+%.%d+)"), numbers(text, "of others +(%d+%.%d)%%")
    assert(#losses == (command:find "mlp" and 6 or 5) and losses[#losses] < 0.8 * losses[1], text)
    assert(right[#right] > 40, text)
    assert(text:find("Total parameters") and text:find("are told wrongly") and text:find("this %d is taken for a %d"), text)
  end
end)

expect.case("the timeline shows both devices and what they waited for", function()
  local path = os.tmpname()
  os.remove(path)
  local text = run("timeline.lua " .. path .. ".html")
  local _, variants = text:gsub("us a step and row, devices busy: GPU:0 %d+%%, GPU:1 %d+%%", "")
  expect.equal(variants, 3)
  assert(text:find("MatMul on GPU", 1, true) and text:find("timeline.lua:", 1, true) and text:find("idle device", 1, true), text)
  local file <close> = assert(io.open(path .. ".html", "rb"))
  assert(file:read("a"):find("GPU:1", 1, true))
  os.remove(path .. ".html")
end)

expect.case("MNIST's own files take the drawings' place", function()
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local function write(name, kind, bytes, ...)
    local file <close> = assert(io.open(folder .. "/" .. name, "wb"))
    file:write(string.pack(">BBBB", 0, 0, 8, select("#", ...)))
    for _, size in ipairs { ... } do file:write(string.pack(">I4", size)) end
    file:write(bytes)
  end
  for _, part in ipairs { { "train", 64 }, { "t10k", 16 } } do
    local images, labels = {}, {}
    for i = 1, part[2] do images[i], labels[i] = string.char(i % 10 * 20):rep(784), string.char(i % 10) end
    write(part[1] .. "-images-idx3-ubyte", "images", table.concat(images), part[2], 28, 28)
    write(part[1] .. "-labels-idx1-ubyte", "labels", table.concat(labels), part[2])
  end
  local text = run("mnist_mlp.lua 0 1 " .. folder)
  os.execute("rm -r " .. folder)
  assert(text:find("64 images to learn from, 16 to be asked about", 1, true), text)
end)

expect.case("a language model writes on", function()
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "wb"))
  file:write(("the otter swims. "):rep(130))
  file:close()
  local text = run("char_lm.lua " .. path .. " 40 24")
  os.remove(path)
  local bits = numbers(text, "(%d+%.%d+) bits a character")
  assert(#bits == 40 and bits[1] > 2.5 and bits[40] < 1, text)
  assert(text:find("otter swims", 1, true), text)
end)

expect.case("programs as users of four libraries write them", function()
  local text = run("gaussian_mixture.lua 2000")
  local likelihoods, apart = numbers(text, "log%-likelihood (%-?%d+%.%d+)"), numbers(text, "off by (%d+%.%d+)")
  assert(#likelihoods >= 2 and likelihoods[#likelihoods] > likelihoods[1] + 0.5, text)
  assert(#apart == 3 and math.max(table.unpack(apart)) < 0.3, text)

  text = run("spectrogram_classifier.lua 400 6")
  local right = numbers(text, "right: (%d+%.%d)%%")
  assert(right[1] > 85, text)

  text = run("augmenter.lua 300 40")
  local plain, changed = numbers(text, "as they are: (%d+%.%d)%%")[1], numbers(text, "changed at random: (%d+%.%d)%%")[1]
  assert(changed > plain + 15 and text:find("with a seed the same:\ttrue", 1, true), text)

  text = run("seq2seq.lua 1000 12")
  assert(numbers(text, "right: (%d+%.%d)%%")[1] > 70, text)

  text = run("ppo.lua 20")
  local stands = numbers(text, "stands (%d+%.%d) steps")
  assert(#stands == 3 and stands[1] < 40 and stands[3] > 100, text)
end)

expect.end_of_cases()
