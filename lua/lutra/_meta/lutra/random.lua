---@meta

---@class lutra
local lutra = {}

---@class lutra.random
lutra.random = {}

--- Numbers of Gumbel's distribution: that of the largest of many numbers.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param options? {loc?: number|lutra.Tensor|table, scale?: number|lutra.Tensor|table, dtype?: string, seed?: integer} loc: default 0; scale: 0 or more, default 1; dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.gumbel({3}, {loc = 5, scale = 0}))  --> lutra.Tensor([5. 5. 5.], shape=(3,), dtype=float32)
--- Source: numpy.random.gumbel
function lutra.random.gumbel(shape, options) end

--- Numbers whose distribution function is sigmoid((x - loc) / scale).
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param options? {loc?: number|lutra.Tensor|table, scale?: number|lutra.Tensor|table, dtype?: string, seed?: integer} loc: default 0; scale: 0 or more, default 1; dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.logistic({2, 3}).shape)  --> (2, 3)
--- Source: numpy.random.logistic
function lutra.random.logistic(shape, options) end

--- Numbers whose logarithms are normally distributed, with this mean and standard deviation.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param options? {mean?: number|lutra.Tensor|table, sigma?: number|lutra.Tensor|table, dtype?: string, seed?: integer} mean: default 0; sigma: 0 or more, default 1; dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.lognormal({2}, {mean = 0, sigma = 0}))  --> lutra.Tensor([1. 1.], shape=(2,), dtype=float32)
--- Source: numpy.random.lognormal
function lutra.random.lognormal(shape, options) end

--- Lengths of vectors of two normal numbers with the standard deviation `scale`.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param options? {scale?: number|lutra.Tensor|table, dtype?: string, seed?: integer} scale: 0 or more, default 1; dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.rayleigh({2, 3}).shape)  --> (2, 3)
--- Source: numpy.random.rayleigh
function lutra.random.rayleigh(shape, options) end

--- Numbers x of which x^a is exponentially distributed.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param a number|lutra.Tensor|table above 0
---@param options? {dtype?: string, seed?: integer} dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.weibull({3}, 2):ge(0):all():item())  --> true
--- Source: numpy.random.weibull
function lutra.random.weibull(shape, a, options) end

--- Numbers x of 0 and more, above which there are (1 + x)^-a of all: Pareto's second distribution, or Lomax's.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param a number|lutra.Tensor|table above 0
---@param options? {dtype?: string, seed?: integer} dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.pareto({3}, 2):ge(0):all():item())  --> true
--- Source: numpy.random.pareto
function lutra.random.pareto(shape, a, options) end

--- Sums of the squares of df normal numbers.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param df number|lutra.Tensor|table above 0
---@param options? {dtype?: string, seed?: integer} dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.chisquare({2, 3}, {1, 2, 3}).shape)  --> (2, 3)
--- Source: numpy.random.chisquare
function lutra.random.chisquare(shape, df, options) end

--- Numbers of Student's t distribution with df degrees of freedom.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param df number|lutra.Tensor|table above 0
---@param options? {dtype?: string, seed?: integer} dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.standard_t({2, 3}, 5).shape)  --> (2, 3)
--- Source: numpy.random.standard_t, torch.distributions.StudentT
function lutra.random.standard_t(shape, df, options) end

--- How many trials it takes to succeed once, with the chance p each: 1 and more.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param p number|lutra.Tensor|table above 0, 1 at most
---@param options? {seed?: integer} seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; int64
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     print(lt.random.geometric({3}, 1))  --> lutra.Tensor([1 1 1], shape=(3,), dtype=int64)
--- Source: numpy.random.geometric
function lutra.random.geometric(shape, p, options) end

--- Numbers whose density rises from left to mode and falls from there to right, in straight lines.
---@param shape integer[] sizes of the result's axes, to which parameters that are tensors broadcast
---@param left number|lutra.Tensor|table
---@param mode number|lutra.Tensor|table from left to right
---@param right number|lutra.Tensor|table above left
---@param options? {dtype?: string, seed?: integer} dtype: default that of parameters that are tensors, else float32; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape; float32, or the dtype
--- Errors: InvalidArgument for a parameter out of its range, or one that does not broadcast to shape.
--- Example:
---     local x = lt.random.triangular({100}, 1, 2, 4)
---     print(x:ge(1):all():item(), x:le(4):all():item())  --> true	true
--- Source: numpy.random.triangular
function lutra.random.triangular(shape, left, mode, right, options) end

--- Vectors of normal numbers with these means and covariances.
---@param shape integer|integer[]|nil how many; default: one
---@param mean lutra.Tensor|table [k]
---@param covariance lutra.Tensor|table [k, k], symmetric and without negative eigenvalues
---@param options? {dtype?: string, seed?: integer} dtype: default that of mean and covariance; seed: makes the result depend on this number alone
---@return lutra.Tensor # shape and then k
--- Errors: InvalidArgument for other shapes, or a matrix that is no covariance.
--- Example:
---     print(lt.random.multivariate_normal({5}, {0.0, 1.0}, {{1.0, 0.5}, {0.5, 1.0}}).shape)  --> (5, 2)
--- Source: numpy.random.multivariate_normal, torch.distributions.MultivariateNormal.sample
function lutra.random.multivariate_normal(shape, mean, covariance, options) end
