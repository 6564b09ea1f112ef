-- Numbers still on devices, such as losses of queued steps. They are read together, since a read waits for a GPU.
local lutra, tools, use = ...
local class = use "class"

-- A weighted sum of one-element tensors on several devices. It is read like a tensor. is_shared: other ranks have terms of
-- the sum too, and read it at the same time.
local Parts = class "nn.Parts"
function Parts:init(tensors, weights, is_shared) self.tensors, self.weights, self.is_shared = tensors, weights, is_shared end

local waiting = { Parts = Parts }

-- The sums of the Parts that ranks share, which have the numbers numbers[at[i] + 1], ...; in the ranks' order.
local function shared_sums(list, numbers, at)
  local mine = {}
  for i, value in ipairs(list) do
    mine[#mine + 1] = #value.weights
    for k, weight in ipairs(value.weights) do
      mine[#mine + 1], mine[#mine + 2] = numbers[at[i] + k], weight
    end
  end
  local totals = {}
  for i = 1, #list do totals[i] = 0.0 end
  for _, theirs in ipairs(use "distribute.ranks".gather_numbers("reading the loss", mine, tostring(#list))) do
    local place = 1
    for i = 1, #list do
      local count = theirs[place]
      for k = 1, count do totals[i] = totals[i] + theirs[place + 2 * k - 1] * theirs[place + 2 * k] end
      place = place + 1 + 2 * count
    end
  end
  return totals
end

-- Reads a list of tensors and Parts as numbers.
function waiting.items(list)
  local tensors = {}
  for _, value in ipairs(list) do
    if getmetatable(value) == Parts then
      table.move(value.tensors, 1, #value.tensors, #tensors + 1, tensors)
    else
      tensors[#tensors + 1] = value
    end
  end
  local numbers, out, at = tools.items(tensors), {}, 0
  local shared, places, starts = {}, {}, {}
  for i, value in ipairs(list) do
    if getmetatable(value) == Parts then
      local total = 0.0
      for k, weight in ipairs(value.weights) do total = total + numbers[at + k] * weight end
      if value.is_shared then
        local place = #shared + 1
        shared[place], places[place], starts[place] = value, i, at
      end
      out[i], at = total, at + #value.weights
    else
      at = at + 1
      out[i] = numbers[at]
    end
  end
  if #shared > 0 then
    for k, total in ipairs(shared_sums(shared, numbers, starts)) do out[places[k]] = total end
  end
  return out
end

function Parts:item() return waiting.items({ self })[1] end

return waiting
