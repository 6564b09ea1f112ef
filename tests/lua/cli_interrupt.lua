-- Ctrl-C raises "interrupted!" in running Lua, between ops too; a second one ends a program that ignores the first.
local program = os.getenv("LUTRA") or "lutra"

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

-- Runs the program on `options` with `typed` on stdin; once it has printed something, sends `signals` interrupts.
-- Returns stdout, stderr, exit status (130: ended by the signal; 137: it did not end within a minute).
local function interrupt(options, typed, signals)
  local input, output, errors = os.tmpname(), os.tmpname(), os.tmpname()
  do
    local file <close> = assert(io.open(input, "wb"))
    file:write(typed)
  end
  local shell = ([[
    %s %s < %s > %s 2> %s & pid=$!
    until [ -s %s ]; do sleep 0.01; done
    for i in $(seq %d); do kill -INT $pid; sleep 0.1; done
    { sleep 60; kill -KILL $pid; } > /dev/null & guard=$!
    wait $pid; echo $?; kill $guard]]):format(quote(program), options, input, output, errors, output, signals)
  local pipe = assert(io.popen("sh -c " .. quote(shell) .. " 2> /dev/null"))
  local status = tonumber(pipe:read("a"))
  pipe:close()
  local out, err = read(output), read(errors)
  for _, path in ipairs { input, output, errors } do os.remove(path) end
  return out, err, status
end

local ready = "io.write('ready ') io.flush(); "

for what, loop in pairs {
  ["a loop"] = "while true do end",
  ["a loop of ops"] = "local t = lt.zeros{4} while true do t = t + 1 end",
  ["a loop in a coroutine"] = "coroutine.wrap(function() while true do end end)()",
  ["a loop of ops in a coroutine in another"] = "coroutine.wrap(function() coroutine.wrap(function() local t = lt.zeros{4} while true do t = t + 1 end end)() end)()",
  ["a loop that resumes a coroutine"] = "local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do f() end",
  ["a loop of ops on a GPU"] = "lt.config.set_simulated_gpus(1) local t = lt.zeros{4} while true do t = t + 1 end",
} do
  local out, err, status = interrupt("-", ready .. loop, 1)
  assert(out == "ready " and status == 1, what .. ": exit status " .. tostring(status))
  assert(err:find("interrupted!\nstack traceback:", 1, true), what .. ": " .. err)
end

local out, err, status = interrupt("-", ready .. [[
  local ok, err = pcall(function() while true do end end)
  print(ok, err:match("interrupted!"))]], 1)
assert(out == "ready false\tinterrupted!\n" and err == "" and status == 0, out .. err)

out, err, status = interrupt("-i", ready .. "while true do end\nprint('alive')\n", 1)
assert(out:find("alive\n> \n$") and err:find("^interrupted!\n") and status == 0, out .. err)

