---@meta

---@class lutra.nn
local nn = {}

--- A layer that gives rows of num_tokens numbers for ids from 1 on: all ids of the last axis together, or each by itself with
--- one_hot. An id outside counts nothing. A call may have {count_weights = w}.
---@param num_tokens integer
---@param options? table {output_mode = "multi_hot", "count" or "one_hot"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an option that is not valid.
--- Example:
---     print(lt.nn.CategoryEncoding(3)(lt.constant {{1, 3}}))  --> lutra.Tensor([[1. 0. 1.]], shape=(1, 3), dtype=float32)
--- Source: keras.layers.CategoryEncoding
function nn.CategoryEncoding(num_tokens, options) end

--- A layer that gives the bin of each number: 1 below the first boundary, n + 1 from the last one on. With num_bins
--- layer:adapt(data) takes the quantiles of a tensor or a dataset of batches as boundaries.
---@param options? table {bin_boundaries = increasing numbers; or num_bins; output_mode = "int", "one_hot", "multi_hot" or "count"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for boundaries that fall, or a call before adapt.
--- Example:
---     print(lt.nn.Discretization {bin_boundaries = {0, 1}} {-1.0, 0.0, 5.0})  --> lutra.Tensor([1 2 3], shape=(3,), dtype=int64)
--- Source: keras.layers.Discretization
function nn.Discretization(options) end
