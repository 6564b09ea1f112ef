-- Lua's own library, for `?name` and the signature of a call: a line about each library, function and field.
local standard = {}

-- Libraries, and "file", whose functions are methods.
local libraries = {
  coroutine = "functions that can stop and go on later",
  debug = "looks into running functions",
  file = "the methods of open files, which io.open gives",
  io = "reads and writes files",
  math = "numbers of Lua",
  os = "the clock, the environment, files by their names",
  package = "how require finds modules",
  string = "texts; also methods: s:upper() is string.upper(s)",
  table = "lists in tables",
  utf8 = "texts in UTF-8",
}

-- What is no function: the line about it.
local field_text = [[
_G: the table of the globals
_VERSION: the version of Lua, as text
arg: the words of the command line: the script at 0, its arguments from 1
io.stderr: the file of error messages
io.stdin: the file of the program's input
io.stdout: the file of the program's output
math.huge: the float above all numbers, infinity
math.maxinteger: the largest integer
math.mininteger: the least integer
math.pi: the ratio of a circle's circumference to its diameter
package.config: the marks of paths: between folders, between templates, for the name, and others
package.cpath: the templates by which require looks for C libraries
package.loaded: the modules that are loaded, by their names
package.path: the templates by which require looks for Lua files
package.preload: functions that load modules, by the modules' names
package.searchers: the functions by which require looks for a module, in their order
utf8.charpattern: the pattern of one character
]]

