---@meta

--- Penalties on large weights, added to the loss, with Keras 3's names and defaults. A layer's option takes such an
--- object, its name ("l1", "l2"), or a function of the weight that returns a scalar. The loss that fit and evaluate
--- report includes them.
---@class lutra.nn.regularizers
local regularizers = {}

--- l1 times the sum of the weights' absolute values.
---@param options? table {l1 = 0.01}
---@return function # takes a weight, returns a scalar
--- Errors: InvalidArgument for an unknown option, or a number below 0.
--- Example:
---     print(lt.nn.regularizers.L1 {l1 = 0.5}(lt.constant {1.0, -3.0}):item())  --> 2.0
--- Source: keras.regularizers.L1
function regularizers.L1(options) end

--- l2 times the sum of the weights' squares.
---@param options? table {l2 = 0.01}
---@return function # takes a weight, returns a scalar
--- Errors: InvalidArgument for an unknown option, or a number below 0.
--- Example:
---     print(lt.nn.regularizers.L2 {l2 = 0.5}(lt.constant {1.0, -3.0}):item())  --> 5.0
--- Source: keras.regularizers.L2
function regularizers.L2(options) end

--- The sum of both penalties.
---@param options? table {l1 = 0, l2 = 0}
---@return function # takes a weight, returns a scalar
--- Errors: InvalidArgument for an unknown option, or a number below 0.
--- Example:
---     print(lt.nn.regularizers.L1L2 {l1 = 1, l2 = 0.5}(lt.constant {1.0, -3.0}):item())  --> 9.0
--- Source: keras.regularizers.L1L2
function regularizers.L1L2(options) end

--- The mean of the absolute cosines between the rows of a matrix, or its columns, times the factor: 0 where they are
--- orthogonal.
---@param options? table {factor = 0.01; mode = "rows" or "columns"}
---@return function # takes a weight, returns a scalar
--- Errors: InvalidArgument for an unknown option, a number below 0, or a weight that is no matrix.
--- Example:
---     local penalty = lt.nn.regularizers.OrthogonalRegularizer {factor = 1}
---     print(penalty(lt.constant {{2.0, 0.0}, {0.0, 3.0}}):item(), penalty(lt.constant {{1.0, 0.0}, {2.0, 0.0}}):item())  --> 0.0	1.0
--- Source: keras.regularizers.OrthogonalRegularizer
function regularizers.OrthogonalRegularizer(options) end
