local spec = require "spec"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local axis_rejects = reductions.axis_rejects

-- x is turned round for argmin, so that the same places are found.
local function place(op, sign)
  local function turned(value)
    if type(value) ~= "table" then return type(value) == "number" and sign * value or value end
    local list = {}
    for i, entry in ipairs(value) do list[i] = turned(entry) end
    return list
  end
  local low = op == "argmin"
  spec(op) {
    example = { turned { 1, 5, 3 }, gives = 2, dtype = "int64", shape = {} },
    examples = {
      { turned { { 1, 9, 3 }, { 4, 5, 6 } }, gives = 2, shape = {} },
      { turned { { 1, 2, 3 }, { 4, 5, 6 } }, gives = 6, shape = {} },
      { turned { { 1, 9, 3 }, { 4, 5, 6 } }, 1, gives = { 2, 1, 2 } },
      { turned { { 1, 9, 3 }, { 4, 5, 6 } }, 2, gives = { 2, 3 } },
      { turned { { 1, 9, 3 }, { 4, 5, 6 } }, { axis = -1, keepdims = true }, gives = { { 2 }, { 3 } } },
      { turned { { 1, 9, 3 }, { 4, 5, 6 } }, { axis = { 2 } }, gives = { 2, 3 } },
      { turned { { 1, 9, 3 }, { 4, 5, 6 } }, { keepdims = true }, gives = { { 2 } } },
      { turned { 3, 7, 7, 1 }, gives = 2 },
      { turned { 3, nan, 7, nan }, gives = 2 },
      { { { 1, nan }, { nan, nan } }, 1, gives = { 2, 1 } },
      { { { nan, inf }, { inf, -inf } }, 2, gives = { 1, low and 2 or 1 } },
      { { -inf, -inf }, gives = 1 },
      { { inf, inf }, gives = 1 },
      { { 0.0, -0.0 }, gives = 1 },
      { { -0.0, 0.0 }, gives = 1 },
      { { { -0.0 }, { 0.0 } }, 1, gives = { 1 } },
      { float16 { -0.0, 0.0 }, gives = 1 },
      { float16 { 0.0, -0.0 }, gives = 1 },
      { bfloat16 { { -0.0 }, { 0.0 } }, 1, gives = { 1 } },
      { float16 { 1, nan, inf, nan }, gives = 2 },
      { bfloat16 { { 1, -inf }, { nan, 2 } }, 1, gives = { 2, low and 1 or 2 } },
      { int8 { 5, -128, 127, -128, 127 }, gives = low and 2 or 3 },
      { uint8 { 5, 0, 255, 0, 255 }, gives = low and 2 or 3 },
      { int16 { { 5, -32768 }, { 32767, 3 } }, 1, gives = low and { 1, 1 } or { 2, 2 } },
      { { false, true, true, false }, gives = low and 1 or 2 },
      { { { true, false }, { false, true } }, 1, gives = low and { 2, 1 } or { 1, 2 } },
      { int64 { math.mininteger, math.mininteger }, gives = 1 },
      { int64 { math.maxinteger, math.maxinteger }, gives = 1 },
      { 5, gives = 1, shape = {} },
      { zeros { 0, 3 }, 2, shape = { 0 }, dtype = "int64" },
    },
    rejects = axis_rejects(op, matrix, {
      { args = { matrix, { 1, 2 } }, says = op .. ": axis is a list of 2, expected one axis" },
      { args = { matrix, { axis = {} } }, says = op .. ": axis is a list of 0, expected one axis" },
      { args = { zeros { 0 } }, says = op .. ": x (0,) has no elements to reduce, and " .. op .. " of no elements is undefined" },
      { args = { zeros { 0, 3 }, 1 }, says = op .. ": x (0, 3) has no elements to reduce" },
      { args = { zeros { 0, 0 }, 2 }, says = op .. ": x (0, 0) has no elements to reduce" },
      { args = { matrix, { index_base = 0 } }, says = op .. ": unknown option 'index_base'" },
    }),
    check = function(t)
      local n = 5000
      for _, at in ipairs { 1, 32, 33, 1024, 1025, 4999, 5000 } do
        local x = lt.range(1, n + 1):ge(at):cast("int64") * sign  -- equals from `at` on: the first wins
        for _, dtype in ipairs { "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" } do
          t.equal(lt[op](x:cast(dtype)), at)
          t.equal(lt[op](x:cast(dtype):reshape { n, 1 }, 1), { at })
          local columns = lt.stack({ x:cast(dtype), (lt.range(n) // 40 * sign):cast(dtype) }, 2)
          t.equal(lt[op](columns, 1), { at, 4961 })
        end
        t.equal(lt[op](low and x:eq(0) or x:ne(0)), at)
        t.equal(lt[op]((x - (low and -1 or 0)):uint8()), at)
      end
      for _, dtype in ipairs(floats) do
        local x = lt.where(lt.range(n):eq(4000), nan, lt.range(n):cast("float32")):cast(dtype)
        t.equal(lt[op](x), 4001)
        t.equal(lt[op](x:reshape { 50, 100 }, 2)[41], 1)
        t.equal(lt[op](x:reshape { 50, 100 }, 1)[1], 41)
      end
    end,
  }
end

place("argmax", 1)
place("argmin", -1)