local text = [[
assert(v, [message]): v, if it is true; else an error
collectgarbage([option, arguments]): collects garbage, or controls the collector: "count", "stop", "restart", "step"
dofile([path]): runs a file and gives what it returns
error(message, [level]): raises an error; level 1 adds the caller's place, 2 that of its caller, 0 none
getmetatable(value): the metatable of a value, or its field __metatable
ipairs(t): for a loop over t[1], t[2] ... up to the first nil
load(chunk, [name, mode, env]): compiles a text or the pieces that a function gives; the function, or nil and why not
loadfile([path, mode, env]): compiles a file
next(t, [key]): the key behind `key` and its value; nil behind the last; the first without a key
pairs(t): for a loop over all keys and values
pcall(f, ...): true and the results of f(...), or false and the error
print(...): writes values to stdout, with tabs between them
rawequal(a, b): a == b without metamethods
rawget(t, key): t[key] without metamethods
rawlen(v): #v without metamethods
rawset(t, key, value): t[key] = value without metamethods
require(name): loads a module, once; gives what the module gives
select(n, ...): the arguments from the n-th on; "#" gives how many there are
setmetatable(t, metatable): sets the metatable of t and gives t
tonumber(v, [base]): the number that a text stands for; nil if it is none
tostring(v): the text of a value
type(v): the name of a value's type: "nil", "number", "string" ...
warn(message, ...): writes a warning; "@on" and "@off" turn warnings on and off
xpcall(f, handler, ...): pcall whose errors pass through handler
coroutine.close(co): closes a suspended coroutine and its variables
coroutine.create(f): a coroutine that will run f
coroutine.isyieldable([co]): whether the running coroutine can yield
coroutine.resume(co, ...): runs co until it yields or ends: true and its values, or false and the error
coroutine.running(): the running coroutine, and whether it is the main one
coroutine.status(co): "running", "suspended", "normal" or "dead"
coroutine.wrap(f): a function that resumes a coroutine of f; errors are raised
coroutine.yield(...): suspends the running coroutine; the arguments are what resume gives
debug.debug(): reads and runs lines from stdin until one is "cont"
debug.gethook([thread]): the hook, its mask and its count
debug.getinfo([thread], f, [what]): a table about a function or a level of the stack
debug.getlocal([thread], f, n): the name and the value of the n-th local of a level, or of a function's parameter
debug.getmetatable(value): the metatable of a value, whatever its field __metatable
debug.getregistry(): the registry
debug.getupvalue(f, n): the name and the value of the n-th upvalue of f
debug.getuservalue(u, [n]): the n-th value that belongs to a userdata
debug.setcstacklimit(limit): has no effect any more
debug.sethook([thread], hook, mask, [count]): calls hook at each "c"all, "r"eturn, "l"ine, or `count` instructions
debug.setlocal([thread], level, n, value): sets the n-th local of a level
debug.setmetatable(value, metatable): sets the metatable of any value
debug.setupvalue(f, n, value): sets the n-th upvalue of f
debug.setuservalue(u, value, [n]): sets the n-th value that belongs to a userdata
debug.traceback([thread], [message], [level]): a text that lists the calls on the stack
debug.upvalueid(f, n): a value that tells upvalues apart
debug.upvaluejoin(f, n, g, m): makes the n-th upvalue of f the m-th of g
io.close([file]): closes a file, or the default output
io.flush(): writes out what the default output still holds
io.input([file]): the default input; sets it, given a file or a path
io.lines([path], ...): for a loop over the lines of a file, or over what the formats read
io.open(path, [mode]): opens a file: "r" (default), "w", "a", with "+" for both, "b" for bytes; nil and why not
io.output([file]): the default output; sets it, given a file or a path
io.popen(command, [mode]): runs a program; a file to read what it writes, or with "w" to write what it reads
io.read(...): reads from the default input: "l" a line (default), "L" with its end, "n" a number, "a" all, or n bytes
io.tmpfile(): a file that is removed when the program ends
io.type(v): "file", "closed file", or nil if v is no file
io.write(...): writes to the default output
file:close(): closes the file
file:flush(): writes out what the file still holds
file:lines(...): for a loop over the lines, or over what the formats read
file:read(...): reads: "l" a line (default), "L" with its end, "n" a number, "a" all, or n bytes
file:seek([whence], [offset]): moves to and gives the place in the file, from "set" (the start), "cur" or "end"
file:setvbuf(mode, [size]): when output is written out: "no", "full" or "line"
file:write(...): writes texts and numbers; gives the file
math.abs(x): the number without its sign
math.acos(x): the angle whose cosine is x, in radians
math.asin(x): the angle whose sine is x, in radians
math.atan(y, [x]): the angle whose tangent is y / x, in radians
math.ceil(x): the least integer not below x
math.cos(x): the cosine of an angle in radians
math.cosh(x): the hyperbolic cosine
math.deg(x): radians as degrees
math.exp(x): e to the power of x
math.floor(x): the largest integer not above x
math.fmod(x, y): what remains of x / y rounded towards zero
math.frexp(x): m and e so that x is m * 2^e and m in [0.5, 1)
math.ldexp(m, e): m * 2^e
math.log(x, [base]): the logarithm; the natural one by default
math.log10(x): the logarithm to base 10
math.max(x, ...): the largest argument
math.min(x, ...): the least argument
math.modf(x): the integer part and the fraction
math.pow(x, y): x^y
math.rad(x): degrees as radians
math.random([m, n]): a float in [0, 1), or an integer in 1..m or m..n
math.randomseed([x, y]): sets the seed of math.random
math.sin(x): the sine of an angle in radians
math.sinh(x): the hyperbolic sine
math.sqrt(x): the square root
math.tan(x): the tangent of an angle in radians
math.tanh(x): the hyperbolic tangent
math.tointeger(x): x as an integer; nil if it is none
math.type(x): "integer", "float", or nil if x is no number
math.ult(m, n): m < n as unsigned integers
os.clock(): the seconds of processor time used
os.date([format, time]): a date and time as text, or "*t" as a table
os.difftime(t2, t1): seconds from t1 to t2
os.execute([command]): runs a command of the shell: true or nil, "exit" or "signal", a number
os.exit([code, close]): ends the program
os.getenv(name): the value of an environment variable; nil if it is unset
os.remove(path): deletes a file; nil and why not
os.rename(from, to): renames a file; nil and why not
os.setlocale(locale, [category]): sets the locale
os.time([table]): seconds since 1970, now or at a date
os.tmpname(): a path for a temporary file
package.loadlib(path, name): loads a C library and gives one of its functions
package.searchpath(name, path, [separator, replacement]): the first file that a path of templates has for a name
string.byte(s, [i, j]): the codes of the bytes from i to j
string.char(...): the text of byte codes
string.dump(f, [strip]): the function as a binary chunk
string.find(s, pattern, [init, plain]): where the first match begins and ends, and its captures; nil if there is none
string.format(format, ...): fills %d, %s, %g, %q and their like with the arguments
string.gmatch(s, pattern, [init]): for a loop over the matches
string.gsub(s, pattern, replacement, [n]): the text with its matches replaced by a text, a table or a function
string.len(s): the bytes of a text
string.lower(s): the text in small letters
string.match(s, pattern, [init]): the captures of the first match, or the match; nil if there is none
string.pack(format, ...): values as bytes
string.packsize(format): the bytes that string.pack would give
string.rep(s, n, [separator]): n copies of a text
string.reverse(s): the bytes from the last to the first
string.sub(s, i, [j]): the bytes from i to j; negative places count from the end
string.unpack(format, s, [place]): the values that string.pack has packed, and the place behind them
string.upper(s): the text in capital letters
table.concat(t, [separator, i, j]): the texts of a list joined
table.insert(t, [place], value): inserts a value into a list, at its end by default
table.move(from, first, last, to, [into]): copies a part of a list
table.pack(...): the arguments as a table, with their number in n
table.remove(t, [place]): removes an element of a list, the last by default, and gives it
table.sort(t, [before]): sorts a list in place; before(a, b) says whether a comes first
table.unpack(t, [i, j]): the elements of a list as values
utf8.char(...): the text of code points
utf8.codepoint(s, [i, j, lax]): the code points of the characters from byte i to j
utf8.codes(s, [lax]): for a loop over the places and code points of the characters
utf8.len(s, [i, j, lax]): the number of characters; nil and the place of the first bad byte
utf8.offset(s, n, [i]): the byte at which the n-th character begins
]]

