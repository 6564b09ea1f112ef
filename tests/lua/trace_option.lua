-- lutra --trace FILE, from outside: the file is there, whole and valid, however the program ends.
local program = os.getenv("LUTRA") or "lutra"
local folder = dofile("tests/support/folder.lua")
local json = dofile("tests/support/json.lua")

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- Runs a script; returns what it wrote, the exit status and the trace's text.
local function run(script, options, file)
  folder.write(folder.at "script.lua", script)
  os.remove(folder.at(file or "trace.json"))
  local command = ("%s --trace %s %s %s 2>&1"):format(quote(program), quote(folder.at(file or "trace.json")), options or "",
    quote(folder.at "script.lua"))
  local pipe = assert(io.popen(command))
  local output = pipe:read "a"
  local _, _, status = pipe:close()
  local opened <close> = io.open(folder.at(file or "trace.json"), "rb")
  return output, status, opened and opened:read "a"
end

local function events_of(text, category, name)
  local whole = json(assert(text, "there is no trace"))
  local found = {}
  for _, event in ipairs(whole.traceEvents) do
    assert(event.ph == "M" or type(event.ts) == "number", "every event has a time")
    assert(event.ph ~= "X" or event.dur >= 0)
    assert(math.type(event.pid) == "integer" and math.type(event.tid) == "integer")
    if event.cat == category and (not name or event.name == name) then found[#found + 1] = event end
  end
  return found, whole
end

local two_ops = "local x = lt.ones {2, 2}\nlocal y = x:matmul(x)\n"

-- A program that ends.
local output, status, text = run(two_ops .. "print(y[1][1]:item())", "--sim-gpus 1")
assert(output == "2.0\n" and status == 0, output)
local kernels, whole = events_of(text, "kernel")
local names = {}
for i, event in ipairs(kernels) do names[i] = event.name end
assert(table.concat(names, " ") == "Fill MatMul StridedSlice StridedSlice" or table.concat(names, " ") == "Fill MatMul",
  table.concat(names, " "))
assert(events_of(text, "op", "MatMul")[1].args.line:find("script.lua:2", 1, true))
assert(whole.otherData.command:find("script.lua", 1, true))
assert(#events_of(text, "copy", "read") == 1)

-- One that fails, one that exits, one that exits and closes its state.
for _, ending in ipairs { "error 'on purpose'", "os.exit(3)", "os.exit(3, true)" } do
  local output, status, text = run(two_ops .. ending)
  assert(status == (ending:find "error" and 1 or 3), ending)
  assert(#events_of(text, "op", "MatMul") == 1, ending)
end

-- One that is interrupted while the device has much to do: the trace does not wait for it.
folder.write(folder.at "script.lua", [[
  lt.config.set_simulated_gpus(1, {gflops = 0.0001})
  local x = lt.device("/GPU:0", lt.ones, {1000})
  for _ = 1, 500 do x = x + 1 end -- each takes ten milliseconds
  io.stdout:write("queued\n")
  io.stdout:flush()
  while true do end
]])
local begin = os.time()
local pipe = assert(io.popen(([[
  %s --trace %s %s 2>&1 & child=$!
  for i in $(seq 100); do sleep 0.02; kill -0 $child || break; [ -e /proc/$child ] && [ $i -ge 25 ] && break; done
  kill -INT $child
  wait $child
  echo status $?]]):format(quote(program), quote(folder.at "trace.json"), quote(folder.at "script.lua"))))
local output = pipe:read "a"
pipe:close()
assert(output:find("queued", 1, true) and output:find("interrupted!", 1, true) and output:find("status 1", 1, true), output)
local adds = events_of(folder.read(folder.at "trace.json"), "op", "AddV2")
assert(#adds == 500, #adds)
local done = events_of(folder.read(folder.at "trace.json"), "kernel", "AddV2")
assert(#done < 500, "what was not done is left out")

-- The script may trace by itself, too.
local output, status, text = run([[
  local _ = lt.ones {2}
  local p = lt.profiler.run(lt.zeros, {2})
  print(#p.events > 0, p.events[1].name)
]])
assert(output == "true\tFill\n" and status == 0, output)
assert(#events_of(text, "op", "Fill") == 2)

-- A page.
local output, status, text = run(two_ops, "", "trace.html")
assert(status == 0 and text:find("^<!doctype html>") and text:find("MatMul", 1, true), output)

-- A forked child does not write its parent's trace; there is no fork in Lua, but os.execute runs another program.
local output, status, text = run(two_ops .. "os.execute 'true'")
assert(#events_of(text, "op", "MatMul") == 1)

-- Mistakes are told at the start.
local function fails(file, words)
  local pipe = assert(io.popen(("%s --trace %s -e 'print \"ran\"' 2>&1"):format(quote(program), quote(file))))
  local output = pipe:read "a"
  local _, _, status = pipe:close()
  assert(status == 1 and output:find(words, 1, true) and not output:find("^ran"), output)
end
fails(folder.at "trace.txt", "expected a name that ends in .json")
fails(folder.at "nowhere/trace.json", "nowhere")

folder.remove()
print "ok"
