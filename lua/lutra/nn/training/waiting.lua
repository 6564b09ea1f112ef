-- Numbers that wait on devices, as the losses of the steps that are queued do. They are read together: a read waits for a GPU.
local lutra, tools, use = ...
local class = use "class"

-- A number in parts: tensors of one element, each with its weight. It is read as a tensor is.
local Parts = class "nn.Parts"
function Parts:init(tensors, weights) self.tensors, self.weights = tensors, weights end

local waiting = { Parts = Parts }

-- The numbers of a list of tensors and Parts.
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
