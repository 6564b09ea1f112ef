-- Calls with a dot for a colon or a colon for a dot, loops over what is no iterator, and errors treated as strings: the
-- message says what to write, and names no line of Lutra's own.
local lt = require "lutra"
local expect = dofile "tests/support/expect.lua"

local model = lt.nn.Sequential { lt.nn.Dense(1, { input_shape = { 1 } }) }
model:compile { optimizer = "sgd", loss = "mse" }
local x, y = lt.ones { 4, 1 }, lt.ones { 4, 1 }

local function with_dot(name, kind, object, f, ...)
  expect.raises("InvalidArgument", ("%s: called with a dot, which does not hand over the %s; write %s:%s(...)"):format(name, kind, object,
    name), f, ...)
end
with_dot("fit", "model", "m", model.fit, x, y)
with_dot("fit", "model", "m", model.fit, { 1, 2 }, { 3, 4 })
for _, name in ipairs { "fit", "summary", "evaluate", "predict", "compile", "save", "load", "get_layer", "train_on_batch" } do
  with_dot(name, "model", "m", model[name])
end
for _, name in ipairs { "count_params", "get_weights", "get_config", "variables" } do
  with_dot(name, "layer", "layer", model.layers[1][name])
end
with_dot("extend", "layer", "layer", lt.nn.Layer.extend, "Mine")
with_dot("apply", "optimizer", "optimizer", lt.optim.Adam().apply, {}, {})
for _, name in ipairs { "add", "pop", "reset_metrics", "compute_output_shape" } do with_dot(name, "model", "m", model[name], {}) end
local plan = lt.placement.optimize(function(a) return a + 1 end, { x })
for _, name in ipairs { "run", "explain", "trace", "save" } do with_dot(name, "plan", "plan", plan[name], x) end
local strategy = lt.distribute.MirroredStrategy({ "CPU:0" })
for _, name in ipairs { "run", "gather", "reduce", "scope" } do with_dot(name, "strategy", "strategy", strategy[name], print) end
for _, name in ipairs { "update_state", "result", "reset_state" } do
  with_dot(name, "metric", "metric", lt.nn.metrics.Mean()[name], 1)
  with_dot(name, "metric", "metric", lt.nn.metrics.AUC()[name], 1)
end
local rows = lt.data.Dataset.range(3)
for _, name in ipairs { "iterate", "cardinality" } do
  expect.raises("InvalidArgument", ("methods are called with a colon, as in dataset:%s(...)"):format(name), rows[name])
end
assert(#model:get_weights() == 2 and lt.nn.Model.count_params(model) == 2, "a base class's method still takes the object")

for name, f in pairs {
  ["nn.Dense"] = function() local _ = lt.nn:Dense(3) end,
  ["nn.Sequential"] = function() local _ = lt.nn:Sequential {} end,
  ["optim.Adam"] = function() local _ = lt.optim:Adam() end,
  ["data.range"] = function() local _ = lt.data:range(3) end,
  ["data.from_tensors"] = function() local _ = lt.data:from_tensors { 1 } end,
  ["plot.line"] = function() local _ = lt.plot:line { 2 } end,
  ["plot.hist"] = function() local _ = lt.plot:hist({ 2 }, { bins = 3 }) end,
  ["image.resize"] = function() local _ = lt.image:resize(lt.ones { 2, 2, 1 }, { 2, 2 }) end,
  ["nn.callbacks.EarlyStopping"] = function() local _ = lt.nn.callbacks:EarlyStopping { patience = 1 } end,
} do
  expect.raises("InvalidArgument", ("called with a colon, which hands over the module; write lutra.%s(...) with a dot"):format(name), f)
end

-- What a script that nothing catches says.
for script, words in pairs {
  ["local t = { 1 } for x in t do end"] = "attempt to call a table value (for iterator 'for iterator'); write for key, value in pairs(t) do",
  ["for x in lt.ones { 2 } do end"] = "; write for i, row in pairs(t) do",
  ["for x in lt.data.Dataset.range(3) do end"] = "; write for x, y in dataset:iterate() do",
  ["local t = lt.ones { 2 } t(1)"] = "; a tensor is indexed in brackets: write t[i]",
  ["local _, e = pcall(lt.matmul, 1, 2) e:match 'x'"] = "an error of Lutra is an object: write tostring(e):match(...), or e.message:match(...)",
  ["local _, e = pcall(lt.matmul, 1, 2) e:wrong()"] = "attempt to call a nil value (method 'wrong')\n",
  ["local s = lt.device 'CPU:0' s.close()"] = "close: missing is no device scope; write scope:close()",
} do
  local text, ok = expect.program(script)
  assert(not ok and text:find(words, 1, true) and not text:find("[lutra", 1, true), script .. ": " .. text)
end

-- Errors of the user's classes are shown as lua5.4 shows them: no field of theirs is looked at.
for script, wanted in pairs {
  ["error(setmetatable({}, { __index = function() error 'looked' end, __tostring = function() return 'mine' end }))"] = "lutra: mine\n",
  ["error(setmetatable({ traceback = 'theirs' }, { __tostring = function() return 'mine' end }))"] = "lutra: mine\n",
  ["error(setmetatable({ traceback = 'theirs' }, { __name = 'Mine' }))"] = "lutra: (error object is a table value)\n",
  ["error { traceback = 'theirs' }"] = "lutra: (error object is a table value)\n",
} do
  local text, ok = expect.program(script)
  assert(not ok and text:sub(1, #wanted) == wanted and not text:find("theirs", 1, true), script .. ": " .. text)
end

-- scope:close(), which the prompt needs.
local scope = lt.device "CPU:0"
assert(expect.scope() == "/device:CPU:0")
scope:close()
assert(expect.scope() == "" and tostring(scope) == "lutra.DeviceScope(closed)")
scope:close()
local outer, inner = lt.device "CPU:0", lt.device ""
expect.raises("FailedPrecondition", "was closed while one opened inside it was still open", outer.close, outer)
inner:close()
assert(expect.scope() == "")
print "ok"
