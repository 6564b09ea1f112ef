-- The kernels of every level of the processor give the same bits. Exceptions: factorisations, which are LAPACK's if
-- it is there (factorise_levels.lua compares ours), products, which are oneDNN's, and functions made from exp and the like, whose last bits differ.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local levels = expect.cpu_levels()
if #levels < 2 then
  print("this build has CPU kernels for " .. levels[1] .. " only: scripts/dev check --all compares levels")
  os.exit(77)
end

-- Calls every op that takes one or two float tensors, and some others, on many elements; prints a checksum of each result
-- that must be the same, and saves the others to PATH.
local program = [[
local function sum(t)
  local bytes, hash = t:bytes(), 0
  for i = 1, #bytes - 7, 8 do hash = (hash * 31 + string.unpack("<i8", bytes, i)) & 0x7fffffffffffffff end
  return ("%s %s %x"):format(t.dtype, t.shape, hash)
end
local function set(names)
  local is_in = {}
  for name in names:gmatch("%S+") do is_in[name] = true end
  return is_in
end
local skipped = set("save load Variable tidy device help time synchronize matmul qr svd det slogdet lu eigh " ..
                    "eigvalsh eig eigvals expm pinv lstsq cond matrix_norm polyfit triangular_solve cholesky_solve map_fn vmap scan while_loop dct idct cov corrcoef inner")
local rounded = set("exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh erf sigmoid silu gelu softplus elu selu " ..
                    "mish log_sigmoid celu glu kl_div ctc_loss scaled_dot_product_attention pow atan2 asinh acosh atanh " ..
                    "log2 log10 gumbel_softmax xlogy logaddexp logit softmax log_softmax logsumexp erfc erfinv lgamma digamma " ..
                    "gammainc gammaincc bessel_i0 exp2 logaddexp2 logcumsumexp sinc tanhshrink")
local kept, count_kept = {}, 0
local function tell(name, result, ...)
  if skipped[name] or getmetatable(result) ~= "lutra.Tensor" then return end
  if not rounded[name] then return print(name, ..., sum(result)) end
  count_kept = count_kept + 1
  kept[("%03d %s %s"):format(count_kept, name, result.dtype)] = result:cast("float64")
end
local names = {}
for name, f in pairs(lt) do
  if type(f) == "function" then names[#names + 1] = name end
end
table.sort(names)
for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int32", "uint8" } do
  local x = (lt.random.normal({ 64, 65 }, { seed = 1 }) * 4):cast(dtype)
  local y = (lt.random.uniform({ 64, 65 }, { seed = 2 }) * 3 + 1):cast(dtype)
  for _, name in ipairs(names) do
    for count = 1, 2 do
      lt.random.set_seed(1)
      local ok, result = pcall(lt[name], table.unpack({ x, y }, 1, count))
      if ok then tell(name, result, count) end
    end
  end
  for _, name in ipairs(names) do
    for axis = 1, 2 do
      lt.random.set_seed(1)
      local ok, result = pcall(lt[name], x, { axis = axis })
      if ok then tell(name, result, "axis", axis) end
    end
  end
end
print(sum(lt.random.randint({ 1001 }, -5, 5, { seed = 3 })), sum(lt.random.randint({ 1001 }, 0, 1 << 40, { seed = 3 })))
print(sum(lt.random.normal({ 1001 }, { seed = 3 })), sum(lt.random.normal({ 1001 }, { seed = 3, dtype = "float64" })))
lt.save("PATH", kept)
]]

-- How far two levels' results may lie apart: some four units in the last place, and where results are next to 0 because
-- numbers next to 1 were taken off each other, as much of those.
local tolerance = { float32 = 5e-7, float64 = 1e-15, float16 = 1e-3, bfloat16 = 8e-3 }
local function expect_close(name, a, b)
  local same = a:eq(b) | (lt.isnan(a) & lt.isnan(b))
  local several = name:find "digamma" and 2 or 1 -- of negative numbers it is a difference of two functions
  local allowed = lt.maximum(lt.abs(a), 1) * (several * (tolerance[name:match("%S+$")] or 0))
  local wrong = (~(same | lt.abs(a - b):le(allowed))):cast("int64"):sum():item()
  expect.equal(name .. ": " .. wrong .. " differ", name .. ": 0 differ")
end

local said, saved = {}, {}
for i, level in ipairs(levels) do
  local name = os.tmpname()
  local path = name .. ".npz"
  local text, ok = expect.program((program:gsub("PATH", path)), "", "env LUTRA_CPU_LEVEL=" .. level)
  assert(ok, text)
  local _, lines = text:gsub("\n", "\n")
  assert(lines > 100, text)
  said[i], saved[i] = text, lt.load(path)
  os.remove(path)
  os.remove(name)
end
for i = 2, #said do
  local first, other = said[1]:gmatch("[^\n]+"), said[i]:gmatch("[^\n]+")
  for line in first do expect.equal(other(), line) end
  local count = 0
  for name, result in pairs(saved[1]) do
    count = count + 1
    expect_close(name, result, saved[i][name])
  end
  assert(count > 50, count)
end
print("ok")
