-- Gradients added up over several steps, of which only the last one changes the variables (gradient_accumulation_steps).
local lutra, tools = ...

-- a + b on their device; false where there is none.
local function sum_of(a, b)
  if not (a and b) then return a or b or false end
  return lutra.device(b.device, lutra.add, a, b)
end

local function mean_of(sum, count) return sum and lutra.device(sum.device, lutra.div, sum, count) end

-- Applies f(list, k) to the same places of lists of lists.
local function each(lists, f)
  local out = {}
  for id = 1, #lists do
    out[id] = {}
    for k = 1, #lists[id] do out[id][k] = f(id, k) end
  end
  return out
end

-- Adds lists[id] of gradients to those that the optimizer holds. Returns their means at every last step, else nil.
return function(optimizer, lists)
  tools.refuse_recording("the optimizer adds up gradients (gradient_accumulation_steps), and only some calls take a step")
  local held, steps = optimizer.held, optimizer.gradient_accumulation_steps
  if held then
    lists = each(lists, function(id, k) return sum_of(held.lists[id][k], lists[id][k]) end)
  end
  local count = (held and held.count or 0) + 1
  if count < steps then
    optimizer.held = { lists = lists, count = count }
    return nil
  end
  optimizer.held = nil
  return each(lists, function(id, k) return mean_of(lists[id][k], steps) end)
end
