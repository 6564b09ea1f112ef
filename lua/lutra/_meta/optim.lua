---@meta

--- Optimisers, with Keras 3's names, defaults and formulas: `optimizer:apply(gradients, variables)` takes a step. All
--- of them take weight_decay, clipvalue, clipnorm, global_clipnorm and name. A variable's step is one operation on the
--- variable's device, in place if nothing else uses the variable's memory.
---
--- With use_ema = true an optimiser keeps an average of each variable (Polyak and Juditsky, 1992). Each step moves the
--- average by 1 - ema_momentum (0.99) of the way to the variable's value. `fit` ends by assigning the averages to the
--- variables; ema_overwrite_frequency assigns them every so many steps.
---
--- With gradient_accumulation_steps = n only every n-th call of `apply` takes a step, with the means of the gradients of
--- n calls: batches of which n do not fit into memory, or fewer sums over replicas. `iterations` counts steps. A file
--- that is written between two steps also has the gradients added up so far, those of each replica, so that training goes on
--- from it as if it had not stopped. An optimizer with another gradient_accumulation_steps leaves them out.
---
--- `learning_rate` is a number, a schedule, or any function of the number of steps taken so far; the field can be set
--- at any time.
---@class lutra.optim
---@field schedules lutra.optim.schedules learning rates that change over the steps
local optim = {}

