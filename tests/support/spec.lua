-- The form in which the ops are specified: tests/ops/<family>.lua begins with `local spec = require "spec"` and holds
-- one `spec "op" { ... }` an op. This file collects and checks the forms; cases.lua runs them, run_spec.lua reports.
--
--   example   = { arg, ..., gives = value }   a call and its result, to 1e-4 relative or to the four decimals written. For
--   examples  = { {...}, {...} }              an op with several results, a list. Also tolerance=, dtype=, shape=
--   reference = function(x, ...) end          on numbers (booleans for bool), element by element with broadcasting
--   samples   = shapes { {}, {3, 0}, { {2, 1}, {3} } }   inputs for `reference`: one shape for all, or one per input
--   domain    = {low, high}                   of the samples, default -3..3; or one pair per input
--   dtypes    = {"float32", ...}              of the samples, default float32 and float64
--   options   = {...}                         the options table that samples pass last
--   result    = "bool" | function(dtype)      the dtype of the samples' results; checked only if given
--   tolerance = 1e-5                          relative, instead of the result dtype's own
--   gpu       = false                         no GPU kernel: inside a GPU's scope the op must run on the CPU, and explain say so
--   gradients = { {arg, ...}, ... }           calls whose table arguments become float64 tensors. Their gradients by a tape, and
--                                             second derivatives, are compared with central differences (gradients.lua).
--                                             list = {...}: a list as first argument; fixed = {[2] = true}: not differentiated
--   rejects   = { { args = {...}, says = "substring of err.message", code = "InvalidArgument" }, ... }
--   check     = function(t) end               free form: t.equal, t.close, t.raises, t.ok, t.device (cases.lua)
--
-- In a spec file `bool {true}`, `int8 {1, 2}` and so on are tensors of that dtype, and `made(f)` is the result of f().
-- Both are made anew for each run, on the run's device. inputs.lua has inputs that many specs use (zeros, counted, lists of
-- dtypes ...).
local compare = require "compare"

local spec = { all = {} }

local keys = {
  example = "table", examples = "table", reference = "function", samples = "table", domain = "table", dtypes = "table",
  options = "table", result = { string = true, ["function"] = true }, tolerance = "number", rejects = "table",
  check = "function", gpu = "boolean", gradients = "table",
}
local example_keys = { gives = true, tolerance = true, dtype = true, shape = true }
local gradient_keys = { list = true, fixed = true, tolerance = true }
local reject_keys = { args = true, says = true, code = true }

local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ", ")
end

local function refuse_unknown(form, known, what)
  for key in pairs(form) do
    if math.type(key) ~= "integer" and known[key] == nil then
      error(("%s has no key '%s'; there are %s"):format(what, tostring(key), sorted(known)), 0)
    end
  end
end

local function list_of(value, what)
  if #value == 0 then error(what .. " is empty", 0) end
  local count = 0
  for key, entry in pairs(value) do
    count = count + 1
    if math.type(key) ~= "integer" then error(("%s is a list and has the key '%s'"):format(what, tostring(key)), 0) end
    if type(entry) ~= "table" then error(("%s[%s] is not a table"):format(what, key), 0) end
  end
  if count ~= #value then error(what .. " has a hole", 0) end
  return value
end

local function check_example(example, what)
  if type(example) ~= "table" then error(what .. " is not a table", 0) end
  refuse_unknown(example, example_keys, what)
  if example.gives == nil and example.shape == nil then error(what .. " says neither gives= nor shape=", 0) end
end

-- A malformed spec is an error with a message; so is one that would test nothing.
local function validate(form)
  refuse_unknown(form, keys, "a spec")
  if #form > 0 then error("a spec has keys only, no list", 0) end
  for key, value in pairs(form) do
    local wanted = keys[key]
    if type(wanted) == "table" and not wanted[type(value)] or type(wanted) == "string" and type(value) ~= wanted then
      error(("%s is a %s"):format(key, type(value)), 0)
    end
  end
  if (form.reference == nil) ~= (form.samples == nil) then error("reference and samples go together", 0) end
  if form.samples == nil then
    for _, key in ipairs { "domain", "dtypes", "options", "result", "tolerance" } do
      if form[key] ~= nil then error(key .. " is about samples, and there are none", 0) end
    end
  end
  if form.gpu == true then error("gpu = true goes without saying", 0) end
  if form.example ~= nil then check_example(form.example, "example") end
  for i, example in ipairs(form.examples and list_of(form.examples, "examples") or {}) do
    check_example(example, ("examples[%d]"):format(i))
  end
  for i, case in ipairs(form.gradients and list_of(form.gradients, "gradients") or {}) do
    refuse_unknown(case, gradient_keys, ("gradients[%d]"):format(i))
  end
  for i, reject in ipairs(form.rejects and list_of(form.rejects, "rejects") or {}) do
    local what = ("rejects[%d]"):format(i)
    refuse_unknown(reject, reject_keys, what)
    if #reject > 0 then error(what .. " has keys only, no list", 0) end
    if type(reject.args) ~= "table" then error(what .. " has no table of args", 0) end
    if type(reject.says) ~= "string" or reject.says == "" then error(what .. " does not say what is said", 0) end
    if reject.code ~= nil and type(reject.code) ~= "string" then error(what .. ": code is not a string", 0) end
  end
  for i, dtype in ipairs(form.dtypes or {}) do
    if not compare.dtypes[dtype] then error(("dtypes[%d] is %s, no dtype"):format(i, tostring(dtype)), 0) end
  end
  if form.dtypes and #form.dtypes == 0 then error("dtypes is empty", 0) end
  if form.samples and #form.samples == 0 then error("samples is empty", 0) end
  if not (form.example or form.examples or form.samples or form.rejects or form.check or form.gradients) then
    error("has no case at all", 0)
  end
end

-- `spec "name" { form }`
setmetatable(spec, {
  __call = function(_, name)
    if type(name) ~= "string" then error("spec expects the op's name", 2) end
    return function(form)
      local entry = { name = name, form = form, line = debug.getinfo(2, "l").currentline }
      local ok, problem = pcall(function()
        if type(form) ~= "table" then error("spec " .. name .. " has no table", 0) end
        validate(form)
      end)
      if not ok then entry.problem = problem end
      spec.all[#spec.all + 1] = entry
    end
  end,
})

-- A value that is made anew in each run.
local Made = {}
Made.__index = Made
spec.Made = Made

function spec.made(f)
  if type(f) ~= "function" then error("made expects a function", 2) end
  return setmetatable({ make = f }, Made)
end

-- Copies a value with every Made in it made; objects (tables with a metatable) stay as they are.
function spec.realise(value)
  if type(value) ~= "table" then return value end
  local kind = getmetatable(value)
  if kind == Made then return value.make() end
  if kind ~= nil then return value end
  local copy = {}
  for key, entry in pairs(value) do copy[key] = spec.realise(entry) end
  return copy
end

-- The globals of a spec file, besides the usual ones.
function spec.environment()
  local environment = { shapes = function(list) return list end, made = spec.made }
  for dtype in pairs(compare.dtypes) do
    environment[dtype] = function(value)
      return spec.made(function() return lt.constant(value, { dtype = dtype }) end)
    end
  end
  for name, value in pairs(require "inputs") do environment[name] = value end
  return setmetatable(environment, { __index = _G, __newindex = _G })
end

return spec
