---@meta

---@class lutra.nn
local nn = {}

--- Multi-head attention in which num_query_heads / num_key_value_heads query heads share each head of keys and values
--- (Ainslie et al., EMNLP 2023). With one of those it is multi-query attention.
---
--- It is called like lt.nn.MultiHeadAttention, with {query, value}, {query, value, key} or one tensor for all three, of
--- shape [batch, steps, features], and takes the same options of a call: attention_mask, query_mask, value_mask,
--- key_mask, use_causal_mask, return_attention_scores, training. Scores are [batch, num_query_heads, query steps, value
--- steps].
---@param head_dim integer size of each head
---@param num_query_heads integer a multiple of num_key_value_heads
---@param num_key_value_heads integer
---@param options? table {dropout = 0: fraction of the weights dropped in training; use_bias = true; use_gate = false: multiply the heads by the sigmoid of a further product of the query; sliding_window = n: each step attends only to steps less than n away; seed; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer: of each product and of the result; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for numbers of heads that do not divide; InvalidArgument, which names the layer, for inputs
---   and masks whose shapes do not match.
--- Example:
---     local attention = lt.nn.GroupQueryAttention(8, 4, 2)
---     print(attention(lt.ones {2, 5, 16}, {use_causal_mask = true}).shape, attention.key_kernel.shape)  --> (2, 5, 16)	(16, 2, 8)
--- Source: keras.layers.GroupQueryAttention
function nn.GroupQueryAttention(head_dim, num_query_heads, num_key_value_heads, options) end
