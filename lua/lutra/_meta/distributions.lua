---@meta

--- Probability distributions. Parameters are tensors or numbers and broadcast; `shape`, a list, has the sizes of one
--- sample. Everything is made of ops: log-densities and, for the normal distributions, samples have gradients by the
--- parameters. Arguments are checked when an object is made, which reads them; `validate_args = false` leaves that out.
---@class lutra.distributions
local distributions = {}

--- The normal distribution.
---@param loc? lutra.Tensor|number the mean, default 0
---@param scale? lutra.Tensor|number the standard deviation, default 1
---@param options? {validate_args?: boolean}
---@return lutra.distributions.Distribution # also with cdf(x) and icdf(p)
--- Errors: InvalidArgument for a scale that is not above 0, or parameters that do not broadcast.
--- Example:
---     print(("%.4f"):format(lt.distributions.Normal(0, 2):log_prob(1):item()))  --> -1.7371
--- Source: torch.distributions.Normal, tfp.distributions.Normal
function distributions.Normal(loc, scale, options) end

--- The normal distribution of vectors.
---@param loc lutra.Tensor|table the mean, [..., n]
---@param covariance? lutra.Tensor|table [..., n, n], symmetric and positive definite
---@param options? {scale_tril?: lutra.Tensor, validate_args?: boolean} scale_tril: the covariance's Cholesky factor, in its place
---@return lutra.distributions.Distribution # also with covariance()
--- Errors: InvalidArgument if the shapes do not match, the covariance is not symmetric and positive definite, or both or neither of it
---   and scale_tril are given.
--- Example:
---     local p = lt.distributions.MultivariateNormal({0, 0}, {{1, 0}, {0, 4}})
---     print(("%.4f"):format(p:log_prob({1, 2}):item()))  --> -3.5310
--- Source: torch.distributions.MultivariateNormal
function distributions.MultivariateNormal(loc, covariance, options) end

--- The distribution of a coin: 1 with a probability, else 0.
---@param probs lutra.Tensor|number|{probs?: lutra.Tensor, logits?: lutra.Tensor} probabilities, or {logits = }
---@param options? {validate_args?: boolean}
---@return lutra.distributions.Distribution
--- Errors: InvalidArgument for a probability outside 0 to 1, or both or neither of probs and logits.
--- Example:
---     print(("%.4f"):format(lt.distributions.Bernoulli(0.25):entropy():item()))  --> 0.5623
--- Source: torch.distributions.Bernoulli
function distributions.Bernoulli(probs, options) end

--- The distribution of a class, a whole number from 1 on.
---@param probs lutra.Tensor|table|{probs?: lutra.Tensor, logits?: lutra.Tensor} weights along the last axis, [..., classes], or {logits = }
---@param options? {validate_args?: boolean}
---@return lutra.distributions.Distribution
--- Errors: InvalidArgument for a negative weight, no classes, or both or neither of probs and logits.
--- Example:
---     print(("%.4f"):format(lt.distributions.Categorical({1, 1, 2}):log_prob(3):item()))  --> -0.6931
--- Source: torch.distributions.Categorical
function distributions.Categorical(probs, options) end

--- The beta distribution. Samples have no gradients by the parameters.
---@param a lutra.Tensor|number above 0
---@param b lutra.Tensor|number above 0
---@param options? {validate_args?: boolean}
---@return lutra.distributions.Distribution
--- Errors: InvalidArgument for a parameter that is not above 0, or parameters that do not broadcast.
--- Example:
---     print(("%.4f"):format(lt.distributions.Beta(2, 3):mean():item()))  --> 0.4000
--- Source: torch.distributions.Beta
function distributions.Beta(a, b, options) end

