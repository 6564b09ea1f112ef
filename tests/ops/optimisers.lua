-- Steps of optimisers: one operation a variable, in place. Trajectories are in tests/lua/optim.lua; here is what the
-- operation itself promises, in every dtype and at every size.
local spec = require "spec"

local kinds = {
  { "SGD", {} }, { "SGD", { momentum = 0.9 } }, { "Adam", {} }, { "Adam", { amsgrad = true } }, { "RMSprop", {} },
  { "RMSprop", { momentum = 0.5 } }, { "RMSprop", { centered = true } }, { "RMSprop", { centered = true, momentum = 0.5 } },
  { "Adagrad", {} }, { "Lion", {} },
}
local logged = {
  SGD = "ResourceApplyGradientDescent", Adam = "ResourceApplyAdam", RMSprop = "ResourceApplyRMSProp",
  Adagrad = "ResourceApplyAdagrad", Lion = "ResourceApplyLion",
}

local function taken(kind, given, dtype, size)
  local options = { learning_rate = 0.125 }
  for name, value in pairs(given) do options[name] = value end
  local optimizer = lt.optim[kind](options)
  local v = lt.Variable(lt.cast(lt.range(size) % 7 + 1, dtype))
  for step = 1, 2 do optimizer:apply({ lt.cast(lt.range(size) % 5 * step - 2, dtype) }, { v }) end
  return v
end

spec "optimisers" {
  check = function(t)
    for _, kind in ipairs(kinds) do
      -- Each element is updated independently of its neighbours; other dtypes give what float64 gives, apart from rounding.
      for _, size in ipairs { 1, 17, 70000 } do
        local all = taken(kind[1], kind[2], "float64", size)
        t.ok(all.dtype == "float64" and #all == size, kind[1])
        local few = taken(kind[1], kind[2], "float64", 35)
        t.equal(all:value()[{ { 1, math.min(size, 35) } }], few:value()[{ { 1, math.min(size, 35) } }], kind[1])
        if size > 35 then t.equal(all:value()[{ { 69966, 70000 } }], few:value(), kind[1]) end
        for dtype, tolerance in pairs { float32 = 2e-6, float16 = 1e-2, bfloat16 = 6e-2 } do
          local v = taken(kind[1], kind[2], dtype, size)
          t.ok(v.dtype == dtype, kind[1])
          local apart = lt.max(lt.abs(lt.cast(v:value(), "float64") - all:value())):item()
          t.ok(apart <= 7 * tolerance, kind[1] .. " " .. dtype .. ": " .. apart)
        end
      end
    end
    -- Logged under TensorFlow's names, on the variable's device; a tensor that was read before stays as it was.
    local ops = {}
    lt.debugging.set_log_handler(function(event) ops[event.op] = event.device end)
    for kind, op in pairs(logged) do
      local v = lt.Variable(lt.ones { 40 })
      local before = v:value()
      local optimizer = lt.optim[kind]()
      lt.device("/CPU:0", function() optimizer:apply({ lt.ones { 40 } }, { v }) end)
      t.ok(ops[op] == v.device, op)
      t.equal(before, lt.ones { 40 })
      t.ok(not lt.any(v:value():eq(before)):item(), op)
    end
    lt.debugging.set_log_handler(nil)
    -- Nothing is left behind but the variable and its slots.
    local v, gradient = lt.Variable(lt.ones { 1000 }), lt.ones { 1000 }
    local adam = lt.optim.Adam()
    adam:apply({ gradient }, { v })
    collectgarbage()
    local before = lt.debugging.live_storages()
    for _ = 1, 50 do adam:apply({ gradient }, { v }) end
    t.ok(lt.debugging.live_storages() == before, "live storages")
    -- The same twice in one step goes twice as far.
    local w = lt.Variable { 4.0, 8.0 }
    lt.optim.SGD { learning_rate = 1 }:apply({ lt.ones { 2 }, lt.ones { 2 } }, { w, w })
    t.equal(w:value(), { 2, 6 })
  end,
}
