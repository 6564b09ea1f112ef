local spec = require "spec"

spec "glu" {
  example = { { 2.0, 0.0 }, gives = { 1 }, dtype = "float32" },
  -- PyTorch's results, in float64.
  examples = {
    { { { 1, 2, 3, 4 }, { -1, 0.5, -2, 100 } }, gives = { { 0.9525741268, 1.9640275801 }, { -0.1192029220, 0.5 } }, tolerance = 1e-6 },
    { { { 1, 2 }, { 3, -4 } }, 1, gives = { { 0.9525741268, 0.0359724199 } }, tolerance = 1e-6 },
    { { { { 1.0 }, { 2 } }, { { 3 }, { -4 } } }, { axis = 2 }, gives = { { { 0.8807970780 } }, { { 0.0539586298 } } }, tolerance = 1e-6 },
    { { 3, 1 }, gives = { 2.1931757359 }, dtype = "float32", tolerance = 1e-6 },
    { { 1 / 0, -1 / 0 }, gives = { 0 / 0 } }, { { 2.0, -1 / 0 }, gives = { 0 } }, { { 2.0, 1 / 0 }, gives = { 2 } },
    { zeros(0, 4), shape = { 0, 2 } }, { zeros(3, 0), shape = { 3, 0 } }, { zeros(4, 0), 1, shape = { 2, 0 } },
  },
  rejects = {
    { args = { bool { true, false } }, says = "glu: x is bool, expected a number" },
    { args = { 1.0 }, says = "glu: x is a scalar, which has no axis to halve" },
    { args = { { 1, 2, 3 } }, says = "glu: axis 1 has 3 elements, which cannot be halved" },
    { args = { { { 1, 2 } }, 1 }, says = "glu: axis 1 has 1 element, which cannot be halved" },
    { args = { { 1, 2 }, 3 }, says = "glu: axis" },
    { args = { { 1, 2 }, { axis = { 1, 1 } } }, says = "glu: " },
    { args = { { 1, 2 }, { dim = 1 } }, says = "glu: unknown option 'dim'" },
  },
  gradients = { { { { 1, -2, 3, 0.5 }, { 0.25, 4, -3, 2 } } }, { { { 1, -2, 3 }, { 0.25, 4, -3 } }, 1 } },
  check = function(t)
    -- Against the ops that it is made of, over several threads and in all dtypes.
    for dtype, tolerance in pairs { float32 = 1e-6, float64 = 1e-14, float16 = 2e-3, bfloat16 = 2e-2 } do
      for _, axis in ipairs { 1, 2, 3 } do
        local x = (lt.random.normal({ 6, 130, 22 }, { seed = 3 }) * 3):cast(dtype)
        local halves = lt.split(x, 2, axis)
        t.equal(lt.glu(x, axis).shape, halves[1].shape)
        t.close(lt.glu(x, axis):float64(), (halves[1]:float64() * lt.sigmoid(halves[2]:float64())):totable(), tolerance)
      end
    end
    local x = lt.random.normal({ 300, 400 }, { seed = 4 })
    t.close(lt.glu(x), (x[{ {}, { 1, 200 } }] * lt.sigmoid(x[{ {}, { 201, 400 } }])):totable(), 1e-6)
  end,
}
