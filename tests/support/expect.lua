-- What the scripts in tests/lua assert with. `local expect = dofile("tests/support/expect.lua")`
local lt = require "lutra"
local expect = {}

local function fail(message) error(message, 3) end

-- f(...) raises one of Lutra's errors with this code, whose text has `words` in it (plain). Returns the error.
function expect.raises(code, words, f, ...)
  if words == "" then fail("expect.raises is to look for some words") end
  local ok, err = pcall(f, ...)
  if ok then fail(("expected %s (%s), but nothing was raised"):format(code, words)) end
  if not lt.iserror(err) then fail(("expected %s (%s), got a plain error: %s"):format(code, words, tostring(err))) end
  if err.code ~= code then fail(("expected %s (%s), got %s: %s"):format(code, words, err.code, err.message)) end
  if not err.message:find(words, 1, true) then fail(("expected the words %q in: %s"):format(words, err.message)) end
  return err
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or (a ~= a and b ~= b) end
  for k, v in pairs(a) do if not same(v, b[k]) then return false end end
  for k in pairs(b) do if a[k] == nil then return false end end
  return true
end

local function show(value)
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for _, v in ipairs(value) do parts[#parts + 1] = show(v) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Equal, also tables by value and nan with itself.
function expect.equal(got, wanted, what)
  if not same(got, wanted) then fail(("%s: expected %s, got %s"):format(what or "value", show(wanted), show(got))) end
end

-- What the first number is called that is too far from the one wanted, and both; nil where none is.
local function first_apart(got, wanted, tolerance, what)
  if type(got) == "userdata" then got = got:totable() end
  if type(wanted) ~= "table" then
    local is_close = type(got) == "number" and math.abs(got - wanted) <= tolerance * math.max(1, math.abs(wanted))
    return not is_close and what or nil, got, wanted
  end
  if type(got) ~= "table" or #got ~= #wanted then return what .. ": how many", type(got) == "table" and #got or 1, #wanted end
  for i = 1, #wanted do
    local place, a, b = first_apart(got[i], wanted[i], tolerance, ("%s[%d]"):format(what, i))
    if place then return place, a, b end
  end
end

-- Nearly equal, as far as `tolerance` allows: times the number wanted where that is more than 1. Numbers, and tables of them, for which
-- tensors may stand.
function expect.close(got, wanted, tolerance, what)
  local place, a, b = first_apart(got, wanted, tolerance, what or "value")
  local function text(value) return math.type(value) == "float" and ("%.17g"):format(value) or show(value) end
  if place then fail(("%s: %s, expected %s"):format(place, text(a), text(b))) end
end

-- A part of a script, with a name for who reads its failure, which ends the script.
local cases = 0
function expect.case(name, test)
  cases = cases + 1
  local ok, problem = xpcall(test, debug.traceback)
  if not ok then
    print(("FAILED %s: %s"):format(name, problem))
    os.exit(1)
  end
end
function expect.end_of_cases() print(cases .. " passed") end

-- The merged name of the scopes that are open here.
function expect.scope() return lt.debugging.explain(lt.zeros { 1 }).requested end

-- Collects until nothing more is freed, drops the copies kept for reuse, and counts the storages left.
function expect.storages()
  collectgarbage()
  collectgarbage()
  lt.config.release_memory()
  return lt.debugging.live_storages()
end

-- A path that ends so, of no file yet: os.tmpname makes one, which would be left behind beside it.
function expect.path(ending)
  local name = os.tmpname()
  os.remove(name)
  return name .. ending
end

-- Runs `script` in a program of its own: what it printed on both streams, and whether it succeeded.
-- `options` go before the script, `environment` before the program.
function expect.program(script, options, environment)
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "wb"))
  file:write(script)
  file:close()
  local program = os.getenv("LUTRA") or "lutra"
  local pipe = assert(io.popen(("%s '%s' %s '%s' 2>&1 </dev/null"):format(environment or "", program, options or "", path)))
  local text = pipe:read("a")
  local ok = pipe:close()
  os.remove(path)
  return text:gsub(path:gsub("%p", "%%%0"), "SCRIPT"), ok == true
end

-- The levels of the processor that this build has kernels for and that run here, lowest first.
function expect.cpu_levels()
  local pipe = assert(io.popen(("'%s' doctor --json 2>/dev/null"):format(os.getenv("LUTRA") or "lutra")))
  local text = pipe:read("a")
  pipe:close()
  local highest, levels = assert(text:match('"level": "(%w+)"'), text), {}
  for level in text:match('"levels": "([^"]+)"'):gmatch("%w+") do
    levels[#levels + 1] = level
    if level == highest then break end
  end
  return levels
end

return expect
