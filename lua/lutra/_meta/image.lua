---@meta

--- Images as tensors, with TensorFlow's names and numbers: an image is {height, width, channels}, a batch {rows, height,
--- width, channels}. Everything has gradients, and runs where the image is. Colours are floats from 0 to 1, or integers up
--- to the largest of their dtype. Loaded on first use. [images.md](../images.md) shows how to use it.
---@class lutra.image
local image = {}

--- An image of another size. Pixels' centres are at halves, as in TensorFlow 2, PyTorch and Pillow. With antialias, pixels
--- of a smaller image are means over all that they cover.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param size integer|integer[] {height, width}
---@param options? table {method = "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic"; antialias = false; preserve_aspect_ratio = false}
---@return lutra.Tensor # floats, or the image's dtype for "nearest"
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, a size below 1, or a word that is not known.
--- Example:
---     print(lt.image.resize(lt.ones {4, 6, 3}, {2, 3}).shape)  --> (2, 3, 3)
--- Source: tf.image.resize
function image.resize(image, size, options) end

--- A part of an image. lt.image.crop is the same.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param offset_height integer rows that are left out above
---@param offset_width integer columns that are left out at the left
---@param target_height integer
---@param target_width integer
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or a box that is not within the image.
--- Example:
---     print(lt.image.crop_to_bounding_box(lt.ones {4, 6, 3}, 1, 2, 2, 3).shape)  --> (2, 3, 3)
--- Source: tf.image.crop_to_bounding_box
function image.crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width) end

image.crop = image.crop_to_bounding_box

--- An image among zeros.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param offset_height integer rows of zeros above
---@param offset_width integer columns of zeros at the left
---@param target_height integer
---@param target_width integer
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or one that is not within the target.
--- Example:
---     print(lt.image.pad_to_bounding_box(lt.ones {2, 2, 1}, 1, 1, 4, 5).shape)  --> (4, 5, 1)
--- Source: tf.image.pad_to_bounding_box
function image.pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width) end

--- The middle of an image, or the image in the middle of zeros.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param target_height integer
---@param target_width integer
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or a size below 1.
--- Example:
---     print(lt.image.resize_with_crop_or_pad(lt.ones {2, 8, 1}, 4, 4):sum():item())  --> 8.0
--- Source: tf.image.resize_with_crop_or_pad
function image.resize_with_crop_or_pad(image, target_height, target_width) end

--- The middle of an image.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param fraction number of height and width, above 0, at most 1
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or another fraction.
--- Example:
---     print(lt.image.central_crop(lt.ones {8, 8, 3}, 0.5).shape)  --> (4, 4, 3)
--- Source: tf.image.central_crop
function image.central_crop(image, fraction) end

--- The mirror image: columns in reverse order.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them.
--- Example:
---     print(lt.image.flip_left_right {{{1}, {2}}, {{3}, {4}}}:flatten())  --> lutra.Tensor([2 1 4 3], shape=(4,), dtype=int32)
--- Source: tf.image.flip_left_right
function image.flip_left_right(image) end

--- The image upside down: rows in reverse order.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them.
--- Example:
---     print(lt.image.flip_up_down {{{1}, {2}}, {{3}, {4}}}:flatten())  --> lutra.Tensor([3 4 1 2], shape=(4,), dtype=int32)
--- Source: tf.image.flip_up_down
function image.flip_up_down(image) end

--- Rows as columns.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them.
--- Example:
---     print(lt.image.transpose(lt.ones {4, 6, 3}).shape)  --> (6, 4, 3)
--- Source: tf.image.transpose
function image.transpose(image) end

--- The image turned by k right angles against the clock.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param k? integer 1 by default
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or k that is no whole number.
--- Example:
---     print(lt.image.rot90 {{{1}, {2}}, {{3}, {4}}}:flatten())  --> lutra.Tensor([2 4 1 3], shape=(4,), dtype=int32)
--- Source: tf.image.rot90
function image.rot90(image, k) end

--- The image turned about its middle, against the clock. Outside are zeros, the border's pixels, or mirrored ones.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param angle number|lutra.Tensor|table in radians; one, or one for each image
---@param options? table {mode = "bilinear" or "nearest"; padding_mode = "zeros", "border" or "reflection"}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or other angles.
--- Example:
---     print(lt.image.rotate(lt.ones {3, 3, 1}, math.pi).shape)  --> (3, 3, 1)
--- Source: tfa.image.rotate
function image.rotate(image, angle, options) end

