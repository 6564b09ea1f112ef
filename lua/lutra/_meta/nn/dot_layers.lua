---@meta

---@class lutra.nn
local nn = {}

--- A layer that multiplies two inputs along one axis of each, which counts the batch as the first, row by row.
---@param axes integer|integer[] one axis, or one for each input
---@param options? table {normalize = false: whether vectors are made of length 1 before, for the cosine; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for other than two inputs, or axes of different lengths.
--- Example:
---     print(lt.nn.Dot(2) {lt.ones {2, 3}, lt.ones {2, 3}}:flatten())  --> lutra.Tensor([3. 3.], shape=(2,), dtype=float32)
--- Source: keras.layers.Dot
function nn.Dot(axes, options) end

--- A layer of dot-product attention without weights of its own (Luong et al., EMNLP 2015): inputs are {query, value} or
--- {query, value, key}, each {batch, steps, features}. A call may have {mask = {of queries, of values}; use_causal_mask;
--- return_attention_scores}.
---@param options? table {use_scale = false; score_mode = "dot" or "concat"; dropout = 0; seed; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for other inputs, or an option that is not valid.
--- Example:
---     print(lt.nn.Attention() {lt.ones {1, 2, 4}, lt.ones {1, 3, 4}}.shape)  --> (1, 2, 4)
--- Source: keras.layers.Attention
function nn.Attention(options) end

--- A layer of attention by the sum of tanh(query + key) (Bahdanau, Cho and Bengio, ICLR 2015); inputs and calls are those of
--- Attention.
---@param options? table {use_scale = true; dropout = 0; seed; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for other inputs, or an option that is not valid.
--- Example:
---     print(lt.nn.AdditiveAttention() {lt.ones {1, 2, 4}, lt.ones {1, 3, 4}}.shape)  --> (1, 2, 4)
--- Source: keras.layers.AdditiveAttention
function nn.AdditiveAttention(options) end
