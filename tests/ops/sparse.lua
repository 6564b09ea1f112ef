local spec = require "spec"

spec "coo_matmul" {
  example = { { 2.0, 3.0 }, { 1, 2 }, { 2, 2 }, { 10.0, 1.0 }, 2, gives = { 2, 3 }, dtype = "float32" },
  examples = {
    { { 2.0, 3.0, 4.0 }, { 3, 1, 3 }, { 1, 2, 1 }, { { 1.0, 10.0 }, { 100.0, 1000.0 } }, 3,
      gives = { { 300, 3000 }, { 0, 0 }, { 6, 60 } } },
    { { 1, 2 }, { 1, 1 }, { 1, 2 }, { 3, 4 }, 1, gives = { 11 }, dtype = "float32" },
    { float64 { 0.5 }, { 1 }, { 1 }, { 3 }, 1, gives = { 1.5 }, dtype = "float64" },
    { {}, int64 {}, int64 {}, { 1.0, 2.0 }, 2, gives = { 0, 0 } },
    { { 1.0 }, { 1 }, { 1 }, { { 1 / 0, 2 } }, 1, gives = { { 1 / 0, 2 } } },
    { { 1.0 }, { 1 }, { 1 }, zeros(1, 0), 3, shape = { 3, 0 } },
  },
  rejects = {
    { args = { { { 1.0 } }, { 1 }, { 1 }, { 1.0 }, 1 }, says = "coo_matmul: values has the shape (1, 1), expected a vector" },
    { args = { { 1.0 }, { 1, 2 }, { 1 }, { 1.0 }, 1 }, says = "coo_matmul: rows has the shape (2,), expected (1,)" },
    { args = { { 1.0 }, { 1 }, { { 1 } }, { 1.0 }, 1 }, says = "coo_matmul: columns has the shape (1, 1), expected (1,)" },
    { args = { { 1.0 }, { 1 }, { 1 }, 1.0, 1 }, says = "coo_matmul: b" },
    { args = { { 1.0 }, { 1 }, { 1 }, { 1.0 }, -1 }, says = "coo_matmul: size is -1, expected 0 or more" },
    { args = { { 1.0 }, { 0 }, { 1 }, { 1.0 }, 1 }, says = "coo_matmul: index 0" },
    { args = { { 1.0 }, { 2 }, { 1 }, { 1.0 }, 1 }, says = "coo_matmul: index 2 is not there: expected 1 to 1", code = "OutOfRange" },
  },
  gradients = {
    { { 1.5, -2, 0.3 }, { 2, 1, 2 }, { 1, 3, 1 }, { { 1, 2 }, { 3, 4 }, { -5, 6 } }, 3, fixed = { [2] = true, [3] = true } },
    { { 1.5, -2 }, { 1, 2 }, { 2, 2 }, { 3, -4 }, 2, fixed = { [2] = true, [3] = true } },
  },
  gpu = false,
}
