-- `lutra --sandbox` seen from outside: what scripts find, what they may open, and that they cannot pass a limit and go
-- on. Each script runs in a process of its own; a limit that does not hold shows as a test that takes too long.
local program = os.getenv("LUTRA") or "lutra"
local count = 0

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local script, errors = os.tmpname(), os.tmpname()
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. quote(folder) .. " " .. quote(folder .. "/in") .. " " .. quote(folder .. "/out") .. " " ..
  quote(folder .. "/elsewhere")))

-- Runs the text. Returns stdout, stderr, exit status.
local function run(options, text)
  write(script, text)
  local pipe = assert(io.popen(("timeout 60 %s %s %s 2> %s"):format(quote(program), options, quote(script), quote(errors))))
  local out = pipe:read("a")
  local _, _, status = pipe:close()
  return out, read(errors), status
end

local function expect(what, options, text, wanted)
  local out, err, status = run(options, text)
  local where = ("%s: status %s, stdout %q, stderr %q"):format(what, status, out:sub(1, 300), err:sub(1, 600))
  assert(status == (wanted.status or 0), where)
  assert(wanted.out == nil or out == wanted.out, where .. ", expected " .. tostring(wanted.out))
  for _, part in ipairs(wanted.err or {}) do assert(err:find(part, 1, true), where .. ", expected: " .. part) end
  count = count + 1
end

---------------------------------------------------------------------------------------------------- what scripts find

expect("the libraries", "--sandbox", [[
local function names(t)
  local list = {}
  for name in pairs(t) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end
print(names(os))
print(names(io), names(io.stdout))
for _, name in ipairs { "package", "debug", "dofile", "loadfile" } do print(name, _G[name]) end
print(string.dump, type(collectgarbage("count")))
print(names(coroutine))
io.write("a", 1, "\n"):write("b\n")
io.stdout:write("c\n")
]], { out = [[
clock date difftime time
stdout write	write
package	nil
debug	nil
dofile	nil
loadfile	nil
nil	number
close create isyieldable resume running status wrap yield
a1
b
c
]] })

expect("load", "--sandbox", [[
print(load("return 1 + 1")())
print(load("\27Lua"))
print(load("return x", "n", "bt", { x = 7 })())
print(load(function() return nil end) ~= nil, load("x x"))
print(pcall(load, nil))
]], { out = [[
2
nil	attempt to load a binary chunk (mode is 't')
7
true	nil	[string "x x"]:1: syntax error near 'x'
false	bad argument #1 to 'load' (function expected, got nil)
]] })

expect("require", "--sandbox", [[
print(require "lutra" == lt, require "lutra.nn" == lt.nn)
for _, name in ipairs { "io", "os", "debug", "package", "ffi", "lutra.", "lutra.nosuch", "_G", "string" } do
  local ok, problem = pcall(require, name)
  assert(not ok and problem:find("a sandbox has lutra and its parts", 1, true), name)
end
]], { out = "true\ttrue\n" })

expect("collectgarbage", "--sandbox", [[
for _, option in ipairs { "collect", "stop", "restart", "step", "setpause", "setstepmul", "incremental", "generational", "isrunning" } do
  assert(not pcall(collectgarbage, option), option)
end
assert(not pcall(collectgarbage))
]], {})

