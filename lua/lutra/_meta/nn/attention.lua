---@meta

---@class lutra.nn
local nn = {}

--- Attention in several heads: each step of a query gets the values, weighed by softmax(query keys / sqrt(key_dim)), which are
--- put together by one more product (Vaswani et al., NIPS 2017).
---
--- It is called with {query, value}, with {query, value, key}, or with one tensor that is all of them, each of shape [batch,
--- steps, features]; then, or not, with a table of {attention_mask = a tensor that broadcasts to [batch, query steps, value
--- steps], or that with the heads as its second axis, false or 0 where a step may not look; query_mask, value_mask, key_mask = which
--- steps count, [batch, steps], which come with the inputs unless said here; use_causal_mask = false: whether a step
--- sees those after it; return_attention_scores = false: gives a list, the result and the weights, [batch, heads, query steps,
--- value steps]; training}. A step that may look nowhere weighs all values alike.
---
--- Inputs may have more axes, [batch, ..., features]. Steps then lie along attention_axes, all of them unless told; along the other
--- axes each place attends to its own steps. Scores are [batch, other axes, heads, query steps, value steps], with as many axes of steps
--- each.
---@param num_heads integer
---@param key_dim integer numbers a head has of a query and a key
---@param options? table {value_dim = key_dim; output_shape = the query's features: numbers of the result; attention_axes = those that steps lie along, counted from the batch, which is 1: a number or a list; dropout = 0: the share of weights that is dropped, in training only; use_bias = true; seed; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs and masks that do not go together; for an unknown option.
--- Example:
---     local attention = lt.nn.MultiHeadAttention(2, 4)
---     local y, scores = table.unpack(attention({lt.ones {1, 3, 8}, lt.ones {1, 5, 8}}, {return_attention_scores = true}))
---     print(y.shape, scores.shape, ("%.1f"):format(scores[{1, 1, 1, 1}]:item()))  --> (1, 3, 8)	(1, 2, 3, 5)	0.2
---     print(lt.nn.MultiHeadAttention(2, 4, {attention_axes = 2})(lt.ones {1, 6, 5, 8}).shape)  --> (1, 6, 5, 8)
--- Source: keras.layers.MultiHeadAttention
function nn.MultiHeadAttention(num_heads, key_dim, options) end
