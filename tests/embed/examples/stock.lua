-- Debian's own interpreter with Lutra as a module:  LUA_CPATH="$PREFIX/lib/lua/5.4/?.so;;" lua5.4 stock.lua
local lt = require "lutra"

-- A line fitted to points with a gradient tape.
local x = lt.linspace(-1, 1, 50)
local y = 2 * x + 1
local slope, offset = lt.Variable(0.0), lt.Variable(0.0)
for _ = 1, 60 do
  local tape <close> = lt.GradientTape()
  local loss = lt.mean((slope * x + offset - y) ^ 2)
  local gradients = tape:gradient(loss, { slope, offset })
  slope:assign_sub(gradients[1] * 0.3)
  offset:assign_sub(gradients[2] * 0.3)
end
print(("slope %.2f, offset %.2f"):format(slope:item(), offset:item()))

-- By DLPack other C modules of the process get the same elements.
local shared = lt.from_dlpack(lt.to_dlpack(x))
print(lt.all(lt.eq(shared, x)):item())
