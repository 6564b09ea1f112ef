-- Names of NumPy, SciPy, TensorFlow, Keras, PyTorch and Torch7 for lutra.help. A name that is neither here, nor the
-- `source` of a function, nor in src/lua/hints/foreign_names.cpp is unknown: help does not guess. Where two libraries
-- use a name differently, that decides.

-- What to write instead. Names begin with np, scipy, tf, keras or torch; torch.nn is PyTorch's and Torch7's nn.
local words = {}

local function take(prefix, list)
  for name, text in pairs(list) do words[prefix .. name] = text end
end

local kLinear = "lutra.nn.Dense(units); the number of inputs is read from the first batch"
local kBatchNorm, kDropout = "lutra.nn.BatchNorm()", "lutra.nn.SpatialDropout2D(rate)"
local kEntropy = "lutra.nn.losses.SparseCategoricalCrossentropy{from_logits = true}"
local kSpread = "(x, axis, {ddof = 1}): the default is 0"
local kStrings = "strings in tables of Lua: tensors hold numbers"

for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
  "complex128" } do
  for _, library in ipairs { "np.", "tf.", "torch." } do words[library .. dtype] = "the dtype lutra." .. dtype end
end

for kind, dtype in pairs { Byte = "uint8", Char = "int8", Short = "int16", Int = "int32", Long = "int64", Half = "float16",
  Float = "float32", Double = "float64", Bool = "bool" } do
  words["torch." .. kind .. "Tensor"] = ('lutra.constant(value, {dtype = "%s"})'):format(dtype)
end

take("torch.", {
  Tensor = "lutra.constant(value) of a table, or lutra.zeros(shape)", bernoulli = "lutra.random.bernoulli(shape, p)",
  device = "lutra.device(name, f)", nn = "lutra.nn", optim = "lutra.optim",
  size = "x.shape, or x.shape[axis]; x.size is the number of elements",
  compile = "lutra.graph(f)", dtype = "x.dtype", equal = "lutra.array_equal(a, b)",
  gather = "lutra.take_along_axis(x, indices, axis)",
  ger = "lutra.outer(a, b)", i0 = "lutra.bessel_i0(x)",
  ["nn.EmbeddingBag"] = "lutra.embedding_bag(ids, weight)", igamma = "lutra.gammainc(a, x)", igammac = "lutra.gammaincc(a, x)",
  load = "lutra.load(path)",
  manualSeed = "lutra.random.set_seed(seed)", median = "lutra.median(x, axis); of two middle elements it is their mean",
  movedim = "lutra.moveaxis(x, from, to)", normal = "lutra.random.normal(shape, {mean = , stddev = })",
  pinverse = "lutra.pinv(x)", poisson = "lutra.random.poisson(shape, rate)",
  range = "lutra.range(start, limit, step), without the limit",
  ["repeat"] = "lutra.tile(x, counts)", save = "lutra.save(path, tensors)",
  scatter_add = 'lutra.scatter(x, indices, updates, axis, {reduce = "add"})',
  split = "lutra.split(x, sizes, axis); a number is how many pieces",
  std = "lutra.std" .. kSpread, std_mean = "lutra.std_mean" .. kSpread,
  take = "lutra.gather(lutra.flatten(x), indices)",
  take_along_dim = "lutra.take_along_axis(x, indices, axis)", transpose = "lutra.swapaxes(x, a, b)",
  var = "lutra.var" .. kSpread, var_mean = "lutra.var_mean" .. kSpread, vstack = "lutra.concat({a, b, ...}, 1)",
  ["cuda.is_available"] = '#lutra.config.list_physical_devices("GPU") > 0',
  ["cuda.synchronize"] = "lutra.synchronize()",
  ["cuda.device_count"] = '#lutra.config.list_physical_devices("GPU")',
  ["cuda.manual_seed"] = "lutra.random.set_seed(seed)",
  ["cuda.max_memory_allocated"] = 'lutra.config.get_memory_info("GPU:0").peak',
  ["cuda.set_device"] = "lutra.device(name, f)",
  ["cuda.memory_allocated"] = 'lutra.config.get_memory_info("GPU:0").current',
  ["cuda.empty_cache"] = "lutra.config.release_memory()",
  autocast = 'model:compile{..., precision = "bf16"}',
  set_num_threads = "lutra.config.threading.set_intra_op_parallelism_threads(n)",
  ["autograd.set_detect_anomaly"] = "lutra.debugging.check_numerics(true)", ["cuda.CUDAGraph"] = "lutra.graph(f)",
  ["profiler.profile"] = "lutra.profiler.run(f)",
  ["optim.ConfusionMatrix"] = "lutra.confusion_matrix(labels, predictions)",
  ["jit.trace"] = "lutra.graph(f)", ["linalg.matrix_exp"] = "lutra.expm(x)",
  ["linalg.vector_norm"] = "lutra.norm(x, {ord = ord})",
  ["special.expit"] = "lutra.sigmoid(x)", ["special.i0"] = "lutra.bessel_i0(x)",
  ["optim.NAdam"] = "lutra.optim.Nadam{learning_rate = rate}", ["optim.adam"] = "lutra.optim.Adam{learning_rate = rate}",
  ["optim.sgd"] = "lutra.optim.SGD{learning_rate = rate}",
  ["optim.rmsprop"] = "lutra.optim.RMSprop{learning_rate = rate}", ["optim.adagrad"] = "lutra.optim.Adagrad{learning_rate = rate}",
  ["optim.adadelta"] = "lutra.optim.Adadelta{learning_rate = rate}",
  ["optim.adamax"] = "lutra.optim.Adamax{learning_rate = rate}",
  ["optim.lr_scheduler.ExponentialLR"] = "lutra.optim.schedules.ExponentialDecay(rate, steps, decay)",
  ["optim.lr_scheduler.CosineAnnealingLR"] = "lutra.optim.schedules.CosineDecay(rate, steps)",
  ["optim.lr_scheduler.StepLR"] = "lutra.optim.schedules.ExponentialDecay(rate, steps, decay, {staircase = true})",
  ["optim.lr_scheduler.ReduceLROnPlateau"] = "lutra.nn.callbacks.ReduceLROnPlateau()",
  ["optim.lr_scheduler.LambdaLR"] = "lutra.nn.callbacks.LearningRateScheduler(f)",
  ["utils.tensorboard"] = "lutra.train.SummaryWriter(folder)",
  ["utils.checkpoint.checkpoint"] = "lutra.recompute_grad(f)",
  ["utils.data.DataLoader"] = "lutra.data.from_tensor_slices(tensors):shuffle(n):batch(n)",
  ["utils.data.TensorDataset"] = "lutra.data.from_tensor_slices(tensors)",
  ["utils.data.Dataset"] = "lutra.data.from_generator(f)",
  ["nn.parallel.DistributedDataParallel"] = "lutra.distribute.MultiWorkerMirroredStrategy()",
  ["distributed.init_process_group"] = "lutra.distribute.MultiWorkerMirroredStrategy()",
  ["autograd.grad"] = "tape:gradient(loss, variables), of a lutra.GradientTape",
  ["autograd.Function"] = "lutra.custom_gradient(f)",
  ["func.vmap"] = "lutra.vmap(f)", ["distributions.kl_divergence"] = "lutra.distributions.kl_divergence(p, q)",
})

