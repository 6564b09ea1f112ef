-- --ops, --completion, the man page and options from the environment.
local expect = dofile "tests/support/expect.lua"
local program = os.getenv "LUTRA" or "lutra"

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end
local function shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  return text, pipe:close() == true
end
local function lutra(words, env) return shell(("env %s %s 2>&1 %s"):format(env or "", quote(program), words)) end

local help = lutra "--help"
local options = {}
for option in help:gmatch "\n  (%-[%w-]*)" do options[#options + 1] = option end
assert(#options > 20, help)

-- --ops: one line per op.
local ops = lutra "--ops"
local seen, last = 0, ""
for line in ops:gmatch "[^\n]+" do
  local name, logged, cpu, gpu, more = line:match "^(%S+) +(%S.-)  +(%S+) +(%S+)(.*)$"
  assert(gpu and more == "", line)
  if seen > 0 then
    assert(name > last, "in order: " .. line)
    assert(load("return lt." .. name)(), "callable: " .. line)
    last = name
  end
  seen = seen + 1
end
assert(seen > 150)
assert(ops:find("\nmatmul +MatMul +numbers,complex +numbers\n"), ops)
assert(ops:find("\nsoftplus +Softplus +floats +floats\n"), ops)

-- What cannot be written is no success.
for _, words in ipairs { "--ops", "--help", "--version", "--completion bash" } do
  local text, ok = lutra(words .. " >/dev/full")
  assert(not ok, words .. ": " .. text)
end

do
  local text, ok = lutra "-m ''"
  assert(not ok and text:find("'%-m' needs the name of a module"), text)
end

-- The man page has each option and subcommand once, with a text.
do
  local file <close> = assert(io.open "docs/lutra.1")
  local page = file:read("a"):gsub("\\%-", "-"):gsub("\\f%u", "")
  for _, option in ipairs(options) do
    local _, count = page:gsub("\n%.TP\n%.BI?R? \"?" .. option:gsub("%-", "%%-") .. "%f[^%w-][^\n]*\n%w", "")
    expect.equal(count, 1, "in docs/lutra.1: " .. option)
  end
  for option in page:gmatch "\n%.TP\n%.BI?R? (%-[%w-]*)" do assert(help:find("\n  " .. option, 1, true), "no longer an option: " .. option) end
  -- Those of subcommands, too.
  local function long_options(text)
    local found, list = {}, {}
    for option in text:gmatch "%-%-%l[%l-]*" do
      if not found[option] then list[#list + 1] = option end
      found[option] = true
    end
    table.sort(list)
    return table.concat(list, " ")
  end
  expect.equal(long_options(page), long_options(help), "the options of the man page and of --help")
  for name in help:gmatch "\n       lutra (%w+)" do assert(page:find("\n.B lutra " .. name .. "\n", 1, true), name) end
end
if os.execute "command -v man > /dev/null" then
  local text = shell "MANWIDTH=80 LC_ALL=C man --warnings -l docs/lutra.1 2>&1 < /dev/null"
  assert(text:find "NAME" and not text:find "warning:", text)
end

-- The completion files name every option; bash's is run.
for _, name in ipairs { "bash", "zsh", "fish" } do
  local text, ok = lutra("--completion " .. name)
  assert(ok and text:find("^#"), text)
  for _, option in ipairs(options) do
    if option:find "^%-%-%w" then assert(text:find(name == "fish" and "-l " .. option:sub(3) or option, 1, true), name .. ": " .. option) end
  end
  if name ~= "fish" and os.execute("command -v " .. name .. " > /dev/null") then
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local problem, is_whole = shell(("%s -n %s 2>&1"):format(name, path))
    assert(is_whole, problem)
    os.remove(path)
  end
end
local function complete(...)
  local words = { "lutra", ... }
  for i, word in ipairs(words) do words[i] = quote(word) end
  local script = ([[
    eval "$(%s --completion bash)"
    COMP_WORDS=(%s) COMP_CWORD=%d
    compopt() { :; }
    _lutra
    echo "${COMPREPLY[@]}"]]):format(quote(program), table.concat(words, " "), #words - 1)
  return (shell("bash -c " .. quote(script) .. " 2>&1"):gsub("\n$", ""))
end
expect.equal(complete "--no-", "--no-soft-placement --no-init")
expect.equal(complete "doc", "doctor docs", "the subcommand, and files")
expect.equal(complete("--color", "a"), "auto always")
expect.equal(complete("--color", "=", "n"), "never")
expect.equal(complete("--color", "="), "auto always never")
expect.equal(complete("--device", "G"), "GPU:0 GPU:1")
expect.equal(complete("--log-placement", "=", "LIC"), "LICENSE")
expect.equal(complete("doctor", "--"), "--json")
expect.equal(complete("script.lua", "--"), "", "what follows a script is its own")
expect.equal(complete("--device", "CPU:0", "--he"), "--help")
expect.equal(complete("--color", "=", "never", "--he"), "--help")
expect.equal(complete("-W", "LIC"), "LICENSE")
for words, wanted in pairs {
  ["--completion csh"] = "lutra: '--completion' is 'csh', expected bash, zsh or fish",
  ["--completion"] = "lutra: '--completion' needs argument", ["--ops=x"] = "lutra: '--ops' takes no argument",
  ["--opps"] = "lutra: unrecognized option '--opps' (did you mean '--ops'?)",
} do
  local text, ok = lutra(words)
  assert(not ok and text:find(wanted, 1, true), text)
end

-- Options from the environment; the command line wins, and -E ignores them.
local where = "-e \"print(lt.ones{2}.device:match '%u%u%u:%d')\""
expect.equal(lutra(where, "LUTRA_SIM_GPUS=1 LUTRA_DEVICE=CPU:0"), "CPU:0\n")
expect.equal(lutra("--device GPU:0 " .. where, "LUTRA_SIM_GPUS=1 LUTRA_DEVICE=CPU:0"), "GPU:0\n")
expect.equal(lutra("-E --sim-gpus 1 " .. where, "LUTRA_DEVICE=CPU:0"), "GPU:0\n")
expect.equal(lutra("--device GPU:7 " .. where, "LUTRA_SOFT_PLACEMENT=1"), "CPU:0\n")
for words, env in pairs { ["--no-soft-placement"] = "LUTRA_SOFT_PLACEMENT=1", ["-E"] = "LUTRA_SOFT_PLACEMENT=1", ["-W"] = "LUTRA_SOFT_PLACEMENT=0" } do
  assert(lutra(words .. " --device GPU:7 " .. where, env):find("unknown device", 1, true), words)
end
expect.equal(lutra("-e \"print(lt.config.get_memory_info('GPU:0').limit >> 20)\"", "LUTRA_SIM_GPUS=1 LUTRA_MEMORY_LIMIT=64"), "64\n")
for env, wanted in pairs {
  ["LUTRA_MEMORY_LIMIT=much"] = "LUTRA_MEMORY_LIMIT: '--memory-limit' is 'much', expected a number of MB above 0",
  ["LUTRA_SOFT_PLACEMENT=maybe"] = "LUTRA_SOFT_PLACEMENT: '--soft-placement' is 'maybe', expected 1 or 0",
} do
  local text, ok = lutra("-e 'print(1)'", env)
  assert(not ok and text:find(wanted, 1, true), text)
end
print "ok"
