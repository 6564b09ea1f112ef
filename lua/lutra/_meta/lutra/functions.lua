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