take("torch.nn.functional.", {
  adaptive_avg_pool2d = "lutra.adaptive_avg_pool2d(x, size)", avg_pool2d = "lutra.avg_pool2d(x, size)",
  binary_cross_entropy = "lutra.nn.losses.binary_crossentropy(y, p)",
  conv_transpose2d = "lutra.conv2d_transpose(x, w, {stride = })",
  binary_cross_entropy_with_logits = "lutra.nn.losses.binary_crossentropy(y, x, {from_logits = true})",
  cross_entropy = "lutra.cross_entropy(labels, logits): the labels come first",
  huber_loss = "lutra.nn.losses.huber(y, p)",
  l1_loss = "lutra.mae(y, p)", linear = "lutra.linear(x, w, b), whose w is [in, out]",
  logsigmoid = "lutra.log_sigmoid(x)",
  max_pool2d = "lutra.max_pool2d(x, size)", mse_loss = "lutra.mse(y, p)",
  smooth_l1_loss = "lutra.nn.losses.huber(y, p)",
  swish = "lutra.silu(x)", tanh = "lutra.tanh(x)", sigmoid = "lutra.sigmoid(x)",
})

take("torch.nn.", {
  AdaptiveAvgPool1d = "lutra.adaptive_avg_pool1d(x, size), or lutra.nn.GlobalAveragePooling1D() of size 1",
  AdaptiveAvgPool2d = "lutra.adaptive_avg_pool2d(x, size), or lutra.nn.GlobalAveragePooling2D() of size 1",
  AdaptiveMaxPool2d = "lutra.adaptive_max_pool2d(x, size), or lutra.nn.GlobalMaxPool2D() of size 1",
  AvgPool1d = "lutra.nn.AveragePooling1D(size)", AvgPool2d = "lutra.nn.AvgPool2D(size)",
  AvgPool3d = "lutra.nn.AveragePooling3D(size)",
  BatchNorm1d = kBatchNorm, BatchNorm2d = kBatchNorm, BatchNorm3d = kBatchNorm,
  BCELoss = "lutra.nn.losses.BinaryCrossentropy()",
  BCEWithLogitsLoss = "lutra.nn.losses.BinaryCrossentropy{from_logits = true}",
  Conv1d = "lutra.nn.Conv1D(filters, kernel_size)",
  Conv2d = "lutra.nn.Conv2D(filters, kernel_size)", Conv3d = "lutra.nn.Conv3D(filters, kernel_size)",
  ConvTranspose3d = "lutra.nn.Conv3DTranspose(filters, kernel_size)",
  ConvTranspose1d = "lutra.nn.Conv1DTranspose(filters, kernel_size)",
  ConvTranspose2d = "lutra.nn.Conv2DTranspose(filters, kernel_size)",
  CosineEmbeddingLoss = "lutra.nn.losses.CosineSimilarity()", CrossEntropyLoss = kEntropy,
  CTCLoss = "lutra.ctc_loss(labels, logits, ...)",
  DataParallel = "lutra.distribute.MirroredStrategy()", Dropout1d = "lutra.nn.SpatialDropout1D(rate)",
  Dropout2d = kDropout,
  Dropout3d = "lutra.nn.SpatialDropout3D(rate)", Embedding = "lutra.nn.Embedding(count, size)",
  GRU = "lutra.nn.GRU(units)",
  GLU = "lutra.glu(x, axis)", GRUCell = "lutra.nn.GRUCell(units)", GroupNorm = "lutra.nn.GroupNorm{groups = }",
  HuberLoss = "lutra.nn.losses.Huber()",
  InstanceNorm2d = "lutra.instance_norm(x)", KLDivLoss = "lutra.kl_div(x, target)",
  L1Loss = "lutra.nn.losses.MeanAbsoluteError()",
  LSTM = "lutra.nn.LSTM(units)", LSTMCell = "lutra.nn.LSTMCell(units)", LayerNorm = "lutra.nn.LayerNorm()",
  Linear = kLinear,
  LazyLinear = kLinear, MaxPool1d = "lutra.nn.MaxPooling1D(size)", MaxPool2d = "lutra.nn.MaxPool2D(size)",
  MaxPool3d = "lutra.nn.MaxPooling3D(size)",
  MSELoss = "lutra.nn.losses.MeanSquaredError()", Module = "lutra.nn.Layer, or lutra.nn.Model",
  ModuleList = "a table of layers as a field: an own layer finds them",
  MultiheadAttention = "lutra.nn.MultiHeadAttention(heads, key_dim)",
  NLLLoss = "lutra.nll_loss(log_probs, labels)", Parameter = "lutra.Variable(value), or layer:add_weight{...}",
  PixelShuffle = "lutra.pixel_shuffle(x, factor)", PoissonNLLLoss = "lutra.nn.losses.Poisson()",
  RMSNorm = "lutra.nn.RMSNormalization()",
  RNN = "lutra.nn.SimpleRNN(units)", RNNCell = "lutra.nn.SimpleRNNCell(units)",
  SmoothL1Loss = "lutra.nn.losses.Huber()", ["utils.spectral_norm"] = "lutra.nn.SpectralNormalization(layer)",
  ["utils.parametrizations.spectral_norm"] = "lutra.nn.SpectralNormalization(layer)",
  Unfold = "lutra.unfold(x, size)", Upsample = "lutra.nn.UpSampling2D(factor)",
  UpsamplingNearest2d = "lutra.nn.UpSampling2D(factor)",
  ZeroPad2d = "lutra.nn.ZeroPadding2D(padding)",
  -- Torch7's.
  AbsCriterion = "lutra.nn.losses.MeanAbsoluteError()", BatchNormalization = kBatchNorm,
  BCECriterion = "lutra.nn.losses.BinaryCrossentropy()",
  CAddTable = "lutra.nn.Add()", CMulTable = "lutra.nn.Multiply()", CSubTable = "lutra.nn.Subtract()",
  CMaxTable = "lutra.nn.Maximum()",
  CMinTable = "lutra.nn.Minimum()", ClassNLLCriterion = "lutra.nll_loss(log_probs, labels)",
  ConcatTable = "lutra.nn.Model{inputs = , outputs = }",
  CosineEmbeddingCriterion = "lutra.nn.losses.CosineSimilarity()", CrossEntropyCriterion = kEntropy,
  DataParallelTable = "lutra.distribute.MirroredStrategy()", DistKLDivCriterion = "lutra.kl_div(x, target)",
  HardTanh = "lutra.nn.Activation(f), with f of lutra.clip(x, -1, 1)", JoinTable = "lutra.nn.Concatenate()",
  LogSigmoid = "lutra.nn.LogSigmoid()",
  LogSoftMax = "lutra.nn.Activation(lutra.log_softmax)", LookupTable = "lutra.nn.Embedding(count, size)",
  MarginCriterion = "lutra.nn.losses.Hinge()",
  MSECriterion = "lutra.nn.losses.MeanSquaredError()", MulConstant = "lutra.nn.Rescaling(scale)",
  ParallelTable = "lutra.nn.Model{inputs = , outputs = }",
  SmoothL1Criterion = "lutra.nn.losses.Huber()", SoftMax = 'lutra.nn.Activation("softmax")',
  SpatialAveragePooling = "lutra.nn.AvgPool2D(size)",
  SpatialBatchNormalization = kBatchNorm, SpatialConvolution = "lutra.nn.Conv2D(filters, kernel_size)",
  SpatialConvolutionMM = "lutra.nn.Conv2D(filters, kernel_size)",
  SpatialDropout = kDropout, SpatialFullConvolution = "lutra.nn.Conv2DTranspose(filters, kernel_size)",
  SpatialMaxPooling = "lutra.nn.MaxPool2D(size)", SpatialUpSamplingNearest = "lutra.nn.UpSampling2D(factor)",
  SpatialZeroPadding = "lutra.nn.ZeroPadding2D(padding)", SplitTable = "lutra.unstack(x, axis)",
  StochasticGradient = "model:fit, with lutra.optim.SGD{learning_rate = rate}",
  TemporalConvolution = "lutra.nn.Conv1D(filters, kernel_size)", TemporalMaxPooling = "lutra.nn.MaxPooling1D(size)",
  View = "lutra.nn.Reshape(shape), or lutra.nn.Flatten()",
  VolumetricConvolution = "lutra.nn.Conv3D(filters, kernel_size)",
  VolumetricMaxPooling = "lutra.nn.MaxPooling3D(size)", gModule = "lutra.nn.Model{inputs = , outputs = }",
})

