-- The functions of string, table and load that a sandbox replaces give what Lua's own give. One script, with random
-- patterns and texts, runs outside and inside a sandbox and prints all results; both outputs must be equal.
local program = os.getenv("LUTRA") or "lutra"

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local calls = [==[
local state = 1
local function random(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state // 65536 % n + 1
end
local atoms = { "a", "b", ".", "%a", "%d", "%w", "%S", "[ab]", "[^a]", "[%d-]", "[a-c]", "[]]", "[^]]", "[%]]", "%%", "()", "(a)",
  "(.)", "(.-)", "%1", "%2", "%bab", "%b()", "%f[a]", "%f[^%w]", "$", "^", "-", "*", "+", "?", "(", "[", "%", "]", "x", "\0", "[%",
  "[a-", "[a-]", "%g", "%U", "[%a_]", "%b", "%f", "é", "[^%s]", "(%w+)", "(%s*)", "%c", "%l", "%p", "%x", "%X" }
local letters = { "a", "b", "c", "(", ")", "1", "2", " ", "x", "\0", "-", "]", "%", "é", "\n", "Z", "_", "\127" }
local repetitions = { "*", "+", "-", "?" }
local function pattern()
  local t = random(5) == 1 and "^" or ""
  for _ = 1, random(6) do t = t .. atoms[random(#atoms)] .. (random(3) == 1 and repetitions[random(4)] or "") end
  return t
end
local function text()
  local t = ""
  for _ = 1, random(15) - 1 do t = t .. letters[random(#letters)] end
  return t
end
local replacements = { "", "<%0>", "%1", "%1%2", "%%", "x", "%", "%x", "é%0%0", 7, 1.5, function(a) return a end,
  function() return nil end, function() return false end, function() return {} end, { a = "A", b = false, ["1"] = 5 }, true }
local function show(ok, ...)
  local t = { tostring(ok) }
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    t[i + 1] = type(value) == "string" and ("%q"):format(value) or type(value) == "table" and "a table" or type(value) == "function" and "a function" or tostring(value)
  end
  local line = ""
  for i = 1, #t do line = line .. t[i] .. "|" end
  print(line)
end
for _ = 1, 20000 do
  local s, p = text(), pattern()
  local init = random(3) == 1 and random(33) - 17 or nil
  show(pcall(string.find, s, p, init, random(8) == 1 or nil))
  show(pcall(string.match, s, p, init))
  show(pcall(string.gsub, s, p, replacements[random(#replacements)], random(4) == 1 and random(5) - 2 or nil))
  show(pcall(function()
    local out, n = "", 0
    for a, b in string.gmatch(s, p, init) do
      n = n + 1
      out = out .. tostring(a) .. "/" .. tostring(b) .. ";"
      if n > 40 then break end
    end
    return out
  end))
end
for _, name in ipairs { "find", "match", "gsub", "gmatch", "rep", "format", "sub", "byte", "upper", "lower", "reverse", "char", "pack", "unpack" } do
  local f = string[name]
  show(pcall(f)) show(pcall(f, {})) show(pcall(f, "a%s", 1, 2)) show(pcall(f, "abc", -2)) show(pcall(f, "abc", "b")) show(pcall(f, 65))
end
for _, each in ipairs { { "x", 3, "," }, { "", 5 }, { "", 5, "," }, { "ab", 0 }, { "ab", -1 }, { "ab", 1000 }, { "a", 1 << 40, "bcdef" } } do
  local ok, made = pcall(string.rep, table.unpack(each))
  show(ok, ok and made)
end
local function effect(f, ...)
  local t = { 5, 4, 3, "x", 1 }
  show(pcall(table[f], t, ...))
  show(true, t[-2], t[-1], t[0], table.unpack(t, 1, 12))
end
for _, x in ipairs { -3, -1, 0, 1, 2, 5, 6, 7, 8, math.maxinteger, math.mininteger } do
  effect("remove", x) effect("insert", x, "n") effect("insert", x) effect("concat", ",", x) effect("concat", ",", x, 3)
  for _, y in ipairs { -3, 0, 1, 3, 5, 7 } do
    for _, z in ipairs { -2, 0, 1, 2, 6 } do
      if x > -100 and x < 100 then effect("move", x, y, z) effect("move", x, y, z, {}) end
    end
  end
end
for _, f in ipairs { "remove", "insert", "concat", "move", "sort", "unpack" } do effect(f) effect(f, 1) effect(f, {}) effect(f, 1, 2) effect(f, 1, 2, 3, 4) end
effect("move", 1, math.maxinteger, 2) effect("move", -1, math.maxinteger, 2)
for _ = 1, 300 do
  local t = {}
  for i = 1, random(40) do t[i] = random(20) end
  table.sort(t, random(2) == 1 and function(a, b) return a > b end or nil)
  show(true, table.unpack(t))
end
-- Metamethods are used.
local proxy = setmetatable({}, { __len = function() return 3 end, __index = function(_, k) return "v" .. k end, __newindex = function(_, k, v) show(true, k, v) end })
show(pcall(table.concat, proxy, "-")) show(pcall(table.insert, proxy, 2, "n")) show(pcall(table.remove, proxy, 1)) show(pcall(table.move, proxy, 1, 2, 3))
for _, each in ipairs { { "return 1" }, { "return x", "n", "t", { x = 7 } }, { "x x" }, { "return ...", "=n" }, { 123 } } do
  local f, problem = load(table.unpack(each, 1, 4))
  show(f ~= nil, problem, f and f(9))
end
local pieces, n = { "return ", "1", "+2", "" }, 0
show(true, load(function() n = n + 1 return pieces[n] end)())
show(pcall(load, function() error("e", 0) end)) show(pcall(load, function() return {} end))
]==]

local script = os.tmpname()
do
  local file <close> = assert(io.open(script, "wb"))
  file:write(calls)
end
local function output(options)
  local pipe = assert(io.popen(("%s %s %s 2>&1"):format(quote(program), options, quote(script))))
  local out = pipe:read("a")
  assert(pipe:close(), out:sub(-1000))
  return out
end
local plain, sandbox = output(""), output("--sandbox=instructions=1e12")
os.remove(script)
local lines = {}
for line in plain:gmatch("[^\n]*") do lines[#lines + 1] = line end
local i = 0
for line in sandbox:gmatch("[^\n]*") do
  i = i + 1
  assert(line == lines[i], ("line %d: Lua gives\n%s\nthe sandbox\n%s"):format(i, lines[i], line))
end
assert(i == #lines and i > 80000)
print(i .. " results equal")