-- {name, arguments, summary} by function, as they are when one is first asked for.
local entries
local function all()
  if entries then return entries end
  entries = {}
  local file = io and debug.getmetatable(io.stdout) or {}
  for line in text:gmatch("[^\n]+") do
    local name, arguments, summary = line:match("^([%w_%.:]+)(%b()): (.*)$")
    local module, last = name:match("^(%w+)[%.:](.*)$")
    local holder = module == nil and _G or module == "file" and rawget(file, "__index") or package.loaded[module]
    local value = type(holder) == "table" and rawget(holder, last or name)
    local info = type(value) == "function" and debug.getinfo(value, "S")
    local is_own = info and (info.what == "C" or info.source:find("^=%[lutra") ~= nil) -- and not the user's
    if is_own then entries[value] = { name, arguments, summary } end
  end
  return entries
end

-- "string.rep(s, n, [separator])" and the line about it; nil for other functions. is_method: without the first
-- argument, as in s:rep(n).
function standard.about(value, is_method)
  local entry = type(value) == "function" and all()[value]
  if not entry then return nil end
  local name, arguments = entry[1], entry[2]
  if is_method and not name:find(":", 1, true) then
    name = name:gsub("^.*%.", "s:")
    arguments = "(" .. (arguments:match("^%([^,]*, (.*)$") or ")")
  end
  return name .. arguments, entry[3]
end

-- Iterates over the names of fields and the lines about them.
local function fields() return field_text:gmatch "([%w_.]+): ([^\n]*)\n" end

-- The line about a field such as math.pi; nil for other names.
function standard.about_field(name)
  for each, summary in fields() do
    if each == name then return summary end
  end
end

-- What is in a library: a line for each of its functions and fields. nil if the name is none, or the user has put
-- another value in its place.
function standard.library(name, value)
  local about = libraries[name]
  local is_there = name == "file" and value == nil or value ~= nil and rawequal(value, package.loaded[name])
  if not about or not is_there then return nil end
  local rows = {}
  for _, entry in next, all() do
    if entry[1]:match("^(%w+)[.:]") == name then rows[#rows + 1] = { "  " .. entry[1] .. entry[2], entry[3] } end
  end
  for each, summary in fields() do
    if each:match("^(%w+)%.") == name then rows[#rows + 1] = { "  " .. each, summary } end
  end
  table.sort(rows, function(a, b) return a[1] < b[1] end)
  local lines = {}
  for i, row in ipairs(rows) do lines[i] = row[1] .. "  -- " .. row[2] end
  return ("%s: %s\n%s"):format(name, about, table.concat(lines, "\n"))
end

-- All names that are described here.
function standard.names()
  local list = {}
  for name in next, libraries do list[#list + 1] = name end
  for _, entry in next, all() do list[#list + 1] = entry[1] end
  for name in fields() do list[#list + 1] = name end
  table.sort(list)
  return list
end

return standard