take("np.", {
  split = "lutra.split(x, sizes, axis): a list has sizes, not positions; a number is how many",
  ["multiply.reduce"] = "lutra.prod(x, axis)",
  ["minimum.reduce"] = "lutra.min(x, axis)",
  ["minimum.at"] = "lutra.tensor_scatter_nd_min(x, indices, updates)",
  ["minimum.accumulate"] = "lutra.cummin(x, axis)",
  ["maximum.reduce"] = "lutra.max(x, axis)",
  ["maximum.at"] = "lutra.tensor_scatter_nd_max(x, indices, updates)",
  ["maximum.accumulate"] = "lutra.cummax(x, axis)",
  ["logical_or.reduce"] = "lutra.any(x, axis)",
  ["logical_and.reduce"] = "lutra.all(x, axis)",
  ["add.reduce"] = "lutra.sum(x, axis)",
  ["add.at"] = "lutra.tensor_scatter_nd_add(x, indices, updates)",
  ["add.accumulate"] = "lutra.cumsum(x, axis)",
  copy = "x itself: tensors never change", identity = "lutra.eye(n)",
  select = "lutra.where(condition, x, y), once for each choice",
  resize = "lutra.reshape(x, shape), or lutra.tile(x, counts) for more elements", size = "x.size",
  fromfile = "lutra.from_bytes(bytes, dtype, shape)", savetxt = 'lutra.save("x.csv", x)',
  savez = "lutra.save(path, {name = tensor})", in1d = "lutra.isin(x, values)",
  delete = "x[mask], whose mask is false for what goes", append = "lutra.concat({a, b}, axis)",
  insert = "lutra.concat({a, b, c}, axis)",
  apply_along_axis = "lutra.vmap(f)", ["random.default_rng"] = "lutra.random.Generator(seed)",
  ["linalg.vector_norm"] = "lutra.norm(x, {ord = ord})",
  ["linalg.svdvals"] = "lutra.svd(x), whose second result it is", triu_indices_from = "lutra.triu_indices(n)",
  tril_indices_from = "lutra.tril_indices(n)", hanning = "lutra.hann_window(n, {periodic = false})",
  hamming = "lutra.hamming_window(n, {periodic = false})", blackman = "lutra.blackman_window(n, {periodic = false})",
})

