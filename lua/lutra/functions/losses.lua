-- Losses of PyTorch's and TensorFlow's names that lutra.nn.losses does not have in that form.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local losses = {}

local reductions = { mean = true, sum = true, none = true, batchmean = true }
local function read_reduction(who, reduction, known)
  return options.word(who, "reduction", reduction, known) and reduction
end

-- kl_div(log_predictions, targets[, {reduction, log_target}])
function losses.kl_div(input, target, given)
  local who = "kl_div"
  input = arguments.float(arguments.tensor(who, "input", input))
  target = lutra.cast(arguments.tensor(who, "target", target), input.dtype)
  local read = options.read(who, given, { reduction = "mean", log_target = false })
  read_reduction(who, read.reduction, reductions)
  options.boolean(who, "log_target", read.log_target)
  if input.shape ~= target.shape then
    tools.fail("InvalidArgument", ("%s: input has the shape %s and target %s, expected one shape"):format(who, tostring(input.shape),
      tostring(target.shape)))
  end
  local loss
  if read.log_target then loss = lutra.exp(target) * (target - input) else loss = lutra.xlogy(target, target) - target * input end
  if read.reduction == "batchmean" then return loss:sum() / math.max(input.rank > 0 and input.shape[1] or 1, 1) end
  return arguments.reduced(loss, read.reduction)
end

-- nll_loss(log_predictions, labels[, {weight, ignore_index, reduction}]): [..., classes] and class numbers from 1.
function losses.nll_loss(input, target, given)
  local who = "nll_loss"
  input = arguments.float(arguments.tensor(who, "input", input))
  target = arguments.tensor(who, "target", target)
  local read = options.read(who, given, { weight = false, ignore_index = false, reduction = "mean" })
  read_reduction(who, read.reduction, { mean = true, sum = true, none = true })
  if input.rank == 0 or target.rank ~= input.rank - 1 or target.dtype:find "float" or target.dtype == "bool" then
    tools.fail("InvalidArgument", ("%s: input has the shape %s and target is %s %s, expected (..., classes) and a class number for "
      .. "each row"):format(who, tostring(input.shape), target.dtype, tostring(target.shape)))
  end
  local classes = input.shape[input.rank]
  local weight
  if read.weight then
    weight = lutra.cast(arguments.tensor(who, "weight", read.weight, 1, ("(%d,)"):format(classes)), input.dtype)
  end
  local counts
  if read.ignore_index then
    local ignored = target:eq(options.whole(who, "ignore_index", read.ignore_index))
    target, counts = lutra.where(ignored, 1, target), lutra.cast(lutra.logical_not(ignored), input.dtype)
  end
  local loss = -lutra.squeeze(lutra.take_along_axis(input, lutra.expand_dims(target, -1), -1), -1)
  local share = weight and lutra.gather(weight, target) or nil
  if counts then share = share and share * counts or counts end
  if share then loss = loss * share end
  if share and read.reduction == "mean" then return loss:sum() / share:sum() end
  return arguments.reduced(loss, read.reduction)
end

-- Less than any sum of logarithms, and its sums are no -inf, whose differences would be nan.
local kNever = -1e30

-- The classes on a path, with blanks around: {rows, 2 labels + 1}; and where a path may leave out a blank.
local function path_of(labels, blank)
  local n, count = labels.shape[1], labels.shape[2]
  local blanks = lutra.fill({ n, count, 1 }, blank, { dtype = "int64" })
  local path = lutra.concat({ blanks, lutra.expand_dims(labels, -1) }, 3):reshape { n, 2 * count }
  path = lutra.concat({ path, lutra.fill({ n, 1 }, blank, { dtype = "int64" }) }, 2)
  local before = lutra.concat({ lutra.fill({ n, 2 }, blank, { dtype = "int64" }), path }, 2)[{ {}, { 1, 2 * count + 1 } }]
  return path, lutra.logical_and(path:ne(blank), path:ne(before))
end

