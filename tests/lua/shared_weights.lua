-- Weights that are used several times: their gradient is the sum of the gradients of each use, however the products in
-- it are combined.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2)

local function noise(seed, shape) return lt.random.uniform(shape, { seed = seed, minval = -1, maxval = 1, dtype = "float64" }) end

local function close(got, wanted, what)
  local off = (got - wanted):abs():max():item()
  assert(got.shape == wanted.shape and off <= 1e-10 * wanted:abs():max():item(), ("%s: off by %g"):format(what, off))
end

-- The gradient by `w` of the sum of uses[i](made(w)), and the sum of the gradients of each.
local function both(uses, w, made)
  local function gradient(list)
    local tape <close> = lt.GradientTape()
    tape:watch(w)
    local value, loss = made and made(w) or w, 0
    for _, use in ipairs(list) do loss = loss + use(value) end
    return tape:gradient(loss, w)
  end
  local sum = gradient { uses[1] }
  for i = 2, #uses do sum = sum + gradient { uses[i] } end
  return gradient(uses), sum
end

-- The ways in which a row, rows or batches of them are multiplied with the weights.
local ways = {
  rows = function(i) return function(w) return (noise(i, { 3, 4 }):matmul(w) ^ 2):sum() end end,
  ["rows and a bias"] = function(i) return function(w) return (lt.linear(noise(i, { 2, 4 }), w, w[1]) ^ 2):sum() end end,
  ["one row"] = function(i) return function(w) return (noise(i, { 4 }):matmul(w) ^ 2):sum() end end,
  batches = function(i) return function(w) return (noise(i, { 2, 3, 4 }):matmul(w) ^ 2):sum() end end,
  ["the other way round"] = function(i)
    return function(w) return (noise(i, { 3, 4 }):matmul(w, { transpose_b = true }) ^ 2):sum() end
  end,
  ["rows of columns"] = function(i) return function(w) return (noise(i, { 4, 3 }):matmul(w, { transpose_a = true }) ^ 2):sum() end end,
  ["on the left"] = function(i) return function(w) return (w:matmul(noise(i, { 4, 3 })) ^ 2):sum() end end,
  ["with itself"] = function(i) return function(w) return (w:matmul(w + i) ^ 2):sum() end end,
  float32 = function(i) return function(w) return (noise(i, { 3, 4 }):float32():matmul(w) ^ 2):sum() end end,
  ["hundreds of rows"] = function(i) return function(w) return (noise(i, { 200, 4 }):matmul(w) ^ 2):sum() end end,
  ["many rows"] = function(i) return function(w) return (noise(i, { 300, 4 }):matmul(w) ^ 2):sum() end end,
  ["no rows"] = function(i) return function(w) return (noise(i, { 0, 4 }):matmul(w) ^ 2):sum() + w:sum() end end,
}

local function uses_of(way, count)
  local uses = {}
  for i = 1, count do uses[i] = way(i) end
  return uses
end

expect.case("the gradient is the sum of each use's", function()
  for name, way in pairs(ways) do
    for _, count in ipairs { 1, 2, 7, 70 } do
      local got, wanted = both(uses_of(way, count), noise(100, { 4, 4 }))
      close(got, wanted, name .. " " .. count)
    end
  end
  local mixed = {}
  for _, way in pairs(ways) do mixed[#mixed + 1] = way(#mixed) end
  local got, wanted = both(mixed, noise(101, { 4, 4 }))
  close(got, wanted, "all ways together")
end)

expect.case("of weights that are computed, on several devices, asked again", function()
  local x, v = noise(1, { 3, 4 }), noise(2, { 4, 4 })
  local uses = {}
  for i, device in ipairs { "/GPU:0", "/GPU:1", "/GPU:1", "/CPU:0", "/GPU:0", "/GPU:0" } do
    uses[i] = function(w) return lt.device(device, function() return (lt.tanh((x * i):matmul(w)) ^ 2):sum() end) end
  end
  for _, made in ipairs { false, function(w) return w * 2 - w:tanh() end } do
    local got, wanted = both(uses, v, made)
    close(got:to("/CPU:0"), wanted:to("/CPU:0"), made and "computed" or "watched")
  end
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(v)
  local h = x
  for _ = 1, 5 do h = lt.tanh(h:matmul(v)) end
  local first = tape:gradient(h, v)
  close(tape:gradient(h, v), first, "a second time")
end)

expect.case("gradients of gradients see through what is put together", function()
  local x, v, way, step = noise(3, { 3, 4 }), noise(4, { 4, 4 }), noise(5, { 4, 4 }), 1e-5
  local function slope(w)
    local tape <close> = lt.GradientTape()
    tape:watch(w)
    local h = x
    for _ = 1, 4 do h = lt.tanh(h:matmul(w)) end
    return (tape:gradient(h:sum(), w) * way):sum()
  end
  local tape <close> = lt.GradientTape()
  tape:watch(v)
  local got = (tape:gradient(slope(v), v) * way):sum():item()
  local wanted = (slope(v + way * step) - slope(v - way * step)):item() / (2 * step)
  assert(math.abs(got - wanted) <= 1e-6 * math.abs(wanted), got .. ", by differences " .. wanted)
end)

-- Between two uses a variable is assigned: each use's rows get what was there then.
expect.case("rows get their gradients through the weights that they met", function()
  local x, way, step = noise(6, { 3, 4 }), noise(7, { 3, 4 }), 1e-5
  for _, bias in ipairs { false, noise(8, { 4 }) } do
    for _, assigned in ipairs { false, 4 } do
      local w = lt.Variable(noise(9, { 4, 4 }))
      local function run(rows)
        w:assign(noise(9, { 4, 4 }))
        local h = rows
        for i = 1, 6 do
          if i == assigned then w:assign(noise(10, { 4, 4 })) end
          h = lt.tanh(bias and lt.linear(h, w, bias) or h:matmul(w))
        end
        return h:sum()
      end
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      local got = (tape:gradient(run(x), x) * way):sum():item()
      local wanted = (run(x + way * step) - run(x - way * step)):item() / (2 * step)
      assert(math.abs(got - wanted) <= 1e-7 * math.max(1, math.abs(wanted)), got .. ", by differences " .. wanted)
    end
  end
end)

-- The log of a recurrence of ten steps: ten products of rows, ten for the rows' gradients, and one for the weights'.
expect.case("few rows are multiplied together", function()
  local products = 0
  local w, h = lt.Variable(lt.ones { 8, 8 }), lt.ones { 2, 8 }
  lt.debugging.set_log_handler(function(event) if event.op == "MatMul" then products = products + 1 end end)
  local tape <close> = lt.GradientTape()
  tape:watch(h)
  local state = h
  for _ = 1, 10 do state = lt.tanh(state:matmul(w)) end
  tape:gradient(state, { w, h })
  lt.debugging.set_log_handler(nil)
  expect.equal(products, 21)
end)