-- What other sandboxes have leaked.
expect("ways out", "--sandbox", [[
local function no(f, ...)
  local ok, value = pcall(f, ...)
  assert(not ok or value == nil, tostring(value))
end
-- The strings' metatable is not the one that strings use.
getmetatable("").__index = { upper = function() return "changed" end }
assert(("a"):upper() == "A")
no(setmetatable, "", {})
-- No file handle, and none behind what writes.
assert(getmetatable(io.stdout) == nil and io.stdout.close == nil and io.stdout.lines == nil)
no(function() return io.stderr:write("x") end)
no(function() return io.open("/etc/passwd") end)
no(function() return io.popen("true") end)
no(function() return os.execute("true") end)
no(function() return os.exit(7) end)
no(function() return os.getenv("HOME") end)
no(function() return os.remove("x") end)
no(function() return package.loaded.io end)
no(function() return require("debug") end)
no(function() return debug.getregistry() end)
-- Error handlers get nothing more.
xpcall(error, function() no(function() return debug.traceback() end) end)
-- Objects of Lutra's do not give their metatables away.
local objects = { lt.ones { 2 }, lt.Variable(1), lt.GradientTape(), lt.device("CPU:0"), lt.to_dlpack(lt.ones { 2 }) }
for _, each in ipairs(objects) do
  local meta = getmetatable(each)
  assert(type(meta) ~= "table" or meta.__gc == nil, tostring(each))
end
-- Lutra's own code has an environment of its own: nothing that it returns is it.
local seen, found = {}, nil
local function walk(value, depth)
  if type(value) ~= "table" or seen[value] or depth > 6 then return end
  seen[value] = true
  if rawget(value, "popen") or rawget(value, "getinfo") or rawget(value, "execute") or rawget(value, "stderr") then found = value end
  for k, v in next, value do walk(k, depth + 1) walk(v, depth + 1) end
  local meta = getmetatable(value)
  if type(meta) == "table" then walk(meta, depth + 1) end
end
walk(_G, 0) walk(lt, 0) walk(require "lutra.nn", 0) walk(require "lutra.data", 0) walk(require "lutra.optim", 0)
assert(not found)
no(os.date, ("%c"):rep(1e6))
no(lt.repl.listen, "socket")
no(lt.config.set_simulated_gpus, 8)
print "held"
]], { out = "held\n" })

expect("finalizers do not run", "--sandbox=memory=8,seconds=20", [[
local ran
for i = 1, 1e5 do
  local t = setmetatable({}, { __gc = function() ran = true while true do end end })
  local u = { ("x"):rep(100) .. i }
end
local meta = { __gc = function() end }
assert(getmetatable(setmetatable({}, meta)).__gc == meta.__gc)
print(ran)
]], { out = "nil\n" })

expect("xpcall", "--sandbox", [[
print(xpcall(function(...) return ... end, print, 1, nil, 3))
print(xpcall(error, function(e) return "handled " .. e end, "x"))
print(xpcall(error, function(e) error("again " .. e, 0) end, "x"))
print(select("#", xpcall(error, function() end)))
local co = coroutine.wrap(function()
  print(xpcall(function() coroutine.yield(1) error("late", 0) end, function(e) coroutine.yield(2) return e end))
  return 3
end)
print(co(), co(), co())
print(pcall(xpcall, print, 1))
]], { out = [[
true	1	nil	3
false	handled x
false	again x
2
false	late
1	2	3
false	bad argument #2 to 'xpcall' (function expected, got number)
]] })

expect("no environment, no LUA_INIT, no bytecode, no prompt", "--sandbox", "print(1)", { out = "1\n" })
do
  local pipe = assert(io.popen(("LUA_INIT='print(2)' LUA_PATH='/x/?.lua' %s --sandbox -e 'print(pcall(require, \"x\"))' 2>&1"):format(quote(program))))
  local out = pipe:read("a")
  pipe:close()
  assert(out:find("^false\t") and not out:find("2\n", 1, true), out)
end
write(script .. ".luac", string.dump(function() print("bytecode") end))
do
  local pipe = assert(io.popen(("%s --sandbox %s 2>&1"):format(quote(program), quote(script .. ".luac"))))
  local out = pipe:read("a")
  assert(not pipe:close() and out:find("attempt to load a binary chunk", 1, true), out)
end
os.remove(script .. ".luac")
expect("-i", "--sandbox -i", "", { status = 1, err = { "not the prompt" } })
expect("a wrong limit", "--sandbox=memory=-1", "", { status = 1, err = { "memory=" } })
expect("an unknown limit", "--sandbox=disk=1", "", { status = 1, err = { "seconds=S" } })
expect("no folder", "--sandbox=read=/no/such/folder", "", { status = 1, err = { "/no/such/folder" } })
expect("too little memory", "--sandbox=memory=0.01", "", { status = 1, err = { "lua_memory_mb is 0.01" } })

