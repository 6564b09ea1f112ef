-- A product worth a GPU: two random N x N matrices. N is the first argument, 10000 unless said:
--   scripts/run scripts/guide/matmul_random.lua 4000
-- It prints where things are and whether the numbers make sense; the digits themselves are random.
local n = math.tointeger(tonumber(arg[1] or 10000))
assert(n and n > 0, "N must be a positive whole number")

local a = lt.random.normal {n, n}
local b = lt.random.normal {n, n}
print("a", a.device, a.shape, a.dtype)
print("b", b.device, b.shape, b.dtype)

lt.synchronize()
local start = lt.time()
local c = lt.matmul(a, b)
lt.synchronize()                                         -- a GPU works on while the script runs ahead: wait for it
local seconds = lt.time() - start
print("c", c.device, c.shape, c.dtype)
print(("%d x %d: %.3f s, %.1f GFLOP/s"):format(n, n, seconds, 2 * n ^ 3 / seconds / 1e9))

-- An element of c is a sum of n products of standard normal numbers: its mean is 0, its variance n.
local mean = lt.mean(c):item()
local deviation = (c - mean):square():mean():sqrt():item()
print("mean is near 0: " .. tostring(math.abs(mean) < 0.1 * math.sqrt(n)))
print("deviation is near the square root of n: " .. tostring(math.abs(deviation / math.sqrt(n) - 1) < 0.1))
