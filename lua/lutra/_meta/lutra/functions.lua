---@meta

---@class lutra
local lutra = {}

--- softmax(scale query key^T) value. Past 1,024 x 1,024 scores blocks of queries are computed one after the other, and the
--- gradient computes their scores anew, so that the matrix of all scores is never in memory. is_causal: a query sees the
--- keys up to its own place. A query that sees no key gives zeros.
---@param query lutra.Tensor|table [..., queries, size]
---@param key lutra.Tensor|table [..., keys, size]
---@param value lutra.Tensor|table [..., keys, size of values]
---@param options? table {mask = bool, true where a key may be seen, or floats, which are added to the scores; is_causal = false; scale = 1 / sqrt(size)}
---@return lutra.Tensor # [..., queries, size of values]
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     local x = lt.ones {1, 2, 3, 4}
---     print(lt.scaled_dot_product_attention(x, x, x, {is_causal = true}).shape)  --> (1, 2, 3, 4)
--- Source: torch.nn.functional.scaled_dot_product_attention
function lutra.scaled_dot_product_attention(query, key, value, options) end

--- Slides a window over sequences, as conv2d does over images.
---@param x lutra.Tensor|table [batch, steps, channels]
---@param w lutra.Tensor|table [steps, channels / groups, out]
---@param options? table {stride = 1; padding = "valid", "same" or numbers; dilation = 1; groups = 1; data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor # [batch, steps, out]
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.conv1d(lt.ones {1, 4, 2}, lt.ones {3, 2, 1}):flatten())  --> lutra.Tensor([6. 6.], shape=(2,), dtype=float32)
--- Source: tf.nn.conv1d
function lutra.conv1d(x, w, options) end

--- Slides a window over volumes, as conv2d does over images.
---@param x lutra.Tensor|table [batch, depth, height, width, channels]
---@param w lutra.Tensor|table [depth, height, width, channels / groups, out]
---@param options? table {stride = 1; padding = "valid", "same" or numbers; dilation = 1; groups = 1; data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor # [batch, depth, height, width, out]
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.conv3d(lt.ones {1, 2, 2, 2, 1}, lt.ones {2, 2, 2, 1, 1}):item())  --> 8.0
--- Source: tf.nn.conv3d
function lutra.conv3d(x, w, options) end

--- The largest element under a window that moves over sequences, channel by channel.
---@param x lutra.Tensor|table [batch, steps, channels]
---@param size integer
---@param options? table {stride = size; padding = "valid", "same" or numbers; data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.max_pool1d(lt.ones {1, 4, 2}, 2).shape)  --> (1, 2, 2)
--- Source: tf.nn.max_pool1d
function lutra.max_pool1d(x, size, options) end

--- The mean of the elements under a window that moves over sequences, channel by channel.
---@param x lutra.Tensor|table [batch, steps, channels]
---@param size integer
---@param options? table {stride = size; padding = "valid", "same" or numbers; data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.avg_pool1d(lt.ones {1, 4, 2}, 2).shape)  --> (1, 2, 2)
--- Source: tf.nn.avg_pool1d
function lutra.avg_pool1d(x, size, options) end

--- The largest element under a window that moves over volumes, channel by channel.
---@param x lutra.Tensor|table [batch, depth, height, width, channels]
---@param size integer|integer[] a number, or {depth, height, width}
---@param options? table {stride = size; padding = "valid", "same" or numbers; data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.max_pool3d(lt.ones {1, 4, 4, 4, 2}, 2).shape)  --> (1, 2, 2, 2, 2)
--- Source: tf.nn.max_pool3d
function lutra.max_pool3d(x, size, options) end

--- The mean of the elements under a window that moves over volumes, channel by channel.
---@param x lutra.Tensor|table [batch, depth, height, width, channels]
---@param size integer|integer[] a number, or {depth, height, width}
---@param options? table {stride = size; padding = "valid", "same" or numbers; data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.avg_pool3d(lt.ones {1, 4, 4, 4, 2}, 2).shape)  --> (1, 2, 2, 2, 2)
--- Source: tf.nn.avg_pool3d
function lutra.avg_pool3d(x, size, options) end

