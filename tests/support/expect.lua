-- Assertions for the scripts in tests/lua. `local expect = dofile("tests/support/expect.lua")`
local lt = require "lutra"
local show = dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "") .. "show.lua")
local expect = {}

-- Raises for whoever called the function that calls this.
local function fail(message) error(message .. show.site(3), 3) end

-- f(...) raises one of Lutra's errors with this code, whose text has `words` in it (plain). Returns the error.
function expect.raises(code, words, f, ...)
  if words == "" then fail("expect.raises is to look for some words") end
  local results = table.pack(pcall(f, ...))
  local ok, err = results[1], results[2]
  if ok then
    local gave = results.n == 1 and "nothing" or show.list { n = results.n - 1, table.unpack(results, 2, results.n) }
    fail(("expected %s (%s), but nothing was raised; the call gave %s"):format(code, words, gave))
  end
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

-- Equal, also tables by value and nan with itself.
function expect.equal(got, wanted, what)
  if same(got, wanted) then return end
  local text = ("%s: expected %s, got %s"):format(what or "value", show.value(wanted), show.value(got))
  if type(got) == "table" and type(wanted) == "table" then
    local at, a, b = show.difference(got, wanted, same)
    if at then text = ("%s; first difference at %s: expected %s, got %s"):format(text, at, show.value(b), show.value(a)) end
  end
  fail(text)
end

-- The path of the first number that is too far from the wanted one, and both numbers; nil where none is.
local function first_apart(got, wanted, tolerance, what)
  if type(got) == "userdata" then got = got:totable() end
  if type(wanted) ~= "table" then
    local is_close = type(got) == "number" and math.abs(got - wanted) <= tolerance * math.max(1, math.abs(wanted))
    return not is_close and what or nil, got, wanted
  end
  if type(got) ~= "table" or #got ~= #wanted then
    return what .. ": number of elements", type(got) == "table" and #got or 1, #wanted
  end
  for i = 1, #wanted do
    local place, a, b = first_apart(got[i], wanted[i], tolerance, ("%s[%d]"):format(what, i))
    if place then return place, a, b end
  end
end

-- Nearly equal: two numbers differ by at most `tolerance`, times the wanted number where that is more than 1. Takes
-- numbers and tables of them; `got` may be or hold tensors.
function expect.close(got, wanted, tolerance, what)
  local place, a, b = first_apart(got, wanted, tolerance, what or "value")
  if not place then return end
  local text = ("%s: %s, expected %s"):format(place, show.value(a), show.value(b))
  if type(a) == "number" and type(b) == "number" and not place:find("number of elements$") then
    local allowed = tolerance * math.max(1, math.abs(b))
    text = ("%s (off by %.3g, allowed %.3g)"):format(text, math.abs(a - b), allowed)
  end
  if show.is_tensor(got) then text = text .. "; got " .. show.value(got) end
  fail(text)
end

-- Runs one named case of a script. A failure prints the name and ends the script. LUTRA_TEST_CASE: only the case of this
-- name runs.
local cases, only = 0, os.getenv "LUTRA_TEST_CASE"
function expect.case(name, test)
  if only and name ~= only then return end
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

-- A new path with this ending. os.tmpname creates a file, which is removed here.
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

-- Whether a sanitizer watches this process: it takes terabytes of addresses, keeps what is freed for a while, and slows
-- down what computes.
function expect.is_sanitized()
  local maps <close> = assert(io.open("/proc/self/maps"))
  return maps:read("a"):find("lib[atu]+san") ~= nil
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
