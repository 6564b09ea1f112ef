-- t:describe(), t:plot() and history:plot().
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local plots = dofile("tests/support/plots.lua")

-- The quartile by sorting, with NumPy's interpolation.
local function quartile(list, share)
  table.sort(list)
  local at = share * (#list - 1)
  local below = math.floor(at)
  return list[below + 1] + (at - below) * ((list[below + 2] or list[below + 1]) - list[below + 1])
end

expect.case("a description has the numbers that one computes by hand", function()
  for _, size in ipairs { 1, 2, 3, 4, 7, 100, 1001 } do
    local list, sum = {}, 0
    for i = 1, size do
      list[i] = (i * 7919 % 1000 - 500) / 8
      sum = sum + list[i]
    end
    local mean, squares = sum / size, 0
    for _, x in ipairs(list) do squares = squares + (x - mean) ^ 2 end
    for _, dtype in ipairs { "float32", "float64" } do
      local found = lt.constant(list, { dtype = dtype }):describe()
      expect.close(found.mean, mean, 1e-12)
      expect.close(found.std, math.sqrt(squares / size), 1e-12)
      expect.equal({ found.min, found.max }, { math.min(table.unpack(list)), math.max(table.unpack(list)) })
      local copy = table.move(list, 1, size, 1, {})
      expect.close(found.quartiles, { quartile(copy, 0.25), quartile(copy, 0.5), quartile(copy, 0.75) }, 1e-12)
      expect.equal({ found.count, found.nan, found.inf, found.dtype }, { size, 0, 0, dtype })
      local all = 0
      for _, count in ipairs(found.counts) do all = all + count end
      expect.equal(all, size > 1 and size or 0)
    end
  end
end)

expect.case("every dtype is described", function()
  for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64" } do
    local found = lt.constant({ { 1, 2 }, { 3, 0 } }):cast(dtype):describe()
    expect.equal({ found.min, found.max, found.mean, found.zeros, found.quartiles }, { 0, 3, 1.5, 1, { 0.75, 1.5, 2.25 } }, dtype)
    expect.equal(math.type(found.max), dtype:find "float" and "float" or "integer", dtype)
    expect.equal(found.shape, { 2, 2 })
  end
  local found = lt.constant({ true, false, true, true }):describe()
  expect.equal({ found.min, found.max, found.mean, found.zeros }, { 0, 1, 0.75, 1 })
  assert(tostring(found):find "\n  true    3 of 4\n")
  expect.equal(lt.constant({ math.maxinteger, math.mininteger }, { dtype = "int64" }):describe().max, math.maxinteger)
  expect.equal(lt.Variable({ 1.0, 2.0 }):describe().mean, 1.5)
end)

expect.case("nan and infinities count, and are left out elsewhere", function()
  local found = lt.constant({ 0 / 0, 1 / 0, -1 / 0, 2.0, 4.0, 0 / 0 }):describe()
  expect.equal({ found.count, found.nan, found.inf, found.min, found.max, found.mean, found.std }, { 6, 2, 2, 2, 4, 3, 1 })
  found = lt.constant({ 0 / 0 }):describe()
  expect.equal({ found.nan, found.mean, found.min }, { 1 })
  assert(tostring(found):find "nan     1")
end)

expect.case("empty, one-element and extreme tensors", function()
  local found = lt.zeros({ 0, 3 }):describe()
  expect.equal({ found.count, found.mean }, { 0 })
  assert(tostring(found):find("shape=(0, 3), dtype=float32", 1, true))
  found = lt.constant(7):describe()
  expect.equal({ found.count, found.min, found.std, found.quartiles }, { 1, 7, 0, { 7, 7, 7 } })
  found = lt.constant({ 1.7e308, -1.7e308, 1.7e308, -1.7e308 }, { dtype = "float64" }):describe()
  expect.equal({ found.mean, found.std }, { 0, 1.7e308 })
  assert(tostring(found):find "█")
end)

expect.case("no operation runs, and the line of bars shows where the numbers are", function()
  local x = lt.concat({ lt.zeros { 90 }, lt.ones { 10 } }, 1)
  local events = 0
  lt.debugging.set_log_handler(function() events = events + 1 end)
  local text = tostring(x:describe())
  lt.debugging.set_log_handler(nil)
  expect.equal(events, 0)
  local bars = text:match "\n  0 (.*) 1$"
  expect.equal(utf8.len(bars), 32)
  assert(bars:find "^█ +▁$", bars)
end)

expect.case("a tensor is drawn by its axes", function()
  local given = { width = 40, height = 10 }
  local line, matrix, picture = lt.linspace(0, 1, 20), lt.random.normal { 3, 5 }, lt.random.uniform { 4, 4, 3 }
  expect.equal(tostring(line:plot(given)), tostring(lt.plot.line(line, given)))
  expect.equal(tostring(matrix:plot(given)), tostring(lt.plot.heat(matrix, given)))
  expect.equal(tostring(picture:plot(given)), tostring(lt.plot.image(picture, given)))
  expect.equal(tostring(lt.Variable(line):plot(given)), tostring(lt.plot.line(line, given)))
  expect.raises("InvalidArgument", "plot: the tensor is (2, 3, 5); one axis is drawn as a line, two as a heat map", lt.zeros({ 2, 3, 5 }).plot,
    lt.zeros { 2, 3, 5 })
  expect.raises("InvalidArgument", "plot: the tensor is ()", line.plot, lt.constant(1.0))
end)

expect.case("values of a GPU are read once", function()
  local text, ok = expect.program([[
    local lt = require "lutra"
    local x = lt.device("/GPU:0", lt.linspace, 0, 1, 1001)
    local d = x:describe()
    print(d.device, d.mean, #tostring(x:plot()) > 100)
    local bad = lt.device("/GPU:0", lt.gather, {1.0}, {7})
    print(pcall(bad.describe, bad))
    print(pcall(bad.plot, bad))
  ]], "--sim-gpus 1")
  assert(ok and text:find "^[^\n]*GPU:0\t0.5%d*\ttrue\nfalse\t[^\n]*gather: index 7[^\n]*\nfalse\t[^\n]*gather: index 7", text)
end)

local function trained(options)
  local model = lt.nn.Sequential { lt.nn.Dense(1, { kernel_initializer = "zeros", input_shape = { 1 } }) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse", metrics = { "mae" } }
  local x = lt.linspace(0, 1, 16):reshape { 16, 1 }
  options.verbose, options.shuffle = 0, false
  return model:fit(x, 3 * x + 1, options), x
end

expect.case("history:plot draws each number at its epoch", function()
  local history = trained { epochs = 8, validation_data = { lt.ones { 4, 1 }, lt.ones { 4, 1 } }, validation_freq = 3 }
  local svg = plots.read_svg(history:plot():svg())
  local colors = { loss = "#0072b2", mae = "#d55e00", val_loss = "#009e73", val_mae = "#cc79a7" }
  local epochs = { loss = history.epoch, mae = history.epoch, val_loss = { 3, 6 }, val_mae = { 3, 6 } }
  for name, color in pairs(colors) do
    local points, list = plots.points_of(svg, "polyline", color), history.history[name]
    -- The first two points are the legend's.
    expect.equal(#points - 2, #list, name)
    for i, value in ipairs(list) do
      assert(math.abs(points[i + 2][1] - svg.from_x(epochs[name][i])) <= 0.5, name)
      assert(math.abs(points[i + 2][2] - svg.from_y(value)) <= 0.5, name)
    end
  end
  assert(table.concat(svg.texts, "\n"):find "\nepoch\n?", "no label")
  local read = plots.read(tostring(history:plot { names = { "loss" }, width = 60, height = 12 }))
  for i, value in ipairs(history.history.loss) do assert(plots.is_near(read, read.dots, history.epoch[i], value), i) end
end)

expect.case("a history prints as its last numbers, and refuses what it does not have", function()
  local history = trained { epochs = 2 }
  expect.equal(tostring(history), ("lutra.nn.History(2 epochs: loss=%.4g, mae=%.4g)"):format(history.history.loss[2], history.history.mae[2]))
  expect.raises("InvalidArgument", "history:plot: there is no 'los' (did you mean 'loss'?)", history.plot, history, { names = { "los" } })
  expect.raises("InvalidArgument", "line: unknown option 'widht' (did you mean 'width'?)", history.plot, history, { widht = 5 })
  expect.raises("InvalidArgument", "history:plot: names is 5, expected a list of names", history.plot, history, { names = 5 })
  expect.raises("InvalidArgument", "line: options is 5", history.plot, history, 5)
  expect.raises("InvalidArgument", "write history:plot()", history.plot)
  assert(tostring(trained { epochs = 0 }:plot()):find "there are no points")
end)

expect.case("the largest and the least numbers are described and drawn", function()
  local huge, least = 1.797e308, 1e-300
  local found = lt.constant({ -huge, huge }, { dtype = "float64" }):describe()
  expect.equal({ found.min, found.max, found.mean }, { -huge, huge, 0.0 })
  expect.close(found.std, huge, 1e-12)
  expect.close(found.quartiles, { -huge / 2, 0, huge / 2 }, 1e-12)
  expect.equal({ found.counts[1], found.counts[32] }, { 1, 1 })
  assert(not tostring(found):find "nan" or tostring(found):find "nan%s+0", tostring(found))
  found = lt.constant({ least, 3 * least }, { dtype = "float64" }):describe()
  expect.close(found.mean / least, 2, 1e-12)
  expect.close(found.std / least, 1, 1e-12)
  for name, plot in pairs {
    line = function() return lt.plot.line { -huge, huge, 0 } end, scatter = function() return lt.plot.scatter { { -huge, huge }, { -huge, huge } } end,
    bar = function() return lt.plot.bar { -huge, huge } end, hist = function() return lt.plot.hist { huge, -huge, 0 } end,
    one = function() return lt.plot.hist { huge, huge } end, heat = function() return lt.plot.heat { { -huge, huge } } end,
    least = function() return lt.plot.line { least } end, small = function() return lt.plot.line { least, 2 * least } end,
    small_hist = function() return lt.plot.hist { least, 2 * least } end,
  } do
    local made = plot()
    local text, svg = tostring(made), made:svg()
    assert(not text:find "nan" and not text:find "inf", name .. ":\n" .. text)
    assert(not svg:find "nan" and not svg:find '[ "]%-?inf', name)
  end
end)

expect.case("a description needs no methods of strings", function()
  local meta = getmetatable ""
  local before = meta.__index
  meta.__index = {}
  local ok, text = pcall(function() return tostring(lt.constant({ 1.5, 2, 3 }):describe()) end)
  meta.__index = before
  assert(ok, text)
  assert(text:find "mean", text)
end)

expect.end_of_cases()
