-- Random numbers of shuffles. An iteration's numbers depend on one seed alone: a shuffle with a seed uses nothing of
-- set_seed's sequence, and one without a seed draws a single number from it.
local lutra, tools, use = ...

local randomness = {}

-- A different number for each (seed, i), spread over all bits: one step of splitmix64 (Steele et al., OOPSLA 2014).
function randomness.derived(seed, i)
  local z = seed + (i + 1) * 0x9e3779b97f4a7c15
  z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
  z = (z ~ (z >> 27)) * 0x94d049bb133111eb
  return z ~ (z >> 31)
end

-- The next number of set_seed's sequence.
function randomness.drawn()
  return lutra.device("/CPU:0", function() return lutra.random.randint({}, 0, math.maxinteger - 1):item() end)
end

local kBlock = 256

-- Returns a function that returns a random integer of 1 .. n.
function randomness.numbers(seed)
  local block, at, made = {}, 0, 0
  return function(n)
    if at == #block then
      block = lutra.device("/CPU:0", function()
        return lutra.random.uniform({ kBlock }, { dtype = "float64", seed = randomness.derived(seed, made) }):totable()
      end)
      at, made = 0, made + 1
    end
    at = at + 1
    return math.floor(block[at] * n) + 1
  end
end

return randomness
