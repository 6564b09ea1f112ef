-- How many threads large loops use, and what happens when the system has no more.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local threading = lt.config.threading

threading.set_intra_op_parallelism_threads(3)
expect.equal(threading.get_intra_op_parallelism_threads(), 3)
assert((lt.ones { 1000, 1000 } + 1):sum():item() == 2000000)
lt.config.reset()
expect.equal(threading.get_intra_op_parallelism_threads(), 0)

if expect.is_sanitized() or not os.execute("prlimit --version >/dev/null 2>&1") then
  print("ok")
  return  -- a sanitizer takes more addresses than the limit below leaves
end

-- Room for the program, and not for a thousand threads' stacks.
local limited = "prlimit --as=1000000000"
local text, ok = expect.program([[
local ok, err = pcall(lt.config.threading.set_intra_op_parallelism_threads, 1000)
print(ok, err.code, err.message)
lt.config.threading.set_intra_op_parallelism_threads(2)
print((lt.ones {1000, 1000} + 1):sum():item())
]], "", limited)
assert(ok, text)
assert(text:find("^false\tResourceExhausted\tset_intra_op_parallelism_threads: 1000 threads, and the system gives this process %d+; ask for fewer"), text)
assert(text:find("\n2000000.0\n", 1, true), text)

-- A number of threads that the script did not set is no error when it is too large: loops use the threads there are.
text, ok = expect.program([[
local a = lt.random.normal {600, 600}
local b = a + a
print(lt.matmul(a, b).shape, b:sum():item() == 2 * a:sum():item())
]], "", limited .. " env LUTRA_NUM_THREADS=1000")
assert(ok and text == "(600, 600)\ttrue\n", text)
print("ok")