--- The gamma distribution, whose mean is concentration / rate. Samples have no gradients by the parameters.
---@param concentration lutra.Tensor|number above 0
---@param rate? lutra.Tensor|number above 0, default 1
---@param options? {validate_args?: boolean}
---@return lutra.distributions.Distribution # also with cdf(x), which has no gradient by the concentration
--- Errors: InvalidArgument for a parameter that is not above 0, or parameters that do not broadcast.
--- Example:
---     print(("%.4f"):format(lt.distributions.Gamma(2, 4):mean():item()))  --> 0.5000
--- Source: torch.distributions.Gamma
function distributions.Gamma(concentration, rate, options) end

--- The Kullback-Leibler divergence of q from p, both of one class: p:kl(q).
---@param p lutra.distributions.Distribution
---@param q lutra.distributions.Distribution
---@return lutra.Tensor divergence in nats, in the batch's shape
--- Errors: InvalidArgument for distributions of two classes.
--- Example:
---     local p, q = lt.distributions.Normal(0, 1), lt.distributions.Normal(1, 1)
---     print(lt.distributions.kl_divergence(p, q):item())  --> 0.5
--- Source: torch.distributions.kl_divergence
function distributions.kl_divergence(p, q) end

--- A distribution, made by one of the functions above.
---@class lutra.distributions.Distribution
---@field shape integer[] the sizes of one sample
local Distribution = {}

--- Random samples.
---@param shape? integer[] sizes of axes before those of one sample, default none
---@param options? {seed?: integer, generator?: lutra.random.Generator} seed: makes the result depend on it alone; generator: gives the seed
---@return lutra.Tensor
--- Errors: InvalidArgument for a negative size.
--- Example:
---     print(lt.distributions.Normal({0, 10}, 1):sample({3}).shape)  --> (3, 2)
--- Source: torch.distributions.Distribution.rsample
function Distribution:sample(shape, options) end

--- The logarithm of the density, or of the probability of discrete values: -inf outside of the support.
---@param x lutra.Tensor|number broadcasts with the parameters
---@return lutra.Tensor
--- Errors: InvalidArgument for a value that is no tensor of numbers.
--- Example:
---     print(("%.4f"):format(lt.distributions.Gamma(1, 1):log_prob(2):item()))  --> -2.0000
--- Source: torch.distributions.Distribution.log_prob
function Distribution:log_prob(x) end

--- The density, or the probability of discrete values.
---@param x lutra.Tensor|number broadcasts with the parameters
---@return lutra.Tensor
--- Errors: as log_prob.
--- Example:
---     print(("%.2f"):format(lt.distributions.Bernoulli(0.25):prob(1):item()))  --> 0.25
--- Source: tfp.distributions.Distribution.prob
function Distribution:prob(x) end

--- The entropy in nats.
---@return lutra.Tensor
--- Errors: none of its own.
--- Example:
---     print(("%.4f"):format(lt.distributions.Normal():entropy():item()))  --> 1.4189
--- Source: torch.distributions.Distribution.entropy
function Distribution:entropy() end

--- The Kullback-Leibler divergence of another distribution of the same class from this one.
---@param other lutra.distributions.Distribution
---@return lutra.Tensor divergence in nats
--- Errors: InvalidArgument for a distribution of another class.
--- Example:
---     print(lt.distributions.Normal(0, 1):kl(lt.distributions.Normal(2, 1)):item())  --> 2.0
--- Source: torch.distributions.kl_divergence
function Distribution:kl(other) end

--- The mean.
---@return lutra.Tensor
--- Errors: none of its own.
--- Example:
---     print(lt.distributions.Normal(3, 1):mean():item())  --> 3.0
--- Source: torch.distributions.Distribution.mean
function Distribution:mean() end

--- The variance of each component.
---@return lutra.Tensor
--- Errors: none of its own.
--- Example:
---     print(lt.distributions.Normal(0, 3):variance():item())  --> 9.0
--- Source: torch.distributions.Distribution.variance
function Distribution:variance() end

--- The standard deviation of each component.
---@return lutra.Tensor
--- Errors: none of its own.
--- Example:
---     print(lt.distributions.Normal(0, 3):stddev():item())  --> 3.0
--- Source: torch.distributions.Distribution.stddev
function Distribution:stddev() end
