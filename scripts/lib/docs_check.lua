-- What scripts/lib/docs.lua --check tests, besides that the pages are up to date: every public name has docs, every
-- documented name exists, and every example prints the text after its `-->`.
package.path = "tests/support/?.lua;" .. package.path
local golden = require "run.golden"

local checks = { failures = 0 }

function checks.fail(...)
  checks.failures = checks.failures + 1
  io.stderr:write(string.format(...), "\n")
end
local fail = checks.fail

local metatable = debug.getmetatable(lt.zeros {})
local variable_metatable = debug.getmetatable(lt.Variable(0.0))

-- The methods of tensors, or of the type with metatable `of`. __index is a function that holds them as an upvalue.
function checks.methods(of)
  local i, found = 0, nil
  repeat
    i = i + 1
    local name, value = debug.getupvalue((of or metatable).__index, i)
    if type(value) == "table" and value.item then found = value end
  until not name
  return assert(found, "the methods are nowhere in __index")
end

-- The arithmetic events of tensors: add, unm, ... The ops' own docs describe them.
function checks.operators()
  local known, list = {}, {}
  for word in ("add sub mul div mod pow unm idiv band bor bxor bnot shl shr"):gmatch("%a+") do known[word] = true end
  for event in pairs(metatable) do
    if known[event:sub(3)] then list[#list + 1] = event:sub(3) end
  end
  table.sort(list)
  return list
end

-- Metafields that only Lua itself uses.
local silent = { __gc = true, __name = true, __metatable = true }

-- Classes made in Lua are called like functions.
local function is_callable(value)
  local kind = type(value) == "table" and getmetatable(value)
  return type(value) == "function" or type(kind) == "table" and kind.__call ~= nil
end

-- Where the members of a class that is written in Lua are found. Of these classes only "every documented name exists" can be
-- checked, since nothing marks which of the other members are public.
local function kinds()
  local path = os.tmpname()
  os.remove(path)
  local listener <close> = lt.repl.listen(path)
  local model = lt.nn.Sequential { lt.nn.Dense(1) }
  model:compile { loss = "mse" }
  local input
  lt.distribute.get_strategy():distribute_datasets_from_function(function(context)
    input = context
    return {}
  end)
  return {
    ["nn.History"] = getmetatable(model:fit({ { 1.0 } }, { { 1.0 } }, { verbose = 0 })).__index,
    ["repl.Listener"] = getmetatable(listener).__index,
    ["plot.Plot"] = getmetatable(lt.plot.line {}).__index,
    ["plot.Description"] = getmetatable(lt.zeros({}):describe()).__index,
    ["profiler.Profile"] = getmetatable(lt.profiler.run(function() end)),
    ["nn.Layer"] = lt.nn.Layer, ["nn.Model"] = lt.nn.Model, ["optim.Optimizer"] = getmetatable(lt.optim.SGD).__index,
    ["placement.Plan"] = getmetatable(lt.placement.optimize(lt.zeros, { { 2 } })).__index,
    ["data.Dataset"] = lt.data.Dataset, ["train.Checkpoint"] = lt.train.Checkpoint,
    ["train.CheckpointManager"] = lt.train.CheckpointManager, ["train.SummaryWriter"] = lt.train.SummaryWriter,
    ["random.Generator"] = getmetatable(lt.random.Generator(1)).__index,
    ["distributions.Distribution"] = lt.distributions.Normal, ["sparse.Matrix"] = getmetatable(lt.sparse.from_dense { { 0 } }),
    ["distribute.Strategy"] = getmetatable(lt.distribute.MirroredStrategy).__index,
    ["distribute.ReplicaContext"] = getmetatable(lt.distribute.get_replica_context()),
    ["distribute.InputContext"] = getmetatable(input),
    ["distribute.DistributedDataset"] = getmetatable(lt.distribute.get_strategy():experimental_distribute_dataset {}),
  }
end

local function public_names(classes, is_op)
  local names = {}
  local function walk(place, path)
    -- Fields whose files are loaded on first use (lua/lutra/late.lua).
    for name in pairs((getmetatable(place) or {}).__late or {}) do assert(place[name], name) end
    for name, value in pairs(place) do
      local full = path == "" and name or path .. "." .. name
      if type(value) == "table" and not is_callable(value) then
        if not classes[full] then fail("lutra.%s has no class in lua/lutra/_meta", full) end
        walk(value, full)
      elseif not is_op[full] then
        names[full] = value
      end
    end
  end
  -- Modules that are loaded on first use.
  assert(lt.nn and lt.optim and lt.data and lt.distribute and lt.placement and lt.plot and lt.profiler and lt.repl
    and lt.train and lt.image and lt.distributions and lt.sparse)
  walk(lt, "")
  for path, kind in pairs(kinds()) do
    for _, entry in ipairs(classes[path].entries) do names[entry.path] = kind[entry.name] end
  end
  for name, method in pairs(checks.methods()) do
    if not is_op[name] then names["Tensor." .. name] = method end
  end
  local arithmetic = {}
  for _, event in ipairs(checks.operators()) do arithmetic["__" .. event] = true end
  for name, event in pairs(metatable) do
    if not silent[name] and not arithmetic[name] then names["Tensor." .. name] = event end
  end
  -- A variable's methods that a tensor lacks or has with another function. The others are documented for tensors.
  local tensor_methods = checks.methods()
  for name, method in pairs(checks.methods(variable_metatable)) do
    -- Those that write a message, as the variable stays as it is, are the tensors' methods otherwise (updates.cpp).
    local is_noted = name == "index_put" or is_op[name]
    if method ~= tensor_methods[name] and not is_noted then names["Variable." .. name] = method end
  end
  for _, name in ipairs { "__newindex", "__tostring" } do names["Variable." .. name] = variable_metatable[name] end
  for name, method in pairs(debug.getmetatable(lt.GradientTape()).__index) do names["GradientTape." .. name] = method end
  for name, method in pairs(debug.getmetatable(lt.graph(print)).methods) do names["Graph." .. name] = method end
  return names
end

-- Every argument has its @param, and every @param its argument.
local function check_arguments(entry)
  local described = {}
  for _, param in ipairs(entry.params) do described[param.name] = true end
  for _, name in ipairs(entry.arguments) do
    if not described[name] then fail("%s: argument %s has no @param", entry.path, name) end
    described[name] = nil
  end
  for name in pairs(described) do fail("%s: @param %s is no argument", entry.path, name) end
end

local function provoke(f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and lt.iserror(err), "no error of Lutra's was raised")
  return err
end

-- Values of each documented class; together they have all the fields that such a value can have.
local function samples()
  lt.config.reset()
  lt.config.set_simulated_gpus(1, {memory_limit = 64})
  local gpu = lt.config.list_physical_devices("GPU")[1]
  local logical = lt.config.list_logical_devices("GPU")[1]
  local events = {}
  lt.debugging.set_log_handler(function(event) events[#events + 1] = event end)
  local x = lt.device("/CPU:0", lt.ones, {100})
  local y = lt.device("/GPU:0", lt.square, x)
  lt.debugging.set_log_handler(nil)
  lt.debugging.set_kernel_fallback("error")
  local errors = {
    provoke(lt.device, "/GPU:7", lt.square, x),
    provoke(lt.device, "/GPU:0", lt.unique, x),
    provoke(lt.zeros, {128, 1024, 1024}),
    provoke(function() return lt.device("/GPU:0", lt.gather, {1.0}, {7}):item() end),
  }
  lt.debugging.set_kernel_fallback("allow")
  lt.debugging.check_numerics(true)
  errors[#errors + 1] = provoke(lt.log, {-1.0})
  lt.debugging.check_numerics(false)
  return {
    PhysicalDevice = { gpu }, LogicalDevice = { logical }, MemoryInfo = { lt.config.get_memory_info("CPU:0") },
    Explanation = { lt.debugging.explain(y) }, PlacementEvent = events, Copy = events[#events].copies, Error = errors,
  }
end

local function check_fields(classes)
  for path, values in pairs(samples()) do
    local class = classes[path]
    local seen, described = {}, {}
    for _, value in ipairs(values) do
      for key in pairs(value) do seen[key] = true end
    end
    for _, field in ipairs(class.fields) do
      described[field.name] = true
      if not seen[field.name] then fail("%s has no field %s", path, field.name) end
    end
    for key in pairs(seen) do
      if not described[key] then fail("%s: field %s has no docs", path, key) end
    end
  end
  local tensor = lt.zeros {2}
  for _, field in ipairs(classes.Tensor.fields) do
    if not pcall(function() return tensor[field.name] end) then fail("a tensor has no field %s", field.name) end
  end
end

function checks.coverage(ops, list)
  local is_op, classes, documented = {}, {}, {}
  for _, op in ipairs(ops) do is_op[op.name] = true end
  for _, class in ipairs(list) do
    classes[class.path] = class
    for _, entry in ipairs(class.entries) do documented[entry.path] = entry end
    if not class.summary then fail("%s has no summary", class.path) end
  end
  for _, field in ipairs(classes[""].fields) do
    if not classes[field.name] then documented[field.name] = field end
  end

  local names = public_names(classes, is_op)
  -- Constants are fields of a module. The fields of values are checked by check_fields.
  for _, class in ipairs(list) do
    for _, field in ipairs(class.fields) do
      local name = class.path .. "." .. field.name
      if names[name] ~= nil and not is_callable(names[name]) then documented[name] = documented[name] or field end
    end
  end
  for name in pairs(names) do
    if not documented[name] then fail("%s has no documentation in lua/lutra/_meta", name) end
  end
  for name, entry in pairs(documented) do
    if names[name] == nil then
      fail("%s is documented and does not exist", name)
    elseif entry.alias then
      if names[name] ~= names[entry.alias] then fail("%s is not %s", name, entry.alias) end
    elseif entry.entries == nil and is_callable(names[name]) then
      check_arguments(entry)
      if not entry.summary or not entry.example then fail("%s has no summary or no example", name) end
    end
  end
  check_fields(classes)
end

local function same(a, b)
  if type(a) == "table" and type(b) == "table" then
    if #a ~= #b then return false end
    for i = 1, #a do
      if not same(a[i], b[i]) then return false end
    end
    return true
  end
  if math.type(a) == "float" and math.type(b) == "float" then
    return math.abs(a - b) <= 5.1e-5 * math.max(1, math.abs(b))
  end
  return math.type(a) == math.type(b) and a == b
end

function checks.op_examples(ops)
  for _, op in ipairs(ops) do
    local code, expected = (op.example or ""):match("^(.-)%s*%-%->%s*(.*)$")
    if not code then
      fail("%s: the entry has no example", op.name)
    else
      local result = assert(load("return " .. code, "=" .. op.name))():totable()
      local wanted = assert(load("return " .. expected, "=" .. op.name))()
      if not same(result, wanted) then fail("%s: the example `%s` does not give %s", op.name, code, expected) end
    end
    for _, key in ipairs { "result", "source" } do
      if not op[key] then fail("%s: the entry does not say its %s", op.name, key) end
    end
  end
end

-- Runs an example in a program of its own, with two simulated GPUs.
local function run_example(path, lines)
  local wanted, name = {}, os.tmpname()
  for _, line in ipairs(lines) do
    local printed = line:match("%-%-> ?(.*)$")
    if printed then wanted[#wanted + 1] = printed end
  end
  do
    local file <close> = assert(io.open(name, "wb"))
    file:write(table.concat(lines, "\n"), "\n")
  end
  local output = golden.run("--sim-gpus 2 " .. golden.quote(name))
  os.remove(name)
  local difference = golden.compare(wanted, golden.lines(output))
  if #wanted == 0 then fail("%s: the example says nothing of what it prints", path) end
  if difference then fail("%s: the example prints something else\n%s", path, difference) end
end

function checks.examples(classes)
  for _, class in ipairs(classes) do
    if class.example then run_example(class.path, class.example) end
    for _, entry in ipairs(class.entries) do
      if entry.example then run_example(entry.path, entry.example) end
    end
  end
end

return checks
