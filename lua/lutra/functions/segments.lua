-- Reductions of segments, whose number is the largest number among segment_ids.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local segments = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

-- With as many segments as the largest number says.
for _, kind in ipairs { "sum", "mean", "max", "min" } do
  local who, op = "segment_" .. kind, lutra["unsorted_segment_" .. kind]
  segments[who] = function(x, ids)
    x, ids = tensor(who, "x", x), tensor(who, "segment_ids", ids)
    if not ids.dtype:find("int") then fail("%s: segment_ids is %s, expected integers", who, ids.dtype) end
    local found = op(x, ids, ids.size > 0 and ids:max():item() or 0)
    return found
  end
end

for name, count in pairs { segment_sum = 2, segment_mean = 2, segment_max = 2, segment_min = 2 } do
  segments[name] = options.bounded(name, count, segments[name], true)
end

return segments
