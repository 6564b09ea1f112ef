-- Norms of lists of tensors, such as gradients.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local lists = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

local function list_of_tensors(who, list)
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    fail("%s: list is %s, expected a list of tensors", who, tools.what_is(list))
  end
  for i = 1, #list do
    if list[i] ~= false and not tools.is_tensor(list[i]) then
      fail("%s: list[%d] is %s, expected a tensor, or false for none", who, i, tools.what_is(list[i]))
    end
  end
  return list
end

local function norm_of_all(who, list)
  local norms = {}
  for _, x in ipairs(list_of_tensors(who, list)) do
    if x then norms[#norms + 1] = lutra.norm(x) end
  end
  return #norms > 0 and lutra.norm(lutra.stack(norms)) or lutra.constant(0.0)
end

function lists.global_norm(list) return (norm_of_all("global_norm", list)) end

function lists.clip_by_global_norm(list, clip_norm, given)
  local who = "clip_by_global_norm"
  local read = options.read(who, given, { use_norm = false })
  list_of_tensors(who, list)
  options.number(who, "clip_norm", clip_norm, 0)
  local norm = read.use_norm and tensor(who, "use_norm", read.use_norm) or norm_of_all(who, list)
  -- Without a comparison in Lua, which would wait for the norm. With clip_norm 0 and norm 0 everything is 0 as it is.
  local scale = clip_norm > 0 and clip_norm / lutra.maximum(norm, clip_norm) or norm * 0
  local clipped = {}
  for i, x in ipairs(list_of_tensors(who, list)) do clipped[i] = x and x * scale:cast(x.dtype) end
  return clipped, norm
end

for name, count in pairs { global_norm = 1, clip_by_global_norm = 3 } do
  lists[name] = options.bounded(name, count, lists[name], true)
end

return lists
