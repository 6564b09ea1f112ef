local spec = require "spec"

spec "dot" {
  example = { { 1, 2, 3 }, { 4, 5, 6 }, gives = 32, dtype = "int32", shape = {} },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }, gives = { { 19, 22 }, { 43, 50 } } },
    { { { 1, 2 }, { 3, 4 } }, { 1, 10 }, gives = { 21, 43 } },
    { { 1, 10 }, { { 1, 2 }, { 3, 4 } }, gives = { 31, 42 } },
    { 3, { { 1, 2 } }, gives = { { 3, 6 } } },
    { { 1.5, 2 }, 2, gives = { 3.0, 4.0 }, dtype = "float32" },
    { 2, 3, gives = 6, shape = {} },
    -- Above two axes: the last of a, the second-last of b, the others side by side.
    { { { 1, 2 } }, { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, gives = { { { 7, 10 }, { 19, 22 } } } },
    { { { { 1, 2 } }, { { 3, 4 } } }, { 1, 10 }, gives = { { 21 }, { 43 } } },
    { { { { 1, 2 } } }, { { { 1 }, { 2 } } }, gives = { { { { 5 } } } } },
    { zeros(2, 0), zeros(0, 3), gives = { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } } },
    { zeros(0), zeros(0), gives = 0.0, shape = {} },
    { zeros(0, 2), zeros(3, 2, 4), shape = { 0, 3, 4 } },
    { int8 { 100, 100 }, int8 { 1, 1 }, gives = -56, dtype = "int8", shape = {} },
    -- A number takes the tensor's dtype, and its digits.
    { int8 { 100, 3 }, 2, gives = { -56, 6 }, dtype = "int8" },
    { 0.1, float64 { 1, 3 }, gives = { 0.1, 3 * 0.1 }, dtype = "float64", tolerance = 0 },
    { float16 { 1, 3 }, 0.5, gives = { 0.5, 1.5 }, dtype = "float16" },
    { int64 { 3037000500 }, { 3037000500 }, gives = 3037000500 * 3037000500, dtype = "int64", shape = {} },
    { float16 { 2048, 1, 1 }, float16 { 1, 1, 1 }, gives = 2050, dtype = "float16" },
    { { 0.0, 1.0 }, { 0 / 0, 1.0 }, gives = 0 / 0, shape = {} },
  },
  gradients = {
    { { 1, 2, 3 }, { 4, 5, 7 } }, { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, { { { 1, 2 }, { 3, 4 } }, { 1, 10 } },
    { { 1, 10 }, { { 1, 2 }, { 3, 4 } } }, { random { 2, 2, 3 }, random { 2, 3, 2 } }, { random { 2, 3 }, random { 2, 3, 2 } },
    { random { 3 }, random { 2, 3, 2 } }, { random { 2, 1, 3 }, random { 3 } }, { made(function() return lt.constant(2.5) end), { 1, 2 } },
    { { { 1, 2 }, { 3, 4 } }, 2.5 }, { -1.5, { 3, 4 } },
  },
  rejects = {
    { args = { { 1, 2, 3 }, { 1, 2 } }, says = "dot: a (3,) and b (2,) do not match: a's last axis (3) must equal b's first (2)" },
    { args = { { { 1, 2 } }, { { { 1, 2 } } } }, says = "a's last axis (2) must equal b's second-last (1)" },
    { args = { zeros(1, 1, 1, 1, 1, 2), zeros(1, 1, 2, 1, 1) }, says = "do not match" },
    { args = { zeros(1, 1, 1, 1, 1, 2), zeros(1, 1, 1, 2, 1) }, says = "would give 9 axes, and there can be no more than 8" },
    { args = { bool { true }, { 1 } }, says = "dot: a is bool, expected a number; cast it first" },
    { args = { { 1 }, bool { true } }, says = "dot: b is bool" },
    { args = { { 1 } }, says = "dot: 1 argument given" },
  },
  check = function(t)
    for _, dtype in ipairs(numbers) do
      local a, b = counted({ 2, 3, 4 }, dtype, 3), counted({ 5, 4, 3 }, dtype, 3)
      local c = lt.dot(a, b)
      t.ok(c.dtype == dtype, dtype)
      t.equal(c.shape, { 2, 3, 5, 3 })
      for i = 1, 5 do t.equal(c[{ {}, {}, i }], a:matmul(b[i]), dtype) end
    end
    local a, b = random_tensor({ 150, 140 }, "float32"), random_tensor({ 140, 130 }, "float32", 2)
    t.equal(a:dot(b), a:matmul(b), "large")
    t.close(a[1]:dot(a[2]), (a[1] * a[2]):sum():totable(), 1e-4)
  end,
}

