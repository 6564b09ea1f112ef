---@meta

--- What large weights cost, added to the loss, with Keras 3's names and defaults. A layer's option takes such an object, its
--- name ("l1", "l2"), or a function of the weight that gives a scalar. The loss that fit and evaluate tell has it in it.
---@class lutra.nn.regularizers
local regularizers = {}

--- The sum of the weights' magnitudes, times l1.
---@param options? table {l1 = 0.01}
---@return function # of a weight, that gives a scalar
--- Errors: InvalidArgument for an unknown option, or a number below 0.
--- Example:
---     print(lt.nn.regularizers.L1 {l1 = 0.5}(lt.constant {1.0, -3.0}):item())  --> 2.0
--- Source: keras.regularizers.L1
function regularizers.L1(options) end

--- The sum of the weights' squares, times l2.
---@param options? table {l2 = 0.01}
---@return function # of a weight, that gives a scalar
--- Errors: InvalidArgument for an unknown option, or a number below 0.
--- Example:
---     print(lt.nn.regularizers.L2 {l2 = 0.5}(lt.constant {1.0, -3.0}):item())  --> 5.0
--- Source: keras.regularizers.L2
function regularizers.L2(options) end

--- Both.
---@param options? table {l1 = 0, l2 = 0}
---@return function # of a weight, that gives a scalar
--- Errors: InvalidArgument for an unknown option, or a number below 0.
--- Example:
---     print(lt.nn.regularizers.L1L2 {l1 = 1, l2 = 0.5}(lt.constant {1.0, -3.0}):item())  --> 9.0
--- Source: keras.regularizers.L1L2
function regularizers.L1L2(options) end
