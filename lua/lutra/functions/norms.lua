-- Samples of categories, and norms.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local norms = {}

-- Halves are computed in float32.
local function wide(x)
  if x.dtype == "float16" or x.dtype == "bfloat16" then return lutra.cast(x, "float32"), x.dtype end
  return x, x.dtype
end

-- gumbel_softmax(logits[, {tau, hard, axis, seed}]): a sample of a category as shares of all (Jang, Gu and Poole, ICLR
-- 2017). hard: exactly one category, with the gradient of the shares.
function norms.gumbel_softmax(logits, given)
  local who = "gumbel_softmax"
  logits = arguments.float(arguments.tensor(who, "logits", logits))
  local read = options.read(who, given, { tau = 1.0, hard = false, axis = -1, seed = false })
  options.positive(who, "tau", read.tau)
  options.boolean(who, "hard", read.hard)
  local axis = arguments.axis(who, read.axis, logits.rank)
  -- Halves are rounded once, at the end: a rounded sum would change its power by whole percents.
  local sum, dtype = wide(logits)
  local share = lutra.random.uniform(logits.shape, { seed = read.seed or nil, dtype = sum.dtype })
  -- 0 has no logarithm.
  local noise = -lutra.log(-lutra.log(lutra.clip(share, 1e-20, 1 - 6e-8)))
  local y = lutra.softmax((sum + noise) / read.tau, axis)
  if y.dtype ~= dtype then y = lutra.cast(y, dtype) end
  if not read.hard then return y end
  local chosen = lutra.one_hot(lutra.argmax(y, axis), y.shape[axis], { dtype = y.dtype })
  if axis ~= y.rank then
    local order = {}
    for k = 1, y.rank do order[k] = k < axis and k or k == axis and y.rank or k - 1 end
    chosen = lutra.transpose(chosen, order)
  end
  return chosen + (y - lutra.stop_gradient(y))
end

local function scaled(who, y, x, scale, offset)
  local channels = x.shape[x.rank]
  for name, value in pairs { scale = scale or false, offset = offset or false } do
    if value then
      value = arguments.tensor(who, name, value, 1, ("(%d,)"):format(channels))
      if value.shape[1] ~= channels then
        tools.fail("InvalidArgument", ("%s: %s has %d elements, and x %d channels"):format(who, name, value.shape[1], channels))
      end
      value = lutra.cast(value, y.dtype)
      y = name == "scale" and y * value or y + value
    end
  end
  return y
end
local function apply(who, y, x, scale, offset)
  if not scale and not offset then return y end
  -- The scale comes first.
  y = scaled(who, y, x, scale, nil)
  return scaled(who, y, x, nil, offset)
end

-- rms_norm(x[, scale[, {epsilon}]]): x divided by the root of the mean square over the last axis.
function norms.rms_norm(x, scale, given)
  local who = "rms_norm"
  x = arguments.float(arguments.tensor(who, "x", x))
  if x.rank == 0 then tools.fail("InvalidArgument", "rms_norm: x is a scalar, expected at least one axis") end
  local epsilon = given and options.number(who, "epsilon", options.read(who, given, { epsilon = 1e-6 }).epsilon, 0) or 1e-6
  local y, dtype = wide(x)
  -- The norm reads x once, and no square is written.
  local length = lutra.norm(y, -1, { keepdims = true })
  y = y * lutra.rsqrt(length * length / math.max(x.shape[x.rank], 1) + epsilon)
  if scale then y = scaled(who, y, x, scale, nil) end
  return y.dtype == dtype and y or lutra.cast(y, dtype)
end

-- Mean 0 and variance 1 over the axes.
local function centred(y, axes, epsilon)
  local apart = y - y:mean(axes, { keepdims = true })
  return apart * lutra.rsqrt((apart * apart):mean(axes, { keepdims = true }) + epsilon)
end

-- instance_norm(x[, scale[, offset[, {epsilon}]]]): over all axes but the batch and the channels.
function norms.instance_norm(x, scale, offset, given)
  local who = "instance_norm"
  x = arguments.float(arguments.tensor(who, "x", x))
  if x.rank < 3 then
    tools.fail("InvalidArgument", ("instance_norm: x has the shape %s, expected (batch, ..., channels)"):format(tostring(x.shape)))
  end
  local epsilon = options.number(who, "epsilon", options.read(who, given, { epsilon = 1e-5 }).epsilon, 0)
  local axes = {}
  for k = 2, x.rank - 1 do axes[#axes + 1] = k end
  local y, dtype = wide(x)
  return lutra.cast(apply(who, centred(y, axes, epsilon), x, scale, offset), dtype)
end

-- group_norm(x, groups[, scale[, offset[, {epsilon}]]]): over groups of channels, at all places of a row.
function norms.group_norm(x, groups, scale, offset, given)
  local who = "group_norm"
  x = arguments.float(arguments.tensor(who, "x", x))
  groups = options.count(who, "groups", groups, 1)
  if x.rank < 2 then
    tools.fail("InvalidArgument", ("group_norm: x has the shape %s, expected (batch, ..., channels)"):format(tostring(x.shape)))
  end
  local epsilon = options.number(who, "epsilon", options.read(who, given, { epsilon = 1e-5 }).epsilon, 0)
  local channels, places = x.shape[x.rank], 1
  if channels % groups ~= 0 then
    tools.fail("InvalidArgument", ("group_norm: %d channels cannot be divided into %d groups"):format(channels, groups))
  end
  for k = 2, x.rank - 1 do places = places * x.shape[k] end
  local y, dtype = wide(x)
  y = centred(y:reshape { x.shape[1], places, groups, channels // groups }, { 2, 4 }, epsilon):reshape(x.shape)
  return lutra.cast(apply(who, y, x, scale, offset), dtype)
end

for name, count in pairs { gumbel_softmax = 2, rms_norm = 3, instance_norm = 4, group_norm = 5 } do
  norms[name] = options.bounded(name, count, norms[name], true)
end

return norms
