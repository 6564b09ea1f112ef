-- Reductions of segments, whose number is the largest number among segment_ids.
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

for name, count in pairs { segment_sum = 2, segment_mean = 2, segment_max = 2, segment_min = 2 } do
  segments[name] = options.bounded(name, count, segments[name], true)
end

return segments
