-- Runs one spec: its cases on every device, as function and as method, and again with the collector at its most
-- aggressive.
local collector = require "collector"
local compare = require "compare"
local gradients = require "gradients"
local samples = require "samples"
local show = require "show"
local spec = require "spec"

local cases = {}

local places = {
  { name = "CPU", scope = "/CPU:0", inputs = "/CPU:0" },
  { name = "GPU", scope = "/GPU:0", inputs = "/GPU:0" },
  { name = "GPU with inputs on the CPU", scope = "/GPU:0", inputs = "/CPU:0" },
}

-- LUTRA_TEST_GC=1 also collects at every VM instruction; 0 leaves the aggressive collector out.
local every_instruction = os.getenv("LUTRA_TEST_GC") == "1"

-- f(...) with the collector at its most aggressive.
local function hostile(f, ...)
  local before = collector.tighten()
  if every_instruction then debug.sethook(function() collectgarbage() end, "", 1) end
  local results = table.pack(pcall(f, ...))
  debug.sethook()
  collector.loosen(before)
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- What is wrong with the device of an op's results, or nil. In a scope of a GPU they must be there if the op has a GPU
-- kernel (`has_kernel`, from the spec), else on the CPU; and explain gives the reason.
local function misplaced(results, scope, has_kernel)
  local fell_back = scope:find("GPU", 1, true) ~= nil and not has_kernel
  local wanted = "/device:" .. (fell_back and "CPU:0" or scope:sub(2))
  for i = 1, results.n do
    local result = results[i]
    if compare.is_tensor(result) then
      if result.device:sub(-#wanted) ~= wanted then
        return ("result %d, %s, is on %s, expected %s"):format(i, show.kind(result), result.device, wanted)
      end
      local told = lt.debugging.explain(result)
      local reason = fell_back and tostring(told.op) .. " has no GPU kernel" or "scope /device:" .. scope:sub(2)
      if told.reason ~= reason then
        return ("explain of result %d says %q, expected %q"):format(i, told.reason, reason)
      end
    end
  end
end

local passes = {
  { name = "", run = function(f, ...) return f(...) end },
  { name = ", collector at its most aggressive", run = hostile },
}

-- The places for checks and gradients, which make their inputs where they run.
local function places_of_its_own()
  local own = {}
  for _, place in ipairs(places) do
    if place.inputs == place.scope then own[#own + 1] = place end
  end
  return own
end

-- A random schedule affects only the GPU's queues, a card only what runs on it; everything else runs in the tests
-- without them.
local gpu = lt.config.list_physical_devices("GPU")[1]
local is_card = lt.config.get_device_details(gpu).device_name ~= "Simulated GPU"
if os.getenv("LUTRA_SIM_SCHEDULE") or os.getenv("LUTRA_TEST_GC") == "0" then table.remove(passes) end
if os.getenv("LUTRA_SIM_SCHEDULE") or is_card then table.remove(places, 1) end

local function text_of(problem)
  return (tostring(problem):gsub("%s*\n%s*", " | "))
end

-- lutra.random.normal for "random.normal"; nil when there is none.
local function op_named(name)
  local value = lt
  for part in name:gmatch("[^.]+") do
    local ok, entry = pcall(function(from) return from[part] end, value)
    if not ok or entry == nil then return nil end
    value = entry
  end
  local kind = type(value)
  return (kind == "function" or kind == "table" or kind == "userdata") and value or nil
end

local function has_method(name)
  local ok, method = pcall(function() return lt.device("/CPU:0", lt.constant, 1)[name] end)
  return ok and type(method) == "function"
end

-- A method is called on a tensor; a number or a list of tensors in its place has none.
local function can_be_method(first)
  if compare.is_tensor(first) then return true end
  if type(first) ~= "table" then return false end
  local ok = pcall(lt.constant, first)
  return ok
end

local Run = {}
Run.__index = Run

function Run:note(problem, what, ...)
  if problem == nil then
    self.passed = self.passed + 1
  else
    self.report(("%s: %s%s: %s"):format(self.name, what, table.concat({ ... }), text_of(problem)))
  end
end

-- "add(float32 (2, 3), 1)": the call that failed, with the arguments that `make` makes.
function Run:call_text(make)
  local ok, args = pcall(lt.device, "/CPU:0", make)
  return ("%s(%s)"):format(self.name, ok and show.list(args) or "...")
end

-- Runs f, which returns what is wrong or nil, on every device and under both collectors. `make` makes the arguments of
-- the call that f is about.
function Run:everywhere(what, make, f)
  for _, place in ipairs(places) do
    for _, pass in ipairs(passes) do
      local ok, problem = pcall(f, place, pass)
      if not ok then problem = "raised " .. text_of(problem) end
      if problem ~= nil then problem = self:call_text(make) .. ": " .. problem end
      self:note(problem, what, " on the ", place.name, pass.name)
    end
  end
end

-- With LUTRA_GRAPH=always each call is recorded, and its results are those of a replay.
local replays = os.getenv("LUTRA_GRAPH") == "always"
local function replayed(op)
  return function(...)
    local g = lt.graph(op)
    g(...)
    return g(...)
  end
end

-- The results of the op on realised arguments, in the place's scope. Inputs are made inside the pass, so that the
-- collector meets them young.
function Run:call(place, pass, as_method, make)
  return pass.run(function()
    local args = lt.device(place.inputs, make)
    local op = self.op
    if as_method then
      local first = args[1]
      if not compare.is_tensor(first) then first = lt.device(place.inputs, lt.constant, first) end
      op, args[1] = first[self.name], first
    end
    if replays then op = replayed(op) end
    return table.pack(lt.device(place.scope, op, table.unpack(args, 1, args.n or #args)))
  end)
end

-- One op call and the comparison of its results, in both forms.
function Run:call_case(what, make, compare_results)
  local forms = { { "", false } }
  local ok, args = pcall(lt.device, "/CPU:0", make)
  if not ok then return self:note(args, what .. ": its arguments") end
  if self.is_method and can_be_method(args[1]) then forms[2] = { " as a method", true } end
  for _, form in ipairs(forms) do
    self:everywhere(what .. form[1], make, function(place, pass)
      local results = self:call(place, pass, form[2], make)
      return misplaced(results, place.scope, self.has_gpu_kernel) or compare_results(results)
    end)
  end
end

function Run:example(what, example)
  local tolerance = example.tolerance
  local options = {
    relative = tolerance or 1e-4, absolute = tolerance and tolerance * 1e-3 or compare.as_written,
    dtype = example.dtype, shape = example.shape,
  }
  local arguments = table.move(example, 1, #example, 1, {})
  self:call_case(what, function() return spec.realise(arguments) end, function(results)
    local wanted = spec.realise(example.gives)
    if results.n == 0 then return "gave nothing" end
    if results.n == 1 then return compare.value(results[1], wanted, options) end
    if type(wanted) ~= "table" or #wanted ~= results.n then
      return ("gave %d results; gives= is not a list of as many"):format(results.n)
    end
    for i = 1, results.n do
      local problem = compare.value(results[i], wanted[i], options)
      if problem then return ("result %d %s"):format(i, problem) end
    end
  end)
end

function Run:samples(form)
  local ok, list = pcall(samples.cases, form)
  if not ok then return self:note(list, "samples") end
  for _, case in ipairs(list) do
    local literals = {}
    for k, input in ipairs(case.inputs) do literals[k] = samples.nest(input, case.shapes[k]) end
    local function make()
      local args = {}
      for k, literal in ipairs(literals) do args[k] = samples.tensor(literal, case.shapes[k], case.dtype) end
      args[#args + 1] = form.options
      return args
    end
    local wanted = samples.nest(case.wanted, case.shape)
    self:call_case(case.what, make, function(results)
      if results.n ~= 1 then return ("gave %d results"):format(results.n) end
      local got = results[1]
      local dtype = form.result
      if type(dtype) == "function" then dtype = dtype(case.dtype) end
      local tolerance = compare.is_tensor(got) and compare.tolerances[got.dtype] or { 0, 0 }
      return compare.value(got, wanted, {
        relative = form.tolerance or tolerance[1], absolute = tolerance[2], dtype = dtype, shape = case.shape,
      })
    end)
  end
end

-- A mistake in values may be reported late by a GPU: reading the results raises it.
local function read(value)
  if compare.is_tensor(value) then
    value:totable()
  elseif type(value) == "table" and getmetatable(value) == nil then
    for _, entry in ipairs(value) do read(entry) end
  end
end

-- nil when f raises an error with this code whose message contains `says`.
local function refusal(code, says, f, ...)
  local results = table.pack(pcall(f, ...))
  local ok, err = results[1], results[2]
  if ok then
    local gave = results.n == 1 and "nothing" or show.list { n = results.n - 1, table.unpack(results, 2, results.n) }
    return ("was accepted and gave %s, expected %s: %s"):format(gave, code, says)
  end
  local readable, message = pcall(function() return err.message end)
  if type(err) == "string" or not readable or type(message) ~= "string" then
    return "raised " .. text_of(err) .. ", which is no error of Lutra's"
  end
  if err.code ~= code then return ("has code %s, expected %s; says: %s"):format(err.code, code, text_of(message)) end
  if not message:find(says, 1, true) then return ("says: %s -- expected: %s"):format(text_of(message), says) end
end

function Run:reject(what, reject)
  local function make() return spec.realise(reject.args) end
  self:everywhere(what, make, function(place, pass)
    return refusal(reject.code or "InvalidArgument", reject.says, function()
      local results = self:call(place, pass, false, make)
      for i = 1, results.n do read(results[i]) end
      return table.unpack(results, 1, results.n)
    end)
  end)
end

-- The argument of `check`. Each function raises when its assertion fails, so that the first failure ends the check.
-- Compared tensors must be on the device of the check, if the op has a kernel there.
local function assertions(place, has_gpu_kernel)
  local t = { device = place.scope, count = 0 }
  local function hold(problem, what)
    t.count = t.count + 1
    if problem then error((what and what .. ": " .. problem or problem) .. show.site(3), 3) end
  end
  local function problem_of(got, wanted, options)
    if has_gpu_kernel and compare.is_tensor(got) then
      local device = "/device:" .. place.scope:sub(2)
      if got.device:sub(-#device) ~= device then
        return ("%s is on %s, expected %s"):format(show.kind(got), got.device, device)
      end
    end
    return compare.value(got, wanted, options)
  end
  function t.equal(got, wanted, what) hold(collector.in_peace(problem_of, got, wanted), what) end
  function t.close(got, wanted, tolerance, what)
    tolerance = tolerance or 1e-5
    hold(collector.in_peace(problem_of, got, wanted, { relative = tolerance, absolute = tolerance * 1e-3 }), what)
  end
  function t.raises(code, says, f, ...) hold(refusal(code, says, f, ...)) end
  function t.ok(condition, what) hold(not condition and "does not hold" or nil, what) end
  return t
end

function Run:check(f)
  for _, place in ipairs(places_of_its_own()) do
    for _, pass in ipairs(passes) do
      local t = assertions(place, self.has_gpu_kernel)
      local ok, problem = pcall(pass.run, lt.device, place.scope, f, t)
      if ok then problem = t.count == 0 and "asserted nothing" or nil end
      self:note(problem, "check", " on the ", place.name, pass.name)
    end
  end
end

function Run:gradient(what, case)
  for _, place in ipairs(places_of_its_own()) do
    for _, pass in ipairs(passes) do
      local ok, problem = pcall(gradients.problem, self.op, case, place.scope, pass.run)
      if not ok then problem = "raised " .. text_of(problem) end
      if problem ~= nil then
        problem = ("%s: %s"):format(self:call_text(function() return gradients.arguments_as_written(case) end), problem)
      end
      self:note(problem, what, " on the ", place.name, pass.name)
    end
  end
end

-- The number of live storages after a full collection, without mirrors.
local function live_storages()
  collectgarbage()
  collectgarbage()
  lt.synchronize()
  lt.config.release_memory()
  return lt.debugging.live_storages()
end

-- Runs a spec that spec.lua has accepted; report(line) is called for each failing case. Returns how many cases passed.
function cases.run(entry, report)
  local form = entry.form
  local self = setmetatable({ name = entry.name, report = report, passed = 0, op = op_named(entry.name) }, Run)
  local uses_op = form.example or form.examples or form.samples or form.rejects or form.gradients
  if uses_op and not self.op then
    report(entry.name .. ": lutra has no op of this name")
    return 0
  end
  self.is_method = self.op ~= nil and has_method(entry.name)
  self.has_gpu_kernel = form.gpu ~= false
  local known, help = pcall(lt.help, entry.name)
  if known then
    local cpu_only = help:find("; CPU only", 1, true) ~= nil
    self:note(cpu_only == self.has_gpu_kernel and "help and the spec disagree on a GPU kernel" or nil, "gpu")
  end
  local before = live_storages()
  if form.example then self:example("example", form.example) end
  for i, example in ipairs(form.examples or {}) do self:example(("examples[%d]"):format(i), example) end
  if form.samples then self:samples(form) end
  for i, reject in ipairs(form.rejects or {}) do self:reject(("rejects[%d]"):format(i), reject) end
  for i, case in ipairs(form.gradients or {}) do self:gradient(("gradients[%d]"):format(i), case) end
  if form.check then self:check(form.check) end
  local after = live_storages()
  self:note(after ~= before and ("%d storages alive, %d before"):format(after, before) or nil, "leaks")
  return self.passed
end

return cases
