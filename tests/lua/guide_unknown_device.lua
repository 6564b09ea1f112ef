-- scripts/guide/unknown_device.lua prints the right messages with any number of GPUs, including none.
package.path = "tests/support/?.lua;" .. package.path
local expect = require "expect"

for gpus = 0, 4 do
  local text, ok = expect.program("dofile 'scripts/guide/unknown_device.lua'", "--sim-gpus " .. gpus)
  local first, second, third = text:match("^([^\n]*)\n([^\n]*)\n([^\n]*)\n$")
  assert(ok and first == "false\tNotFound" and third == "false\tInvalidArgument", text)
  assert(second:find("device:GPU:" .. gpus .. " unknown device. Here: ", 1, true), text)
end
print("ok")
