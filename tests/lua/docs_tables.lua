-- The tables of docs/coming-from-*.md: every expression in their Lutra column runs, with the values that the pages name.
-- The index of the cookbook lists every task, and its links lead to one.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local golden = require "run.golden"

lt.config.set_simulated_gpus(1)
lt.config.threading.set_intra_op_parallelism_threads(2)  -- a cell sets it again, which may only be to the same
local folder = assert(io.popen("mktemp -d")):read("l")

-- The values that the pages name, made anew for each cell: asking a tape ends it.
local function values()
  local x = lt.constant {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}
  local w = lt.Variable {1.0, 2.0, 3.0}
  local tape = lt.GradientTape()
  local loss = (w * w):sum()
  local model = lt.nn.Sequential { lt.nn.Dense(1, { input_shape = { 4 } }) }
  model:compile { optimizer = "sgd", loss = "mse" }
  return setmetatable({
    x = x, y = lt.ones { 2, 3 }, v = lt.constant { 1.0, 2.0, 3.0 }, w = w, tape = tape, loss = loss, model = model,
    a = lt.eye(3) * 2, b = lt.eye(3), i = lt.constant { { 1 }, { 2 } }, input = lt.nn.Input { 2 },
    rows = lt.ones { 4, 4 }, labels = lt.ones { 4, 1 },
    z = lt.complex({ 1.0, 2.0 }, { 3.0, 4.0 }), re = lt.ones { 2 }, im = lt.ones { 2 }, n = 4, axis = 1,
  }, { __index = _ENV })
end

local problems, count = {}, 0
local function problem(...) problems[#problems + 1] = string.format(...) end

-- Files that a cell names lie in the test's folder.
local function try(where, cell)
  count = count + 1
  local code = cell:gsub('"(%w+%.%l+)"', function(name) return ("%q"):format(folder .. "/" .. name) end)
  local env = values()
  local chunk = load("return " .. code, "=cell", "t", env) or load(code, "=cell", "t", env)
  if not chunk then return problem("%s: `%s` is not Lua", where, cell) end
  local ok, raised = pcall(chunk)
  if not ok then problem("%s: `%s`: %s", where, cell, tostring(raised)) end
  if ok and cell:find("^lt[%w_.]*$") and raised == nil then problem("%s: there is no `%s`", where, cell) end
  lt.debugging.check_numerics(false)
  lt.debugging.set_log_device_placement(false)
  lt.config.set_soft_device_placement(false)
  env.tape:close()
end

lt.save(folder .. "/x.npy", lt.ones { 2 })
values().model:save(folder .. "/m.safetensors")
for path in assert(io.popen("ls docs/coming-from-*.md")):lines() do
  local cells = 0
  for number, line in ipairs(golden.lines(golden.read(path))) do
    local ours = line:match("^| .- | (.*) |$")
    -- Only code in backquotes is Lua; a word such as `init` names a method.
    for cell in (ours or ""):gmatch("`([^`]+)`") do
      if cell:find("[^%l_]") then
        cells = cells + 1
        try(path .. ":" .. number, cell)
      end
    end
  end
  if cells == 0 then problem("%s has no table", path) end
end
os.execute("rm -rf " .. golden.quote(folder))

local function anchor(heading) return (heading:lower():gsub("[^%w%- ]", ""):gsub(" ", "-")) end
local index = golden.read("docs/cookbook/README.md")
for path in assert(io.popen("ls docs/cookbook/*.md")):lines() do
  local page = path:match("[^/]+$")
  local anchors = {}
  for _, line in ipairs(golden.lines(golden.read(path))) do
    local heading = line:match("^## (.*)$")
    if heading then
      anchors[anchor(heading)] = true
      if not index:find(("(%s#%s)"):format(page, anchor(heading)), 1, true) then problem("%s: '%s' is not in the index", path, heading) end
    end
  end
  for linked in index:gmatch("%(" .. page:gsub("%p", "%%%0") .. "#([^)]+)%)") do
    if not anchors[linked] then problem("the index links to %s#%s, which is not there", page, linked) end
  end
end

if #problems > 0 then error(table.concat(problems, "\n"), 0) end
print(("ok: %d expressions"):format(count))
