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

--- A layer that makes one axis of all but the first.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Flatten()(lt.zeros {2, 3, 4}).shape)  --> (2, 12)
--- Source: keras.layers.Flatten
function nn.Flatten(options) end

--- A layer that gives each row another shape.
---@param target_shape integer[] of a row, without the batch; one size may be -1
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, when a row's elements do not make the shape.
--- Example:
---     print(lt.nn.Reshape {2, -1}(lt.zeros {5, 6}).shape)  --> (5, 2, 3)
--- Source: keras.layers.Reshape
function nn.Reshape(target_shape, options) end

--- A layer that, in training only, sets a share of the elements to 0 and divides the others by 1 - rate.
---@param rate number the share, 0 to 1
---@param options? table {seed = of the masks, of which each call has its own; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a rate outside 0 to 1.
--- Example:
---     print(lt.nn.Dropout(0.5)(lt.ones {3}))  --> lutra.Tensor([1. 1. 1.], shape=(3,), dtype=float32)
--- Source: keras.layers.Dropout
function nn.Dropout(rate, options) end

--- A layer that moves windows over images of shape {height, width, channels}.
---@param filters integer channels of the result
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input that is no image or smaller than the window.
--- Example:
---     print(lt.nn.Conv2D(8, 3)(lt.zeros {2, 6, 6, 1}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.Conv2D
function nn.Conv2D(filters, kernel_size, options) end

--- A layer that takes the largest number of each window of an image.
---@param pool_size? integer|integer[] 2 unless told
---@param options? table {strides = pool_size; padding = "valid" or "same"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: as Conv2D.
--- Example:
---     print(lt.nn.MaxPool2D()(lt.zeros {2, 6, 6, 3}).shape)  --> (2, 3, 3, 3)
--- Source: keras.layers.MaxPool2D
function nn.MaxPool2D(pool_size, options) end

--- A layer that takes the mean of each window of an image.
---@param pool_size? integer|integer[] 2 unless told
---@param options? table {strides = pool_size; padding = "valid" or "same"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: as Conv2D.
--- Example:
---     print(lt.nn.AvgPool2D()(lt.ones {1, 2, 2, 1}):item())  --> 1.0
--- Source: keras.layers.AvgPool2D
function nn.AvgPool2D(pool_size, options) end

--- A layer that takes the mean over all steps of a sequence; those that a mask hides do not count.
---@param options? table {keepdims = false: keep the axes, of size 1; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalAvgPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 2.0
--- Source: keras.layers.GlobalAveragePooling1D
function nn.GlobalAvgPool1D(options) end

--- A layer that takes the largest over all steps of a sequence, of each channel.
---@param options? table {keepdims = false: keep the axes, of size 1; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalMaxPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 3.0
--- Source: keras.layers.GlobalMaxPooling1D
function nn.GlobalMaxPool1D(options) end

--- A layer that takes the mean over all places of an image, of each channel.
---@param options? table {keepdims = false: keep the axes, of size 1; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalAvgPool2D()(lt.zeros {2, 6, 6, 3}).shape)  --> (2, 3)
--- Source: keras.layers.GlobalAveragePooling2D
function nn.GlobalAvgPool2D(options) end

--- A layer that takes the largest over all places of an image, of each channel.
---@param options? table {keepdims = false: keep the axes, of size 1; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalMaxPool2D {keepdims = true}(lt.zeros {2, 6, 6, 3}).shape)  --> (2, 1, 1, 3)
--- Source: keras.layers.GlobalMaxPooling2D
function nn.GlobalMaxPool2D(options) end

--- A layer that gives each channel of the last axis mean 0 and variance 1 over the batch, then scales and shifts it as it has
--- learned. Outside training it uses running means of both (Ioffe and Szegedy, ICML 2015). Under a strategy each replica takes
--- its own rows' mean and variance, and the running means move by the mean over all rows of theirs; synchronized takes those of
--- the whole batch, as one device does.
---@param options? table {momentum = 0.99; synchronized = false; epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option; Unimplemented for a synchronized one that a replica of one's own training loop
---   trains.
--- Example:
---     local norm = lt.nn.BatchNorm {epsilon = 0}
---     print(norm(lt.constant {{1.0}, {3.0}}, true):totable()[2][1])  --> 1.0
--- Source: keras.layers.BatchNormalization
function nn.BatchNorm(options) end

--- A layer that gives each row of the last axis mean 0 and variance 1, then scales and shifts it as it has learned (Ba et al.,
--- 2016).
---@param options? table {epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.LayerNorm {epsilon = 0}(lt.constant {{1.0, 3.0}}):totable()[1][2])  --> 1.0
--- Source: keras.layers.LayerNormalization
function nn.LayerNorm(options) end

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

--- A layer that finds the steps of [batch, steps, ...] that count: those with a number other than mask_value. The others become 0,
--- and the mask goes with the result to the layers that follow.
---@param options? table {mask_value = 0.0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a mask_value that is no number, or an input without steps.
--- Example:
---     local adding = lt.nn.SimpleRNN(1, {kernel_initializer = "ones", recurrent_initializer = "ones", activation = "linear"})
---     local x = lt.nn.Masking {mask_value = -1}(lt.constant {{{1.0}, {-1.0}, {4.0}}})
---     print(x:flatten(), adding(x):item())  --> lutra.Tensor([1. 0. 4.], shape=(3,), dtype=float32)	5.0
--- Source: keras.layers.Masking
function nn.Masking(options) end

--- A recurrent layer: at each step of [batch, steps, features], h = activation(x kernel + h recurrent_kernel + bias).
---
--- It is called with rows, and with a table of {initial_state = a tensor of shape [batch, units]; mask = a bool tensor of shape
--- [batch, steps]: where it is false, the step is skipped; training}.
---@param units integer numbers a step gives
---@param options? table {activation = "tanh"; use_bias = true; dropout = 0: the share of the input that is dropped, in training only; recurrent_dropout = 0: of the state where it goes into a product, and each gate then has masks of its own; return_sequences = false: whether all steps are given, [batch, steps, units], or the last one, [batch, units]; return_state = false: gives a list, the output and the state; go_backwards = false; stateful = false: a batch begins with the state that the one before left; zero_output_for_mask = false; seed = of the masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, a state or a mask of another shape; for an
---   unknown option.
--- Example:
---     local layer = lt.nn.SimpleRNN(1, {kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu", return_sequences = true})
---     print(layer(lt.constant {{{1.0}, {2.0}, {3.0}}}):flatten())  --> lutra.Tensor([1. 3. 6.], shape=(3,), dtype=float32)
--- Source: keras.layers.SimpleRNN
function nn.SimpleRNN(units, options) end

--- Long short-term memory: a recurrent layer whose state is h and a cell, which gates fill, empty and show (Hochreiter and
--- Schmidhuber, 1997). Kernels hold the matrices of the input, the forget gate, the candidate and the output side by side.
---
--- It is called as SimpleRNN is; initial_state is a list, {h, cell}.
---@param units integer numbers a step gives
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid", of the gates; use_bias = true; unit_forget_bias = true: the forget gate's bias starts at 1; dropout = 0: the share of the input that is dropped, in training only; recurrent_dropout = 0: of the state where it goes into a product, and each gate then has masks of its own; return_sequences = false: whether all steps are given, [batch, steps, units], or the last one, [batch, units]; return_state = false: gives a list, the output and the state; go_backwards = false; stateful = false: a batch begins with the state that the one before left; zero_output_for_mask = false; seed = of the masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as SimpleRNN.
--- Example:
---     local y, h, cell = table.unpack(lt.nn.LSTM(3, {return_sequences = true, return_state = true})(lt.zeros {2, 5, 4}))
---     print(y.shape, h.shape, cell.shape)  --> (2, 5, 3)	(2, 3)	(2, 3)
--- Source: keras.layers.LSTM
function nn.LSTM(units, options) end

--- Gated recurrent units: a recurrent layer that mixes its state with a candidate (Cho et al., EMNLP 2014). Kernels hold the
--- matrices of the update gate, the reset gate and the candidate side by side.
---
--- It is called as SimpleRNN is.
---@param units integer numbers a step gives
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid", of the gates; use_bias = true; reset_after = true: the reset gate stands behind the state's product, which has a bias of its own, so that the bias has two rows; dropout = 0: the share of the input that is dropped, in training only; recurrent_dropout = 0: of the state where it goes into a product, and each gate then has masks of its own; return_sequences = false: whether all steps are given, [batch, steps, units], or the last one, [batch, units]; return_state = false: gives a list, the output and the state; go_backwards = false; stateful = false: a batch begins with the state that the one before left; zero_output_for_mask = false; seed = of the masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as SimpleRNN.
--- Example:
---     local gru = lt.nn.GRU(3)
---     print(gru(lt.zeros {2, 5, 4}).shape, gru.bias.shape)  --> (2, 3)	(2, 9)
--- Source: keras.layers.GRU
function nn.GRU(units, options) end

--- A recurrent layer in both directions: one like it, named forward_..., and one that goes backwards, named backward_....
--- Both have weights of their own. It is called as they are; the first half of initial_state is the forward layer's.
---@param layer lutra.nn.Layer a SimpleRNN, LSTM or GRU
---@param options? table {merge_mode = "concat", "sum", "mul", "ave", or false: a list of both results; backward_layer = one of one's own; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a layer that is not recurrent, and for two that do not go together.
--- Example:
---     print(lt.nn.Bidirectional(lt.nn.GRU(3, {return_sequences = true}))(lt.zeros {2, 5, 4}).shape)  --> (2, 5, 6)
--- Source: keras.layers.Bidirectional
function nn.Bidirectional(layer, options) end

--- A layer that applies another one to each step of [batch, steps, ...].
---@param layer lutra.nn.Layer
---@param options? table {input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for what is no layer, or an input without steps.
--- Example:
---     print(lt.nn.TimeDistributed(lt.nn.Flatten())(lt.zeros {2, 5, 4, 3}).shape)  --> (2, 5, 12)
--- Source: keras.layers.TimeDistributed
function nn.TimeDistributed(layer, options) end

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

--- A layer that applies a function to its input.
---@param activation string|function a name that Dense knows, or a function
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown name.
--- Example:
---     print(lt.nn.Activation "relu"(lt.constant {-1.0, 2.0}))  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.Activation
function nn.Activation(activation, options) end

--- A layer that gives what it gets, which costs: l1 times its magnitudes and l2 times its squares are added to the loss, a row.
---@param options? table {l1 = 0.0; l2 = 0.0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a number below 0.
--- Example:
---     local layer = lt.nn.ActivityRegularization {l1 = 0.5}
---     layer(lt.constant {{1.0, -2.0}, {3.0, 0.0}})
---     print(layer:losses()[1]:item())  --> 1.5
--- Source: keras.layers.ActivityRegularization
function nn.ActivityRegularization(options) end

--- A layer that adds its inputs, a list of one shape; a size of 1 stretches to the others', and missing axes stand behind the batch.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of different shapes.
--- Example:
---     print(lt.nn.Add() {lt.ones {2}, lt.ones {2}})  --> lutra.Tensor([2. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.Add
function nn.Add(options) end

--- A layer that multiplies its inputs, a list of one shape, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of different shapes.
--- Example:
---     local x = lt.constant {2.0, 3.0}
---     print(lt.nn.Multiply() {x, x})  --> lutra.Tensor([4. 9.], shape=(2,), dtype=float32)
--- Source: keras.layers.Multiply
function nn.Multiply(options) end

--- A layer that subtracts the second of its two inputs, a list, from the first.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for shapes that do not go together, or another number of inputs.
--- Example:
---     print(lt.nn.Subtract() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 2.0
--- Source: keras.layers.Subtract
function nn.Subtract(options) end

--- A layer that takes the mean of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of shapes that do not go together.
--- Example:
---     print(lt.nn.Average() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 2.0
--- Source: keras.layers.Average
function nn.Average(options) end

--- A layer that takes the largest of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of shapes that do not go together.
--- Example:
---     print(lt.nn.Maximum() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 3.0
--- Source: keras.layers.Maximum
function nn.Maximum(options) end

--- A layer that takes the least of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of shapes that do not go together.
--- Example:
---     print(lt.nn.Minimum() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 1.0
--- Source: keras.layers.Minimum
function nn.Minimum(options) end

--- A layer that puts its inputs, a list, one after the other along an axis.
---@param options? table {axis = -1, which counts the batch as axis 1; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for shapes that differ along another axis.
--- Example:
---     print(lt.nn.Concatenate() {lt.ones {2, 1}, lt.zeros {2, 3}}.shape)  --> (2, 4)
--- Source: keras.layers.Concatenate
function nn.Concatenate(options) end

--- What a model of the functional form begins with. A layer that is called with it gives what the next one is called with. The
--- model then wants rows of this shape; an axis of one number at the end may be left out.
---@param shape integer[]|integer of a row, without the batch; -1 for a size that may be any
---@param options? table {name: by which the model can be given its rows, {name = rows}}
---@return table # a symbol: its shape is known, and it has no numbers
--- Errors: InvalidArgument for what is no shape.
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

--- A replica's part of the mean loss, in a loop of one's own: the sum of a loss a row over as many rows as all replicas have. The
--- gradients of these parts add up to that of the mean.
---@param per_example_loss lutra.Tensor|table a loss a row, as losses with reduction = "none" give it
---@param options? table {sample_weight = a number a row; global_batch_size = rows of all replicas together, where they do not have equally many}
---@return lutra.Tensor # a scalar
--- Errors: InvalidArgument for a scalar, or weights that do not match; FailedPrecondition between replicas.
--- Example:
---     print(lt.nn.compute_average_loss({1.0, 3.0}, {global_batch_size = 8}):item())  --> 0.5
--- Source: tf.nn.compute_average_loss
function nn.compute_average_loss(per_example_loss, options) end

--- A replica's part of what weights cost, in a loop of one's own: their sum over the number of replicas.
---@param regularization_loss lutra.Tensor|table
---@return lutra.Tensor # a scalar
--- Errors: InvalidArgument for what is no number; FailedPrecondition between replicas.
--- Example:
---     print(lt.nn.scale_regularization_loss({1.0, 3.0}):item())  --> 4.0
--- Source: tf.nn.scale_regularization_loss
function nn.scale_regularization_loss(regularization_loss) end

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

nn.MaxPooling2D = nn.MaxPool2D
nn.AveragePooling2D = nn.AvgPool2D
nn.GlobalAveragePooling1D = nn.GlobalAvgPool1D
nn.GlobalMaxPooling1D = nn.GlobalMaxPool1D
nn.GlobalAveragePooling2D = nn.GlobalAvgPool2D
nn.GlobalMaxPooling2D = nn.GlobalMaxPool2D
nn.BatchNormalization = nn.BatchNorm
nn.LayerNormalization = nn.LayerNorm

--- A layer: weights, and what is computed with them. It is called with a tensor, or a list of them; then, or not, with whether
--- it is trained: a boolean, or a table of that and what else its kind takes, {training = true, mask = m}; any other option is
--- an error. One of several results gives a list. Variables and layers in its fields, and in tables there, are its own. All kinds
--- take the options name, trainable, input_shape = of the rows that come in, for the first layer, and activity_regularizer = what its
--- result costs: a name ("l1", "l2", "l1_l2"), a regularizer or a function, whose number is divided by the rows and added to the loss.
---@class lutra.nn.Layer
---@field name string given, or the kind's with a number: "dense", "dense_1"
---@field trainable boolean whether training changes its weights; can be set
---@field built boolean whether its weights are made
---@field supports_masking boolean|nil whether the mask of its input is that of what it gives
---@field activity_regularizer function|nil what its result costs
---@field autocast boolean|nil set it to false, and the layer and those in it compute in float32 where the model computes in bfloat16
local Layer = {}

--- A new class of layers or models on top of this one.
---@param name string of the kind
---@return table # a class: called, it makes an object and hands its arguments to `init`
--- Errors: InvalidArgument for what is no name.
--- Example:
---     local Twice = lt.nn.Layer:extend "Twice"
---     function Twice:call(x) return 2 * x end
---     print(Twice(), Twice()(lt.constant {1.0}):item())  --> <lutra.nn.Twice 'twice'>	2.0
--- Source: subclassing keras.Layer
function Layer:extend(name) end

--- How the layer was made, as a table that JSON can hold: its class, its name and the arguments of its constructor.
---@return table # {class, name, arguments}, of models {class, name, layers, ...}
--- Errors: InvalidArgument for an argument that cannot be written down, such as a function of the program's.
--- Example:
---     print(lt.nn.Dense(3, {name = "first"}):get_config().arguments[1])  --> 3
--- Source: keras.Layer.get_config
function Layer:get_config() end

--- A new layer, made as get_config says; its weights are new.
---@param config table of get_config
---@param custom_objects? table classes of the program's own, by name
---@return lutra.nn.Layer
--- Errors: InvalidArgument for what is no such table, or a class that is not there.
--- Example:
---     print(lt.nn.Layer.from_config(lt.nn.Dense(3, {name = "first"}):get_config()))  --> <lutra.nn.Dense 'first'>
--- Source: keras.Layer.from_config
function Layer.from_config(config, custom_objects) end

--- A new weight, to be set in a field.
---@param options table {name; shape = {}; initializer = "glorot_uniform"; trainable = true; dtype = "float32"; regularizer}
---@return lutra.Variable
--- Errors: InvalidArgument for an unknown option or initializer.
--- Example:
---     local layer = lt.nn.Layer:extend "Kept"()
---     print(layer:add_weight {name = "w", initializer = "ones"}.name)  --> kept/w
--- Source: keras.Layer.add_weight
function Layer:add_weight(options) end

--- Its variables and those of the layers below, in the order in which fields were set.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     print(#model:variables(), model:variables()[1].name)  --> 2	dense/kernel
--- Source: keras.Layer.variables
function Layer:variables() end

--- Those variables that training changes.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local dense = lt.nn.Dense(1, {input_shape = {2}})
---     dense(lt.ones {1, 2})
---     dense.trainable = false
---     print(#dense:trainable_variables())  --> 0
--- Source: keras.Layer.trainable_variables
function Layer:trainable_variables() end

--- Those variables that training leaves alone.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     print(#lt.nn.Flatten():non_trainable_variables())  --> 0
--- Source: keras.Layer.non_trainable_variables
function Layer:non_trainable_variables() end

--- How many numbers its variables hold.
---@return integer
--- Errors: none of its own.
--- Example:
---     print(lt.nn.Sequential { lt.nn.Dense(3, {input_shape = {2}}) }:count_params())  --> 9
--- Source: keras.Layer.count_params
function Layer:count_params() end

--- What the layer and those below have added to the loss in their last call (add_loss, activity_regularizer), and what regularizers
--- make of the weights that are trained, a scalar of each, for a loop of one's own to add to its loss; `fit` adds them by itself.
---@return lutra.Tensor[]
--- Errors: none of its own.
--- Example:
---     local layer = lt.nn.Dense(2, {kernel_initializer = "ones", kernel_regularizer = "l2"})
---     layer(lt.ones {1, 3})
---     print(#layer:losses(), ("%.2f"):format(layer:losses()[1]:item()))  --> 1	0.06
--- Source: keras.Layer.losses
function Layer:losses() end

--- In `call` of a layer or a model of one's own: adds to the loss that training makes small. It is taken for a mean over the rows:
--- where replicas share a batch, theirs count by the rows they have.
---@param loss lutra.Tensor|lutra.Tensor[] a scalar; the elements of a larger one are added up
--- Errors: InvalidArgument, which names the layer, for what is no tensor; Unimplemented inside lutra.recompute_grad.
--- Example:
---     local Small = lt.nn.Layer:extend "Small"
---     function Small:call(x)
---       self:add_loss(0.1 * x:square():mean())
---       return x
---     end
---     local small = Small()
---     small(lt.constant {{1.0, 3.0}})
---     print(("%.2f"):format(small:losses()[1]:item()))  --> 0.50
--- Source: keras.Layer.add_loss
function Layer:add_loss(loss) end

--- The values of its variables. Later training does not change these tensors.
---@return lutra.Tensor[]
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     print(model:get_weights()[1].shape)  --> (2, 1)
--- Source: keras.Layer.get_weights
function Layer:get_weights() end

--- Gives its variables new values.
---@param values (lutra.Tensor|table|number)[] one a variable, in get_weights' order
--- Errors: InvalidArgument for another number of values, or another shape.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     model:set_weights { {{1.0}, {2.0}}, {3.0} }
---     print(model(lt.ones {1, 2}):item())  --> 6.0
--- Source: keras.Layer.set_weights
function Layer:set_weights(values) end

--- Forgets the state that recurrent layers keep from one batch to the next, in it and in the layers below.
--- Errors: none of its own.
--- Example:
---     local layer = lt.nn.SimpleRNN(1, {stateful = true, kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu"})
---     local x = lt.ones {1, 2, 1}
---     print(layer(x):item(), layer(x):item())  --> 2.0	4.0
---     layer:reset_state()
---     print(layer(x):item())  --> 2.0
--- Source: keras.layers.RNN.reset_state
function Layer:reset_state() end
