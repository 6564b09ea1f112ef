---@meta

--- Layers and models, with Keras 3's names and defaults. Class labels count from 1; shapes exclude the batch axis.
---
--- Loaded on first use. [training.md](../training.md) shows how to use it.
---@class lutra.nn
---@field initializers lutra.nn.initializers initial values of weights
---@field regularizers lutra.nn.regularizers penalties on large weights
---@field losses lutra.nn.losses what training minimises
---@field metrics lutra.nn.metrics what is reported besides the loss
---@field callbacks lutra.nn.callbacks functions that fit, evaluate and predict call
local nn = {}

--- The base class of layers. Extend it for a custom layer: define `call(self, x, training)` and, if the layer has
--- weights, `build(self, shape)`, which makes them with add_weight. `call_options` names the other options that a call
--- accepts: with {factor = true}, `call(self, x, training, given)` receives given.factor. A layer that passes masks on
--- sets `supports_masking = true`; a layer that makes masks defines `compute_mask(self, x, mask)`; a layer that uses
--- masks defines `mask_options(self, mask)`, which returns options for its call.
---@return lutra.nn.Layer
--- Errors: none of its own.
--- Example:
---     local Scale = lt.nn.Layer:extend "Scale"
---     function Scale:build() self.factor = self:add_weight {name = "factor", initializer = "ones"} end
---     function Scale:call(x) return x * self.factor end
---     print(Scale()(lt.constant {2.0}))  --> lutra.Tensor([2.], shape=(1,), dtype=float32)
--- Source: keras.Layer
function nn.Layer() end

--- The input of a model in the functional form. Calling a layer with it returns a symbol to call the next layer with.
--- The model then expects rows of this shape; a last axis of size 1 may be left out.
---@param shape integer[]|integer of a row, without the batch axis; -1 for any size
---@param options? table {name: lets the model take its rows as {name = rows}; dtype: rows are cast to it (default: not cast); "string": rows are strings, for a text layer}
---@return table # a symbol: it has a shape but no values
--- Errors: InvalidArgument for an invalid shape or dtype.
--- Example:
---     print(lt.nn.Input({4}, {name = "x"}))  --> <lutra.nn.Symbol 'x' shape=(batch, 4)>
--- Source: keras.Input
function nn.Input(shape, options) end

--- A model that is a stack of layers. Weights are made when the shape of the input is known: from the first layer's
--- `input_shape`, from an Input as the first entry, or from the first batch. `model:add(layer)` appends a layer and
--- returns the model; `model:pop()` removes the last layer and returns it. Both recompile a compiled model, with an
--- optimizer that knows the new variables.
---@param layers? table a list of layers, and `name`
---@return lutra.nn.Model # which also has add(layer) and pop()
--- Errors: InvalidArgument for an entry that is not a layer, or a layer that the model already has.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(8, {input_shape = {4}}), lt.nn.Dense(1) }
---     print(model:count_params())  --> 49
--- Source: keras.Sequential
function nn.Sequential(layers) end

--- A model made of the layers between inputs and outputs. Extend it for a custom model: define `init(self, ...)`, which
--- sets layers as fields, and `call(self, x, training)`. A model with several inputs is called with a list, or with a
--- table by input name.
---@param options? table {inputs = an Input or a list of them; outputs = a symbol computed from them, or a list; name}
---@return lutra.nn.Model
--- Errors: InvalidArgument for outputs that depend on an input missing from inputs, and, when the model is called, for
---   rows that do not have the shape of the input, which the message names.
--- Example:
---     local x = lt.nn.Input {2}
---     local model = lt.nn.Model {inputs = x, outputs = lt.nn.Dense(1, {kernel_initializer = "ones"})(x)}
---     print(model(lt.constant {{1.0, 2.0}}):item())  --> 3.0
--- Source: keras.Model
function nn.Model(options) end

--- Loads a model from a file written by Model:save, with its weights, compiled as it was.
---@param path string
---@param options? table {custom_objects = {Name = class}: the program's own classes; compile = true; resume = false: as for Model:load}
---@return lutra.nn.Model
--- Errors: InvalidArgument for a damaged file, a file without a model, or an unknown class; NotFound when there is no
---   such file.
--- Example:
---     local path = os.tmpname() .. ".safetensors"
---     lt.nn.Sequential({ lt.nn.Dense(1, {input_shape = {2}}), name = "kept" }):save(path)
---     print(lt.nn.load_model(path).name)  --> kept
---     os.remove(path)
--- Source: keras.saving.load_model
function nn.load_model(path, options) end

--- A dense layer: activation(rows * kernel + bias).
---@param units integer size of a result row
---@param options? table {activation = a name ("relu", "sigmoid", "tanh", "softmax", ...) or a function; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; input_shape = shape of an input row, for the first layer; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for fewer than one unit, an unknown option, activation or initializer.
--- Example:
---     local dense = lt.nn.Dense(2, {kernel_initializer = "ones"})
---     print(dense(lt.constant {{1.0, 2.0}}))  --> lutra.Tensor([[3. 3.]], shape=(1, 2), dtype=float32)
--- Source: keras.layers.Dense
function nn.Dense(units, options) end

--- A layer that looks up a row of a table for each id from 1 to input_dim. With mask_zero, id 0 marks a step past the
--- end of a sequence: its result is zeros, and the mask excludes the step.
---@param input_dim integer rows of the table
---@param output_dim integer size of a row
---@param options? table {embeddings_initializer = "random_uniform"; embeddings_regularizer, embeddings_constraint; mask_zero = false; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for id 0 without mask_zero, OutOfRange for any other id without a row.
--- Example:
---     print(lt.nn.Embedding(10, 4)(lt.constant {{1, 10, 3}}).shape)  --> (1, 3, 4)
--- Source: keras.layers.Embedding
function nn.Embedding(input_dim, output_dim, options) end
