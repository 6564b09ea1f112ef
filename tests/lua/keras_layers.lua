-- Layers compared with Keras 3 (make_keras_reference.py): results, losses, gradients, weights; each also in a graph,
-- rebuilt from its config, in mixed precision and in replicas.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, keras_cases = dofile("tests/support/expect.lua"), require "keras_cases"

lt.config.set_logical_device_configuration("CPU:0", { {}, {} })
local strategy = lt.distribute.MirroredStrategy()

for _, part in ipairs { "attention", "losses", "convolutions", "pools", "arranging", "norms", "activations", "scalings", "dots", "volumes", "cells", "first", "einsums",
  "groups", "spectral", "penalties" } do
  expect.case(part, function() keras_cases.check(part, strategy) end)
end

expect.end_of_cases()