take("np.", {
  ["random.standard_cauchy"] = "lutra.random.cauchy(shape)", ["random.standard_normal"] = "lutra.random.normal(shape)",
  ["random.standard_exponential"] = "lutra.random.exponential(shape)", ["random.standard_gamma"] = "lutra.random.gamma(shape, alpha)",
  ["random.negative_binomial"] = "lutra.random.poisson(shape, rate), rate = lutra.random.gamma(shape, n, p / (1 - p))",
  around = "lutra.round(x)", degrees = "lutra.rad2deg(x)", radians = "lutra.deg2rad(x)", fabs = "lutra.abs(x)",
  cbrt = "lutra.sign(x) * lutra.abs(x) ^ (1 / 3)", float_power = "lutra.pow(x:float64(), y)", positive = "x itself",
  cumulative_sum = "lutra.cumsum(x, axis)", permute_dims = "lutra.transpose(x, axes)",
  matrix_transpose = "lutra.swapaxes(x, -1, -2)", ["linalg.matrix_transpose"] = "lutra.swapaxes(x, -1, -2)",
  ["linalg.vecdot"] = "lutra.vecdot(a, b, axis)", matvec = "lutra.matmul(a, x)", divmod = "a // b and lutra.mod(a, b)",
  modf = "lutra.frac(x) and lutra.trunc(x)", compress = "x[mask]", extract = "x[mask]", partition = "lutra.sort(x)",
  argpartition = "lutra.argsort(x), or lutra.top_k(x, k)", diagflat = "lutra.diag(lutra.flatten(x), k)",
  tri = "lutra.tril(lutra.ones{n, m}, k)", block = "lutra.concat of lutra.concat, by rows",
  choose = "lutra.where(condition, x, y), once for each choice", piecewise = "lutra.where(condition, f(x), g(x))",
  place = "lutra.where(mask, values, x)", putmask = "lutra.where(mask, values, x)", copyto = "lutra.where(mask, values, x)",
  polysub = "lutra.polyadd(a, -b)", histogram_bin_edges = "lutra.histogram(x, bins), whose second result it is",
  isreal = "lutra.imag(x):eq(0)", rollaxis = "lutra.moveaxis(x, from, to)",
  hsplit = "lutra.split(x, sizes, 2)", vsplit = "lutra.split(x, sizes, 1)", dsplit = "lutra.split(x, sizes, 3)",
  ["lib.stride_tricks.sliding_window_view"] = "lutra.frame(x, size, 1)",
  loadtxt = 'lutra.load("x.csv")', genfromtxt = 'lutra.load("x.csv")', pi = "math.pi", inf = "math.huge", nan = "0 / 0",
  e = "math.exp(1)", vectorize = "lutra.vmap(f)",
})