spec "outer" {
  example = { { 1, 2 }, { 3, 4 }, gives = { { 3, 4 }, { 6, 8 } }, dtype = "int32" },
  examples = {
    { { { 1 }, { 2 } }, { { 1.5, 2 } }, gives = { { 1.5, 2.0 }, { 3.0, 4.0 } }, dtype = "float32" },
    { 2, { 1, 2 }, gives = { { 2, 4 } } },
    { 2, 3, gives = { { 6 } } },
    { zeros(0), zeros(2), shape = { 0, 2 } },
    { zeros(2), zeros(3, 0), shape = { 2, 0 } },
    { int8 { 100 }, int8 { 2 }, gives = { { -56 } }, dtype = "int8" },
    { uint8 { 200 }, int8 { 2 }, gives = { { 400 } }, dtype = "int16" },
    { bool { true, false }, { 3 }, gives = { { 3 }, { 0 } }, dtype = "int32" },
    -- A number takes the tensor's dtype, and its digits.
    { int8 { 100, 3 }, 2, gives = { { -56 }, { 6 } }, dtype = "int8" },
    { 0.1, float64 { 1, 3 }, gives = { { 0.1, 3 * 0.1 } }, dtype = "float64", tolerance = 0 },
  },
  gradients = {
    { { 1, 2 }, { 3, 4, 5 } }, { random { 2, 2 }, random { 1, 2 } }, { { 2 }, { 3 } }, { { { 1, 2 }, { 3, 4 } }, 2.5 }, { -1.5, { 3, 4 } },
  },
  rejects = {
    { args = { bool { true }, bool { true } }, says = "outer: a is bool, expected a number; cast it first" },
    { args = { { 1 } }, says = "outer: 1 argument given" },
    { args = { { 1 }, "x" }, says = "outer: b is" },
  },
  check = function(t)
    for _, dtype in ipairs(numbers) do
      local a, b = counted({ 300 }, dtype, 3), counted({ 170 }, dtype, 3)
      t.equal(a:outer(b), (a:float32():reshape { 300, 1 } * b:float32():reshape { 1, 170 }):cast(dtype), dtype)
    end
  end,
}

