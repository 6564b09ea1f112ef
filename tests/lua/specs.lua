-- Every op has a specification in tests/ops with at least one call whose result is checked, and one that is refused.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local spec = require "spec"

local files = assert(io.popen("ls tests/ops/*.lua"))
for path in files:lines() do
  -- The runner has simulated GPUs; reading a file needs none.
  local chunk = assert(loadfile(path, "t", spec.environment()))
  chunk()
end
files:close()
assert(#spec.all > 50, "specifications: " .. #spec.all)

local forms = {}
for _, entry in ipairs(spec.all) do
  assert(not entry.problem, entry.problem)
  assert(not forms[entry.name], entry.name .. " is specified twice")
  forms[entry.name] = entry.form
end

local count = 0
for _, name in ipairs(dofile("scripts/lib/op_names.lua")) do
  count = count + 1
  local form = assert(forms[name], name .. " has no specification in tests/ops")
  assert(form.example or form.examples or form.samples, name .. ": its specification has no example")
  assert(form.rejects, name .. ": its specification refuses nothing")
end
assert(count > 50, "ops: " .. count)
print(("specs: %d ops"):format(count))