take("torch.", {
  addmm = "c + lutra.matmul(a, b)", addmv = "c + lutra.matmul(a, x)", addbmm = "c + lutra.matmul(a, b):sum(1)",
  baddbmm = "c + lutra.matmul(a, b)", addr = "c + lutra.outer(a, b)", addcmul = "x + value * a * b",
  addcdiv = "x + value * a / b", mv = "lutra.matmul(a, x)", chain_matmul = "lutra.multi_dot(list)",
  aminmax = "lutra.min(x, axis) and lutra.max(x, axis)", sgn = "lutra.sign(x)", positive = "x itself",
  bitwise_left_shift = "lutra.left_shift(a, b)", bitwise_right_shift = "lutra.right_shift(a, b)",
  tensor_split = "lutra.array_split(x, n, axis)", broadcast_tensors = "lutra.broadcast_arrays(...)",
  dist = "lutra.norm(a - b, {ord = p})", msort = "lutra.sort(x, 1)", diagflat = "lutra.diag(lutra.flatten(x), k)",
  rand_like = "lutra.random.uniform(x.shape)", randn_like = "lutra.random.normal(x.shape)",
  randint_like = "lutra.random.randint(x.shape, low, high)", unflatten = "lutra.reshape(x, shape)",
  hsplit = "lutra.split(x, sizes, 2)", vsplit = "lutra.split(x, sizes, 1)", dsplit = "lutra.split(x, sizes, 3)",
  masked_scatter = "lutra.where(mask, values, x)", float_power = "lutra.pow(x:float64(), y)",
  isreal = "lutra.imag(x):eq(0)", nanstd = "lutra.nanstd(x, axis)",
  ["nn.utils.rnn.pad_sequence"] = 'lutra.pad_sequences(list, {padding = "post"})',
  ["nn.utils.clip_grad_value_"] = "lutra.clip(gradient, -value, value)",
  ["nn.PairwiseDistance"] = "lutra.pairwise_distance(a, b)", ["linalg.vecdot"] = "lutra.vecdot(a, b, axis)",
  ["nn.functional.softmin"] = "lutra.softmax(-x, axis)", hardshrink = "lutra.hardshrink(x, threshold)",
  ["nn.Hardtanh"] = "lutra.hardtanh(x)", ["nn.Hardshrink"] = "lutra.hardshrink(x)", ["nn.Softshrink"] = "lutra.softshrink(x)",
  ["nn.Tanhshrink"] = "lutra.tanhshrink(x)", ["nn.Threshold"] = "lutra.threshold(x, threshold, value)",
  ["nn.TripletMarginLoss"] = "lutra.triplet_margin_loss(anchor, positive, negative)",
  ["nn.CosineEmbeddingLoss"] = "lutra.cosine_embedding_loss(a, b, target)",
  ["nn.MarginRankingLoss"] = "lutra.margin_ranking_loss(a, b, target)",
  ["nn.HingeEmbeddingLoss"] = "lutra.hinge_embedding_loss(x, target)", ["nn.SoftMarginLoss"] = "lutra.soft_margin_loss(x, target)",
  ["nn.GaussianNLLLoss"] = "lutra.gaussian_nll_loss(mean, target, variance)",
})

