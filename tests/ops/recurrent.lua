-- The elementwise part of a recurrent layer's step. tests/lua/recurrent.lua tests the layers, with the formulas.
local spec = require "spec"

-- Numbers of every sign, none of them alike.
local function numbers_in(shape, dtype, start)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return (((lt.range(size, { dtype = "float32" }) * 7 + start) % 41 - 20) / 8):reshape(shape):cast(dtype)
end

-- The same of plain operations.
local function lstm(x, recurrent, c)
  local parts = lt.split(x + recurrent, 4, -1)
  local i, f, g, o = parts[1]:sigmoid(), parts[2]:sigmoid(), parts[3]:tanh(), parts[4]:sigmoid()
  local cell = f * c + i * g
  return o * cell:tanh(), cell, lt.concat({ i, f, g, o }, -1)
end
local function gru(x, recurrent, h)
  local a, b = lt.split(x, 3, -1), lt.split(recurrent, 3, -1)
  local z, r = (a[1] + b[1]):sigmoid(), (a[2] + b[2]):sigmoid()
  local candidate = (a[3] + r * b[3]):tanh()
  return candidate + z * (h - candidate), lt.concat({ z, r, candidate }, -1)
end

-- Rows of all lengths and many of them, in every dtype: the results of plain operations in float64, and their gradients.
local function check(t, op, plain, gates)
  for _, dtype in ipairs(floats) do
    local tolerance = ({ float64 = 1e-13, float32 = 3e-6, float16 = 1e-2, bfloat16 = 8e-2 })[dtype]
    for _, sizes in ipairs { { 1 }, { 3, 17 }, { 2, 0 }, { 0, 3 }, { 2, 3, 5 }, { 700, 40 } } do
      local wide = { table.unpack(sizes) }
      wide[#wide] = gates * wide[#wide]
      local function loss_and_gradients(of, computed)
        local inputs = { numbers_in(wide, computed, 3), numbers_in(wide, computed, 11), numbers_in(sizes, computed, 5) }
        local tape <close> = lt.GradientTape()
        tape:watch(inputs)
        local results, loss = { of(table.unpack(inputs)) }, 0
        for i, result in ipairs(results) do loss = loss + (result * numbers_in(result.shape, computed, i)):sum() end
        local all = tape:gradient(loss, inputs)
        return table.move(all, 1, #all, #results + 1, results)
      end
      local found, wanted = loss_and_gradients(op, dtype), loss_and_gradients(plain, "float64")
      for i, one in ipairs(wanted) do
        local got = found[i]
        t.ok(got.dtype == dtype and got.shape == one.shape, dtype)
        local apart = one.size > 0 and lt.max(lt.abs(got:cast("float64") - one)):item() or 0
        t.ok(apart <= 4 * tolerance, ("%s, result %d: %g apart"):format(dtype, i, apart))
      end
    end
  end
end

spec "lstm_cell" {
  example = { { 0.0, 9.0, 1.0, 0.0 }, { 0.0, 91.0, 1.0, 0.0 }, { 1.0 },
    gives = { { 0.4509 }, { 1.482 }, { 0.5, 1.0, 0.964, 0.5 } }, dtype = "float32" },
  examples = {
    { { { 0.5, -1, 2, 0.25, -0.5, 1.5, -2, 1 } }, { { 0.25, 0.5, -1, 0.5, 1, -2, 1, 0.75 } }, { { 0.5, -1.5 } },
      gives = { { { 0.158977, -0.708467 } }, { { 0.679389, -1.193236 } },
        { { 0.679179, 0.377541, 0.731059, 0.679179, 0.462117, -0.462117, 0.268941, 0.851953 } } } },
    { { 0, 100, 0, 100 }, { 0, 0, 0, 0 }, { 2 }, gives = { { 0.9640 }, { 2 }, { 0.5, 1, 0, 1 } }, dtype = "float32" },
  },
  rejects = {
    { args = { zeros { 2, 8 }, zeros { 2, 8 }, zeros { 2, 3 } },
      says = "lstm_cell: x has the shape (2, 8), and c (2, 3): expected (2, 12), which is 4 numbers for each of them" },
    { args = { zeros { 2, 8 }, zeros { 3, 8 }, zeros { 2, 2 } }, says = "lstm_cell: recurrent has the shape (3, 8), and c (2, 2)" },
    { args = { zeros { 4 }, zeros { 4 }, 1.0 }, says = "lstm_cell: c is" },
    { args = { zeros { 4 }, zeros { 4 } }, says = "lstm_cell: 2 arguments given, expected lstm_cell(x, recurrent, c)" },
    { args = { bool { true, true, true, true }, bool { true, true, true, true }, bool { true } }, says = "lstm_cell: x is bool" },
  },
  gradients = {
    { { { 0.5, -1, 0.75, 0.25 } }, { { 0.25, 0.5, -1, 0.5 } }, { { 0.5 } } },
    { { 0.3, -0.2, 1, 0.25, -0.5, 1.5, -2, 1 }, { 0.25, 0.5, -1, 0.5, 1, -2, 1, 0.75 }, { 0.5, -1.5 } },
  },
  check = function(t) check(t, lt.lstm_cell, lstm, 4) end,
}

spec "gru_cell" {
  example = { { 0.0, 9.0, 1.0 }, { 0.0, 91.0, 1.0 }, { 0.0 }, gives = { { 0.482 }, { 0.5, 1.0, 0.964 } }, dtype = "float32" },
  examples = {
    { { { 0.5, -1, 2, 0.25, -0.5, 1.5 } }, { { 0.25, 0.5, -1, 0.5, 1, -2 } }, { { 0.5, -1.5 } }, gives = { { { 0.412426, -0.478729 } }, { { 0.679179, 0.377541, 0.731059, 0.679179, 0.227033, 0.140703 } } } },
    { { 100, 0, 5 }, { 0, 0, 0 }, { 3 }, gives = { { 3 }, { 1, 0.5, 0.9999 } }, dtype = "float32" },
  },
  rejects = {
    { args = { zeros { 2, 6 }, zeros { 2, 6 }, zeros { 2, 3 } },
      says = "gru_cell: x has the shape (2, 6), and h (2, 3): expected (2, 9), which is 3 numbers for each of them" },
    { args = { zeros { 2, 6 }, zeros { 3, 6 }, zeros { 2, 2 } }, says = "gru_cell: recurrent has the shape (3, 6), and h (2, 2)" },
    { args = { zeros { 3 }, zeros { 3 } }, says = "gru_cell: 2 arguments given, expected gru_cell(x, recurrent, h)" },
  },
  gradients = {
    { { { 0.5, -1, 0.75 } }, { { 0.25, 0.5, -1 } }, { { 0.5 } } },
    { { 0.3, -0.2, 1, 0.25, -0.5, 1.5 }, { 0.25, 0.5, -1, 0.5, 1, -2 }, { 0.5, -1.5 } },
  },
  check = function(t) check(t, lt.gru_cell, gru, 3) end,
}
