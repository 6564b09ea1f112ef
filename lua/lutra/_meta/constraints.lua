---@meta

--- Constraints of weights: what a weight becomes after each step of the optimizer, with Keras 3's names and defaults. The
--- options kernel_constraint, bias_constraint and the like of layers take such an object, its name ("max_norm", "non_neg",
--- "unit_norm", "min_max_norm"), or a function of the weight that returns one. Axes count from 1: a kernel of Dense has the
--- weights of one unit along axis 1.
---@class lutra.nn.constraints
local constraints = {}

--- Lengths along an axis, at most max_value.
---@param options? table {max_value = 2; axis = 1}
---@return function # takes a weight, returns one
--- Errors: InvalidArgument for a negative max_value.
--- Example:
---     print(("%.4f"):format(lt.norm(lt.nn.constraints.MaxNorm {max_value = 1}(lt.constant {3.0, 4.0})):item()))  --> 1.0000
--- Source: keras.constraints.MaxNorm
function constraints.MaxNorm(options) end

--- No negative weights.
---@param options? table {}
---@return function # takes a weight, returns one
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.constraints.NonNeg()(lt.constant {-1.0, 2.0}))  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: keras.constraints.NonNeg
function constraints.NonNeg(options) end

--- Lengths along an axis of 1.
---@param options? table {axis = 1}
---@return function # takes a weight, returns one
--- Errors: InvalidArgument for an axis that is no whole number.
--- Example:
---     print(("%.4f"):format(lt.norm(lt.nn.constraints.UnitNorm()(lt.constant {3.0, 4.0})):item()))  --> 1.0000
--- Source: keras.constraints.UnitNorm
function constraints.UnitNorm(options) end

--- Lengths along an axis from min_value to max_value; rate is the share of the way that a weight is moved there.
---@param options? table {min_value = 0; max_value = 1; rate = 1; axis = 1}
---@return function # takes a weight, returns one
--- Errors: InvalidArgument for a number out of range.
--- Example:
---     print(("%.4f"):format(lt.norm(lt.nn.constraints.MinMaxNorm {min_value = 2, max_value = 3}(lt.constant {0.6, 0.8})):item()))  --> 2.0000
--- Source: keras.constraints.MinMaxNorm
function constraints.MinMaxNorm(options) end
