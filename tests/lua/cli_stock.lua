-- The command line behaves as that of stock lua5.4: stdout, stderr and exit status of many invocations are compared. The
-- intended differences are undone before the comparison: the name before errors, the version, the usage text, and the
-- exit status of a script on stdin that fails. The prompt is not compared: it can do more (tests/sessions).
local lutra, stock = os.getenv "LUTRA" or "lutra", "lua5.4"
if not os.execute("command -v " .. stock .. " > /dev/null") then
  print("there is no " .. stock .. " to compare with")
  os.exit(77)
end

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end
local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. quote(folder)))
local files = {
  ["args.lua"] = "print(...) local low = 0 while arg[low - 1] do low = low - 1 end for i = low, #arg do print(i, i < 0 and '' or arg[i]) end",
  ["error.lua"] = "local function f() error 'deep' end\nf()",
  ["syntax.lua"] = "x = = 1",
  ["object.lua"] = "error(setmetatable({}, { __tostring = function() return 'an object' end }))",
  ["bang.lua"] = "#!/usr/bin/env lua\nprint 'after the first line'",
  ["empty.lua"] = "",
  ["return.lua"] = "return 1, false",
  ["init.lua"] = "print('init', arg and arg[0])",
  ["badinit.lua"] = "error 'in init'",
  ["mod.lua"] = "print('mod', ...) return { name = 'mod' }",
  ["none.lua"] = "print 'nothing returned'",
  ["badmod.lua"] = "error 'in mod'",
  ["sub.lua"] = "print(select('#', ...))",
  ["-dash.lua"] = "print 'dash'",
  ["stdin.txt"] = "print('stdin', ...)\n",
}
for name, text in pairs(files) do
  local file <close> = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(text)
end
os.execute(("%s -e 'io.write(string.dump(load \"print(1, ...)\"))' > %s"):format(stock, quote(folder .. "/binary.luac")))

-- Runs a program; `given` has stdin and env. Returns what is compared.
local function run(program, words, given)
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = quote(word) end
  local command = ("cd %s && printf %%s %s | env LUA_PATH='./?.lua' %s timeout 120 %s %s 2> stderr; echo \"[$?]\""):format(quote(folder),
    quote(given.stdin or ""), given.env or "", quote(program), table.concat(quoted, " "))
  local pipe = assert(io.popen(command))
  local out = pipe:read "a"
  pipe:close()
  local err = read(folder .. "/stderr")
  err = err:gsub("%f[^\n\0]lua5%.4: ", "PROGRAM: "):gsub("%f[^\n\0]lutra: ", "PROGRAM: ")
  err = err:gsub("usage: .*", "USAGE\n")
  err = err:gsub(" %(did you mean .-%?%)", ""):gsub("; write [^\n]*", "")
  out, err = out:gsub("0x%x+", "0x0"), err:gsub("0x%x+", "0x0"):gsub("skipping %d+", "skipping N")
  local begin, stop = out:find(program, 1, true)
  if begin then out = out:sub(1, begin - 1) .. "PROGRAM" .. out:sub(stop + 1) end
  out = out:gsub("Lua 5%.4%.%d  Copyright[^\n]*", "BANNER"):gsub("Lutra %d[^\n]*", "BANNER")
  return out .. "--- stderr\n" .. err
end

