-- Losses of PyTorch's that compare two or three inputs, or a distribution's parameters with a target.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local losses = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local kReductions = { mean = true, sum = true, none = true }
-- The options, with the reduction; a function that reduces a loss; and the tensors as floats. Halves are float32, and the
-- loss is rounded to them.
local function inputs(who, given, defaults, names, ...)
  defaults.reduction = "mean"
  local read = options.read(who, given, defaults)
  options.word(who, "reduction", read.reduction, kReductions)
  for name, value in pairs(defaults) do
    if type(value) == "number" then options.number(who, name, read[name]) end
    if type(value) == "boolean" then options.boolean(who, name, read[name]) end
  end
  local list = {}
  for i, name in ipairs(names) do list[i] = arguments.inexact(who, name, (select(i, ...))) end
  list = table.pack(arguments.widened(table.unpack(list)))
  local narrow = list[1]
  local function reduced(loss) return narrow(arguments.reduced(loss, read.reduction)) end
  return read, reduced, table.unpack(list, 2)
end

-- Targets of 1 and -1, as a float.
local function signs(who, target, dtype)
  return arguments.number(who, "target", target):cast(dtype)
end

function losses.triplet_margin_loss(anchor, positive, negative, given)
  local who = "triplet_margin_loss"
  local read, reduced, a, p, n = inputs(who, given, { margin = 1, p = 2, eps = 1e-6, swap = false }, { "anchor", "positive", "negative" },
    anchor, positive, negative)
  local function distance(x, y) return lutra.pairwise_distance(x, y, { p = read.p, eps = read.eps }) end
  local far = distance(a, n)
  if read.swap then far = lutra.minimum(far, distance(p, n)) end
  return (reduced(lutra.maximum(distance(a, p) - far + read.margin, 0)))
end

function losses.cosine_embedding_loss(a, b, target, given)
  local who = "cosine_embedding_loss"
  local read, reduced, x, y = inputs(who, given, { margin = 0 }, { "a", "b" }, a, b)
  if x.rank == 0 or y.rank == 0 then fail("%s: %s is a scalar, expected vectors", who, x.rank == 0 and "a" or "b") end
  local sign = signs(who, target, x.dtype)
  local lengths = (lutra.square(x):sum(-1) + 1e-12) * (lutra.square(y):sum(-1) + 1e-12)
  local cosine = (x * y):sum(-1) / lutra.sqrt(lengths)
  local unlike = lutra.where(sign:eq(-1), lutra.maximum(cosine - read.margin, 0), 0)
  return (reduced(lutra.where(sign:eq(1), 1 - cosine, unlike)))
end

function losses.margin_ranking_loss(a, b, target, given)
  local who = "margin_ranking_loss"
  local read, reduced, x, y = inputs(who, given, { margin = 0 }, { "a", "b" }, a, b)
  return (reduced(lutra.maximum(signs(who, target, x.dtype) * (y - x) + read.margin, 0)))
end

function losses.hinge_embedding_loss(x, target, given)
  local who = "hinge_embedding_loss"
  local read, reduced, distance = inputs(who, given, { margin = 1 }, { "x" }, x)
  local sign = signs(who, target, distance.dtype)
  local unlike = lutra.where(sign:eq(-1), lutra.maximum(read.margin - distance, 0), 0)
  return (reduced(lutra.where(sign:eq(1), distance, unlike)))
end

function losses.soft_margin_loss(x, target, given)
  local who = "soft_margin_loss"
  local _, reduced, score = inputs(who, given, {}, { "x" }, x)
  return (reduced(lutra.softplus(-(signs(who, target, score.dtype) * score))))
end

function losses.gaussian_nll_loss(mean, target, variance, given)
  local who = "gaussian_nll_loss"
  local read, reduced, x, y, v = inputs(who, given, { full = false, eps = 1e-6 }, { "mean", "target", "variance" }, mean, target, variance)
  -- A small variance counts as eps; its gradient is that at eps.
  v = v + lutra.stop_gradient(lutra.maximum(v, read.eps) - v)
  local loss = (lutra.log(v) + lutra.square(x - y) / v) * 0.5
  if read.full then loss = loss + 0.5 * math.log(2 * math.pi) end
  return (reduced(loss))
end

function losses.poisson_nll_loss(rate, target, given)
  local who = "poisson_nll_loss"
  local read, reduced, x, y = inputs(who, given, { log_input = true, full = false, eps = 1e-8 }, { "rate", "target" }, rate, target)
  local loss = read.log_input and lutra.exp(x) - y * x or x - y * lutra.log(x + read.eps)
  if read.full then
    -- Stirling's approximation of log(target!).
    local large = lutra.where(y:gt(1), y, 1)
    loss = loss + lutra.where(y:gt(1), y * lutra.log(large) - y + lutra.log(large * (2 * math.pi)) * 0.5, 0)
  end
  return (reduced(loss))
end

local counts = { triplet_margin_loss = 4, cosine_embedding_loss = 4, margin_ranking_loss = 4, hinge_embedding_loss = 3,
  soft_margin_loss = 3, gaussian_nll_loss = 4, poisson_nll_loss = 3 }
for name, count in pairs(counts) do losses[name] = options.bounded(name, count, losses[name], true) end

return losses
