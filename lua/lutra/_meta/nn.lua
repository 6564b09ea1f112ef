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

--- A layer that moves windows over the steps of sequences of shape {steps, channels}. With padding = "causal" no step sees those
--- after it.
---@param filters integer channels of the result
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same", or "causal"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.Conv1D(8, 3, {padding = "causal"})(lt.zeros {2, 6, 4}).shape)  --> (2, 6, 8)
--- Source: keras.layers.Conv1D
function nn.Conv1D(filters, kernel_size, options) end

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

--- A layer that goes back from what a convolution of sequences gives to what it takes: each place adds a window to the result, which is
--- `strides` times as large.
---@param filters integer channels of the result
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same"; output_padding = by how much the result is larger than the smallest one; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank; for an output_padding of a stride or more.
--- Example:
---     print(lt.nn.Conv1DTranspose(8, 3, {strides = 2, padding = "same"})(lt.zeros {2, 6, 4}).shape)  --> (2, 12, 8)
--- Source: keras.layers.Conv1DTranspose
function nn.Conv1DTranspose(filters, kernel_size, options) end

--- A layer that goes back from what a convolution of images gives to what it takes: each place adds a window to the result, which is
--- `strides` times as large.
---@param filters integer channels of the result
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; output_padding = by how much the result is larger than the smallest one; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank; for an output_padding of a stride or more.
--- Example:
---     print(lt.nn.Conv2DTranspose(8, 3, {strides = 2, padding = "same"})(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 12, 12, 8)
--- Source: keras.layers.Conv2DTranspose
function nn.Conv2DTranspose(filters, kernel_size, options) end

--- A layer that moves a window of its own over the steps of sequences for each channel.
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.DepthwiseConv1D(3, {depth_multiplier = 2})(lt.zeros {2, 6, 4}).shape)  --> (2, 4, 8)
--- Source: keras.layers.DepthwiseConv1D
function nn.DepthwiseConv1D(kernel_size, options) end

--- A layer that moves a window of its own over the steps of sequences for each channel, and then puts all channels of a place together
--- (Chollet, CVPR 2017).
---@param filters integer channels of the result
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer, pointwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; pointwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.SeparableConv1D(8, 3)(lt.zeros {2, 6, 4}).shape)  --> (2, 4, 8)
--- Source: keras.layers.SeparableConv1D
function nn.SeparableConv1D(filters, kernel_size, options) end

