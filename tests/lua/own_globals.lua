-- Scripts may use the names of Lua's library for their own globals, as in `type = "cnn"`: Lutra's own Lua keeps the library
-- as it was when Lutra was opened.
local program = os.getenv("LUTRA") or "lutra"

local function run(script, options)
  local path, output = os.tmpname(), os.tmpname()
  do
    local file <close> = assert(io.open(path, "w"))
    file:write(script)
  end
  local ok = os.execute(("'%s' %s < '%s' > '%s' 2>&1"):format(program, options, path, output))
  local file <close> = assert(io.open(output))
  local text = file:read "a"
  os.remove(path)
  os.remove(output)
  return text, ok
end

-- Files that are loaded when they are first used.
local work = [[
  say(tostring_(lt.nn.Dense(3)))
  say(tostring_(lt.plot.line({1, 2, 3}, {width = 30, height = 5, ascii = true})))
  local x = lt.reshape(lt.range(8), {8, 1}):float32()
  local model = lt.nn.Sequential {lt.nn.Dense(1, {input_shape = {1}, kernel_initializer = "zeros"}), lt.nn.Dropout(0.5)}
  model:compile {optimizer = lt.optim.Adam {learning_rate = 0.1}, loss = "mse", metrics = {"mae"}}
  local history = model:fit(x, x, {epochs = 2, verbose = 0, validation_split = 0.25})
  say(tostring_(#history.epoch))
  say(lt.help "nn.Dense", lt.help "matmul")
  say(tostring_(x:describe()))
  for batch in lt.data.from_tensors(x):batch(4):iterate() do say(tostring_(batch)) end
  say(tostring_(lt.union1d({1, 2}, {2, 3})), tostring_(lt.distributions.Normal(0, 1):log_prob(0)))
  say(tostring_(lt.vmap(function(t) return t * 2 end)(x):sum()))
  say(tostring_(lt.sparse and 1), tostring_(lt.image and 1))
  say(tostring_(pcall_(lt.nn.Dense, "many")))
]]
local names = {}
for name in pairs(_G) do
  if name ~= "_G" and name ~= "lutra" and name ~= "lt" and name ~= "arg" then names[#names + 1] = name end
end
table.sort(names)
assert(#names >= 30)

local keep = "local say, tostring_, pcall_ = print, tostring, pcall\n"
local expected, ok = run(keep .. work, "-")
assert(ok and not expected:find("lutra: ", 1, true), expected)
for _, value in ipairs { '"cnn"', "nil", "{1, 2}" } do
  local taken = {}
  for _, name in ipairs(names) do taken[#taken + 1] = ("_G.%s = %s"):format(name, value) end
  local got, fine = run(keep .. table.concat(taken, "\n") .. "\n" .. work, "-")
  assert(fine and got == expected, value .. ":\n" .. got)
end

-- At the prompt.
local text = run("setmetatable = nil type = 'x' table = nil\n1 + 1\nlt.plot.line({1, 2}, {width = 20, height = 3, ascii = true})\n", "-i")
assert(text:find("> 2\n", 1, true) and not text:find("attempt", 1, true), text)

-- What reads users' globals on purpose still does: functions that other interpreters run are sent with the names of theirs.
text = run("for x in lt.data.range(2):map(function(x) return math.floor(x:item()) + 7 end, {num_parallel_calls = 2}):iterate() do print(x:item()) end", "-")
assert(text == "7\n8\n", text)

-- Nor is `print` kept: whoever replaces it gets what Lutra prints.
text = run([[
  local lines, say = {}, print
  function print(...) lines[#lines + 1] = ... end
  lt.nn.Sequential {lt.nn.Dense(1, {input_shape = {1}})}:summary()
  say(#lines > 3, (table.concat(lines, " "):find("Total parameters", 1, true)) ~= nil)]], "-")
assert(text == "true\ttrue\n", text)

print("own_globals: kept")