local failures, count = {}, 0
local function same(words, given)
  given = given or {}
  count = count + 1
  local wanted, got = run(stock, words, given), run(lutra, words, given)
  if given.fails_on_stdin then wanted = wanted:gsub("%[0%]", "[1]") end
  if got == wanted then return end
  failures[#failures + 1] = ("%s%s\n== lua5.4\n%s== lutra\n%s"):format(table.concat(words, " "), given.env and " with " .. given.env or "", wanted, got)
end

-- -e
for _, statement in ipairs {
  "print(1)", "x =", "error 'x'", "error({})", "error(nil)", "error(setmetatable({}, {__tostring = function() return 'o' end}))",
  "error('no place', 0)", "error(3)", "error(true)", "local t = nil; t.x = 1", "return 1", "print(...)", "print(arg[0] ~= nil, #arg, arg[-1])",
  "os.exit()", "os.exit(true)", "os.exit(false)", "os.exit(3)", "os.exit(256 + 7)", "os.exit(-1)", "os.exit(true, true)", "os.exit(false, true)",
  "os.exit(4, true)", "os.exit('x')", "os.exit(2.5)", "io.stderr:write 'e' io.write 'o'", "string.rep()", "('x'):bad()", "goto nowhere",
  "error(setmetatable({}, {__tostring = function() error 'in tostring' end}))", "error(setmetatable({}, {__tostring = function() return 1 end}))",
  "error(setmetatable({}, {__name = 'Named'}))", "error(print)", "error(coroutine.create(print))", "error(io.stdout)",
  "setmetatable({}, {__gc = function() print 'gc at the end' end})", "setmetatable({}, {__gc = function() error 'in gc' end})",
  "local x <close> = setmetatable({}, {__close = function() print 'closed' end}) os.exit(0, true)",
  "local x <close> = setmetatable({}, {__close = function() print 'closed' end}) error 'e'",
  "local function f() return f() + 1 end f()", "local function f() f() end xpcall(f, function() print 'handler' end)",
  "print(debug.traceback('t'))", "coroutine.wrap(function() error 'in a coroutine' end)()", "require 'nowhere'", "dofile 'nowhere.lua'",
  "print(pcall(load, 'x = '))", "print(loadfile 'syntax.lua')", "print(#package.path > 0, package.config:sub(1, 1))", "print(_VERSION, _G._G == _G)",
  "print(io.read())", "warn 'w'", "warn('@on') warn('a', 'b')", "print(('x'):rep(3, ','))", "print(string.format('%q', 1/3))",
  "local a <const> = 1; a = 2", "print(math.type(3), 7 // 2, 7 / 2, 2^53)", "print(table.unpack({1, 2, nil, 4}, 1, 4))",
  "for k in 3 do end", "print(select(-1, 1, 2))", "print(tostring(nil), tostring(1e15), -0.0, 1e100)", "print(os.getenv 'NOT_SET')",
} do
  same { "-e", statement }
end
same({ "-e", "io.write(io.read 'a')" }, { stdin = "a\nb" })
same { "-eprint(1)", "-e", "print(2)", "-e print(3)" }
same { "-e", "x = 1", "-e", "print(x)", "-e", "local y = 1", "-e", "print(y)" }
same { "-e", "error 'first'", "-e", "print 'not reached'" }
same { "-e" }
same { "-e", "-v" }
same { "-e", "" }
same { "-e", "print(1)", "args.lua", "a", "b" }
same { "-e", "error 'x'", "args.lua" }
same { "-e", "arg = { 'x', 'y' }", "args.lua", "z" }
same { "-e", "arg = 1", "args.lua" }
same { "-e", "arg = nil", "args.lua" }
same { "-e", "arg = setmetatable({}, { __len = function() return 2 end, __index = { 'one', 'two' } })", "args.lua" }

-- Scripts and arg.
for _, words in ipairs {
  { "args.lua" }, { "args.lua", "a", "b c", "" }, { "args.lua", "-e", "print(1)" }, { "-W", "args.lua", "x" }, { "-", "x" }, { "-", "-e", "y" },
  { "--", "args.lua", "x" }, { "--", "-dash.lua" }, { "-dash.lua" }, { "./-dash.lua" }, { "-W", "-E", "--", "args.lua", "--" }, { "--", "-" }, { "--" },
  { "error.lua" }, { "syntax.lua" }, { "object.lua" }, { "bang.lua" }, { "empty.lua" }, { "return.lua" }, { "binary.luac", "a" }, { "nowhere.lua" }, { "." },
  { "" }, { "args.lua", "--", "-" },
} do
  same(words)
end

-- Options.
for _, words in ipairs {
  { "-v" }, { "-v", "-e", "print(1)" }, { "-e", "print(1)", "-v" }, { "-v", "args.lua" }, { "-vi" }, { "-iv" }, { "-e1" }, { "-l1" }, { "-E-" }, { "-v", "nowhere.lua" }, { "-W", "-" }, { "-x" }, { "-ex" }, { "-E", "-x" },
  { "-W" }, { "-W", "-e", "warn 'w'" }, { "-e", "warn 'before'", "-W", "-e", "warn 'after'" }, { "-Wx" }, { "-Ex" }, { "-vv" }, { "-ii" },
  { "-l", "mod" }, { "-lmod" }, { "-l", "mod", "-e", "print(mod.name)" }, { "-l", "m=mod", "-e", "print(m.name, mod)" }, { "-lm=mod", "-e", "print(m.name)" },
  { "-l", "none", "-e", "print(none)" }, { "-l", "badmod" }, { "-l", "nowhere" }, { "-l" }, { "-l", "-e" }, { "-l", "=mod" }, { "-l", "m=" },
  { "-l", "mod", "-l", "mod" }, { "-l", "string", "-e", "print(string.len 'abc')" }, { "-l", "mod", "args.lua", "q" },
  { "-e", "print(2)", "-l", "mod", "-e", "print(3)" }, { "-", "x", "-e", "print(1)" },
} do
  same(words)
end

-- stdin.
same({}, { stdin = "print('stdin', ...)" })
same({ "-" }, { stdin = "print('stdin', ..., arg[0])" })
same({ "-", "a", "b" }, { stdin = files["args.lua"] })
same({}, { stdin = "#!bang\nprint 'after'" })
same({}, { stdin = "error 'x'", fails_on_stdin = true })
same({}, { stdin = "x = =", fails_on_stdin = true })
same({ "-" }, { stdin = "error 'x'" })
same({ "-" }, { stdin = "os.exit(5)" })
same({}, { stdin = "os.exit(false)" })
same({ "-e", "print(1)" }, { stdin = "print 'not run'" })
same({ "-e", "print(1)", "-" }, { stdin = "print 'run'" })
same({ "-v" }, { stdin = "print 'not run'" })
same({ "-i", "-e", "print(1)", "args.lua", "x" })
same({ "-i", "error.lua" })
same({ "-i", "-e", "os.exit(6)" })

-- LUA_INIT.
for _, env in ipairs {
  "LUA_INIT='print(1)'", "LUA_INIT=@init.lua", "LUA_INIT=@nowhere.lua", "LUA_INIT=@badinit.lua", "LUA_INIT='error(5)'", "LUA_INIT='x ='", "LUA_INIT=",
  "LUA_INIT_5_4='print(54)'", "LUA_INIT_5_4='print(54)' LUA_INIT='print(1)'", "LUA_INIT_5_4=@init.lua LUA_INIT='print(1)'", "LUA_INIT_5_4= LUA_INIT='print(1)'",
  "LUA_INIT='os.exit(9)'", "LUA_INIT='print(arg[1])'",
} do
  same({ "-e", "print 'statement'" }, { env = env })
  same({ "args.lua", "x" }, { env = env })
  same({ "-E", "-e", "print 'statement'" }, { env = env })
  same({ "-v" }, { env = env })
end
same({ "-e", "print(package.path, package.cpath)" }, { env = "LUA_PATH='./?.x;;' LUA_CPATH='./?.y;;'" })
same({ "-e", "print(package.path, package.cpath)" }, { env = "LUA_PATH_5_4='./?.z' LUA_CPATH_5_4='./?.c'" })
same({ "-E", "-e", "print(package.path, package.cpath)" }, { env = "LUA_PATH_5_4='./?.z' LUA_CPATH_5_4='./?.c'" })

os.execute("rm -r " .. quote(folder))
if #failures > 0 then
  print(table.concat(failures, "\n"))
  print(("%d of %d invocations differ"):format(#failures, count))
  os.exit(1)
end
print(count .. " invocations alike")
