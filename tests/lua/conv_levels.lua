-- Convolutions and their gradients by every implementation, at every level of the processor and on one and three
-- threads. Inputs are small whole numbers, so that float32 is exact; the reference is sums over the window's taps of
-- products in float64, and their gradients. The number of threads must not change a bit, whatever the numbers.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local program = [[
local function pair(value, otherwise)
  if value == nil then value = otherwise end
  return type(value) == "table" and value or { value, value }
end

-- {x's shape, w's shape, options}
local cases = {
  -- One column, one row, and a window that covers an axis or both.
  { { 2, 301, 1, 24 }, { 5, 1, 24, 33 }, { padding = { 2, 0 } } }, { { 1, 90, 1, 40 }, { 3, 1, 40, 64 }, { stride = 2 } },
  { { 3, 1, 140, 20 }, { 1, 4, 20, 48 }, { stride = { 1, 3 } } }, { { 1, 1, 333, 17 }, { 1, 7, 17, 40 }, { dilation = { 1, 2 }, padding = "same" } },
  { { 2, 60, 2, 16 }, { 3, 2, 16, 32 }, {} }, { { 2, 61, 3, 12 }, { 2, 3, 12, 24 }, { stride = { 3, 2 } } },
  { { 9, 3, 4, 20 }, { 3, 4, 20, 50 }, {} }, { { 2, 50, 2, 16 }, { 3, 2, 16, 24 }, { padding = "same" } },
  { { 2, 40, 3, 32 }, { 3, 3, 32, 16 }, { padding = { 1, 1 } } }, { { 2, 7, 50, 8 }, { 1, 3, 8, 40 }, { padding = { 0, 1 } } },
  { { 1, 1, 900, 1 }, { 1, 10, 1, 65 }, { stride = { 1, 5 } } }, { { 2, 30, 1, 6 }, { 1, 1, 3, 4 }, { groups = 2, stride = 2 } },
  -- Windows of one place.
  { { 3, 14, 13, 30 }, { 1, 1, 30, 47 }, {} }, { { 5, 1, 1, 70 }, { 1, 1, 70, 33 }, {} }, { { 1, 1, 1, 130 }, { 1, 1, 130, 150 }, {} },
  { { 2, 15, 14, 32 }, { 1, 1, 32, 40 }, { stride = 2 } }, { { 2, 9, 8, 12 }, { 1, 1, 6, 8 }, { groups = 2 } },
  { { 2, 9, 8, 12 }, { 1, 1, 12, 8 }, { padding = { 1, 2 } } }, { { 2, 5, 9, 12 }, { 1, 1, 12, 8 }, { stride = { 1, 2 } } },
  -- Each channel for itself.
  { { 2, 15, 21, 32 }, { 3, 3, 1, 32 }, { groups = 32, padding = "same" } }, { { 1, 14, 17, 19 }, { 5, 5, 1, 19 }, { groups = 19, padding = { 2, 2 } } },
  { { 2, 13, 12, 40 }, { 5, 5, 1, 40 }, { groups = 40, stride = 2, padding = "same" } }, { { 2, 1, 130, 35 }, { 1, 11, 1, 35 }, { groups = 35, padding = { 0, 5 } } },
  { { 1, 70, 1, 16 }, { 13, 1, 1, 16 }, { groups = 16, padding = { 6, 0 } } }, { { 2, 1, 90, 48 }, { 1, 33, 1, 48 }, { groups = 48, padding = "same" } },
  { { 2, 12, 40, 5 }, { 2, 12, 1, 5 }, { groups = 5, dilation = { 3, 2 }, padding = { 1, 9 } } }, { { 3, 30, 2, 33 }, { 3, 3, 1, 33 }, { groups = 33, padding = "same" } },
  { { 3, 30, 1, 20 }, { 3, 3, 1, 20 }, { groups = 20, padding = "same" } }, { { 1, 9, 60, 24 }, { 3, 12, 1, 24 }, { groups = 24, stride = { 2, 3 }, padding = { 1, 4 } } },
  { { 1, 6, 5, 24 }, { 2, 12, 1, 24 }, { groups = 24, padding = { 4, 20 } } }, { { 2, 11, 14, 6 }, { 3, 3, 1, 12 }, { groups = 6, padding = "same" } },
  { { 2, 40, 40, 3 }, { 7, 7, 1, 3 }, { groups = 3 } },
  -- Cut into images, rows, places of one row and columns of the weights.
  { { 1, 45, 31, 24 }, { 3, 3, 24, 40 }, { padding = "same" } }, { { 3, 37, 23, 24 }, { 3, 3, 24, 32 }, { stride = 2, padding = { 1, 1 } } },
  { { 21, 11, 9, 24 }, { 3, 3, 24, 32 }, { padding = "same" } }, { { 1, 41, 30, 24 }, { 4, 3, 24, 32 }, { dilation = { 3, 2 }, padding = { 4, 1 } } },
  { { 1, 1, 777, 24 }, { 1, 5, 24, 48 }, { padding = { 0, 2 } } }, { { 2, 1, 600, 24 }, { 1, 6, 24, 48 }, { stride = { 1, 2 }, padding = "same" } },
  { { 2, 9, 8, 48 }, { 3, 3, 48, 200 }, { padding = "same" } }, { { 1, 48, 40, 32 }, { 3, 3, 16, 48 }, { groups = 2, padding = "same" } },
  { { 2, 64, 63, 3 }, { 3, 3, 3, 32 }, { stride = 2, padding = "same" } }, { { 1, 30, 4, 64 }, { 3, 3, 64, 64 }, { padding = { 3, 1 } } },
  { { 1, 40, 40, 96 }, { 3, 3, 1, 96 }, { groups = 96, padding = "same" } }, { { 2, 30, 33, 33 }, { 3, 3, 33, 17 }, { padding = "same" } },
  -- Many weights, few results.
  { { 1, 6, 7, 320 }, { 3, 3, 320, 370 }, { padding = "same" } }, { { 1, 1, 90, 320 }, { 1, 40, 80, 324 }, { groups = 4, padding = { 0, 20 } } },
}

-- conv2d computed tap by tap.
local function by_taps(x, w, how)
  local stride, dilation, groups = pair(how.stride, 1), pair(how.dilation, 1), how.groups or 1
  local out, before, after = {}, {}, {}
  for axis = 1, 2 do
    local size, reach = x.shape[axis + 1], (w.shape[axis] - 1) * dilation[axis] + 1
    if how.padding == "same" then
      out[axis] = (size + stride[axis] - 1) // stride[axis]
      local all = math.max(0, (out[axis] - 1) * stride[axis] + reach - size)
      before[axis], after[axis] = all // 2, all - all // 2
    else
      before[axis] = how.padding and how.padding[axis] or 0
      after[axis] = before[axis]
      out[axis] = (size + 2 * before[axis] - reach) // stride[axis] + 1
    end
  end
  local image = lt.pad(x, { { 0, 0 }, { before[1], after[1] }, { before[2], after[2] }, { 0, 0 } })
  local channels, filters, sum = w.shape[3], w.shape[4] // groups, nil
  for i = 1, w.shape[1] do
    for j = 1, w.shape[2] do
      local top, left = (i - 1) * dilation[1] + 1, (j - 1) * dilation[2] + 1
      local seen = image[{ {}, { top, top + (out[1] - 1) * stride[1], stride[1] }, { left, left + (out[2] - 1) * stride[2], stride[2] } }]
      seen = seen:reshape { x.shape[1] * out[1] * out[2], groups, channels }:transpose { 2, 1, 3 }
      local matrices = w[{ i, j }]:reshape { channels, groups, filters }:transpose { 2, 1, 3 }
      local product = lt.matmul(seen, matrices):transpose { 2, 1, 3 }
      sum = sum and sum + product or product
    end
  end
  return sum:reshape { x.shape[1], out[1], out[2], w.shape[4] }
end

-- y, dx and dw.
local function results(f, x, w, how, dy)
  local tape <close> = lt.GradientTape()
  tape:watch { x, w }
  local y = f(x, w, how)
  local dx, dw = table.unpack(tape:gradient(y, { x, w }, { output_gradients = dy(y.shape):cast(x.dtype) }))
  return { y, dx, dw }
end

local function hash_of(t)
  local hash = 0
  for word in t:bytes():gmatch("....") do hash = (hash * 31 + string.unpack("<i4", word)) & 0x7fffffffffffffff end
  return ("%x"):format(hash)
end

for number, case in ipairs(cases) do
  local function whole(shape, seed) return lt.random.randint(shape, -4, 4, { seed = 100 * number + seed }) end
  local function any(shape, seed) return lt.random.normal(shape, { seed = 100 * number + seed }) end
  local x, w, how = whole(case[1], 1):float64(), whole(case[2], 2):float64(), case[3]
  local function dy(shape) return whole({ table.unpack(shape) }, 3) end
  local exact = EXACT and results(by_taps, x, w, how, dy)
  local got = results(lt.conv2d, x:float32(), w:float32(), how, dy)
  local wide = EXACT and results(lt.conv2d, x, w, how, dy)
  local hashes = {}
  for i, result in ipairs(results(lt.conv2d, any(case[1], 4), any(case[2], 5), how, function(shape) return any({ table.unpack(shape) }, 6) end)) do
    hashes[i] = hash_of(result)
  end
  for i, name in ipairs { "y", "dx", "dw" } do
    local function off(result) return exact and (result:float64() - exact[i]):abs():max():item() or 0 end
    print(number, name, off(got[i]), wide and off(wide[i]) or 0, hashes[i])
  end
end
]]

for _, level in ipairs(expect.cpu_levels()) do
  local hashes = {}
  for _, threads in ipairs(expect.is_sanitized() and { 3 } or { 1, 3 }) do
    -- Results that are exact on three threads have the same bits on one.
    local text, ok = expect.program("local EXACT = " .. tostring(threads == 3) .. "\n" .. program, "",
      ("env LUTRA_CPU_LEVEL=%s LUTRA_NUM_THREADS=%d"):format(level, threads))
    assert(ok, text)
    local count = 0
    for line in text:gmatch("[^\n]+") do
      local where, off, wide, hash = line:match("^(%d+\t%a+)\t(%S+)\t(%S+)\t(%S+)$")
      assert(where, line)
      count = count + 1
      local what = ("%s, %d threads: case and result %s"):format(level, threads, where)
      assert(tonumber(off) == 0 and tonumber(wide) == 0, what .. (": off by %s, and in float64 by %s"):format(off, wide))
      assert((hashes[where] or hash) == hash, what .. " has other bits than on one thread")
      hashes[where] = hash
    end
    assert(count == 46 * 3, count)
  end
end
print("ok")