------------------------------------------------------------------------------------------------------------- limits

-- Each runs for ever, or nearly so, and tries to catch what stops it.
local endless = {
  loop = "while true do end",
  pcall = "while true do pcall(function() while true do end end) end",
  ["pcall and quiet"] = "pcall(function() while true do end end) return",
  ["pcall of pcall"] = "local function f() pcall(f) pcall(f) end while true do f() end",
  xpcall = "while true do xpcall(function() while true do end end, function() while true do end end) end",
  ["an error in a handler"] = "while true do xpcall(function() while true do end end, function(e) error(e) end) end",
  coroutines = "while true do pcall(coroutine.wrap(function() while true do coroutine.wrap(function() while true do end end)() end end)) end",
  ["short coroutines"] = "while true do coroutine.wrap(function() local x = 1 end)() end",
  ["coroutine.close"] = [[while true do
    local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() while true do end end }) coroutine.yield() end)
    coroutine.resume(co) pcall(coroutine.close, co) end]],
  ["__close"] = "while true do pcall(function() local x <close> = setmetatable({}, { __close = function() while true do end end }) error() end) end",
  ["__index"] = "return setmetatable({}, { __index = function(t, k) while true do end end }).x",
  ["__tostring"] = "print(setmetatable({}, { __tostring = function() while true do end end }))",
  ["__tostring of an error"] = "error(setmetatable({}, { __tostring = function() while true do end end }))",
  ["tail calls"] = "local function f() return f() end f()",
  ["find"] = "string.find(('a'):rep(100000), '.-.-.-.-b')",
  ["match"] = "while true do pcall(string.match, ('a'):rep(100000), '(.*)(.*)(.*)(.*)b') end",
  ["gsub"] = "string.gsub(('a'):rep(100000), '.-.-.-.-b', '')",
  ["gmatch"] = "for x in string.gmatch(('a'):rep(100000), '.-.-.-.-b') do end",
  ["%b"] = "string.find(('('):rep(1000000), '%b()')",
  ["find plain"] = "local s = ('a'):rep(1e6) while true do s:find(('a'):rep(5e5) .. 'b', 1, true) end",
  ["rep of nothing"] = "while true do (''):rep(1 << 60, '') end",
  ["sort"] = "table.sort({ 3, 1, 2 }, function() while true do end end)",
  ["sort of nothing"] = "table.sort(setmetatable({}, { __len = function() return 2^31 - 10 | 0 end, __index = rawlen, __newindex = rawequal }))",
  ["sort by C"] = "table.sort(setmetatable({}, { __len = function() return 2^31 - 10 | 0 end, __index = rawlen, __newindex = rawequal }), rawequal)",
  ["move"] = "table.move({}, 1, math.maxinteger - 1, 1)",
  ["insert"] = "table.insert(setmetatable({}, { __len = function() return math.maxinteger - 1 end }), 1, 1)",
  ["remove"] = "table.remove(setmetatable({}, { __len = function() return math.maxinteger - 1 end }), 1)",
  ["concat"] = "table.concat(setmetatable({}, { __index = function() return '' end }), '', 1, math.maxinteger)",
  ["load"] = "load(coroutine.wrap(function() while true do coroutine.yield('x = 1 ') end end))",
  ["load of a C reader"] = "load(coroutine.wrap(function() while true do coroutine.yield(' ') end end))",
  ["__close of a stopped wrap"] = "coroutine.wrap(function() local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end end)() while true do end",
  ["__close of a stopped coroutine"] = [[local co = coroutine.create(function()
      local x <close> = setmetatable({}, { __close = function() while true do pcall(error) end end }) while true do end
    end)
    coroutine.resume(co)
    while true do coroutine.close(co) end]],
  ["__close of a stopped replica"] = [[while true do
      pcall(function()
        lt.distribute.MirroredStrategy():run(function()
          local x <close> = setmetatable({}, { __close = function() while true do end end })
          while true do end
        end)
      end)
    end]],
  ["__close of a stopped generator"] = [[for x in lt.data.from_generator(function()
      return coroutine.wrap(function()
        local x <close> = setmetatable({}, { __close = function() while true do end end })
        while true do end
      end)
    end):iterate() do end
    while true do end]],
  ["ops"] = "local x = lt.ones { 64, 64 } while true do x = lt.matmul(x, x) / 64 end",
  ["ops in pcall"] = "local x = lt.ones { 700, 700 } while true do pcall(lt.matmul, x, x) end",
  ["a log handler"] = "lt.debugging.set_log_device_placement(true) lt.debugging.set_log_handler(function() while true do end end) lt.ones { 2 }",
  ["tidy"] = "while true do pcall(lt.tidy, function() while true do end end) end",
  ["a graph"] = "local g = lt.graph(function(x) while true do x = x + 1 end end) while true do pcall(g, lt.ones { 3 }) end",
  ["custom_gradient"] = [[local f = lt.custom_gradient(function(x) return x * 2, function(dy) while true do end end end)
    while true do pcall(function() local x = lt.Variable(1.0) local t <close> = lt.GradientTape() t:gradient(f(x), x) end) end
    while true do end]],
  ["a dataset without an end"] = "for x in lt.data.Dataset.from_generator(function() return function() return 1.0 end end):map(function(x) return x end):iterate() do end while true do end",
  ["fit"] = [[local m = lt.nn.Sequential { lt.nn.Dense(1) }
    m:compile { optimizer = "sgd", loss = "mse" }
    while true do
      pcall(m.fit, m, lt.ones { 8, 2 }, lt.ones { 8, 1 }, { epochs = 1000000, verbose = 0,
        callbacks = { { on_epoch_end = function() while true do end end } } })
    end]],
  ["fit without callbacks"] = [[local m = lt.nn.Sequential { lt.nn.Dense(1) }
    m:compile { optimizer = "sgd", loss = "mse" }
    m:fit(lt.ones { 8, 2 }, lt.ones { 8, 1 }, { epochs = 100000000, verbose = 0 })]],
}
expect("a plan", "--sandbox=seconds=0.15", [[local nodes = {}
    for i = 1, 300 do
      nodes[i] = { name = "n" .. i, time_us = { CPU = 10 + i % 7 * 13, GPU = 3 + i % 5 * 17 }, inputs = i > 3 and { "n" .. i - 1 - i % 3 } or {}, bytes = 1e6 }
    end
    while true do
      pcall(lt.placement.simulate, { devices = { { name = "a", type = "CPU" }, { name = "b", type = "GPU" }, { name = "c", type = "GPU" } },
        links = { latency_us = 5, bytes_per_us = 1000 }, nodes = nodes, outputs = { "n300" }, policy = "best", budget_ms = 3600000 })
    end]], { status = 2, err = { "the deadline" } })