--- The pixel (x, y) is that of the image at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param transforms lutra.Tensor|table {a0, a1, a2, b0, b1, b2, c0, c1}, or one row of them for each image
---@param options? table {mode = "bilinear" or "nearest"; padding_mode = "zeros", "border" or "reflection"}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or transforms of another shape.
--- Example:
---     print(lt.image.transform({{{1}, {2}}}, {1, 0, 1, 0, 1, 0, 0, 0}):flatten())  --> lutra.Tensor([2 0], shape=(2,), dtype=int32)
--- Source: tf.raw_ops.ImageProjectiveTransformV3
function image.transform(image, transforms, options) end

--- Samples of an image at any places: x and y from -1 to 1, of the left upper and right lower corners, or with align_corners
--- of these corners' pixels' centres.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param grid lutra.Tensor|table {rows, h, w, 2}: x, y of each sample
---@param options? table {mode = "bilinear" or "nearest"; padding_mode = "zeros", "border" or "reflection"; align_corners = false}
---@return lutra.Tensor # {rows, h, w, channels}
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or a grid of another shape.
--- Example:
---     print(lt.image.grid_sample(lt.ones {2, 2, 1}, lt.zeros {3, 1, 2}):flatten())  --> lutra.Tensor([1. 1. 1.], shape=(3,), dtype=float32)
--- Source: torch.nn.functional.grid_sample
function image.grid_sample(image, grid, options) end

--- The grid for grid_sample whose samples are theta (x, y, 1).
---@param theta lutra.Tensor|table {rows, 2, 3}
---@param size integer[] {rows, height, width}
---@param options? table {align_corners = false}
---@return lutra.Tensor # {rows, height, width, 2}
--- Errors: InvalidArgument for theta of another shape, or another number of rows.
--- Example:
---     print(lt.image.affine_grid({{{1, 0, 0}, {0, 1, 0}}}, {1, 1, 2}):flatten())  --> lutra.Tensor([-0.5  0.   0.5  0. ], shape=(4,), dtype=float32)
--- Source: torch.nn.functional.affine_grid
function image.affine_grid(theta, size, options) end

--- Brightness: 0.2989 red + 0.587 green + 0.114 blue.
---@param image lutra.Tensor|table with 3 channels
---@return lutra.Tensor # with 1 channel
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or without 3 channels.
--- Example:
---     print(lt.image.rgb_to_grayscale(lt.ones {2, 2, 3}).shape)  --> (2, 2, 1)
--- Source: tf.image.rgb_to_grayscale
function image.rgb_to_grayscale(image) end

--- Three equal channels.
---@param image lutra.Tensor|table with 1 channel
---@return lutra.Tensor # with 3 channels
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or without 1 channel.
--- Example:
---     print(lt.image.grayscale_to_rgb(lt.ones {2, 2, 1}).shape)  --> (2, 2, 3)
--- Source: tf.image.grayscale_to_rgb
function image.grayscale_to_rgb(image) end

--- Hue, saturation and value, all from 0 to 1.
---@param image lutra.Tensor|table with 3 channels
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or without 3 channels.
--- Example:
---     print(lt.image.rgb_to_hsv {{{0.0, 1.0, 0.0}}}[{1, 1, 3}]:item())  --> 1.0
--- Source: tf.image.rgb_to_hsv
function image.rgb_to_hsv(image) end

--- Red, green and blue.
---@param image lutra.Tensor|table with 3 channels: hue, saturation, value
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or without 3 channels.
--- Example:
---     print(lt.image.hsv_to_rgb {{{0.0, 1.0, 0.5}}}:flatten())  --> lutra.Tensor([0.5 0.  0. ], shape=(3,), dtype=float32)
--- Source: tf.image.hsv_to_rgb
function image.hsv_to_rgb(image) end

--- Adds a share of the largest colour.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param delta number
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or delta that is no number.
--- Example:
---     print(lt.image.adjust_brightness({{{0.5}}}, 0.25):item())  --> 0.75
--- Source: tf.image.adjust_brightness
function image.adjust_brightness(image, delta) end

--- (x - mean) contrast_factor + mean, with the mean of each channel of each image.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param contrast_factor number
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or a factor that is no number.
--- Example:
---     print(lt.image.adjust_contrast({{{0.25}, {0.75}}}, 2):flatten())  --> lutra.Tensor([0. 1.], shape=(2,), dtype=float32)
--- Source: tf.image.adjust_contrast
function image.adjust_contrast(image, contrast_factor) end