--- The means of as many windows as `size` says, which cover x evenly.
---@param x lutra.Tensor|table [batch, steps, channels]
---@param size integer|integer[] of the result: a number, or one for each axis
---@param options? table {data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or a size below 1.
--- Example:
---     print(lt.adaptive_avg_pool1d(lt.ones {1, 5, 2}, 2).shape)  --> (1, 2, 2)
--- Source: torch.nn.functional.adaptive_avg_pool1d
function lutra.adaptive_avg_pool1d(x, size, options) end

--- The largest elements of as many windows as `size` says, which cover x evenly.
---@param x lutra.Tensor|table [batch, steps, channels]
---@param size integer|integer[] of the result: a number, or one for each axis
---@param options? table {data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or a size below 1.
--- Example:
---     print(lt.adaptive_max_pool1d(lt.ones {1, 5, 2}, 2).shape)  --> (1, 2, 2)
--- Source: torch.nn.functional.adaptive_max_pool1d
function lutra.adaptive_max_pool1d(x, size, options) end

--- The means of as many windows as `size` says, which cover x evenly.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param size integer|integer[] of the result: a number, or one for each axis
---@param options? table {data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or a size below 1.
--- Example:
---     print(lt.adaptive_avg_pool2d(lt.ones {1, 5, 5, 2}, 2).shape)  --> (1, 2, 2, 2)
--- Source: torch.nn.functional.adaptive_avg_pool2d
function lutra.adaptive_avg_pool2d(x, size, options) end

--- The largest elements of as many windows as `size` says, which cover x evenly.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param size integer|integer[] of the result: a number, or one for each axis
---@param options? table {data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or a size below 1.
--- Example:
---     print(lt.adaptive_max_pool2d(lt.ones {1, 5, 5, 2}, 2).shape)  --> (1, 2, 2, 2)
--- Source: torch.nn.functional.adaptive_max_pool2d
function lutra.adaptive_max_pool2d(x, size, options) end

--- The means of as many windows as `size` says, which cover x evenly.
---@param x lutra.Tensor|table [batch, depth, height, width, channels]
---@param size integer|integer[] of the result: a number, or one for each axis
---@param options? table {data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or a size below 1.
--- Example:
---     print(lt.adaptive_avg_pool3d(lt.ones {1, 5, 5, 5, 2}, 2).shape)  --> (1, 2, 2, 2, 2)
--- Source: torch.nn.functional.adaptive_avg_pool3d
function lutra.adaptive_avg_pool3d(x, size, options) end

--- The largest elements of as many windows as `size` says, which cover x evenly.
---@param x lutra.Tensor|table [batch, depth, height, width, channels]
---@param size integer|integer[] of the result: a number, or one for each axis
---@param options? table {data_format = "channels_last" or "channels_first"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or a size below 1.
--- Example:
---     print(lt.adaptive_max_pool3d(lt.ones {1, 5, 5, 5, 2}, 2).shape)  --> (1, 2, 2, 2, 2)
--- Source: torch.nn.functional.adaptive_max_pool3d
function lutra.adaptive_max_pool3d(x, size, options) end

--- The windows of images side by side: the elements of a window by row, column and channel.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param size integer|integer[] a number, or {height, width}
---@param options? table {stride = 1; padding = "valid", "same" or {height, width}; dilation = 1}
---@return lutra.Tensor # [batch, rows, columns, elements of a window]
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.unfold(lt.ones {1, 4, 4, 3}, 2).shape)  --> (1, 3, 3, 12)
--- Source: tf.image.extract_patches, torch.nn.functional.unfold
function lutra.unfold(x, size, options) end

--- The sum of windows at their places: what unfold gives, back in images.
---@param patches lutra.Tensor|table [batch, rows, columns, elements of a window]
---@param output_size integer|integer[] {height, width} of the images
---@param size integer|integer[] a number, or {height, width}
---@param options? table {stride = 1; padding = "valid", "same" or {height, width}; dilation = 1}
---@return lutra.Tensor # [batch, height, width, channels]
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.fold(lt.unfold(lt.ones {1, 2, 2, 1}, 1), 2, 1):sum():item())  --> 4.0
--- Source: torch.nn.functional.fold
function lutra.fold(patches, output_size, size, options) end

--- Channels become places: a block of block_size^2 pixels from each pixel's channels, by row, column and channel.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param block_size integer
---@return lutra.Tensor
--- Errors: InvalidArgument for sizes that are no multiple of the block's.
--- Example:
---     print(lt.depth_to_space(lt.ones {1, 1, 1, 8}, 2).shape)  --> (1, 2, 2, 2)
--- Source: tf.nn.depth_to_space
function lutra.depth_to_space(x, block_size) end

--- The reverse of depth_to_space.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param block_size integer
---@return lutra.Tensor
--- Errors: InvalidArgument for sizes that are no multiple of the block's.
--- Example:
---     print(lt.space_to_depth(lt.ones {1, 2, 2, 2}, 2).shape)  --> (1, 1, 1, 8)
--- Source: tf.nn.space_to_depth
function lutra.space_to_depth(x, block_size) end

--- depth_to_space with channels by channel, row and column, as PyTorch's models have them.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param block_size integer
---@return lutra.Tensor
--- Errors: InvalidArgument for sizes that are no multiple of the block's.
--- Example:
---     print(lt.pixel_shuffle(lt.ones {1, 1, 1, 8}, 2).shape)  --> (1, 2, 2, 2)
--- Source: torch.nn.functional.pixel_shuffle
function lutra.pixel_shuffle(x, block_size) end

--- The reverse of pixel_shuffle.
---@param x lutra.Tensor|table [batch, height, width, channels]
---@param block_size integer
---@return lutra.Tensor
--- Errors: InvalidArgument for sizes that are no multiple of the block's.
--- Example:
---     print(lt.pixel_unshuffle(lt.ones {1, 2, 2, 2}, 2).shape)  --> (1, 1, 1, 8)
--- Source: torch.nn.functional.pixel_unshuffle
function lutra.pixel_unshuffle(x, block_size) end

--- A sample of a category as shares of all, which has a gradient (Jang, Gu and Poole, ICLR 2017). hard: exactly one category.
---@param logits lutra.Tensor|table
---@param options? table {tau = 1; hard = false; axis = -1; seed}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.gumbel_softmax({0.0, 100.0}, {hard = true}))  --> lutra.Tensor([0. 1.], shape=(2,), dtype=float32)
--- Source: torch.nn.functional.gumbel_softmax
function lutra.gumbel_softmax(logits, options) end

--- x divided by the root of the mean square over the last axis, times scale (Zhang and Sennrich, NeurIPS 2019).
---@param x lutra.Tensor|table [..., n]
---@param scale? lutra.Tensor|table [n]
---@param options? table {epsilon = 1e-6}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(("%.4f"):format(lt.rms_norm {3.0, -3.0}[1]:item()))  --> 1.0000
--- Source: torch.nn.functional.rms_norm
function lutra.rms_norm(x, scale, options) end

--- Mean 0 and variance 1 of each channel of each row, times scale plus offset.
---@param x lutra.Tensor|table [batch, ..., channels]
---@param scale? lutra.Tensor|table [channels]
---@param offset? lutra.Tensor|table [channels]
---@param options? table {epsilon = 1e-5}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.instance_norm({{{1.0}, {3.0}}}, nil, nil, {epsilon = 0}):flatten())  --> lutra.Tensor([-1.  1.], shape=(2,), dtype=float32)
--- Source: torch.nn.functional.instance_norm
function lutra.instance_norm(x, scale, offset, options) end

--- Mean 0 and variance 1 of each group of channels of each row (Wu and He, ECCV 2018), times scale plus offset.
---@param x lutra.Tensor|table [batch, ..., channels]
---@param groups integer
---@param scale? lutra.Tensor|table [channels]
---@param offset? lutra.Tensor|table [channels]
---@param options? table {epsilon = 1e-5}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(lt.group_norm({{1.0, 3.0}}, 1, nil, nil, {epsilon = 0}):flatten())  --> lutra.Tensor([-1.  1.], shape=(2,), dtype=float32)
--- Source: torch.nn.functional.group_norm
function lutra.group_norm(x, groups, scale, offset, options) end

--- The divergence of Kullback and Leibler, element by element: target (log target - input).
---@param input lutra.Tensor|table logarithms of predictions
---@param target lutra.Tensor|table distributions, or with log_target their logarithms
---@param options? table {reduction = "mean", "batchmean", "sum" or "none"; log_target = false}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(("%.4f"):format(lt.kl_div(lt.log {0.25, 0.75}, {0.5, 0.5}, {reduction = "sum"}):item()))  --> 0.1438
--- Source: torch.nn.functional.kl_div
function lutra.kl_div(input, target, options) end

--- Minus the logarithm of the label's class.
---@param input lutra.Tensor|table [..., classes]: logarithms of predictions
---@param target lutra.Tensor|table [...]: class numbers from 1
---@param options? table {weight = one number for each class; ignore_index = a label that does not count; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid.
--- Example:
---     print(("%.4f"):format(lt.nll_loss(lt.log {{0.25, 0.75}}, {2}):item()))  --> 0.2877
--- Source: torch.nn.functional.nll_loss
function lutra.nll_loss(input, target, options) end

--- The loss of sequences of labels without their places in time (Graves et al., ICML 2006): minus the logarithm of the
--- chance of all paths that give the labels.
---@param labels lutra.Tensor|table [rows, most labels]: class numbers from 1; those after a row's length are not read
---@param logits lutra.Tensor|table [rows, steps, classes], before the softmax
---@param label_length lutra.Tensor|table [rows]
---@param logit_length lutra.Tensor|table [rows]
---@param options? table {blank_index = 1: the class that stands for no label}
---@return lutra.Tensor # [rows]; about 1e30 if a row has too few steps for its labels
--- Errors: InvalidArgument for tensors of other shapes, or options that are not valid, lengths or labels out of range.
--- Example:
---     print(("%.4f"):format(lt.ctc_loss({{2}}, lt.zeros {1, 2, 2}, {1}, {2}):item()))  --> 0.2877
--- Source: tf.nn.ctc_loss, torch.nn.functional.ctc_loss
function lutra.ctc_loss(labels, logits, label_length, logit_length, options) end

--- x, cut to [min, max].
---@param x lutra.Tensor|table any shape
---@param options? table {min = -1, max = 1}
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool, or min above max.
--- Example:
---     print(lt.hardtanh {-3.0, 0.5, 2.0})  --> lutra.Tensor([-1.   0.5  1. ], shape=(3,), dtype=float32)
--- Source: torch.nn.functional.hardtanh, keras.activations.hard_tanh
function lutra.hardtanh(x, options) end

--- x, and 0 from -threshold to threshold.
---@param x lutra.Tensor|table any shape
---@param options? number|table the threshold, or {threshold = 0.5}
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool, or a threshold below 0.
--- Example:
---     print(lt.hardshrink {-3.0, 0.25, 2.0})  --> lutra.Tensor([-3.  0.  2.], shape=(3,), dtype=float32)
--- Source: torch.nn.functional.hardshrink, keras.activations.hard_shrink
function lutra.hardshrink(x, options) end

--- x, moved towards 0 by the threshold: 0 from -threshold to threshold.
---@param x lutra.Tensor|table any shape
---@param options? number|table the threshold, or {threshold = 0.5}
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool, or a threshold below 0.
--- Example:
---     print(lt.softshrink {-3.0, 0.25, 2.0})  --> lutra.Tensor([-2.5  0.   1.5], shape=(3,), dtype=float32)
--- Source: torch.nn.functional.softshrink, keras.activations.soft_shrink
function lutra.softshrink(x, options) end

--- x - tanh(x).
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool.
--- Example:
---     print(("%.4f"):format(lt.tanhshrink(2.0):item()))  --> 1.0360
--- Source: torch.nn.functional.tanhshrink, keras.activations.tanh_shrink
function lutra.tanhshrink(x) end

--- x where it is above the threshold, elsewhere the value.
---@param x lutra.Tensor|table any shape
---@param threshold number
---@param value number
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool, or arguments that are no numbers.
--- Example:
---     print(lt.threshold({-3.0, 0.25, 2.0}, 0.5, -1))  --> lutra.Tensor([-1. -1.  2.], shape=(3,), dtype=float32)
--- Source: torch.nn.functional.threshold, keras.activations.threshold
function lutra.threshold(x, threshold, value) end

--- (x + sqrt(x^2 + b)) / 2, a smooth relu.
---@param x lutra.Tensor|table any shape
---@param options? number|table b, or {b = 4}
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool, or a b below 0.
--- Example:
---     print(lt.squareplus {0.0, 1.5})  --> lutra.Tensor([1. 2.], shape=(2,), dtype=float32)
--- Source: keras.activations.squareplus, jax.nn.squareplus
function lutra.squareplus(x, options) end

--- 0 up to -1, x from 1 on, (x + 1)^2 / 4 between.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool.
--- Example:
---     print(lt.sparse_plus {-2.0, 0.0, 3.0})  --> lutra.Tensor([0.   0.25 3.  ], shape=(3,), dtype=float32)
--- Source: keras.activations.sparse_plus, jax.nn.sparse_plus
function lutra.sparse_plus(x) end

--- 0 up to -1, 1 from 1 on, (x + 1) / 2 between.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool.
--- Example:
---     print(lt.sparse_sigmoid {-2.0, 0.0, 3.0})  --> lutra.Tensor([0.  0.5 1. ], shape=(3,), dtype=float32)
--- Source: keras.activations.sparse_sigmoid, jax.nn.sparse_sigmoid
function lutra.sparse_sigmoid(x) end

--- The nearest numbers of 0 and more whose sum along the axis is 1 (Martins and Astudillo, ICML 2016): like softmax, but with
--- zeros.
---@param x lutra.Tensor|table at least one axis
---@param axis? integer default -1
---@param options? {axis?: integer}
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for a scalar, bool, or an axis that does not exist.
--- Example:
---     print(lt.sparsemax {0.5, 1.0, -2.0})  --> lutra.Tensor([0.25 0.75 0.  ], shape=(3,), dtype=float32)
--- Source: keras.activations.sparsemax
function lutra.sparsemax(x, axis, options) end

--- max(d(anchor, positive) - d(anchor, negative) + margin, 0) for the distance pairwise_distance. With swap, the distance from
--- positive to negative counts where it is smaller.
---@param anchor lutra.Tensor|table [..., features]
---@param positive lutra.Tensor|table of the same shape
---@param negative lutra.Tensor|table of the same shape
---@param options? table {margin = 1; p = 2; eps = 1e-6; swap = false; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" [...]
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(("%.2f"):format(lt.triplet_margin_loss({{0, 0}}, {{0, 1}}, {{0, 1.5}}):item()))  --> 0.50
--- Source: torch.nn.functional.triplet_margin_loss
function lutra.triplet_margin_loss(anchor, positive, negative, options) end

--- 1 - cos(a, b) where target is 1, max(cos(a, b) - margin, 0) where it is -1.
---@param a lutra.Tensor|table [..., features]
---@param b lutra.Tensor|table of the same shape
---@param target lutra.Tensor|table [...], 1 or -1
---@param options? table {margin = 0; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" [...]
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(("%.2f"):format(lt.cosine_embedding_loss({{1, 0}}, {{0, 1}}, {1}):item()))  --> 1.00
--- Source: torch.nn.functional.cosine_embedding_loss
function lutra.cosine_embedding_loss(a, b, target, options) end

--- max(-target (a - b) + margin, 0): a is to be above b where target is 1, below where it is -1.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table broadcasts with a
---@param target lutra.Tensor|table 1 or -1, broadcasts with both
---@param options? table {margin = 0; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" the broadcast shape
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(lt.margin_ranking_loss({1.0, 2.0}, {2.0, 0.0}, {1, 1}):item())  --> 0.5
--- Source: torch.nn.functional.margin_ranking_loss
function lutra.margin_ranking_loss(a, b, target, options) end

--- x where target is 1, max(margin - x, 0) where it is -1; x is a distance.
---@param x lutra.Tensor|table any shape
---@param target lutra.Tensor|table 1 or -1, broadcasts with x
---@param options? table {margin = 1; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" the broadcast shape
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(lt.hinge_embedding_loss({0.5, 0.25}, {1, -1}, {reduction = "sum"}):item())  --> 1.25
--- Source: torch.nn.functional.hinge_embedding_loss
function lutra.hinge_embedding_loss(x, target, options) end

--- log(1 + exp(-target x)).
---@param x lutra.Tensor|table any shape
---@param target lutra.Tensor|table 1 or -1, broadcasts with x
---@param options? table {reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" the broadcast shape
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(("%.4f"):format(lt.soft_margin_loss({0.0}, {1}):item()))  --> 0.6931
--- Source: torch.nn.functional.soft_margin_loss
function lutra.soft_margin_loss(x, target, options) end

--- Minus the logarithm of the density of target under the normal distribution, without its constant unless full is set. A
--- variance below eps counts as eps.
---@param mean lutra.Tensor|table any shape
---@param target lutra.Tensor|table broadcasts with mean
---@param variance lutra.Tensor|table broadcasts with both
---@param options? table {full = false; eps = 1e-6; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" the broadcast shape
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(lt.gaussian_nll_loss({1.0}, {3.0}, {1.0}):item())  --> 2.0
--- Source: torch.nn.functional.gaussian_nll_loss
function lutra.gaussian_nll_loss(mean, target, variance, options) end

--- exp(rate) - target rate, or without log_input rate - target log(rate + eps): minus the logarithm of the chance of target
--- under Poisson's distribution. With full, Stirling's approximation of log(target!) is added.
---@param rate lutra.Tensor|table any shape: the logarithm of the rate, or the rate
---@param target lutra.Tensor|table broadcasts with rate
---@param options? table {log_input = true; full = false; eps = 1e-8; reduction = "mean", "sum" or "none"}
---@return lutra.Tensor # a scalar, or with "none" the broadcast shape
--- Errors: InvalidArgument for shapes that do not broadcast, bool inputs, or options that are not valid.
--- Example:
---     print(lt.poisson_nll_loss({0.0}, {3.0}):item())  --> 1.0
--- Source: torch.nn.functional.poisson_nll_loss
function lutra.poisson_nll_loss(rate, target, options) end

--- The sum, mean or largest of the rows of a table in each bag of ids, elementwise. An empty bag gives zeros.
---@param ids lutra.Tensor|table integers from 1 on: [bags, ids of each], or [n] with offsets
---@param weight lutra.Tensor|table [rows, features], floats
---@param options? table {offsets = the position in ids, from 1 on, at which each bag begins; mode = "mean", "sum" or "max"; per_sample_weights = a factor for each id, with "sum"; include_last_offset = false: offsets ends with n + 1, the end of the last bag; padding_idx = an id that no bag counts}
---@return lutra.Tensor # [bags, features]; weight's dtype
--- Errors: InvalidArgument for other shapes, the id 0, or offsets that do not begin with 1 or fall; OutOfRange for ids past
---   the last row.
--- Example:
---     local weight = {{1.0, 2}, {3, 4}, {5, 6}}
---     print(lt.embedding_bag({1, 3, 2}, weight, {offsets = {1, 3}, mode = "sum"}):totable()[1][2])  --> 8.0
--- Source: torch.nn.functional.embedding_bag
function lutra.embedding_bag(ids, weight, options) end
