-- Numbers still on devices, such as losses of queued steps. They are read together, since a read waits for a GPU.
local lutra, tools, use = ...
local class = use "class"

-- A weighted sum of one-element tensors on several devices. It is read like a tensor.
local Parts = class "nn.Parts"
function Parts:init(tensors, weights) self.tensors, self.weights = tensors, weights end

local waiting = { Parts = Parts }

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
  for i, value in ipairs(list) do
    if getmetatable(value) == Parts then
      local total = 0.0
      for k, weight in ipairs(value.weights) do total = total + numbers[at + k] * weight end
      out[i], at = total, at + #value.weights
    else
      at = at + 1
      out[i] = numbers[at]
    end
  end
  return out
end

function Parts:item() return waiting.items({ self })[1] end

return waiting
