-- OpenMP's settings change no result: oneDNN, which uses OpenMP, computes on one thread at a time.
package.path = "tests/support/?.lua;" .. package.path
local expect = require "expect"

local script = [[
  local function all_are(t, wanted) assert(t:eq(wanted):all():item(), tostring(t)) end
  for _, n in ipairs { 100, 400, 700 } do all_are(lt.ones { n, 300 }:matmul(lt.ones { 300, n }), 300) end
  all_are(lt.ones { 300, 200 }:float16():matmul(lt.ones { 200, 300 }:float16()), 200)
  all_are(lt.linear(lt.ones { 300, 300 }, lt.ones { 300, 300 }, lt.ones { 300 }), 301)
  local image, weights = lt.Variable(lt.ones { 4, 34, 34, 32 }), lt.Variable(lt.ones { 3, 3, 32, 64 })
  local tape <close> = lt.GradientTape()
  local y = lt.conv2d(image, weights)
  all_are(y, 288)
  local of_image, of_weights = table.unpack(tape:gradient(y, { image, weights }))
  all_are(of_weights, 4 * 32 * 32)
  all_are(of_image[{ {}, { 3, 32 }, { 3, 32 }, {} }], 576)
]]
for _, setting in ipairs {
  "OMP_DYNAMIC=true", "OMP_THREAD_LIMIT=1", "OMP_THREAD_LIMIT=2 LUTRA_NUM_THREADS=8", "OMP_MAX_ACTIVE_LEVELS=0",
  "OMP_DYNAMIC=true LUTRA_NUM_THREADS=8",
} do
  local text, ok = expect.program(script, nil, setting)
  assert(ok, setting .. ": " .. text)
end
