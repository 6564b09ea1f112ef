-- Functions that are easier to write in Lua, because they call the user's functions, which may yield. They are
-- documented in _meta/lutra.lua.
local lutra, core = ...

-- The form with a function. The public lutra.device is C: it opens the scope, and calls this if it gets more arguments.
function lutra.device(name, f, ...)
  if type(f) ~= "function" then
    core.require_callable("device", f)
  end
  local scope <close> = core.device(name)
  return f(...)
end

function lutra.tidy(f, ...)
  if type(f) ~= "function" then
    core.require_callable("tidy", f)
  end
  local mark <close> = core.tidy_begin()
  return core.tidy_keep(mark, f(...))
end

-- Ops are described by their table; help.lua, which describes the rest, is loaded on use and kept until the collector
-- runs: it takes megabytes, and loading it takes 40 ms.
local loaded = setmetatable({}, { __mode = "v" })
function lutra.help(...)
  local text = core.op_help(...)
  if text then return text end
  local help = loaded.help or core.open_help(lutra, core)
  loaded.help = help
  return help(...)
end

-- Functions of other files, which are loaded on first use.
local function comes_late(into, file, names)
  for _, name in ipairs(names) do
    into[name] = function(...)
      return core.use(lutra, file)[name](...)
    end
  end
end
comes_late(lutra, "autograd", { "custom_gradient", "recompute_grad" })
comes_late(core.tape_methods, "autograd", { "jacobian", "batch_jacobian", "stop_recording" })
comes_late(lutra, "functions.grids", { "meshgrid", "tril_indices", "triu_indices" })
comes_late(lutra, "functions.padding", { "mirror_pad" })
-- Ops that other ops help with some arguments: more(op, ...) returns the function to call instead, or nil.
local function extend(name, more)
  for _, place in ipairs { lutra, core.methods, core.variable_methods } do
    local op = place[name]
    place[name] = op and function(...)
      local made, second, third = (more(op, ...) or op)(...) -- no tail call: an error looks for this function
      if second == nil then return made end
      if third == nil then return made, second end
      return made, second, third
    end
  end
end
for name, more in pairs {
  pad = { "mode", "functions.padding" }, conv2d = { "data_format", "functions.channels_first" },
  conv2d_transpose = { "data_format", "functions.channels_first" }, max_pool2d = { "data_format", "functions.channels_first" },
  avg_pool2d = { "data_format", "functions.channels_first" },
} do
  local option, file = more[1], more[2]
  extend(name, function(_, _, _, given)
    if type(given) == "table" and rawget(given, option) ~= nil then return core.use(lutra, file)[name] end
  end)
end
-- With a list of q, the op for each.
for _, name in ipairs { "quantile", "percentile" } do
  extend(name, function(op, _, q)
    if type(q) == "table" and #q > 0 or type(q) == "userdata" then
      return function(...) return core.use(lutra, "functions.reductions").quantiles(name, op, ...) end
    end
  end)
end
-- Without maxlen, the largest length.
extend("sequence_mask", function(op, lengths, maxlen)
  if maxlen == nil and (type(lengths) == "table" or type(lengths) == "number" or type(lengths) == "userdata") then
    return function(...) return core.use(lutra, "functions.segments").mask_of_all(op, ...) end
  end
end)
-- Functions of which an op is a part: wider(x, second, options) tells of a call that only the function takes.
local function option(given, name) return type(given) == "table" and rawget(given, name) or nil end
local function is_list(value)
  return type(value) == "userdata" or type(value) == "table" and #value > 0
end
local function rank_of(tensor) return tensor.rank end
local function has_batches(points)
  local kind = getmetatable(points)
  if kind == "lutra.Tensor" or kind == "lutra.Variable" then
    local is_there, rank = pcall(rank_of, points) -- the op has the words for a tensor that was released
    return is_there and rank > 2
  end
  local row = type(points) == "table" and points[1]
  return type(row) == "table" and type(row[1]) == "table"
end
local op_norms = { [1] = true, [2] = true, [math.huge] = true }
for name, more in pairs {
  histogram = { "functions.orders", function(_, bins, given)
    return is_list(bins) or is_list(option(given, "bins"))
      or option(given, "weights") or option(given, "density") or option(given, "range")
  end },
  gradient = { "functions.samples", function(_, dx, given)
    return is_list(dx) or is_list(option(given, "dx")) or type(option(given, "axis")) == "table"
  end },
  trapezoid = { "functions.samples", function(_, _, given) return option(given, "x") end },
  norm = { "functions.distances", function(_, _, given)
    local ord = option(given, "ord")
    return ord ~= nil and not op_norms[ord]
  end },
  unique = { "functions.sets", function(_, given) return option(given, "axis") end },
  cdist = { "functions.distances", function(a, b, given)
    return given ~= nil or has_batches(a) or has_batches(b)
  end },
} do
  local file, wider = more[1], more[2]
  extend(name, function(_, x, second, given)
    if type(second) == "table" and given == nil and #second == 0 then given = second end
    if wider(x, second, given) then return core.use(lutra, file)[name] end
  end)
