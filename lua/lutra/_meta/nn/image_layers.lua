---@meta

---@class lutra.nn
local nn = {}

--- A layer that makes images of this size (lt.image.resize).
---@param height integer
---@param width integer
---@param options? table {interpolation = "bilinear"; antialias = false; crop_to_aspect_ratio = false; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.Resizing(2, 3)(lt.ones {1, 4, 4, 3}).shape)  --> (1, 2, 3, 3)
--- Source: keras.layers.Resizing
function nn.Resizing(height, width, options) end

--- A layer that gives the middle of images; smaller ones are made larger first.
---@param height integer
---@param width integer
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.CenterCrop(2, 3)(lt.ones {1, 4, 4, 3}).shape)  --> (1, 2, 3, 3)
--- Source: keras.layers.CenterCrop
function nn.CenterCrop(height, width, options) end

--- A layer that in training gives a part of the images at a random place, the same for all of a batch; else the middle.
---@param height integer
---@param width integer
---@param options? table {seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomCrop(2, 3)(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 2, 3, 3)
--- Source: keras.layers.RandomCrop
function nn.RandomCrop(height, width, options) end

--- A layer that in training flips each image or not, with equal chances.
---@param options? table {mode = "horizontal", "vertical" or "horizontal_and_vertical"; seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomFlip {mode = "horizontal"}(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 4, 4, 3)
--- Source: keras.layers.RandomFlip
function nn.RandomFlip(options) end

--- A layer that in training turns each image by a part of a whole turn, against the clock.
---@param factor number|number[] {lower, upper}, or upper, with lower = -upper
---@param options? table {fill_mode = "reflect", "constant" (zeros) or "nearest"; interpolation = "bilinear" or "nearest"; seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomRotation(0.1)(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 4, 4, 3)
--- Source: keras.layers.RandomRotation
function nn.RandomRotation(factor, options) end

--- A layer that in training moves each image by shares of its height and width, down and right.
---@param height_factor number|number[] {lower, upper}, or upper, with lower = -upper
---@param width_factor number|number[]
---@param options? table {fill_mode = "reflect", "constant" (zeros) or "nearest"; interpolation = "bilinear" or "nearest"; seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomTranslation(0.1, 0.2)(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 4, 4, 3)
--- Source: keras.layers.RandomTranslation
function nn.RandomTranslation(height_factor, width_factor, options) end

--- A layer that in training zooms each image: factors above 0 out, below 0 in.
---@param height_factor number|number[] {lower, upper}, or upper, with lower = -upper
---@param options? table {width_factor = the same as for the height; fill_mode = "reflect", "constant" (zeros) or "nearest"; interpolation = "bilinear" or "nearest"; seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomZoom(0.2)(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 4, 4, 3)
--- Source: keras.layers.RandomZoom
function nn.RandomZoom(height_factor, options) end

--- A layer that in training adds a share of the value range to each image.
---@param factor number|number[] {lower, upper}, or upper, with lower = -upper
---@param options? table {value_range = {0, 255}; seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomBrightness(0.2)(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 4, 4, 3)
--- Source: keras.layers.RandomBrightness
function nn.RandomBrightness(factor, options) end

--- A layer that in training multiplies each image's distance from its channels' means by 1 + a random factor.
---@param factor number|number[] {lower, upper}, or upper, with lower = -upper
---@param options? table {value_range = {0, 255}; seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.RandomContrast(0.2)(lt.ones {1, 4, 4, 3}, true).shape)  --> (1, 4, 4, 3)
--- Source: keras.layers.RandomContrast
function nn.RandomContrast(factor, options) end
