-- lutra.placement: plans that say where the ops of a function run. Documented in _meta/placement.lua.
local lutra, tools, use = ...
local optimize = use "placement.optimize"
local costs = use "placement.costs"

return {
  simulate = tools.make_plan,
  optimize = optimize.optimize,
  load = optimize.load,
  measure = costs.measure,
  costs = costs.public,
  step = use "placement.step".step,
  explain = use "placement.step".explain,
  scaling = use "placement.scaling",
}