expect("more and more arguments", "--sandbox=seconds=0.15", "local function f(...) return f(1, ...) end f()",
  { status = 2, err = { "the deadline" } })
for what, text in pairs(endless) do
  expect(what .. ", seconds", "--sandbox=seconds=0.15", text, { status = 2, err = { "the deadline of 0.15 seconds has passed", "raise seconds" } })
end
for what, text in pairs(endless) do
  expect(what .. ", instructions", "--sandbox=instructions=300000,seconds=50", text,
    { status = 2, err = { "the limit of 300000 instructions was passed" } })
end
expect("many instructions", "--sandbox=instructions=3e7,seconds=50", "while true do end", { status = 2, err = { "the limit of 30000000 instructions" } })
expect("enough instructions", "--sandbox=instructions=1e6", "local s = 0 for i = 1, 2e5 do s = s + i end print(s)", { out = "20000100000\n" })
expect("enough of many instructions", "--sandbox=instructions=2e9", "local s = 0 for i = 1, 5e6 do s = s + i end print(s)", { out = "12500002500000\n" })

-- They fill Lua's memory.
local filling = {
  ["a table"] = "local t = {} while true do t[#t + 1] = {} end",
  ["a string"] = "local s = 'x' while true do s = s .. s end",
  ["rep"] = "local s = ('x'):rep(1 << 30)",
  ["rep in pcall"] = "for i = 1, 10 do pcall(string.rep, 'x', 1 << 30) end",
  ["strings in pcall"] = "local t = {} while true do pcall(function() while true do t[#t + 1] = ('x'):rep(1000) .. #t end end) end",
  ["format"] = "local s = ('x'):rep(1 << 20) while true do s = ('%s%s'):format(s, s) end",
  ["concat"] = "local t = {} for i = 1, 100 do t[i] = ('x'):rep(1 << 20) end table.concat(t)",
  ["gsub"] = "local s = ('x'):rep(1 << 20) while true do s = s:gsub('.', '%0%0') end",
  ["recursion"] = "local function f() return 1 + f() end local co = {} for i = 1, 1000 do co[i] = coroutine.create(f) coroutine.resume(co[i]) end",
  ["coroutines"] = "local t = {} while true do t[#t + 1] = coroutine.create(print) end",
  ["closures"] = "local t while true do local u = t t = function() return u end end",
  ["upvalues of load"] = "local t = {} while true do t[#t + 1] = load('return ' .. #t) end",
  ["an xpcall handler"] = "while true do xpcall(function() local t = {} while true do t[#t + 1] = {} end end, function(e) return e end) end",
  ["concat once in pcall"] = "local s = ('x'):rep(6000000) print(pcall(table.concat, { s, s, s })) print('goes on')",
  ["format once in pcall"] = "local s = ('x'):rep(6000000) print(pcall(string.format, '%s%s', s, s)) print('goes on')",
  ["gsub once in pcall"] = "print(pcall(string.gsub, ('a'):rep(100000), '', ('b'):rep(1000))) print('goes on')",
  ["records of a tape"] = "local v, tape = lt.Variable(1.0), lt.GradientTape() local x = v * 1 while true do x = x * 1.0001 end",
  ["a graph's recording"] = "lt.graph(function(x) while true do x = x + 1 end end)(lt.ones { 2 })",
  ["a tensor's text"] = "lt.set_print_options { threshold = 1e9 } local x = lt.ones({ 30000000 }, { dtype = 'bool' }) print(pcall(tostring, x)) print('goes on')",
  ["pack once in a coroutine"] = "local s = ('x'):rep(6000000) print(coroutine.resume(coroutine.create(string.pack), 's4s4', s, s)) print('goes on')",
  ["pack"] = "local t = {} while true do t[#t + 1] = string.pack('s', ('x'):rep(100000) .. #t) end",
}
expect("garbage of large strings", "--sandbox=memory=16", "for i = 1, 20 do local s = ('x'):rep(2000000 + i) .. 'y' s = s:upper() s = s:gsub('Y', 'z') end print(1)", { out = "1\n" })
for what, text in pairs(filling) do
  expect(what .. ", memory", "--sandbox=memory=16,seconds=50", text, { status = 2, out = "", err = { "the limit of 16 MB of Lua's memory was passed", "lua_memory_mb" } })