spec "trace" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = 5, dtype = "int64", shape = {} },
  examples = {
    { { { 1.5, 2, 3 }, { 3, 4, 5 } }, gives = 5.5, dtype = "float32", shape = {} },
    { { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, gives = { 1, 3 }, dtype = "int64" },
    { bool { { true, false }, { true, true } }, gives = 2, dtype = "int64", shape = {} },
    { int8 { { 100, 0 }, { 0, 100 } }, gives = 200, dtype = "int64" },
    { uint8 { { 255, 0 }, { 0, 255 } }, gives = 510, dtype = "int64" },
    { float16 { { 2048, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, gives = 2050, dtype = "float16" },
    { int64 { { math.maxinteger, 0 }, { 0, 1 } }, gives = math.mininteger, dtype = "int64" },
    { zeros(0, 0), gives = 0.0, shape = {} },
    { zeros(3, 0), gives = 0.0, shape = {} },
    { zeros(0, 2, 2), shape = { 0 } },
    { { { 0 / 0 } }, gives = 0 / 0, shape = {} },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { random { 2, 3 } }, { random { 3, 2 } }, { random { 2, 2, 3 } } },
  rejects = {
    { args = { { 1, 2 } }, says = "trace: x (2,) has 1 axis, expected a matrix or a batch of matrices" },
    { args = { 3 }, says = "trace: x () has 0 axes" },
    { args = { "x" }, says = "trace: x is" },
  },
  check = function(t)
    local x = random_tensor { 7, 90, 80 }
    t.close(x:trace(), (x * lt.eye(90, 80, { dtype = "float64" })):sum({ 2, 3 }), 1e-12)
    local many = counted({ 9000, 3, 3 }, "float32", 3)
    t.equal(many:trace(), (many * lt.eye(3)):sum { 2, 3 })
  end,
}

spec "diag" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { 1, 4 }, dtype = "int32" },
  examples = {
    { { 1, 2 }, gives = { { 1, 0 }, { 0, 2 } }, dtype = "int32" },
    { { 1.5 }, 1, gives = { { 0.0, 1.5 }, { 0.0, 0.0 } } },
    { { 1, 2 }, { k = -1 }, gives = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, gives = { 2, 6 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 2, gives = { 3 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { k = -1 }, gives = { 4 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 3, shape = { 0 }, dtype = "int32" },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, math.mininteger, shape = { 0 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, math.maxinteger, shape = { 0 } },
    { bool { true, false }, gives = { { true, false }, { false, false } }, dtype = "bool" },
    { zeros(0), shape = { 0, 0 } },
    { zeros(0), 2, gives = { { 0.0, 0.0 }, { 0.0, 0.0 } } },
    { zeros(0, 3), shape = { 0 } },
  },
  gradients = {
    { { 1, 2, 3 } }, { { 1, 2 }, 1 }, { { 1, 2 }, { k = -2 } }, { random { 3, 3 } }, { random { 2, 4 }, 1 }, { random { 4, 2 }, { k = -1 } },
    { random { 2, 4 }, { k = -1 } },
  },
  rejects = {
    { args = { 3 }, says = "diag: x () has 0 axes, expected a vector, to make a matrix of, or a matrix, to take the diagonal of" },
    { args = { zeros(1, 1, 1) }, says = "diag: x (1, 1, 1) has 3 axes" },
    { args = { { 1 }, math.mininteger }, says = "diag: k is" },
    { args = { { 1 }, math.maxinteger }, says = "diag: k is" },
    { args = { { 1 }, 1 << 40 }, says = "diag" },
    { args = { { 1 }, 1.5 }, says = "diag: k is 1.5, expected an integer" },
    { args = { { 1 }, { m = 1 } }, says = "unknown option 'm'" },
  },
  check = function(t)
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" } do
      local x = counted({ 5 }, dtype, 3)
      for k = -2, 2 do
        t.ok(x:diag(k).dtype == dtype)
        t.equal(x:diag(k):diag(k), x, dtype)
      end
      local wide = counted({ 4, 6 }, dtype, 3)
      for k = -5, 7 do
        local wanted = {}
        for i = 1, 4 do
          if i + k >= 1 and i + k <= 6 then wanted[#wanted + 1] = wide[{ i, i + k }]:item() end
        end
        t.equal(wide:diag(k):totable(), wanted, dtype)
      end
    end
    local large = random_tensor({ 400 }, "float32")
    t.equal(large:diag(), lt.eye(400) * large)
    -- A diagonal outside the matrix passes no gradient.
    local x = lt.constant { { 1.5, 2 }, { 3, 4 } }
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    t.equal(tape:gradient(x:diag(5):sum() + x:sum() * 0, x), { { 0.0, 0.0 }, { 0.0, 0.0 } })
  end,
}

-- triu and tril are the same but for the side.
local function triangle(keeps)
  return function(t, op)
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" } do
      local x = counted({ 2, 4, 5 }, dtype, 3)
      local values = x:totable()
      for _, k in ipairs { -9, -4, -1, 0, 1, 3, 5, math.mininteger, math.maxinteger } do
        local wanted = {}
        for b = 1, 2 do
          wanted[b] = {}
          for i = 1, 4 do
            wanted[b][i] = {}
            for j = 1, 5 do
              local zero = 0
              if dtype == "bool" then zero = false elseif dtype:find("float") then zero = 0.0 end
              if keeps(i, j, k) then wanted[b][i][j] = values[b][i][j] else wanted[b][i][j] = zero end
            end
          end
        end
        local found = op(x, k)
        t.ok(found.dtype == dtype)
        t.equal(found, wanted, ("%s k = %d"):format(dtype, k))
      end
    end
    local large = random_tensor({ 3, 200, 300 }, "float32")
    t.equal(lt.triu(large) + lt.tril(large, -1), large)
    t.equal(lt.triu(large, 7):transpose { 1, 3, 2 }, lt.tril(large:transpose { 1, 3, 2 }, -7))
  end
end

local triangle_rejects = {
  { args = { { 1, 2 } }, says = "x (2,) has 1 axis, expected a matrix or a batch of matrices" },
  { args = { 1 }, says = "has 0 axes" },
  { args = { { { 1 } }, 0.5 }, says = "k is 0.5, expected an integer" },
  { args = { { { 1 } }, { diagonal = 1 } }, says = "unknown option 'diagonal'" },
}

spec "triu" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { { 1, 2 }, { 0, 4 } }, dtype = "int32" },
  examples = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, gives = { { 0, 2, 3 }, { 0, 0, 6 } } },
    { { { 0 / 0, 1 }, { 0 / 0, 2 } }, gives = { { 0 / 0, 1.0 }, { 0.0, 2.0 } } },
    { zeros(0, 2, 2), shape = { 0, 2, 2 } },
    { zeros(2, 0), shape = { 2, 0 } },
  },
  gradients = { { random { 3, 3 } }, { random { 2, 2, 3 }, { k = 1 } }, { random { 3, 2 }, -1 } },
  rejects = triangle_rejects,
  check = function(t) triangle(function(i, j, k) return j - i >= k end)(t, lt.triu) end,
}

spec "tril" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { { 1, 0 }, { 3, 4 } }, dtype = "int32" },
  examples = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { k = -1 }, gives = { { 0, 0, 0 }, { 4, 0, 0 } } },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, gives = { { { 1, 0 }, { 3, 4 } }, { { 5, 0 }, { 7, 8 } } } },
    { zeros(0, 0), shape = { 0, 0 } },
  },
  gradients = { { random { 3, 3 } }, { random { 2, 2, 3 }, { k = 1 } }, { random { 3, 2 }, -1 } },
  rejects = triangle_rejects,
  check = function(t) triangle(function(i, j, k) return j - i <= k end)(t, lt.tril) end,
}
