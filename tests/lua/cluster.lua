-- Devices of other processes: ops run there with the bits of a simulated GPU here, errors name the task, and a process
-- that is gone is told at once.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, equal, raises = expect.case, expect.equal, expect.raises
local lutra = os.getenv("LUTRA") or "lutra"

-- Starts `lutra serve`; its address and the number of its process.
local function serve(words)
  local path = os.tmpname()
  local file = assert(io.popen(("timeout 1000 '%s' serve --listen 127.0.0.1:0 %s 2>%s >/dev/null & echo $!"):format(lutra, words, path)))
  local process = file:read "n"
  file:close()
  local start, address = lt.time(), nil
  while not address and lt.time() - start < 120 do
    local log <close> = assert(io.open(path))
    address = log:read("a"):match " at (%S+:%d+)\n"
  end
  os.remove(path)
  return assert(address, "lutra serve does not start"), process
end
local function stop(process) os.execute(("kill %d 2>/dev/null"):format(process)) end

local first, first_process = serve "--sim-gpus 2:512"
local second, second_process = serve "--sim-gpus 1"
local _ <close> = setmetatable({}, { __close = function() stop(first_process) stop(second_process) end })

case("what cannot be connected to", function()
  local connect = lt.config.connect_to_cluster
  raises("InvalidArgument", "expected a table of jobs", connect, "127.0.0.1:7077")
  raises("InvalidArgument", "jobs is empty", connect, {})
  raises("InvalidArgument", "the job worker is \"127.0.0.1:", connect, { worker = first })
  raises("InvalidArgument", "address 1 of the job worker is 7", connect, { worker = { 7 } })
  raises("InvalidArgument", 'the address is "here", expected HOST:PORT', connect, { worker = { "here" } })
  raises("InvalidArgument", "expected HOST:PORT", connect, { worker = { "localhost:99999" } })
  raises("InvalidArgument", "the job localhost is this process' own", connect, { localhost = { first } })
  raises("InvalidArgument", "malformed device name", connect, { ["a b"] = { first } })
  raises("InvalidArgument", "timeout is 0", connect, { worker = { first } }, { timeout = 0 })
  local err = raises("Aborted", "task 1 of the job worker: nobody answers at 127.0.0.1:1", connect, { worker = { first, "127.0.0.1:1" } })
  equal(err.host, "127.0.0.1:1")
end)

case("a token", function()
  local right, wrong, empty = os.tmpname(), os.tmpname(), os.tmpname()
  for path, text in pairs { [right] = "one two\n", [wrong] = " one twi", [empty] = " \n" } do
    local file <close> = assert(io.open(path, "w"))
    file:write(text)
  end
  local address, process = serve("--sim-gpus 1 --token " .. right)
  local stopped <close> = setmetatable({}, { __close = function()
    stop(process)
    for _, path in ipairs { right, wrong, empty } do os.remove(path) end
  end })
  local function connect(token) lt.config.connect_to_cluster({ worker = { address } }, { timeout = 100, token = token }) end
  raises("FailedPrecondition", "it asks for a token, and the program gives none", connect)
  raises("FailedPrecondition", "it asks for a token, and the program's is another one", connect, wrong)
  raises("InvalidArgument", "connect_to_cluster: the token file " .. empty .. " is empty", connect, empty)
  raises("NotFound", "the token file /no/such/file cannot be read", connect, "/no/such/file")
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "w"))
  file:write(([[
    lt.config.connect_to_cluster({ worker = { %q } }, { timeout = 100, token = %q })
    print(lt.device("/job:worker/task:0/GPU:0", lt.ones, { 3 }):sum():item())
  ]]):format(address, right))
  file:close()
  local pipe = assert(io.popen(("'%s' %s 2>&1"):format(lutra, path)))
  equal(pipe:read "a", "3.0\n")
  pipe:close()
  os.remove(path)
end)

lt.config.set_simulated_gpus(1)
lt.config.connect_to_cluster({ worker = { first, second } }, { timeout = 100 })
raises("FailedPrecondition", "the job worker is connected already", lt.config.connect_to_cluster, { worker = { first } })
local remote, other = "/job:worker/task:0/GPU:1", "/job:worker/task:1/GPU:0"
local full = "/job:worker/replica:0/task:0/device:GPU:1"

