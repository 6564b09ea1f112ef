---@meta

--- Layers and models, with Keras 3's names and defaults. Class labels count from 1; shapes are without the batch.
---
--- Loaded when it is first asked for. [training.md](../training.md) shows how its parts go together.
---@class lutra.nn
---@field initializers lutra.nn.initializers what weights are at first
---@field regularizers lutra.nn.regularizers what large weights cost
---@field losses lutra.nn.losses what training makes small
---@field metrics lutra.nn.metrics what is told beside the loss
---@field callbacks lutra.nn.callbacks what is called between epochs
local nn = {}

--- A layer of one's own is made by extending it: its class has `call(self, x, training)` and, where it has weights,
--- `build(self, shape)`, which makes them by add_weight. What a call takes beside training its `call_options` tell: with {factor =
--- true} there, `call(self, x, training, given)` finds given.factor. One that hands masks on says `supports_masking = true`; one
--- that makes them has `compute_mask(self, x, mask)`; one that uses them has `mask_options(self, mask)`, which gives options of its
--- call.
---@return lutra.nn.Layer
--- Errors: none of its own.
--- Example:
---     local Scale = lt.nn.Layer:extend "Scale"
---     function Scale:build() self.factor = self:add_weight {name = "factor", initializer = "ones"} end
---     function Scale:call(x) return x * self.factor end
---     print(Scale()(lt.constant {2.0}))  --> lutra.Tensor([2.], shape=(1,), dtype=float32)
--- Source: keras.Layer
function nn.Layer() end

--- What a model of the functional form begins with. A layer that is called with it gives what the next one is called with. The
--- model then wants rows of this shape; an axis of one number at the end may be left out.
---@param shape integer[]|integer of a row, without the batch; -1 for a size that may be any
---@param options? table {name: by which the model can be given its rows, {name = rows}; dtype: that rows are cast to, as they are given unless told}
---@return table # a symbol: its shape is known, and it has no numbers
--- Errors: InvalidArgument for what is no shape, or no dtype.
--- Example:
---     print(lt.nn.Input({4}, {name = "x"}))  --> <lutra.nn.Symbol 'x' shape=(batch, 4)>
--- Source: keras.Input
function nn.Input(shape, options) end

--- A model of layers one after the other. Weights are made when the shape of the input is known: from the first layer's
--- `input_shape`, from an Input as the first entry, or from the first batch. `model:add(layer)` adds one at the end and gives the
--- model, `model:pop()` takes the last one off and gives it; a model that was compiled is compiled again then, with an optimizer
--- that knows the new variables.
---@param layers? table a list of layers, and `name`
---@return lutra.nn.Model # which also has add(layer) and pop()
--- Errors: InvalidArgument for an entry that is no layer, and a layer that is in it already.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(8, {input_shape = {4}}), lt.nn.Dense(1) }
---     print(model:count_params())  --> 49
--- Source: keras.Sequential
function nn.Sequential(layers) end

--- A model of what lies between inputs and outputs. A model of another kind is made by extending it: its class has
--- `init(self, ...)`, which sets layers as fields, and `call(self, x, training)`. A model of several inputs is called with a list, or
--- with a table by the inputs' names.
---@param options? table {inputs = an Input or a list of them; outputs = what layers gave for them, one or a list; name}
---@return lutra.nn.Model
--- Errors: InvalidArgument for outputs that depend on an input that is not among inputs; called, for rows of another shape than
---   the input's, which it names.
--- Example:
---     local x = lt.nn.Input {2}
---     local model = lt.nn.Model {inputs = x, outputs = lt.nn.Dense(1, {kernel_initializer = "ones"})(x)}
---     print(model(lt.constant {{1.0, 2.0}}):item())  --> 3.0
--- Source: keras.Model
function nn.Model(options) end

--- The model that a file of Model:save tells, with its weights, compiled as it was.
---@param path string
---@param options? table {custom_objects = {Name = class}: classes of the program's own; compile = true; resume = false: as of Model:load}
---@return lutra.nn.Model
--- Errors: InvalidArgument for a damaged file, one that holds no model, or a class that is not there; NotFound.
--- Example:
---     local path = os.tmpname() .. ".safetensors"
---     lt.nn.Sequential({ lt.nn.Dense(1, {input_shape = {2}}), name = "kept" }):save(path)
---     print(lt.nn.load_model(path).name)  --> kept
---     os.remove(path)
--- Source: keras.saving.load_model
function nn.load_model(path, options) end

--- A dense layer: rows times a matrix, plus a bias, and an activation.
---@param units integer numbers a row of the result has
---@param options? table {activation = a name ("relu", "sigmoid", "tanh", "softmax", ...) or a function; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape = of the rows that come in, for the first layer; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for fewer than one unit, an unknown option, activation or initializer.
--- Example:
---     local dense = lt.nn.Dense(2, {kernel_initializer = "ones"})
---     print(dense(lt.constant {{1.0, 2.0}}))  --> lutra.Tensor([[3. 3.]], shape=(1, 2), dtype=float32)
--- Source: keras.layers.Dense
function nn.Dense(units, options) end

--- A layer that looks up a row of a table for each id, 1 to input_dim. With mask_zero, 0 stands where a sequence has ended: it
--- gives zeros, and a mask says that the step does not count.
---@param input_dim integer rows of the table
---@param output_dim integer numbers a row
---@param options? table {embeddings_initializer = "random_uniform"; embeddings_regularizer; mask_zero = false; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for the id 0 without mask_zero, OutOfRange for another that has no row.
--- Example:
---     print(lt.nn.Embedding(10, 4)(lt.constant {{1, 10, 3}}).shape)  --> (1, 3, 4)
--- Source: keras.layers.Embedding
function nn.Embedding(input_dim, output_dim, options) end
