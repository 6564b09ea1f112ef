---@meta

---@class lutra.nn
local nn = {}

--- Multi-head attention: each query step gets the sum of the values, weighted by softmax(query * keys / sqrt(key_dim)),
--- in each head; a final product combines the heads (Vaswani et al., NIPS 2017).
---
--- Call it with {query, value}, {query, value, key}, or one tensor for all three, each of shape [batch, steps,
--- features]. A table of options may follow: {attention_mask = a tensor that broadcasts to [batch, query steps, value
--- steps], or with the heads as an additional second axis; false or 0 where a query step may not attend to a value
--- step; query_mask, value_mask, key_mask = which steps count, [batch, steps], default: the masks of the inputs;
--- use_causal_mask = false: whether steps are prevented from attending to later ones; return_attention_scores = false:
--- return a list, the result and the weights, [batch, heads, query steps, value steps]; training}. A query step that
--- may attend to nothing weights all values equally.
---
--- Inputs may have more axes, [batch, ..., features]. Attention runs along attention_axes, by default all of them; each
--- position on the other axes attends only to its own steps. Scores are [batch, other axes, heads, query steps, value
--- steps], where each "steps" stands for all of attention_axes.
---@param num_heads integer
---@param key_dim integer size of a query and of a key in each head
---@param options? table {value_dim = key_dim; output_shape = size of the result's last axis (default: the query's); attention_axes = the axes of the steps, a number or a list; the batch is axis 1; dropout = 0: fraction of the weights dropped in training; use_bias = true; seed; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs and masks whose shapes do not match; InvalidArgument for
---   an unknown option.
--- Example:
---     local attention = lt.nn.MultiHeadAttention(2, 4)
---     local y, scores = table.unpack(attention({lt.ones {1, 3, 8}, lt.ones {1, 5, 8}}, {return_attention_scores = true}))
---     print(y.shape, scores.shape, ("%.1f"):format(scores[{1, 1, 1, 1}]:item()))  --> (1, 3, 8)	(1, 2, 3, 5)	0.2
---     print(lt.nn.MultiHeadAttention(2, 4, {attention_axes = 2})(lt.ones {1, 6, 5, 8}).shape)  --> (1, 6, 5, 8)
--- Source: keras.layers.MultiHeadAttention
function nn.MultiHeadAttention(num_heads, key_dim, options) end