end
expect("recursion without a limit", "--sandbox", "local function f() return 1 + f() end print(pcall(f))", {})

-- Tensors.
local tensors = {
  ["large"] = "lt.ones { 1 << 28 }",
  ["many"] = "local t = {} while true do t[#t + 1] = lt.ones { 100000 } end",
  ["in pcall"] = "local t = {} while true do pcall(function() t[#t + 1] = lt.ones { 100000 } end) end",
  ["once in pcall"] = "print(pcall(lt.ones, { 1 << 28 }))",
  ["one product"] = "local a = lt.ones { 1 << 20, 1 } a:matmul(a, { transpose_b = true })",
  ["a raised limit"] = "lt.config.set_memory_limit('CPU:0', 1024) lt.ones { 1 << 26 }",
  ["on simulated GPUs"] = "local d <close> = lt.device('GPU:1') local t = {} while true do t[#t + 1] = lt.ones { 100000 } end",
}
for what, text in pairs(tensors) do
  expect("tensors, " .. what, "--sim-gpus 2 --sandbox=tensors=32,seconds=50", text,
    { status = 2, err = { "the limit of 32 MB of tensors on a device was passed", "tensor_memory_mb" } })
end
expect("enough tensors", "--sandbox=tensors=32", "for i = 1, 1000 do local x = lt.ones { 1 << 20 } end print(1)", { out = "1\n" })
expect("a count of tensors", "--sandbox=count=100", "local t = {} while true do pcall(function() t[#t + 1] = lt.ones { 100 } end) end",
  { status = 2, err = { "the limit of 100 tensors was passed" } })
