-- Which library factorises large matrices: LUTRA_LAPACK, and what `lutra doctor` says about it.
local expect = dofile("tests/support/expect.lua")

local program = os.getenv("LUTRA") or "lutra"
local function run(environment, arguments)
  local command = ("env -u OPENBLAS_CORETYPE LUTRA_CUDA_DRIVER=none %s '%s' %s 2>&1 </dev/null"):format(environment, program, arguments)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  local ok, _, status = pipe:close()
  return text, ok == true, status
end
local function said(environment, arguments, words, is_well)
  local text, ok = run(environment, arguments)
  assert(text:find(words, 1, true), ("%s: expected %q in:\n%s"):format(environment, words, text))
  expect.equal(ok, is_well, environment)
  return text
end

-- The sum of an inverse's elements, with all its bits; in float32, which Lutra's own computes in float64.
local inverse = [[-e "local x = lt.random.normal({200, 200}, {seed = 1}) + 40 * lt.eye(200); local y = lt.inv(x);]]
  .. [[ print(lt.inv(x:float64()):float32():eq(y):all():item())"]]

expect.case("off", function()
  said("LUTRA_LAPACK=off", inverse, "true\n", true)
  said("LUTRA_LAPACK=off", "doctor", "note    lapack           factorisations of large matrices are Lutra's own, which are slower: LUTRA_LAPACK is off\n", true)
end)

expect.case("one that is not there is told at once", function()
  said("LUTRA_LAPACK=/nowhere.so", "-e 'print(1)'",
    "LUTRA_LAPACK is '/nowhere.so', expected the name or path of a LAPACK library, or off: /nowhere.so: cannot open", false)
  said("LUTRA_LAPACK=libm.so.6", "-e 'print(1)'", "or off: libm.so.6 has no spotrf_", false)
end)

local library = run("A=", "doctor"):match("ok      lapack           (%S+) computes factorisations of large matrices")
if not library then
  print("no LAPACK library here: the rest is left out")
  os.exit(77)
end

expect.case("it is found, and computes", function()
  said("LUTRA_LAPACK=", inverse, "false\n", true)
  said("LUTRA_LAPACK=" .. library, inverse, "false\n", true)
  said("LUTRA_LAPACK=" .. library, "doctor --json", '"file": "' .. library .. '"', true)
end)

expect.case("results have the same bits on any number of threads", function()
  local path = expect.path ".lua"
  local file <close> = assert(io.open(path, "w"))
  file:write [[
    for _, dtype in ipairs { "float32", "float64" } do
      for _, n in ipairs { 70, 300, 530 } do
        local a = lt.random.normal({ n, n }, { seed = 1, dtype = dtype }) + 3 * lt.eye(n, { dtype = dtype })
        local b = lt.random.normal({ n, n - 7 }, { seed = 2, dtype = dtype })
        local results = { a:solve(b), a:solve(b, { adjoint = true }), a:inv(), a:triangular_solve(b), (a / n):expm() }
        for _, x in ipairs { a:lu() } do results[#results + 1] = x end
        for _, x in ipairs { a:qr() } do results[#results + 1] = x end
        for _, x in ipairs { a:eigvalsh(), a:eigh() } do results[#results + 1] = x end
        for _, x in ipairs { b:svd() } do results[#results + 1] = x end
        for _, x in ipairs { a[{ {}, { 1, n // 3 } }]:svd() } do results[#results + 1] = x end
        for i, x in ipairs(results) do
          local bytes, sum = x:bytes(), 0
          for at = 1, #bytes, 4 do sum = (sum * 31 + ("<I4"):unpack(bytes, at)) % 0x1fffffffffffff end
          print(dtype, n, i, sum)
        end
      end
    end
  ]]
  file:close()
  local alone = run("LUTRA_NUM_THREADS=1", path)
  expect.equal(select(2, alone:gsub("\n", "")), 114, alone)
  for _, threads in ipairs { 2, 2, 3 } do expect.equal(run("LUTRA_NUM_THREADS=" .. threads, path), alone, threads) end
  os.remove(path)
end)

expect.case("OpenBLAS takes kernels of this processor", function()
  local levels = expect.cpu_levels()
  local said_by = run("A=", "doctor")
  if said_by:find("OpenBLAS", 1, true) and levels[#levels] ~= "baseline" then
    assert(not said_by:find("Prescott", 1, true), said_by)
    said("OPENBLAS_CORETYPE=Prescott", "doctor", "Prescott", true)
  end
end)

expect.case("it comes to an end with little memory", function()
  -- Megabytes of addresses. OpenBLAS waits for ever for a buffer of 128.
  for megabytes = 200, 600, 50 do
    local limited = ("bash -c 'ulimit -v %d; exec timeout 60 \"$@\"' -"):format(megabytes * 1024)
    local text, _, status = run(limited, inverse)
    assert(status ~= 124, ("%d MB: it waits for ever: %s"):format(megabytes, text))
  end
end)

expect.case("nothing is opened before it is needed", function()
  local count = [[-e "for i = 1, %d do lt.inv(lt.eye(%d)) end local n = 0; for line in io.lines('/proc/self/maps') do]]
    .. [[ if line:find('blas', 1, true) or line:find('lapack', 1, true) then n = n + 1 end end print(n > 0)"]]
  said("A=", count:format(3, 20), "false\n", true)
  said("A=", count:format(1, 200), "true\n", true)
end)

expect.end_of_cases()