-- The logarithms one and two places before: {rows, places}.
local function shifted(alpha, by)
  local places = alpha.shape[2]
  return lutra.pad(alpha, { { 0, 0 }, { by, 0 } }, { value = kNever })[{ {}, { 1, places } }]
end

local function lengths(who, name, value, n, most, least)
  value = arguments.tensor(who, name, value, 1, ("(%d,)"):format(n))
  if value.shape[1] ~= n then
    tools.fail("InvalidArgument", ("%s: %s has %d numbers, and there are %d rows"):format(who, name, value.shape[1], n))
  end
  for i, length in ipairs(value:totable()) do
    if math.type(length) ~= "integer" or length < least or length > most then
      tools.fail("InvalidArgument", ("%s: %s[%d] is %s, expected a whole number of %d to %d"):format(who, name, i, length, least, most))
    end
  end
  return lutra.cast(value, "int64")
end

-- ctc_loss(labels, logits, label_length, logit_length[, {blank_index}]): a number for each row (Graves et al., ICML 2006).
function losses.ctc_loss(labels, logits, label_length, logit_length, given)
  local who = "ctc_loss"
  labels = arguments.tensor(who, "labels", labels, 2, "(rows, most labels)")
  logits = arguments.float(arguments.tensor(who, "logits", logits, 3, "(rows, steps, classes)"))
  local n, steps, classes = table.unpack(logits.shape)
  if labels.shape[1] ~= n or labels.dtype:find "float" or steps == 0 then
    tools.fail("InvalidArgument", ("%s: labels are %s %s and logits have the shape %s, expected class numbers of as many rows, and "
      .. "at least one step"):format(who, labels.dtype, tostring(labels.shape), tostring(logits.shape)))
  end
  local blank = options.count(who, "blank_index", options.read(who, given, { blank_index = 1 }).blank_index, 1)
  if blank > classes then
    tools.fail("InvalidArgument", ("%s: blank_index is %d, and there are %d classes"):format(who, blank, classes))
  end
  label_length = lengths(who, "label_length", label_length, n, labels.shape[2], 0)
  logit_length = lengths(who, "logit_length", logit_length, n, steps, 1)
  local count = labels.shape[2]
  -- Labels after the end of a row are not read.
  labels = lutra.cast(labels, "int64")
  local is_label = lutra.range(1, count + 1):reshape { 1, count }:le(lutra.expand_dims(label_length, 2))
  labels = lutra.where(is_label, labels, blank)
  if count > 0 and n > 0 and (labels:min():item() < 1 or labels:max():item() > classes) then
    tools.fail("InvalidArgument", ("%s: labels are from %d to %d, and there are %d classes"):format(who, labels:min():item(),
      labels:max():item(), classes))
  end
  local path, can_skip = path_of(labels, blank)
  local places = path.shape[2]
  local chances = lutra.log_softmax(logits, -1)
  local function at(step) return lutra.take_along_axis(chances[{ {}, step }], path, 2) end
  local is_start = lutra.range(1, places + 1):reshape { 1, places }:le(2)
  local alpha = lutra.where(is_start, at(1), kNever)
  for step = 2, steps do
    local before = lutra.logaddexp(alpha, shifted(alpha, 1))
    local new = lutra.logaddexp(before, lutra.where(can_skip, shifted(alpha, 2), kNever)) + at(step)
    alpha = lutra.where(lutra.expand_dims(logit_length:ge(step), 2), new, alpha)
  end
  local last = lutra.expand_dims(2 * label_length + 1, 2)
  local final = lutra.take_along_axis(alpha, last, 2)
  local label = lutra.take_along_axis(alpha, lutra.maximum(last - 1, 1), 2)
  label = lutra.where(last:gt(1), label, kNever)
  return -lutra.squeeze(lutra.logaddexp(final, label), 2)
end

for name, count in pairs { kl_div = 3, nll_loss = 3, ctc_loss = 5 } do
  losses[name] = options.bounded(name, count, losses[name], true)
end

return losses