end
comes_late(lutra, "functions.sets", { "union1d", "intersect1d", "setdiff1d", "setxor1d" })
comes_late(lutra, "functions.segments", { "segment_sum", "segment_mean", "segment_max", "segment_min", "embedding_bag" })
comes_late(lutra, "functions.norms_of_lists", { "global_norm", "clip_by_global_norm" })
comes_late(lutra, "functions.loops", { "map_fn", "vmap", "scan", "while_loop" })
comes_late(lutra, "functions.signal", { "hann_window", "hamming_window", "blackman_window",
  "bartlett_window", "kaiser_window", "frame", "spectrogram", "stft",
  "istft", "dct", "idct" })
comes_late(lutra.random, "functions.random", { "choice", "Generator" })
comes_late(lutra.random, "functions.random_distributions", { "gumbel", "logistic", "lognormal", "rayleigh", "weibull", "pareto",
  "chisquare", "standard_t", "geometric", "triangular", "multivariate_normal" })
comes_late(lutra.fft, "functions.fft", { "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn", "hfft", "ihfft",
  "fftfreq", "rfftfreq", "fftshift", "ifftshift" })
comes_late(lutra, "functions.attention", { "scaled_dot_product_attention" })
comes_late(lutra, "functions.windows", { "conv1d", "conv3d", "max_pool1d", "max_pool3d", "avg_pool1d", "avg_pool3d",
  "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
  "adaptive_max_pool3d" })
comes_late(lutra, "functions.arranging", { "unfold", "fold", "depth_to_space", "space_to_depth", "pixel_shuffle",
  "pixel_unshuffle" })
comes_late(lutra, "functions.norms", { "gumbel_softmax", "rms_norm", "instance_norm", "group_norm" })
comes_late(lutra, "functions.joining", { "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "dstack", "array_split",
  "broadcast_arrays", "cartesian_prod", "combinations", "pad_sequences" })
comes_late(lutra, "functions.samples", { "unwrap" })
comes_late(lutra, "functions.distances", { "pdist", "pairwise_distance" })
comes_late(lutra, "functions.products", { "vecdot", "tensordot", "inner", "vdot", "multi_dot", "block_diag", "vander" })
comes_late(lutra, "functions.matrices", { "logdet", "cond", "diag_embed", "fill_diagonal" })
comes_late(lutra, "functions.polynomials", { "roots", "poly", "polyadd", "polymul", "polyder", "polyint" })
comes_late(lutra, "functions.numbers", { "deg2rad", "rad2deg", "sinc", "signbit", "copysign", "logaddexp2", "isposinf",
  "isneginf", "lcm", "logspace", "geomspace", "exp2", "fmax", "fmin", "frexp", "ldexp" })
comes_late(lutra, "functions.reductions", { "logcumsumexp", "cumulative_trapezoid", "average", "std_mean", "var_mean",
  "count_nonzero", "ptp", "nancumsum", "nancumprod", "nanquantile", "nanpercentile", "nanargmax", "nanargmin" })
comes_late(lutra, "functions.axes", { "moveaxis", "swapaxes", "rot90", "reverse_sequence" })
comes_late(lutra, "functions.orders", { "unique_consecutive", "ravel_multi_index", "lexsort", "digitize", "histogram2d",
  "histogramdd", "confusion_matrix", "dynamic_partition" })
comes_late(lutra, "functions.bessel", { "bessel_i0" })
comes_late(lutra, "functions.shrinking", { "hardtanh", "hardshrink", "softshrink", "tanhshrink", "threshold", "squareplus",
  "sparse_plus", "sparse_sigmoid", "sparsemax" })
comes_late(lutra, "functions.pair_losses", { "triplet_margin_loss", "cosine_embedding_loss", "margin_ranking_loss",
  "hinge_embedding_loss", "soft_margin_loss", "gaussian_nll_loss", "poisson_nll_loss" })
comes_late(lutra, "functions.losses", { "ctc_loss", "kl_div", "nll_loss" })

-- lutra.float32 is the dtype's name; t:float32() is a cast, also for variables.
for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64",
  "bool", "complex64", "complex128" } do
  lutra[dtype] = dtype
  local function cast(tensor, ...)
    if select("#", ...) > 0 then core.refuse_arguments(dtype, ...) end
    local made = lutra.cast(tensor, dtype) -- no tail call: an error looks for this function
    return made
  end
  core.methods[dtype], core.variable_methods[dtype] = cast, cast
end

-- Methods of lutra.plot, loaded on first use.
for name, most in pairs { plot = 1, describe = 0 } do
  local function shown(tensor, ...)
    if select("#", ...) > most then core.refuse_arguments(name, select(most + 1, ...)) end
    return (core.use(lutra, "plot.methods")[name](tensor, ...))
  end
  core.methods[name], core.variable_methods[name] = shown, shown
end

lutra.config.experimental = {
  set_memory_growth = lutra.config.set_memory_growth,
  get_memory_growth = lutra.config.get_memory_growth,
  get_memory_info = lutra.config.get_memory_info,
  reset_memory_stats = lutra.config.reset_memory_stats,
  get_device_details = lutra.config.get_device_details,
  list_physical_devices = lutra.config.list_physical_devices,
  list_logical_devices = lutra.config.list_logical_devices,
  set_visible_devices = lutra.config.set_visible_devices,
  get_visible_devices = lutra.config.get_visible_devices,
  set_virtual_device_configuration = lutra.config.set_logical_device_configuration,
  get_virtual_device_configuration = lutra.config.get_logical_device_configuration,
}
