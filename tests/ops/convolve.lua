local spec = require "spec"
local statistics = require "statistics"

for _, op in ipairs { "convolve", "correlate" } do
  local is_flipped = op == "convolve"
  spec(op) {
    example = is_flipped and { { 1, 2, 3 }, { 0, 1, 5 }, gives = { 0, 1, 7, 13, 15 }, dtype = "int32" }
      or { { 1, 2, 3, 4 }, { 0, 1, 5 }, gives = { 17, 23 }, dtype = "int32" },
    examples = {
      { { 1.5 }, { 2.0 }, gives = { 3.0 } },
      { { 1, 2 }, { 0.5 }, gives = { 0.5, 1 }, dtype = "float32" },
      { float16 { 1, 2 }, float16 { 3 }, gives = { 3, 6 }, dtype = "float16" },
      { { 1, 2, 3 }, { 1, 10 }, "same", gives = is_flipped and { 1, 12, 23 } or { 10, 21, 32 } },
      { int8 { 100, 1 }, int8 { 1, 1 }, "valid", gives = { 101 }, dtype = "int8" },
    },
    gradients = {
      { { 1.5, -2, 3 }, { 0.5, 4 }, "full" }, { { 1.5, -2, 3 }, { 0.5, 4 }, "same" },
      { { 1.5, -2, 3 }, { 0.5, 4 }, "valid" }, { { 1.5, -2 }, { 0.5, 4, 1 } },
    },
    rejects = {
      { args = { { 1 }, { 2 }, "half" }, says = op .. ': mode is "half", expected "full", "same" or "valid"' },
      { args = { { { 1 } }, { 2 } }, says = op .. ": a (1, 1) and v (1,) do not fit: expected two vectors" },
      { args = { zeros { 0 }, { 2 } }, says = op .. ": a (0,) and v (1,) do not fit" },
      { args = { bool { true }, bool { true } }, says = op .. ": a is bool, expected a number" },
      { args = { { 1 } }, says = op .. ": 1 argument given" },
    },
    check = function(t)
      statistics.check(t, op, 1e-12)
      -- Two long ones: the second in pieces, each computed in another way.
      local a, v = random_tensor { 1500 }, random_tensor({ 700 }, "float64", 2)
      local sum = lt.zeros({ 2199 }, { dtype = "float64" })
      for first = 1, 700, 50 do
        local piece = lt[op](a, v[{ { first, first + 49 } }], "full")
        local before = is_flipped and first - 1 or 700 - first - 49
        sum = sum + lt.pad(piece, { { before, 2199 - 1549 - before } })
      end
      t.close(lt[op](a, v, "full"), sum, 1e-11)
      t.close(lt[op](a, v, "valid"), sum[{ { 700, 1500 } }], 1e-11)
      t.close(lt[op](a, v, "same"), sum[{ { 350, 1849 } }], 1e-11)
      -- A long sequence: sums of neighbours.
      local x = lt.range(100000)
      t.equal(lt[op](x, { 1, 1 }, "valid"), x[{ { 1, 99999 } }] + x[{ { 2, 100000 } }])
    end,
  }
end