case("names", function()
  raises("FailedPrecondition", "already initialised", function()
    lt.zeros { 1 }
    lt.config.connect_to_cluster { more = { first } }
  end)
  local names = {}
  for i, device in ipairs(lt.config.list_logical_devices "GPU") do names[i] = device.name end
  equal(names, { "/device:GPU:0", "/job:worker/replica:0/task:0/device:GPU:0", full, "/job:worker/replica:0/task:1/device:GPU:0" })
  -- Without a job a name means this process.
  equal(lt.zeros({ 1 }).device, "/job:localhost/replica:0/task:0/device:GPU:0")
  equal(lt.device("/GPU:0", lt.zeros, { 1 }).device, "/job:localhost/replica:0/task:0/device:GPU:0")
  raises("NotFound", "/job:localhost/replica:0/task:0/device:GPU:1 unknown device", lt.device, "/GPU:1", lt.zeros, { 1 })
  equal(lt.device(remote, lt.zeros, { 1 }).device, full)
  local err = raises("NotFound", "/job:worker/replica:0/task:7/device:GPU:0 unknown device. Here: ", lt.device, "/job:worker/task:7/GPU:0",
    lt.zeros, { 1 })
  assert(err.message:find(full, 1, true), err.message)
  equal(#lt.distribute.MirroredStrategy().devices, 1)
end)

-- f() there and on a simulated GPU here have the same bits.
local function same(what, f)
  local here, there = lt.device("/job:localhost/GPU:0", f), lt.device(remote, f)
  equal(there.device, full, what)
  equal(there.dtype, here.dtype, what)
  equal(there:to("/CPU:0"):bytes(), here:to("/CPU:0"):bytes(), what)
end

case("ops with attributes, lists, numbers and random bits", function()
  local x = lt.random.normal({ 30, 20 }, { seed = 1 })
  same("matmul", function() return x:matmul(x, { transpose_b = true }) end)
  same("sum", function() return x:sum({ 1, -1 }, { keepdims = true }) end)
  same("concat", function() return lt.concat({ x, x * 2, x[{ { 1, 3 } }] }, 1) end)
  same("split", function() return lt.split(x, { 7, 3, 20 }, 1)[2] end)
  same("gather", function() return x:gather { 3, 1, 30 } end)
  same("softmax", function() return lt.softmax(x) end)
  same("scalar", function() return 3 - x / 7 end)
  same("cast", function() return lt.cast(x, "float16") end)
  same("integers", function() return lt.range(1000) // 7 % 5 end)
  same("normal", function() return lt.random.normal({ 1000 }, { seed = 5 }) end)
  same("einsum", function() return lt.einsum("ij,kj->ik", x, x) end)
  same("empty", function() return lt.zeros { 0, 3 } + 1 end)
  same("conv", function() return lt.conv2d(x:reshape { 1, 30, 20, 1 }, lt.ones { 3, 3, 1, 4 }) end)
end)

case("large tensors, and copies between all of them", function()
  local x = lt.device("/CPU:0", lt.random.normal, { 6000000 }, { seed = 2 })
  local there = x:to(remote)
  equal(there.device, full)
  local again = there:to(other)
  equal(again.device, "/job:worker/replica:0/task:1/device:GPU:0")
  local within = there:to("/job:worker/task:0/GPU:0")
  local here = again:to("/job:localhost/GPU:0")
  for _, copy in ipairs { there, again, within, here } do equal((copy:to("/CPU:0") - x):abs():max():item(), 0.0) end
  equal(lt.device(remote, lt.add, again, within):sum():item(), lt.device("/GPU:0", lt.add, here, here):sum():item())
end)

case("late errors name the op, the line and the task", function()
  local bad = lt.device(remote, function() return lt.constant({ 1, 2, 3 }):gather { 9 } end)
  local later = lt.device(remote, function() return (bad * 2):sum() end)
  for _ = 1, 2 do
    local err = raises("OutOfRange", "gather: index 9 is past the axis' end (3) (queued at ", later.item, later)
    assert(err.message:find("on " .. full, 1, true), err.message)
  end
  equal(lt.device(remote, function() return lt.constant({ 1, 2, 3 }):sum() end):item(), 6)
end)

case("training there gives the same bits", function()
  local nn = lt.nn
  local function trained()
    lt.random.set_seed(3)
    local model = nn.Sequential { nn.Dense(16, { activation = "tanh", input_shape = { 5 } }), nn.Dropout(0.3), nn.Dense(1) }
    model:compile { optimizer = "adam", loss = "mse" }
    local x = lt.random.normal({ 64, 5 }, { seed = 1 })
    model:fit(x, x:sum(2, { keepdims = true }), { epochs = 3, batch_size = 16, verbose = 0 })
    return model:get_weights()
  end
  local here, there = lt.device("/job:localhost/GPU:0", trained), lt.device(remote, trained)
  for i, weight in ipairs(there) do
    equal(weight.device, full)
    equal(weight:to("/CPU:0"):bytes(), here[i]:to("/CPU:0"):bytes(), "weight " .. i)
  end
end)

case("memory: limits, numbers and the report", function()
  local info = lt.config.get_memory_info(full)
  equal(info.limit, 512 << 20)
  local err = raises("ResourceExhausted", full, lt.device, remote, lt.zeros, { 1 << 28 })
  equal(err.device, full)
  local held = lt.device(remote, lt.ones, { 1 << 20 })
  assert(lt.config.get_memory_info(full).current >= 4 << 20)
  equal(held:sum():item(), 1048576.0)
end)

case("the placement log names the task", function()
  local devices = {}
  lt.debugging.set_log_handler(function(event) devices[event.op] = event.device end)
  lt.device(remote, lt.square, lt.ones { 2 })
  lt.debugging.set_log_handler(nil)
  equal(devices.Square, full)
end)

case("a process that is gone", function()
  local x = lt.device(other, lt.ones, { 100 })
  equal(x:sum():item(), 100.0)
  stop(second_process)
  local start = lt.time()
  local err
  repeat
    local ok
    ok, err = pcall(function() return lt.device(other, lt.square, x):sum():item() end)
  until not ok or lt.time() - start > 120
  assert(lt.iserror(err, "Aborted"), tostring(err))
  assert(err.message:find("the process at " .. second .. ", which had the device, is lost", 1, true), err.message)
  equal(err.host, second)
  -- The others go on.
  equal(lt.device(remote, lt.ones, { 10 }):sum():item(), 10.0)
  equal(lt.ones({ 10 }):sum():item(), 10.0)
end)

expect.end_of_cases()
