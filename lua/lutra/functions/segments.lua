-- Reductions of segments, whose number is the largest number among segment_ids; bags of embeddings.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local segments = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

-- With as many segments as the largest number says. A segment without slices is 0, as TensorFlow's sorted ones have it.
for _, kind in ipairs { "sum", "mean", "max", "min" } do
  local who, op = "segment_" .. kind, lutra["unsorted_segment_" .. kind]
  segments[who] = function(x, ids)
    x, ids = tensor(who, "x", x), tensor(who, "segment_ids", ids)
    if not ids.dtype:find("int") then fail("%s: segment_ids is %s, expected integers", who, ids.dtype) end
    if ids.size == 0 then return (op(x, ids, 0)) end
    local low, count = ids:min():item(), ids:max():item()
    if low < 1 then
      fail("%s: segment_ids has %d, expected numbers from 1 on%s", who, low,
        low < 0 and ("; unsorted_%s drops negative ones"):format(who) or "")
    end
    local found = op(x, ids, count)
    if kind == "sum" or kind == "mean" then return found end
    local flat = ids:flatten()
    local sizes = lutra.unsorted_segment_sum(lutra.ones_like(flat):int64(), flat, count)
    local shape = { count }
    for axis = 2, found.rank do shape[axis] = 1 end
    return (lutra.where(sizes:reshape(shape):eq(0), lutra.zeros({}, { dtype = found.dtype }), found))
  end
end

-- sequence_mask without maxlen: the op with the largest length.
function segments.mask_of_all(op, lengths)
  local who = "sequence_mask"
  lengths = tensor(who, "lengths", lengths)
  if not lengths.dtype:find "int" then fail("%s: lengths is %s, expected an integer", who, lengths.dtype) end
  return (op(lengths, lengths.size > 0 and math.max(lengths:max():item(), 0) or 0))
end

local kModes = { sum = true, mean = true, max = true }

-- The bag of each id, from 1 on, and their number.
local function bags_of(who, ids, read)
  if ids.rank == 2 then
    if read.offsets then fail("%s: offsets go with a vector of ids, and ids has the shape %s", who, tostring(ids.shape)) end
    local count, length = ids.shape[1], ids.shape[2]
    return lutra.repeat_interleave(lutra.range(1, count + 1, 1, { dtype = "int64" }), length), count
  end
  if not read.offsets then
    fail("%s: ids is a vector, and offsets is missing: give the position at which each bag begins, or ids as a matrix", who)
  end
  local offsets = arguments.vector(who, "offsets", arguments.integers(who, "offsets", read.offsets)):cast "int64"
  local list = offsets:totable()
  if #list == 0 then
    if read.include_last_offset then fail("%s: offsets is empty, expected the end of the last bag", who) end
    if ids.size > 0 then fail("%s: offsets is empty, and there are %d ids", who, ids.size) end
  elseif list[1] ~= 1 then
    fail("%s: offsets[1] is %d, expected 1: the first bag begins with the first id", who, list[1])
  end
  for i = 2, #list do
    if list[i] < list[i - 1] then
      fail("%s: offsets[%d] is %d, less than the one before it, %d", who, i, list[i], list[i - 1])
    end
  end
  if #list > 0 and list[#list] > ids.size + 1 then
    fail("%s: offsets[%d] is %d, and there are %d ids", who, #list, list[#list], ids.size)
  end
  if read.include_last_offset and list[#list] ~= ids.size + 1 then
    fail("%s: offsets[%d] is %d, expected %d, the position behind the last id", who, #list, list[#list], ids.size + 1)
  end
  local places = lutra.range(1, ids.size + 1, 1, { dtype = "int64" })
  local bags = #list == 0 and places or lutra.searchsorted(offsets, places, { right = true }) - 1
  return bags, #list - (read.include_last_offset and 1 or 0)
end

function segments.embedding_bag(ids, weight, given)
  local who = "embedding_bag"
  local read = options.read(who, given,
    { offsets = false, mode = "mean", per_sample_weights = false, include_last_offset = false, padding_idx = false })
  options.word(who, "mode", read.mode, kModes)
  options.boolean(who, "include_last_offset", read.include_last_offset)
  ids, weight = arguments.integers(who, "ids", ids), tensor(who, "weight", weight)
  if ids.rank ~= 1 and ids.rank ~= 2 then
    fail("%s: ids has the shape %s, expected a vector or a matrix", who, tostring(ids.shape))
  end
  if weight.rank ~= 2 then fail("%s: weight has the shape %s, expected [ids, features]", who, tostring(weight.shape)) end
  if not weight.dtype:find "float" then fail("%s: weight is %s, expected floats", who, weight.dtype) end
  local bags, count = bags_of(who, ids, read)
  local by = read.per_sample_weights
  if by then
    if read.mode ~= "sum" then fail('%s: per_sample_weights go with mode = "sum", and mode is "%s"', who, read.mode) end
    by = arguments.number(who, "per_sample_weights", by)
    if by.shape ~= ids.shape then
      fail("%s: per_sample_weights has the shape %s, expected that of ids, %s", who, tostring(by.shape), tostring(ids.shape))
    end
  end
  ids = ids:flatten()
  if read.padding_idx then
    local padding = options.count(who, "padding_idx", read.padding_idx, 1)
    if padding > weight.shape[1] then
      fail("%s: padding_idx is %d, and weight has %d rows", who, padding, weight.shape[1])
    end
    bags = lutra.where(ids:eq(padding), -1, bags)
  end
  local rows = lutra.embedding(weight, ids)
  if by then rows = rows * by:cast(weight.dtype):reshape { -1, 1 } end
  local found = lutra["unsorted_segment_" .. read.mode](rows, bags, count)
  if read.mode ~= "max" then return found end
  local sizes = lutra.unsorted_segment_sum(lutra.ones_like(bags), bags, count)
  return (lutra.where(sizes:reshape({ count, 1 }):eq(0), lutra.zeros({}, { dtype = found.dtype }), found))
end

for name, count in pairs { embedding_bag = 3, segment_sum = 2, segment_mean = 2, segment_max = 2, segment_min = 2 } do
  segments[name] = options.bounded(name, count, segments[name], true)
end

return segments