-- A gradient is one C function, which takes twice as long as the recorded ops: it ends between two of its steps. These ops
-- take a second of processor time, so that the interrupt comes well within the gradient however busy the machine is.
out, err, status = interrupt("-", [[
  local w, x = lt.Variable(lt.fill({ 600, 600 }, 1 / 600)), lt.ones { 600, 600 }
  local tape = lt.GradientTape { persistent = true }
  local begin = os.clock()
  repeat x = x:matmul(w) until os.clock() - begin > 1
  local forward = os.clock() - begin
  ]] .. ready .. [[
  begin = os.clock()
  local ok, err = pcall(function() tape:gradient(x, w) end)
  local took = os.clock() - begin
  for _ = 1, 1000000 do end
  print(ok, tostring(err):match("interrupted!"), took < forward or took, #tape:gradient(x * w, { x }))]], 1)
assert(out == "ready false\tinterrupted!\ttrue\t1\n" and status == 0, out .. err)

-- So does a convolution, of which each of these takes minutes, and its gradients; and every long loop, as of pools.
for _, op in ipairs {
  "lt.conv2d(x, w)", "lt.conv2d_transpose(x, w)", "lt.max_pool2d(x, {690, 690}, {stride = 1})",
  "local v = lt.Variable(w) local t = lt.GradientTape() t:gradient(lt.conv2d(x, v), v)",
  "local v = lt.Variable(x) local t = lt.GradientTape() t:gradient(lt.avg_pool2d(v, {690, 690}, {stride = 1}), v)",
} do
  out, err, status = interrupt("-", [[
    local x, w = lt.ones {1, 30000, 700, 1}, lt.ones {500, 500, 1, 1}
    ]] .. ready .. [[
    local ok, err = pcall(function() ]] .. op .. [[ end)
    for _ = 1, 1000000 do end
    print(ok, tostring(err):match("interrupted!"), lt.ones {2}:sum():item())]], 1)
  assert(out == "ready false\tinterrupted!\t2.0\n" and status == 0, op .. ": " .. out .. err .. status)
end

-- A replay ends between two of its ops, and the graph can be replayed again. On a GPU the wait for its results ends, too.
for said, devices in pairs { ["graph: interrupted!"] = "", ["interrupted!"] = "lt.config.set_simulated_gpus(1) " } do
  out, err, status = interrupt("-", devices .. [[
    local x, w = lt.ones { 300, 300 }, lt.fill({ 300, 300 }, 1 / 300)
    local g = lt.graph(function(t)
      for _ = 1, 1000 do t = t:matmul(w) end
      return t
    end)
    g(x)
    ]] .. ready .. [[
    local ok, err = pcall(function() while true do g(x) lt.synchronize() end end)
    for _ = 1, 1000000 do end
    print(ok, tostring(err):match("]] .. said .. [["), ("%.3f"):format(g(x)[1][1]:item()))]], 1)
  assert(out == "ready false\t" .. said .. "\t1.000\n" and status == 0, out .. err)
end

-- A stopped coroutine can be resumed, and its caller continues: an interrupt ends one thing, once.
out, err, status = interrupt("-", [[
  local thread = coroutine.create(function()
    local ok, err = pcall(function() ]] .. ready .. [[ while true do end end)
    coroutine.yield(ok, err)
    return "on"
  end)
  print(select(2, coroutine.resume(thread)))
  for _ = 1, 1000000 do end
  print(select(2, coroutine.resume(thread)))]], 1)
assert(out == "ready false\tinterrupted!\non\n" and err == "" and status == 0, out .. err)

-- Replicas are coroutines.
out, err, status = interrupt("-", [[
  lt.config.set_simulated_gpus(2)
  local strategy = lt.distribute.MirroredStrategy(nil, { timeout = 100 })
  local ok, err = pcall(strategy.run, strategy, function()
    if lt.distribute.get_replica_context().replica_id_in_sync_group == 1 then return end
    ]] .. ready .. [[
    while true do end
  end)
  for _ = 1, 1000000 do end
  print(ok, err:match("^replica 2"), err:match("interrupted!$"))
  print(strategy:reduce("sum", strategy:run(function() return 1 end)))]], 1)
assert(out == "ready false\treplica 2\tinterrupted!\n2\n" and status == 0, out .. err)

-- A fit ends and keeps the weights so far, and the program continues; in a coroutine too.
for _, call in ipairs { "%s()", "coroutine.wrap(%s)()" } do
  out, err, status = interrupt("-", [[
    local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
    model:compile {optimizer = "sgd", loss = "mse"}
    local x = lt.ones {8, 1}
    local function tell(epoch)
      if epoch == 2 then ]] .. ready .. [[ end
    end
    local function fit()
      local history = model:fit(x, x, {epochs = 100000000, verbose = 0, callbacks = {tell}})
      for _ = 1, 1000000 do end
      print(history.interrupted, #history.epoch >= 2)
    end
    ]] .. call:format "fit" .. [[ for _ = 1, 1000000 do end]], 1)
  assert(out == "ready true\ttrue\n" and status == 0, out .. err)
end
out, err, status = interrupt("-", [[
  local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
  model:compile {optimizer = "sgd", loss = "mse"}
  local x = lt.ones {8, 1}
  local function tell(epoch)
    if epoch == 2 then ]] .. ready .. [[ end
  end
  local history = model:fit(x, x, {epochs = 100000000, verbose = 0, callbacks = {tell}})
  print(history.interrupted, #history.epoch >= 2, #history.history.loss == #history.epoch, model.optimizer.iterations >= 2)]], 1)
assert(out == "ready true\ttrue\ttrue\ttrue\n" and status == 0, out .. err)
assert(err:find("^\nfit: interrupted in epoch %d+; the model keeps what it has learned\n$"), err)

-- The same where a callback is in a coroutine of its own.
out, err, status = interrupt("-", [[
  local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
  model:compile {optimizer = "sgd", loss = "mse"}
  local x = lt.ones {8, 1}
  local function wait() coroutine.wrap(function() ]] .. ready .. [[ while true do end end)() end
  print(model:fit(x, x, {epochs = 3, verbose = 0, callbacks = {wait}}).interrupted)]], 1)
assert(out == "ready true\n" and status == 0, out .. err)

-- Also where a callback is at work, and a model that it calls.
for _, work in ipairs { "", "model:predict(x)" } do
  out, err, status = interrupt("-", [[
    local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
    model:compile {optimizer = "sgd", loss = "mse"}
    local x = lt.ones {8, 1}
    local function tell(epoch)
      if epoch < 2 then return end
      ]] .. ready .. "while true do " .. work .. [[ end
    end
    local history = model:fit(x, x, {epochs = 3, verbose = 0, callbacks = {tell}})
    print(history.interrupted, #history.epoch)]], 1)
  assert(out == "ready true\t2\n" and status == 0, out .. err)
end

-- One C function that hardly ends: the first interrupt waits for it, the second does not.
out, err, status = interrupt("-", ready .. "(('a'):rep(300)):find(('.-'):rep(9) .. 'b')", 5)
assert(out == "ready " and err == "" and status == 130, "exit status " .. tostring(status) .. " " .. err)

print("cli_interrupt: interrupted!")