--- A layer that moves a window of its own over images for each channel.
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.DepthwiseConv2D(3, {depth_multiplier = 2})(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.DepthwiseConv2D
function nn.DepthwiseConv2D(kernel_size, options) end

--- A layer that moves a window of its own over images for each channel, and then puts all channels of a place together
--- (Chollet, CVPR 2017).
---@param filters integer channels of the result
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer, pointwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; pointwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.SeparableConv2D(8, 3)(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.SeparableConv2D
function nn.SeparableConv2D(filters, kernel_size, options) end

--- A layer that takes the largest number of each window of steps of a sequence.
---@param pool_size? integer 2 unless told
---@param options? table {strides = pool_size; padding = "valid" or "same"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.MaxPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 3.0
--- Source: keras.layers.MaxPooling1D
function nn.MaxPool1D(pool_size, options) end

--- A layer that takes the mean of each window of steps of a sequence.
---@param pool_size? integer 2 unless told
---@param options? table {strides = pool_size; padding = "valid" or "same"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.AvgPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 2.0
--- Source: keras.layers.AveragePooling1D
function nn.AvgPool1D(pool_size, options) end

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

--- A layer that makes several of each step of a sequence.
---@param size? integer 2 unless told
---@param options? table {input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.UpSampling1D(3)(lt.zeros {1, 2, 4}).shape)  --> (1, 6, 4)
--- Source: keras.layers.UpSampling1D
function nn.UpSampling1D(size, options) end

--- A layer that makes several of each place of an image: the same number, or by what lies between neighbours.
---@param size? integer|integer[] 2 unless told: one number, or height and width
---@param options? table {interpolation = "nearest" or "bilinear", of which the second makes float32s of whole numbers; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.UpSampling2D(2, {interpolation = "bilinear"})(lt.constant {{{{0.0}, {4.0}}}})[{1, 1}]:flatten())  --> lutra.Tensor([0. 1. 3. 4.], shape=(4,), dtype=float32)
--- Source: keras.layers.UpSampling2D
function nn.UpSampling2D(size, options) end

--- A layer that puts zeros around sequences.
---@param padding? integer|integer[] at both ends, or {before, after}; 1 unless told
---@param options? table {input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.ZeroPadding1D(1)(lt.zeros {1, 4, 2}).shape)  --> (1, 6, 2)
--- Source: keras.layers.ZeroPadding1D
function nn.ZeroPadding1D(padding, options) end

--- A layer that cuts the edges of sequences off.
---@param cropping? integer|integer[] at both ends, or {before, after}; 1 unless told
---@param options? table {input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, or of which nothing would be left.
--- Example:
---     print(lt.nn.Cropping1D(1)(lt.zeros {1, 4, 2}).shape)  --> (1, 2, 2)
--- Source: keras.layers.Cropping1D
function nn.Cropping1D(cropping, options) end

--- A layer that puts zeros around images.
---@param padding? integer|table on all sides, {height, width}, or {{top, bottom}, {left, right}}; 1 unless told
---@param options? table {input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.ZeroPadding2D({1, 0})(lt.zeros {1, 4, 4, 2}).shape)  --> (1, 6, 4, 2)
--- Source: keras.layers.ZeroPadding2D
function nn.ZeroPadding2D(padding, options) end

--- A layer that cuts the edges of images off.
---@param cropping? integer|table on all sides, {height, width}, or {{top, bottom}, {left, right}}; 0 unless told
---@param options? table {input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, or of which nothing would be left.
--- Example:
---     print(lt.nn.Cropping2D({1, 0})(lt.zeros {1, 4, 4, 2}).shape)  --> (1, 2, 4, 2)
--- Source: keras.layers.Cropping2D
function nn.Cropping2D(cropping, options) end

--- A layer that puts the axes of a row in another order.
---@param dims integer[] which axis of a row, counted from 1 without the batch, stands at each place
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for what is no order of axes, and, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.Permute {2, 1}(lt.zeros {5, 3, 4}).shape)  --> (5, 4, 3)
--- Source: keras.layers.Permute
function nn.Permute(dims, options) end

--- A layer that makes a sequence of each row: the row, n times.
---@param n integer steps of the result
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.RepeatVector(3)(lt.zeros {5, 4}).shape)  --> (5, 3, 4)
--- Source: keras.layers.RepeatVector
function nn.RepeatVector(n, options) end

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

--- A layer that gives the channels of a group, over all places of a row, mean 0 and variance 1, then scales and shifts each channel
--- as it has learned (Wu and He, ECCV 2018).
---@param options? table {groups = 32: -1 makes one of each channel; epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for channels that groups cannot share.
--- Example:
---     local norm = lt.nn.GroupNorm {groups = 1, epsilon = 0}
---     print(norm(lt.constant {{{1.0}, {3.0}}}):flatten())  --> lutra.Tensor([-1.  1.], shape=(2,), dtype=float32)
--- Source: keras.layers.GroupNormalization
function nn.GroupNorm(options) end

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

--- A layer that is a function of one's own. One that is not in `lt.nn` cannot be written to a file: a class that extends
--- lt.nn.Layer can.
---@param f function of the input, a tensor or a list of them
---@param options? table {output_shape = of a row, or a function that gives it of the input's; tried out unless told; mask = what the result's mask is, or a function of input and mask; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for what is no function.
--- Example:
---     print(lt.nn.Lambda(function(x) return x * 2 end)(lt.constant {1.0}):item())  --> 2.0
--- Source: keras.layers.Lambda
function nn.Lambda(f, options) end

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

nn.MaxPooling1D = nn.MaxPool1D
nn.AveragePooling1D = nn.AvgPool1D
nn.MaxPooling2D = nn.MaxPool2D
nn.AveragePooling2D = nn.AvgPool2D
nn.GlobalAveragePooling1D = nn.GlobalAvgPool1D
nn.GlobalMaxPooling1D = nn.GlobalMaxPool1D
nn.GlobalAveragePooling2D = nn.GlobalAvgPool2D
nn.GlobalMaxPooling2D = nn.GlobalMaxPool2D
nn.BatchNormalization = nn.BatchNorm
nn.LayerNormalization = nn.LayerNorm
nn.GroupNormalization = nn.GroupNorm
