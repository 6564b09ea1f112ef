-- lutra.random.choice, and generators with a state of their own. Documented in _meta/lutra.lua.
local lutra, tools, use = ...
local options = use "options"
local class = use "class"
local random = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

-- The number of elements, and the shape as a list.
local function sizes_of(who, shape)
  local list = options.shape(who, "shape", shape == nil and {} or shape)
  local count = 1
  for i, size in ipairs(list) do
    if size < 0 then fail("%s: shape[%d] is %d, expected 0 or more", who, i, size) end
    count = count * size
  end
  return count, list
end

-- Classes with the largest keys log(p) - log(an exponential number) are drawn without replacement (Efraimidis and
-- Spirakis, 2006).
local function without_replacement(log_weights, count, seed)
  local noise = lutra.random.exponential(log_weights.shape, { dtype = log_weights.dtype, seed = seed or nil })
  local _, places = lutra.top_k(log_weights - lutra.log(noise), count)
  return places
end

-- The first `count` numbers of random.permutation(n). That sorts 64 random bits for each number; a few of the smallest
-- are found without sorting the others. The bits are the same, so the numbers are too.
local kLeastToSelect, kMostShare = 4096, 16
local function first_of_permutation(n, count, seed)
  if n < kLeastToSelect or count * kMostShare > n then
    return lutra.random.permutation(n, { seed = seed })[{ { 1, count } }]
  end
  local bits = lutra.random.randint({ n }, math.mininteger, math.maxinteger, { seed = seed })
  local _, places = lutra.top_k(lutra.bitwise_not(bits), count)
  return places
end

function random.choice(x, shape, given)
  local who = "random.choice"
  local read = options.read(who, given, { replace = true, p = false, seed = false })
  local count, list = sizes_of(who, shape)
  local is_number = math.type(x) == "integer"
  if not is_number then x = options.tensor(who, "x", x, "a tensor or a whole number") end
  if not is_number and x.rank == 0 then fail("%s: x is a scalar tensor, which has no elements to choose from", who) end
  local n = is_number and options.count(who, "x", x, 0) or #x
  if n == 0 and count > 0 then fail("%s: x has no elements to choose from", who) end
  local seed, places = read.seed or nil, nil
  local p = read.p
  if p then
    p = options.tensor(who, "p", p)
    if p.rank ~= 1 or #p ~= n then
      fail("%s: p has the shape %s, expected a weight for each of the %d elements", who, tostring(p.shape), n)
    end
    if not lutra.all(p:ge(0)):item() then fail("%s: p has a negative number or nan", who) end
    p = lutra.log(p)
  end
  if not read.replace then
    local most = p and p:isfinite():sum():item() or n
    if count > most then
      fail("%s: %d elements are to be drawn without replacement, and there are %d%s", who, count, most,
        p and " with a weight above 0" or "")
    end
    if count == 0 then places = lutra.zeros({ 0 }, { dtype = "int64" })
    elseif p then places = without_replacement(p, count, seed)
    else places = first_of_permutation(n, count, seed) end
  elseif p then
    places = lutra.random.categorical(p, count, { seed = seed })
  elseif count == 0 then
    places = lutra.zeros({ 0 }, { dtype = "int64" })
  else
    places = lutra.random.randint({ count }, 1, n, { seed = seed })
  end
  places = places:reshape(list)
  if is_number then return places end
  return (lutra.gather(x, places, 1))
end

-- Number `count` of a generator's sequence of seeds (Steele, Lea and Flood: SplitMix64, 2014).
local function mixed(key, count)
  local z = key + (count + 1) * 0x9E3779B97F4A7C15
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return z ~ (z >> 31)
end

local Generator = class("random.Generator")

function Generator:init(seed)
  if seed == nil then seed = lutra.random.randint({}, math.mininteger, math.maxinteger):item() end
  self.key, self.count = options.whole("random.Generator", "seed", seed), 0
end

local function own(who, generator)
  if type(generator) ~= "table" or not math.tointeger(rawget(generator, "count")) then
    fail("%s: the generator is missing: call it with a colon", who)
  end
  return generator
end

function Generator:seed()
  own("Generator:seed", self)
  self.count = self.count + 1
  return mixed(self.key, self.count - 1)
end

function Generator:state()
  own("Generator:state", self)
  return (lutra.constant({ self.key, self.count }, { dtype = "int64" }))
end

function Generator:set_state(state)
  own("Generator:set_state", self)
  if not tools.is_tensor(state) or state.dtype ~= "int64" or state.rank ~= 1 or #state ~= 2 then
    fail("Generator:set_state: state is %s, expected what generator:state() gave", tools.what_is(state))
  end
  self.key, self.count = table.unpack(state:totable())
end

-- Each is a table of Lua.
local kMostSplit = 1 << 24

function Generator:split(n)
  own("Generator:split", self)
  local made = {}
  for i = 1, options.count("Generator:split", "n", n == nil and 2 or n, 0, kMostSplit) do made[i] = Generator(self:seed()) end
  return made
end

Generator.__tostring = function(self) return ("lutra.random.Generator(key=%d, count=%d)"):format(self.key, self.count) end

-- The functions of lutra.random as methods, with the generator's next seed.
for name, draw in pairs(lutra.random) do
  if name ~= "set_seed" and name ~= "Generator" then
    Generator[name] = function(self, ...)
      own("Generator:" .. name, self)
      local args = table.pack(...)
      local last, with_seed = args[args.n], {}
      if type(last) == "table" and getmetatable(last) == nil and next(last) ~= nil and #last == 0 then
        for key, value in pairs(last) do with_seed[key] = value end
        if with_seed.seed ~= nil then fail("Generator:%s: seed is given, and a generator has its own", name) end
        args.n = args.n - 1
      end
      with_seed.seed = self:seed()
      args[args.n + 1] = with_seed
      local drawn = draw(table.unpack(args, 1, args.n + 1))
      return drawn
    end
  end
end

random.choice = options.bounded("random.choice", 3, random.choice, true)
random.Generator = options.bounded("random.Generator", 1, function(seed) return (Generator(seed)) end)
return random