take("keras.", {
  ["preprocessing.sequence.pad_sequences"] = "lutra.pad_sequences(sequences)",
  ["utils.set_random_seed"] = "lutra.random.set_seed(seed)",
  ["utils.normalize"] = "lutra.l2_normalize(x, axis)", ["utils.split_dataset"] = "dataset:take(n) and dataset:skip(n)",
  ["ops.segment_max"] = "lutra.segment_max(x, ids)", ["ops.logdet"] = "lutra.logdet(x)", ["ops.shape"] = "x.shape",
  ["layers.InputLayer"] = "lutra.nn.Input(shape)",
})

take("scipy.", {
  ["stats.norm"] = "lutra.distributions.Normal(mean, stddev)",
  ["stats.multivariate_normal"] = "lutra.distributions.MultivariateNormal(mean, covariance)",
  ["stats.gamma"] = "lutra.distributions.Gamma(alpha, rate)", ["stats.beta"] = "lutra.distributions.Beta(a, b)",
  ["stats.bernoulli"] = "lutra.distributions.Bernoulli(p)", ["stats.poisson"] = "lutra.random.poisson(shape, rate)",
  ["special.expit"] = "lutra.sigmoid(x)", ["signal.windows.hann"] = "lutra.hann_window(n)",
  ["signal.windows.hamming"] = "lutra.hamming_window(n)",
  ["signal.windows.blackman"] = "lutra.blackman_window(n)",
  ["linalg.svdvals"] = "lutra.svd(x), whose second result it is",
})

take("tf.", {
  nn = "lutra.relu, lutra.softmax and the like, which are in lutra itself",
  ["sparse.sparse_dense_matmul"] = "lutra.sparse.matmul(a, b)",
  ["summary.create_file_writer"] = "lutra.train.SummaryWriter(folder)", ["sparse.matmul"] = "lutra.sparse.matmul(a, b)",
  cond = "if ... then ... else ... end: operations run at once; lutra.where(condition, x, y) chooses element by element",
  case = "if ... then ... elseif ... end: operations run at once", ["function"] = "lutra.graph(f)", size = "x.size",
  summary = "lutra.train.SummaryWriter(folder), whose files TensorBoard reads; model:summary() lists a model's layers",
  ["linalg.matrix_transpose"] = "lutra.transpose(x)", ["math.is_finite"] = "lutra.isfinite(x)",
  ["math.is_inf"] = "lutra.isinf(x)",
  ["math.is_nan"] = "lutra.isnan(x)",
  ["linalg.diag_part"] = "lutra.diag(x)", ["linalg.band_part"] = "lutra.triu(lutra.tril(x, upper), -lower)",
  ["nn.swish"] = "lutra.silu(x)",
  ["random.stateless_normal"] = "lutra.random.normal(shape, {seed = })",
  ["random.stateless_uniform"] = "lutra.random.uniform(shape, {seed = })",
  Tensor = "lutra.constant(value)", vectorized_map = "lutra.vmap(f)", string = kStrings,
})

take("keras.", {
  layers = "lutra.nn", losses = "lutra.nn.losses", metrics = "lutra.nn.metrics", optimizers = "lutra.optim",
  callbacks = "lutra.nn.callbacks",
  initializers = "lutra.nn.initializers", regularizers = "lutra.nn.regularizers", constraints = "lutra.nn.constraints",
  ["models.Model"] = "lutra.nn.Model{inputs = , outputs = }", ["models.Sequential"] = "lutra.nn.Sequential{...}",
  ["models.load_model"] = "lutra.nn.load_model(path)", ["layers.Input"] = "lutra.nn.Input(shape)",
  ["layers.Layer"] = "lutra.nn.Layer",
  ["utils.to_categorical"] = "lutra.one_hot(x, n)", ["regularizers.l1"] = "lutra.nn.regularizers.L1{l1 = factor}",
  ["regularizers.l2"] = "lutra.nn.regularizers.L2{l2 = factor}",
  activations = "lutra.relu, lutra.softmax and the like, which are in lutra itself",
  ["backend.clear_session"] = "nothing: models are objects that are collected",
  ["callbacks.History"] = "the result of model:fit",
  ["mixed_precision.set_global_policy"] = 'model:compile{..., precision = "bf16"}',
})