--- Multiplies the saturation.
---@param image lutra.Tensor|table with 3 channels
---@param saturation_factor number 0 or more: 0 is grey
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, without 3 channels, or a factor below 0.
--- Example:
---     print(lt.image.adjust_saturation({{{1.0, 0.5, 0.5}}}, 0):flatten())  --> lutra.Tensor([1. 1. 1.], shape=(3,), dtype=float32)
--- Source: tf.image.adjust_saturation
function image.adjust_saturation(image, saturation_factor) end

--- Turns the circle of hues.
---@param image lutra.Tensor|table with 3 channels
---@param delta number of the whole circle, -1 to 1
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, without 3 channels, or delta out of range.
--- Example:
---     print(lt.image.adjust_hue({{{1.0, 0.0, 0.0}}}, 0.5).shape)  --> (1, 1, 3)
--- Source: tf.image.adjust_hue
function image.adjust_hue(image, delta) end

--- gain x^gamma.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param gamma? number 1 by default
---@param gain? number 1 by default
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or gamma below 0.
--- Example:
---     print(lt.image.adjust_gamma({{{0.5}}}, 2):item())  --> 0.25
--- Source: tf.image.adjust_gamma
function image.adjust_gamma(image, gamma, gain) end

--- Mean 0 and variance 1 in each image.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them.
--- Example:
---     print(lt.image.per_image_standardization(lt.ones {2, 2, 1}):sum():item())  --> 0.0
--- Source: tf.image.per_image_standardization
function image.per_image_standardization(image) end

--- Each image, or its mirror image, with equal chances.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them.
--- Example:
---     print(lt.image.random_flip_left_right(lt.ones {8, 4, 4, 3}, {seed = 1}).shape)  --> (8, 4, 4, 3)
--- Source: tf.image.random_flip_left_right
function image.random_flip_left_right(image, options) end

--- Each image, or it upside down, with equal chances.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them.
--- Example:
---     print(lt.image.random_flip_up_down(lt.ones {8, 4, 4, 3}, {seed = 1}).shape)  --> (8, 4, 4, 3)
--- Source: tf.image.random_flip_up_down
function image.random_flip_up_down(image, options) end

--- A part of the size, at a random place; one place for all images of a batch.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param size integer|integer[] {height, width}
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or a size larger than the image.
--- Example:
---     print(lt.image.random_crop(lt.ones {8, 8, 3}, {4, 5}).shape)  --> (4, 5, 3)
--- Source: tf.image.random_crop
function image.random_crop(image, size, options) end

--- adjust_brightness by a delta from -max_delta to max_delta, another one for each image.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param max_delta number 0 or more
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or max_delta below 0.
--- Example:
---     print(lt.image.random_brightness(lt.ones {2, 4, 4, 3}, 0.2).shape)  --> (2, 4, 4, 3)
--- Source: tf.image.random_brightness
function image.random_brightness(image, max_delta, options) end

--- adjust_contrast by a factor from lower to upper, another one for each image.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param lower number 0 or more
---@param upper number above lower
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or factors out of order.
--- Example:
---     print(lt.image.random_contrast(lt.ones {2, 4, 4, 3}, 0.5, 1.5).shape)  --> (2, 4, 4, 3)
--- Source: tf.image.random_contrast
function image.random_contrast(image, lower, upper, options) end

--- adjust_saturation by a factor from lower to upper, another one for each image.
---@param image lutra.Tensor|table {height, width, channels} or {rows, height, width, channels}
---@param lower number 0 or more
---@param upper number above lower
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or factors out of order.
--- Example:
---     print(lt.image.random_saturation(lt.ones {2, 4, 4, 3}, 0.5, 1.5).shape)  --> (2, 4, 4, 3)
--- Source: tf.image.random_saturation
function image.random_saturation(image, lower, upper, options) end

--- adjust_hue by a delta from -max_delta to max_delta, another one for each image.
---@param image lutra.Tensor|table with 3 channels
---@param max_delta number 0 to 0.5
---@param options? table {seed = the same result each time}
---@return lutra.Tensor
--- Errors: InvalidArgument for an image that is not {height, width, channels} or a batch of them, or max_delta out of range.
--- Example:
---     print(lt.image.random_hue(lt.ones {2, 4, 4, 3}, 0.2).shape)  --> (2, 4, 4, 3)
--- Source: tf.image.random_hue
function image.random_hue(image, max_delta, options) end
