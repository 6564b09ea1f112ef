local spec = require "spec"

local nan, inf = 0 / 0, math.huge
local rows = { { 1.5, 2 }, { 3, 4 }, { 5, -6 } }

local function segment(op, example, gives_rows, more)
  local examples = {
    { rows, int32 { 3, 1, 3 }, 3, gives = gives_rows },
    { rows, int32 { { 1, 2 }, { 1, 2 }, { 2, 1 } }, 2, gives = more },
    { zeros { 0, 2 }, zeros({ 0 }, "int32"), 0, shape = { 0, 2 } },
  }
  spec(op) {
    example = example,
    examples = examples,
    gradients = { { rows, int32 { 2, 1, 2 }, 2 }, { rows, int32 { 2, -1, 1 }, 2 } },
    rejects = {
      { args = { { 1, 2 }, { 1, 3 }, 2 }, says = "index 3 is past the axis' end (2)", code = "OutOfRange" },
      { args = { { 1, 2 }, { 1, 0 }, 2 }, says = "index 0; indices count from 1" },
      { args = { { 1, 2 }, { 1 }, 2 }, says = op .. ": segment_ids (1,) does not fit x (2,): it must have the sizes of x's leading axes" },
      { args = { { 1, 2 }, { 1, 1 }, -1 }, says = op .. ": num_segments is -1, expected 0 or more" },
      { args = { { 1, 2 }, { 1.5, 1 }, 2 }, says = op .. ": segment_ids is float32, expected an integer" },
      { args = { bool { true }, { 1 }, 1 }, says = op .. ": x is bool, expected a number" },
      { args = { { 1 }, { 1 } }, says = op .. ": 2 arguments given" },
    },
    check = function(t)
      for _, dtype in ipairs(numbers) do
        local x = lt.constant({ 1, 2, 3 }, { dtype = dtype })
        local got = lt[op](x, { 1, 1, 1 }, 1)
        local wanted = { unsorted_segment_sum = 6, unsorted_segment_mean = 2, unsorted_segment_max = 3, unsorted_segment_min = 1 }
        t.ok(got:item() == wanted[op], dtype)
        -- Negative ids are dropped, as TensorFlow's are.
        got = lt[op](lt.constant({ 100, 1, 2, 0, 3 }, { dtype = dtype }), { -1, 1, 1, -7, 1 }, 1)
        t.ok(got:item() == wanted[op], dtype .. ", negative ids")
        if op == "unsorted_segment_max" or op == "unsorted_segment_min" then
          -- An empty segment: TensorFlow gives the dtype's limit.
          local low = { int8 = -128, uint8 = 0, int16 = -32768, int32 = -2147483648, int64 = math.mininteger, float16 = -65504 }
          local high = { int8 = 127, uint8 = 255, int16 = 32767, int32 = 2147483647, int64 = math.maxinteger, float16 = 65504 }
          local limit = (op == "unsorted_segment_max" and low or high)[dtype]
          local empty = lt[op](x, { 1, 1, 1 }, 2)[2]:item()
          t.ok(limit == nil or empty == limit, dtype)
          t.ok(math.abs(empty) < inf, dtype)
        end
      end
    end,
  }
end

segment("unsorted_segment_sum", { { 1, 2, 3 }, { 2, 1, 2 }, 3, gives = { 2, 4, 0 }, dtype = "int32" },
  { { 3, 4 }, { 0, 0 }, { 6.5, -4 } }, { -1.5, 11 })
segment("unsorted_segment_mean", { { 1, 2, 3 }, { 2, 1, 2 }, 3, gives = { 2, 2, 0 }, dtype = "float32" },
  { { 3, 4 }, { 0, 0 }, { 3.25, -2 } }, { -0.5, 11 / 3 })
segment("unsorted_segment_max", { { 1, 2, 3 }, { 2, 1, 2 }, 2, gives = { 2, 3 }, dtype = "int32" },
  { { 3, 4 }, { -3.4028234663852886e38, -3.4028234663852886e38 }, { 5, 2 } }, { 3, 5 })
segment("unsorted_segment_min", { { 1, 2, 3 }, { 2, 1, 2 }, 2, gives = { 2, 1 }, dtype = "int32" },
  { { 3, 4 }, { 3.4028234663852886e38, 3.4028234663852886e38 }, { 1.5, -6 } }, { -6, 2 })

spec "sequence_mask" {
  example = { { 1, 3 }, 3, gives = { { true, false, false }, { true, true, true } }, dtype = "bool" },
  examples = {
    { { 0, 9, -1 }, 2, gives = { { false, false }, { true, true }, { false, false } } },
    { 2, 3, gives = { true, true, false } },
    { { 1 }, 0, shape = { 1, 0 } },
    { int8 { 127 }, 1, gives = { { true } } },
    { { 1, 3, 0 }, gives = { { true, false, false }, { true, true, true }, { false, false, false } } },
    { zeros({ 0 }, "int32"), shape = { 0, 0 } },
  },
  rejects = {
    { args = { { 1 }, -1 }, says = "sequence_mask: maxlen is -1, expected 0 or more" },
    { args = { { 1.5 }, 2 }, says = "sequence_mask: lengths is float32, expected an integer" },
    { args = {}, says = "sequence_mask: 0 arguments given" },
    { args = { { 1.5 } }, says = "sequence_mask: lengths is float32, expected an integer" },
    { args = { zeros({ 1, 1, 1, 1, 1, 1, 1, 1 }, "int32"), 2 }, says = "has 8 axes already" },
  },
}

spec "clip_by_norm" {
  example = { { 3.0, 4.0 }, 1, gives = { 0.6, 0.8 } },
  examples = {
    { { 3.0, 4.0 }, 10, gives = { 3, 4 } },
    { { { 3.0, 4.0 }, { 0.3, 0.4 } }, 1, 2, gives = { { 0.6, 0.8 }, { 0.3, 0.4 } } },
    { { 0.0, 0.0 }, 1, gives = { 0, 0 } },
    { { 3.0, 4.0 }, 0, gives = { 0, 0 } },
    { { 3, 4 }, 1, gives = { 0.6, 0.8 }, dtype = "float32" },
    { zeros { 0 }, 1, shape = { 0 } },
    { { nan, 1.0 }, 1, gives = { nan, nan } },
  },
  gradients = { { { 3, 4 }, 1 }, { { 0.3, 0.4 }, 1 }, { { { 3, 4 }, { 0.5, 9 } }, 2.5, { axis = 1 } } },
  rejects = {
    { args = { { 1 }, -1 }, says = "clip_by_norm: clip_norm is -1, expected 0 or more" },
    { args = { { 1 }, 1, 2 }, says = "clip_by_norm: axis 2 is not there" },
    { args = { { 1 } }, says = "clip_by_norm: 1 argument given" },
  },
}
