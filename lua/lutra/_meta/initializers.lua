---@meta

--- Initial values of a layer's weights, with Keras 3's names and defaults. A layer's option takes such an object, its
--- name ("glorot_uniform", "zeros", ...), or a function of the shape that returns a tensor.
---@class lutra.nn.initializers
local initializers = {}

--- Zeros.
---@param options? table {}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.initializers.Zeros()({2}))  --> lutra.Tensor([0. 0.], shape=(2,), dtype=float32)
--- Source: keras.initializers.Zeros
function initializers.Zeros(options) end

--- Ones.
---@param options? table {}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.initializers.Ones()({2}))  --> lutra.Tensor([1. 1.], shape=(2,), dtype=float32)
--- Source: keras.initializers.Ones
function initializers.Ones(options) end

--- The same number everywhere.
---@param options? table {value = 0}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.initializers.Constant {value = 3}({2}))  --> lutra.Tensor([3. 3.], shape=(2,), dtype=float32)
--- Source: keras.initializers.Constant
function initializers.Constant(options) end

--- gain on the diagonal, zeros elsewhere; for two axes.
---@param options? table {gain = 1}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.initializers.Identity()({1, 2}))  --> lutra.Tensor([[1. 0.]], shape=(1, 2), dtype=float32)
--- Source: keras.initializers.Identity
function initializers.Identity(options) end

--- Orthogonal rows of length gain, or columns if there are fewer of them (Saxe et al., ICLR 2014).
---@param options? table {gain = 1, seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local q = lt.nn.initializers.Orthogonal()({2, 3})
---     print((lt.norm(q[1]):item() * 1000 + 0.5) // 1)  --> 1000.0
--- Source: keras.initializers.Orthogonal
function initializers.Orthogonal(options) end

--- Normally distributed numbers.
---@param options? table {mean = 0, stddev = 0.05, seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.RandomNormal()({100, 100})
---     print(lt.std(w):item() > 0.045, lt.std(w):item() < 0.055)  --> true	true
--- Source: keras.initializers.RandomNormal
function initializers.RandomNormal(options) end

--- Uniformly distributed numbers.
---@param options? table {minval = -0.05, maxval = 0.05, seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.RandomUniform()({100, 100})
---     print(lt.max(lt.abs(w)):item() <= 0.05)  --> true
--- Source: keras.initializers.RandomUniform
function initializers.RandomUniform(options) end

--- Normally distributed numbers; those more than two standard deviations from the mean are drawn again.
---@param options? table {mean = 0, stddev = 0.05, seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.TruncatedNormal()({100, 100})
---     print(lt.max(lt.abs(w)):item() <= 0.1)  --> true
--- Source: keras.initializers.TruncatedNormal
function initializers.TruncatedNormal(options) end

--- Random numbers with variance scale / n, where n is the number of inputs of a result element (fan_in), the number of
--- result elements that an input affects (fan_out), or the mean of both (fan_avg).
---@param options? table {scale = 1; mode = "fan_in"; distribution = "truncated_normal", "untruncated_normal" or "uniform"; seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.VarianceScaling()({100, 100})
---     print(lt.std(w):item() > 0.09, lt.std(w):item() < 0.11)  --> true	true
--- Source: keras.initializers.VarianceScaling
function initializers.VarianceScaling(options) end

--- VarianceScaling with scale 1, fan_avg, uniform (Glorot and Bengio, AISTATS 2010).
---@param options? table {seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.GlorotUniform()({100, 100})
---     print(lt.max(lt.abs(w)):item() <= math.sqrt(6 / 200))  --> true
--- Source: keras.initializers.GlorotUniform
function initializers.GlorotUniform(options) end

--- VarianceScaling with scale 1, fan_avg, truncated normal (Glorot and Bengio, AISTATS 2010).
---@param options? table {seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.GlorotNormal()({100, 100})
---     print(lt.std(w):item() > 0.09, lt.std(w):item() < 0.11)  --> true	true
--- Source: keras.initializers.GlorotNormal
function initializers.GlorotNormal(options) end

--- VarianceScaling with scale 2, fan_in, uniform (He et al., ICCV 2015).
---@param options? table {seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.HeUniform()({100, 100})
---     print(lt.max(lt.abs(w)):item() <= math.sqrt(6 / 100))  --> true
--- Source: keras.initializers.HeUniform
function initializers.HeUniform(options) end

--- VarianceScaling with scale 2, fan_in, truncated normal (He et al., ICCV 2015).
---@param options? table {seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.HeNormal()({100, 100})
---     print(lt.std(w):item() > 0.13, lt.std(w):item() < 0.15)  --> true	true
--- Source: keras.initializers.HeNormal
function initializers.HeNormal(options) end

--- VarianceScaling with scale 1, fan_in, uniform.
---@param options? table {seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.LecunUniform()({100, 100})
---     print(lt.max(lt.abs(w)):item() <= math.sqrt(3 / 100))  --> true
--- Source: keras.initializers.LecunUniform
function initializers.LecunUniform(options) end

--- VarianceScaling with scale 1, fan_in, truncated normal.
---@param options? table {seed}
---@return function # takes a shape, returns a float32 tensor of that shape
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local w = lt.nn.initializers.LecunNormal()({100, 100})
---     print(lt.std(w):item() > 0.09, lt.std(w):item() < 0.11)  --> true	true
--- Source: keras.initializers.LecunNormal
function initializers.LecunNormal(options) end