-- Functions of the same name and meaning; or theirs=ours.
local same = {
  np = [[abs acos acosh add all allclose angle any argmax argmin argsort array_equal asin asinh atan atan2 atanh average
    bincount bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to ceil clip concat conj convolve copysign
    corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum deg2rad diag diff digitize dot einsum exp
    expand_dims expm1 eye fill_diagonal flip floor fmod gcd geomspace gradient heaviside histogram histogram2d
    hypot imag inner interp intersect1d isclose isfinite isin isinf isnan isneginf isposinf kron lcm left_shift
    lexsort linspace load log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
    logical_xor logspace matmul max maximum mean median meshgrid min minimum mod moveaxis nan_to_num nanargmax
    nanargmin nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar newaxis
    nonzero ones ones_like outer pad percentile poly polyadd polyder polyfit polyint polymul polyval pow prod
    quantile rad2deg ravel_multi_index real reciprocal reshape right_shift roll roots rot90 round save
    searchsorted setdiff1d setxor1d sign signbit sin sinc sinh sort sqrt square squeeze stack std sum
    swapaxes take_along_axis tan tanh tensordot tile trace transpose trapezoid tril tril_indices triu
    triu_indices trunc union1d unique unravel_index unstack vander var vdot where zeros zeros_like
    linalg.cholesky linalg.cond linalg.cross linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.inv linalg.lstsq linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank
    linalg.multi_dot linalg.norm linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
    linalg.tensordot linalg.trace fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2
    fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn
    random.Generator random.beta random.binomial random.choice random.dirichlet random.exponential random.gamma
    random.laplace random.multinomial random.normal random.permutation random.poisson random.randint
    random.shuffle random.uniform random fft]],
  scipy = [[special.digamma special.erf special.erfc special.erfinv special.expm1 special.gammainc special.gammaincc special.log1p
    special.log_softmax special.logit special.logsumexp special.polygamma special.round special.sinc special.softmax
    special.softplus special.xlogy linalg.block_diag linalg.cholesky linalg.det linalg.eig linalg.eigh
    linalg.eigvals linalg.eigvalsh linalg.expm linalg.inv linalg.lstsq linalg.lu linalg.norm linalg.pinv
    linalg.qr linalg.solve linalg.svd signal.convolve signal.correlate signal.istft signal.stft
    signal.spectrogram stats.mode integrate.trapezoid fft.dct fft.idct fft.fft fft.fft2 fft.fftfreq fft.fftn
    fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn
    fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn fft sparse]],
  torch = [[abs acos acosh add all allclose angle any argmax argmin argsort asin asinh atan atan2 atanh bincount bitwise_and
    bitwise_not bitwise_or bitwise_xor block_diag broadcast_to cdist ceil celu cholesky clip complex concat conj
    copysign corrcoef cos cosh cosine_similarity count_nonzero cov cross cummax cummin cumprod cumsum deg2rad
    det diag diag_embed diff digamma div dot dropout einsum eq erf erfc erfinv exp expm1 eye flatten flip floor
    fmod frac from_dlpack gcd ge gradient gt heaviside histogram hypot imag index_add index_put inner isclose
    isfinite isin isinf isnan isneginf isposinf kron kthvalue lcm le lerp lgamma linspace log log10 log1p log2
    log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit
    logspace logsumexp lt lu masked_fill masked_select matmul matrix_power matrix_rank max maximum mean meshgrid
    min minimum mode moveaxis mul nan_to_num nanmean nanmedian nanquantile nansum ne neg nonzero norm ones
    ones_like outer polygamma pow prod qr quantile rad2deg real reciprocal relu repeat_interleave reshape roll
    rot90 round rsqrt scatter searchsorted selu sigmoid sign signbit sin sinc sinh slogdet softmax sort sqrt
    square squeeze stack stft istft sub sum svd swapaxes synchronize tan tanh tensordot tile to_dlpack trace
    trapezoid tril tril_indices triu triu_indices trunc unique unique_consecutive unravel_index vander vdot vmap
    where xlogy zeros zeros_like fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2
    fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn
    fft linalg.cholesky linalg.cond linalg.cross linalg.det linalg.eig linalg.eigh linalg.eigvals
    linalg.eigvalsh linalg.inv linalg.lstsq linalg.lu linalg.matmul linalg.matrix_norm linalg.matrix_power
    linalg.matrix_rank linalg.multi_dot linalg.norm linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
    linalg.vander special.digamma special.erf special.erfc special.erfinv special.expm1 special.gammainc
    special.gammaincc special.log1p special.log_softmax special.logit special.logsumexp special.polygamma special.round special.sinc
    special.softmax special.xlogy nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool3d
    nn.functional.avg_pool1d nn.functional.avg_pool3d nn.functional.batch_norm nn.functional.celu
    nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.cosine_similarity
    nn.functional.ctc_loss nn.functional.dropout nn.functional.elu nn.functional.embedding nn.functional.fold
    nn.functional.gelu nn.functional.glu nn.functional.group_norm nn.functional.gumbel_softmax
    nn.functional.hardsigmoid nn.functional.hardswish nn.functional.instance_norm nn.functional.kl_div
    nn.functional.layer_norm nn.functional.leaky_relu nn.functional.log_softmax nn.functional.max_pool1d
    nn.functional.max_pool3d nn.functional.mish nn.functional.nll_loss nn.functional.one_hot nn.functional.pad
    nn.functional.pixel_shuffle nn.functional.pixel_unshuffle nn.functional.relu nn.functional.relu6
    nn.functional.rms_norm nn.functional.scaled_dot_product_attention nn.functional.selu nn.functional.silu
    nn.functional.softmax nn.functional.softplus nn.functional.softsign nn.functional.unfold nn.Dropout nn.ELU
    nn.Flatten nn.Identity nn.LeakyReLU nn.PReLU nn.ReLU nn.Sequential nn.Softmax nn.Reshape optim.Adadelta
    optim.Adafactor optim.Adagrad optim.Adam optim.AdamW optim.Adamax optim.Muon optim.RMSprop optim.SGD]],
  tf = [[GradientTape Variable abs acos acosh add add_n argmax argmin argsort asin asinh atan atan2 atanh broadcast_to
    cast clip_by_global_norm clip_by_norm complex concat constant cos cosh cumsum custom_gradient device einsum
    exp expand_dims eye fill floor gather gather_nd identity linspace matmul maximum meshgrid minimum newaxis
    norm one_hot ones ones_like pad pow range recompute_grad reshape reverse_sequence roll round scan scatter_nd
    searchsorted sequence_mask sigmoid sign sin sinh sort split sqrt square squeeze stack stop_gradient tan tanh
    tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_update tensordot tile
    transpose unique unstack where while_loop zeros zeros_like dynamic_partition map_fn logical_and logical_not
    logical_or math.abs math.acos math.acosh math.add math.add_n math.angle math.argmax math.argmin math.asin
    math.asinh math.atan math.atan2 math.atanh math.bincount math.ceil math.confusion_matrix math.conj math.cos
    math.cosh math.count_nonzero math.cumprod math.cumsum math.digamma math.erf math.erfinv math.erfc math.exp
    math.expm1 math.floor math.floordiv math.igamma=gammainc math.igammac=gammaincc math.imag math.l2_normalize math.lgamma math.log math.log1p
    math.log_sigmoid math.logical_and math.logical_not math.logical_or math.logical_xor math.maximum
    math.minimum math.mod math.polygamma math.polyval math.pow math.real math.reciprocal math.round math.rsqrt
    math.segment_max math.segment_mean math.segment_min math.segment_sum math.sigmoid math.sign math.sin
    math.sinh math.softplus math.softsign math.sqrt math.square math.squared_difference math.reduce_sum=sum
    math.reduce_mean=mean math.reduce_max=max math.reduce_min=min math.reduce_prod=prod math.reduce_any=any
    math.reduce_all=all math.reduce_logsumexp=logsumexp math.reduce_std=std math.reduce_variance=var
    math.softmax math.log_softmax math.equal=eq math.not_equal=ne math.less=lt math.greater=gt
    math.less_equal=le math.greater_equal=ge math.tan math.tanh math.top_k math.unsorted_segment_max
    math.unsorted_segment_mean math.unsorted_segment_min math.unsorted_segment_sum math.xlogy linalg.cholesky
    linalg.cholesky_solve linalg.cross linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.einsum linalg.expm linalg.eye linalg.global_norm linalg.inv linalg.logdet linalg.lstsq linalg.lu
    linalg.matmul linalg.matrix_rank linalg.norm linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
    linalg.trace linalg.triangular_solve linalg.tensordot nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d nn.bias_add
    nn.conv1d nn.conv2d nn.conv2d_transpose nn.conv3d nn.ctc_loss nn.depth_to_space nn.dropout nn.elu nn.gelu
    nn.l2_normalize nn.leaky_relu nn.log_softmax nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.relu nn.relu6
    nn.selu nn.sigmoid nn.silu nn.softmax nn.softplus nn.softsign nn.space_to_depth nn.tanh random.Generator
    random.categorical random.gamma random.normal random.poisson random.set_seed random.shuffle
    random.truncated_normal random.uniform bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor
    bitwise.left_shift bitwise.right_shift signal.frame signal.stft signal.dct signal.idct
    debugging.check_numerics data.Dataset config random image sparse distribute debugging data]],
  keras = [[activations.celu activations.elu activations.gelu activations.glu activations.leaky_relu activations.log_softmax
    activations.log_sigmoid activations.mish activations.relu activations.relu6 activations.selu
    activations.sigmoid activations.silu activations.softmax activations.softplus activations.softsign
    activations.tanh activations.hard_sigmoid=hardsigmoid activations.hard_silu=hardswish activations.swish=silu]],
  tfp = [[distributions.Normal distributions.Bernoulli distributions.Beta distributions.Categorical distributions.Gamma
    distributions.kl_divergence]],
}

return { words = words, same = same }