expect("garbage does not count", "--sandbox=count=100", "for i = 1, 10000 do local x = lt.ones { 100 } end print(1)", { out = "1\n" })

-------------------------------------------------------------------------------------------------------------- files

write(folder .. "/elsewhere/secret.npy", "")
assert(os.execute(("%s -e 'lt.save(arg[1], lt.ones{3})' 2>&1"):format(quote(program) .. " -e 'arg={[1]=" .. ("%q"):format(folder .. "/in/x.npy"):gsub("'", "'\\''") .. "}'")))
assert(os.execute(("ln -s ../elsewhere %s/in/link; ln -s ../elsewhere/secret.npy %s/in/secret.npy; ln -s ../elsewhere/new.npy %s/out/new.npy; ln -s x.npy %s/in/y.npy"):format(folder, folder, folder, folder)))
local F = ("local F = %q\n"):format(folder)
local may = ("--sandbox=seconds=50,read=%s/in,write=%s/out"):format(folder, folder)
expect("files that may be read and written", quote(may), F .. [[
print(lt.load(F .. "/in/x.npy"):sum():item(), lt.load(F .. "/in/y.npy"):sum():item(), lt.load(F .. "/out/../in/./x.npy"):sum():item())
lt.save(F .. "/out/z.npy", lt.ones { 4 })
lt.save(F .. "/out/z.npy", lt.ones { 5 })
print(lt.load(F .. "/out/z.npy"):sum():item())
]], { out = "3.0\t3.0\t3.0\n5.0\n" })
assert(os.remove(folder .. "/out/z.npy"))

expect("a logger's file is not the script's", quote(may), F .. [[
local m = lt.nn.Sequential { lt.nn.Dense(1) }
m:compile { optimizer = "sgd", loss = "mse" }
local logger, found = lt.nn.callbacks.CSVLogger(F .. "/out/log.csv"), 0
local function look()
  for key, value in pairs(logger) do
    if type(value) == "userdata" then found = found + 1 end
  end
end
m:fit(lt.ones { 4, 2 }, lt.ones { 4, 1 }, { verbose = 0, callbacks = { logger, { on_epoch_end = look, on_train_end = look } } })
print(found, logger.file)
]], { out = "0\tnil\n" })
local logged = read(folder .. "/out/log.csv")
assert(logged:find "^epoch,loss\n1,%d", logged)
assert(os.remove(folder .. "/out/log.csv"))

expect("a writer's file is not the script's", quote(may), F .. [[
local writer, found = lt.train.SummaryWriter(F .. "/out/events"), 0
for key, value in pairs(writer) do
  if type(value) == "userdata" then found = found + 1 end
end
print(found, writer.file, writer.write)
writer:add_scalar("a", 1)
writer:close()
]], { out = "0\tnil\tnil\n" })

expect("no numbered checkpoints", quote(may), F .. [[
local ok, problem = pcall(lt.train.CheckpointManager, lt.train.Checkpoint { a = 1 }, F .. "/out/numbered")
print(ok, problem.code, problem.message)
]], { out = "false\tFailedPrecondition\tCheckpointManager: a script in a sandbox cannot rename files: use the Checkpoint's save and restore\n" })
assert(not io.open(folder .. "/out/numbered"))