--- Gradient descent, with optional momentum.
---@param options? table {learning_rate = 0.01; momentum = 0; nesterov = false; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.SGD {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.0000
--- Source: keras.optimizers.SGD
function optim.SGD(options) end

--- Adam: running means of the gradients and of their squares (Kingma and Ba, ICLR 2015).
---@param options? table {learning_rate = 0.001; beta_1 = 0.9; beta_2 = 0.999; epsilon = 1e-7; amsgrad = false; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Adam {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.5000
--- Source: keras.optimizers.Adam
function optim.Adam(options) end

--- Adam with weight_decay = 0.004 (Loshchilov and Hutter, ICLR 2019).
---@param options? table {learning_rate = 0.001; beta_1 = 0.9; beta_2 = 0.999; epsilon = 1e-7; amsgrad = false; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.AdamW {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.4980
--- Source: keras.optimizers.AdamW
function optim.AdamW(options) end

--- RMSprop: steps divided by the root of a running mean of squared gradients; with centered, of their variance.
---@param options? table {learning_rate = 0.001; rho = 0.9; momentum = 0; epsilon = 1e-7; centered = false; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.RMSprop {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> -0.5811
--- Source: keras.optimizers.RMSprop
function optim.RMSprop(options) end

--- Adagrad: steps divided by the root of the sum of all squared gradients (Duchi et al., JMLR 2011).
---@param options? table {learning_rate = 0.001; initial_accumulator_value = 0.1; epsilon = 1e-7; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Adagrad {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.5061
--- Source: keras.optimizers.Adagrad
function optim.Adagrad(options) end

--- Lion: steps of the learning rate's size, against the sign of a running mean of the gradients (Chen et al., NeurIPS
--- 2023).
---@param options? table {learning_rate = 0.001; beta_1 = 0.9; beta_2 = 0.99; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Lion {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.5000
--- Source: keras.optimizers.Lion
function optim.Lion(options) end

--- Adam with Nesterov's momentum (Dozat, ICLR 2016).
---@param options? table {learning_rate = 0.001; beta_1 = 0.9; beta_2 = 0.999; epsilon = 1e-7; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Nadam {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.4686
--- Source: keras.optimizers.Nadam
function optim.Nadam(options) end

--- Adam by the largest gradient instead of the mean square (Kingma and Ba, ICLR 2015).
---@param options? table {learning_rate = 0.001; beta_1 = 0.9; beta_2 = 0.999; epsilon = 1e-7; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Adamax {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.5000
--- Source: keras.optimizers.Adamax
function optim.Adamax(options) end

--- Steps in proportion to the mean size of earlier steps (Zeiler, 2012).
---@param options? table {learning_rate = 0.001; rho = 0.95; epsilon = 1e-7; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Adadelta {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.9993
--- Source: keras.optimizers.Adadelta
function optim.Adadelta(options) end

--- Follow the regularised leader, which sets weights to 0 exactly (McMahan et al., KDD 2013).
---@param options? table {learning_rate = 0.001; learning_rate_power = -0.5; initial_accumulator_value = 0.1; l1_regularization_strength, l2_regularization_strength,
---   l2_shrinkage_regularization_strength, beta = 0; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Ftrl {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.3500
--- Source: keras.optimizers.Ftrl
function optim.Ftrl(options) end

--- Adam's step in proportion to each variable's norm, for large batches (You et al., ICLR 2020). Also named LAMB.
---@param options? table {learning_rate = 0.001; beta_1 = 0.9; beta_2 = 0.999; epsilon = 1e-7; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Lamb {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.5000
--- Source: keras.optimizers.Lamb
function optim.Lamb(options) end

optim.LAMB = optim.Lamb

--- Adam without a mean, whose squares of a matrix are kept by row and by column (Shazeer and Stern, ICML 2018).
---@param options? table {learning_rate = 0.001; beta_2_decay = -0.8; epsilon_1 = 1e-30; epsilon_2 = 1e-3; clip_threshold = 1; relative_step = true; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {1.0}
---     lt.optim.Adafactor {learning_rate = 0.5}:apply({lt.constant {2.0}}, {w})
---     print(("%.4f"):format(w:item()))  --> 0.5000
--- Source: keras.optimizers.Adafactor
function optim.Adafactor(options) end

--- Matrices move by the orthogonal matrix nearest to their momentum (Jordan et al., 2024). Other variables move by AdamW,
--- and so do embeddings and variables whose name matches a Lua pattern in exclude_layers.
---@param options? table {learning_rate = 0.001; momentum = 0.95; nesterov = true; ns_steps = 5; rms_rate = 0.2; weight_decay = 0.004; adam_lr_ratio = 1;
---   adam_beta_1 = 0.9; adam_beta_2 = 0.999; adam_weight_decay = 0.004; epsilon = 1e-7; exclude_layers; exclude_embeddings =
---   true; muon_a, muon_b, muon_c; weight_decay, clipvalue, clipnorm, global_clipnorm, name}
---@return lutra.optim.Optimizer
--- Errors: InvalidArgument for an unknown option, a number out of range, or more than one kind of clipping.
--- Example:
---     local w = lt.Variable {{1.0, 0.0}, {0.0, 1.0}}
---     lt.optim.Muon {learning_rate = 0.5}:apply({lt.constant {{2.0, 0.0}, {0.0, 2.0}}}, {w})
---     print(("%.4f"):format(w[{1, 1}]:item()))  --> 0.8413
--- Source: keras.optimizers.Muon
function optim.Muon(options) end

--- The interface of all optimisers.
---@class lutra.optim.Optimizer
---@field learning_rate number|function can be set
---@field iterations integer steps taken so far
local Optimizer = {}

--- Takes one step: updates each variable from its gradient.
---@param gradients (lutra.Tensor|false)[] one per variable, as a tape returns them; false leaves the variable unchanged
---@param variables? lutra.Variable[] the same at every step; may be nil from the second step on
--- Errors: InvalidArgument for a gradient of another shape or dtype, or if no variable has a gradient;
---   FailedPrecondition for variables that differ from those of the first step.
--- Example:
---     local w = lt.Variable {1.0, 2.0}
---     lt.optim.SGD {learning_rate = 1}:apply({lt.ones {2}}, {w})
---     print(w:totable()[2])  --> 1.0
--- Source: keras.Optimizer.apply
function Optimizer:apply(gradients, variables) end

--- Like apply, with pairs of gradient and variable.
---@param pairs_of table[] {{gradient, variable}, ...}
--- Errors: as apply.
--- Example:
---     local w = lt.Variable {1.0, 2.0}
---     lt.optim.SGD {learning_rate = 1}:apply_gradients { {lt.ones {2}, w} }
---     print(w:totable()[2])  --> 1.0
--- Source: keras.Optimizer.apply_gradients
function Optimizer:apply_gradients(pairs_of) end

--- With use_ema, assigns to the variables their averages, as `fit` does when it ends. Without use_ema it does nothing.
--- Errors: none of its own.
--- Example:
---     local w = lt.Variable {4.0}
---     local sgd = lt.optim.SGD {learning_rate = 1, use_ema = true, ema_momentum = 0.5}
---     for _ = 1, 2 do sgd:apply({lt.ones {1}}, {w}) end
---     sgd:finalize_variable_values()
---     print(w:item())  --> 2.5
--- Source: keras.Optimizer.finalize_variable_values
function Optimizer:finalize_variable_values() end

--- The optimiser's own state, such as momentum; empty before the first step.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local adam, w = lt.optim.Adam(), lt.Variable({1.0}, {name = "w"})
---     adam:apply({lt.ones {1}}, {w})
---     print(#adam:variables(), adam:variables()[1].name)  --> 2	w/momentum
--- Source: keras.Optimizer.variables
function Optimizer:variables() end

--- Learning rate schedules: functions of the number of steps taken so far, with Keras 3's names and formulas.
---@class lutra.optim.schedules
local schedules = {}

--- initial_learning_rate * decay_rate^(step / decay_steps).
---@param initial_learning_rate number at step 0
---@param decay_steps number steps over which the rate is multiplied by decay_rate once
---@param decay_rate number factor per decay_steps
---@param options? table {staircase = false: whether the rate changes only after each full decay_steps}
---@return function # takes the number of steps taken so far, returns the learning rate
--- Errors: InvalidArgument for an argument that is missing, not a number, or out of range.
--- Example:
---     print(lt.optim.schedules.ExponentialDecay(0.5, 10, 0.25)(5))  --> 0.25
--- Source: keras.optimizers.schedules.ExponentialDecay
function schedules.ExponentialDecay(initial_learning_rate, decay_steps, decay_rate, options) end

--- initial_learning_rate / (1 + decay_rate * step / decay_steps).
---@param initial_learning_rate number at step 0
---@param decay_steps number steps after which decay_rate is added once
---@param decay_rate number added to the divisor, which starts at 1, every decay_steps
---@param options? table {staircase = false: whether the rate changes only after each full decay_steps}
---@return function # takes the number of steps taken so far, returns the learning rate
--- Errors: InvalidArgument for an argument that is missing, not a number, or out of range.
--- Example:
---     print(lt.optim.schedules.InverseTimeDecay(0.5, 10, 0.5)(20))  --> 0.25
--- Source: keras.optimizers.schedules.InverseTimeDecay
function schedules.InverseTimeDecay(initial_learning_rate, decay_steps, decay_rate, options) end

--- Decays to end_learning_rate along (1 - step / decay_steps)^power.
---@param initial_learning_rate number at step 0
---@param decay_steps number the step at which the decay is complete
---@param options? table {end_learning_rate = 0.0001; power = 1; cycle = false: whenever the decay is complete, extend it by another decay_steps and continue}
---@return function # takes the number of steps taken so far, returns the learning rate
--- Errors: InvalidArgument for an argument that is missing, not a number, or out of range.
--- Example:
---     print(lt.optim.schedules.PolynomialDecay(0.5, 10, {end_learning_rate = 0})(5))  --> 0.25
--- Source: keras.optimizers.schedules.PolynomialDecay
function schedules.PolynomialDecay(initial_learning_rate, decay_steps, options) end

--- Decays along half a cosine (Loshchilov and Hutter, ICLR 2017).
---@param initial_learning_rate number at step 0
---@param decay_steps number the step at which the decay is complete
---@param options? table {alpha = 0: the final rate as a fraction of the highest; warmup_target: the rate to rise to before the decay; warmup_steps = 0: steps of that rise}
---@return function # takes the number of steps taken so far, returns the learning rate
--- Errors: InvalidArgument for an argument that is missing, not a number, or out of range.
--- Example:
---     print(lt.optim.schedules.CosineDecay(0.5, 10)(0))  --> 0.5
--- Source: keras.optimizers.schedules.CosineDecay
function schedules.CosineDecay(initial_learning_rate, decay_steps, options) end

--- Repeated half cosines, each t_mul times as long and m_mul times as high as the one before.
---@param initial_learning_rate number at step 0
---@param first_decay_steps number length of the first one
---@param options? table {t_mul = 2: 1 or more; m_mul = 1; alpha = 0: the lowest rate as a fraction of the initial one}
---@return function # takes the number of steps taken so far, returns the learning rate
--- Errors: InvalidArgument for an argument that is missing, not a number, or out of range.
--- Example:
---     print(lt.optim.schedules.CosineDecayRestarts(0.5, 10, {m_mul = 0.5})(10))  --> 0.25
--- Source: keras.optimizers.schedules.CosineDecayRestarts
function schedules.CosineDecayRestarts(initial_learning_rate, first_decay_steps, options) end

--- values[1] up to and including step boundaries[1], then values[2], and so on.
---@param boundaries integer[] steps, in increasing order
---@param values number[] one more than boundaries
---@param options? table {name}
---@return function # takes the number of steps taken so far, returns the learning rate
--- Errors: InvalidArgument for boundaries that do not increase, or a wrong number of values.
--- Example:
---     print(lt.optim.schedules.PiecewiseConstantDecay({10}, {0.5, 0.25})(11))  --> 0.25
--- Source: keras.optimizers.schedules.PiecewiseConstantDecay
function schedules.PiecewiseConstantDecay(boundaries, values, options) end