expect("files that may not", quote(may), F .. [[
local paths = { F .. "/elsewhere/secret.npy", F .. "/in/../elsewhere/secret.npy", F .. "/in/link/secret.npy", F .. "/in/secret.npy",
  F .. "/elsewhere/none.npy", F .. "/out/new.npy", "/etc/passwd.npy", "/proc/self/root" .. F .. "/elsewhere/secret.npy",
  F .. "/in/\0x.npy", "", F .. "/inx.npy", "x.npy", "/dev/zero.npy", F .. "/none/x.npy" }
local function refused(what, f, ...)
  local ok, problem = pcall(f, ...)
  assert(not ok, what)
  local text = tostring(problem)
  assert(text:find("sandbox", 1, true) or text:find("zero byte", 1, true) or text:find("ends in none of", 1, true) or text:find("is empty", 1, true), what .. ": " .. text)
end
local x = lt.ones { 3 }
for _, path in ipairs(paths) do
  refused("load " .. path, lt.load, path)
  refused("save " .. path, lt.save, path, x)
end
local bad = F .. "/elsewhere/"
refused("save where one may read", lt.save, F .. "/in/new.npy", x)
refused("replace what one may read", lt.save, F .. "/in/x.npy", x)
local m = lt.nn.Sequential { lt.nn.Dense(1) }
m:build { 1, 2 }
m:compile { optimizer = "sgd", loss = "mse" }
refused("model:save", m.save, m, bad .. "m.safetensors")
refused("model:save_weights", m.save_weights, m, bad .. "m.safetensors")
refused("load_model", lt.nn.load_model, bad .. "m.safetensors")
refused("CSVLogger", m.fit, m, lt.ones { 4, 2 }, lt.ones { 4, 1 }, { verbose = 0, callbacks = { lt.nn.callbacks.CSVLogger(bad .. "log.csv") } })
refused("ModelCheckpoint", m.fit, m, lt.ones { 4, 2 }, lt.ones { 4, 1 }, { verbose = 0, callbacks = { lt.nn.callbacks.ModelCheckpoint(bad .. "m.safetensors") } })
refused("BackupAndRestore", m.fit, m, lt.ones { 4, 2 }, lt.ones { 4, 1 }, { verbose = 0, callbacks = { lt.nn.callbacks.BackupAndRestore(bad .. "b.safetensors") } })
refused("profile", function() lt.profiler.start() local y = x + 1 lt.profiler.stop(bad .. "p.json") end)
refused("profile:save", function() local p = lt.profiler.run(function() return x + 1 end) p:save(bad .. "p.html") end)
refused("plot", lt.plot.line, { 1, 2, 3 }, { file = bad .. "p.svg" })
refused("graph:dot", function() local g = lt.graph(function(a) return a + 1 end) g(lt.ones { 300 }) g:dot(bad .. "g.dot") end)
refused("costs:save", lt.placement.costs.save, lt.placement.costs, bad .. "c.json")
refused("costs:load", lt.placement.costs.load, lt.placement.costs, bad .. "c.json")
refused("placement.load", lt.placement.load, bad .. "plan.json")
refused("data", function() for row in lt.data.Dataset.from_file(bad .. "secret.npy"):iterate() do end end)
refused("listen", lt.repl.listen, F .. "/out/socket")
print "held"
]], { out = "held\n" })
assert(not io.open(folder .. "/elsewhere/new.npy"))

expect("open files", quote(may .. ",files=3"), F .. [[
local open = {}
for i = 1, 10 do pcall(function() open[i] = lt.data.Dataset.from_file(F .. "/in/x.npy") end) end
print(#open)
]], { status = 2, err = { "the limit of 3 open files was passed" } })

-- Lutra itself works in a sandbox.
expect("training", "--sandbox=memory=64,tensors=64,seconds=50,instructions=1e10", [[
local m = lt.nn.Sequential { lt.nn.Dense(4, { activation = "relu" }), lt.nn.Dense(1) }
m:compile { optimizer = "adam", loss = "mse" }
local h = m:fit(lt.ones { 32, 2 }, lt.ones { 32, 1 }, { epochs = 3, verbose = 0 })
print(#h.history.loss)
assert(#tostring(lt.plot.line { 1, 2, 3 }) > 0)
lt.help("matmul")
]], {})

os.remove(script)
os.remove(errors)
os.execute("rm -r " .. quote(folder))
print(count .. " scripts held")
