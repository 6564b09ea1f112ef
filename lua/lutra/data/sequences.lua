-- Methods of datasets that select, join or follow elements, with tf.data's names. Loaded when one of them is first called.
local _, tools, use = ...
local options, structure, dataset = use "options", use "data.structure", use "data.dataset"
local Dataset, kInfinite, kUnknown = dataset.Dataset, dataset.kInfinite, dataset.kUnknown

local require_self, require_function, derive = dataset.require_self, dataset.require_function, dataset.derive
local require_made = dataset.require_made

-- flat_map(f): the elements of the datasets that f makes of each element, one dataset after the other.
derive("flat_map", function(self, f)
  require_function("flat_map", f)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next = self.open(ahead)
    return dataset.joined(function()
      local element = table.pack(next())
      if element[1] == nil then return nil end
      return require_made("flat_map", f(table.unpack(element, 1, element.n))).open(ahead)
    end)
  end
end)

-- interleave(f[, {cycle_length, block_length}]): the same in turns, block_length elements of each of cycle_length datasets.
derive("interleave", function(self, f, given)
  require_function("interleave", f)
  local read = options.read("interleave", given,
    { cycle_length = 4, block_length = 1, num_parallel_calls = false, deterministic = true })
  local cycle = options.count("interleave", "cycle_length", read.cycle_length, 1)
  local block = options.count("interleave", "block_length", read.block_length, 1)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, open, at, taken, is_over = self.open(ahead), {}, 1, 0, false
    local function started()
      if is_over then return nil end
      local element = table.pack(next())
      if element[1] == nil then
        is_over = true
        return nil
      end
      return require_made("interleave", f(table.unpack(element, 1, element.n))).open(ahead)
    end
    return function()
      local idle = 0
      while idle < cycle do
        open[at] = open[at] or started()
        if open[at] then
          local element = table.pack(open[at]())
          if element[1] ~= nil then
            taken = taken + 1
            if taken == block then at, taken = at % cycle + 1, 0 end
            return table.unpack(element, 1, element.n)
          end
          -- As in tf.data, a place whose dataset has ended passes its turn on, and has another dataset next time.
          open[at], idle = nil, 0
        else
          idle = idle + 1
        end
        at, taken = at % cycle + 1, 0
      end
    end
  end
end)

-- shard(count, index): each count-th element, from the index-th on; indices count from 1.
derive("shard", function(self, shards, index)
  shards, index = options.count("shard", "num_shards", shards, 1), options.count("shard", "index", index, 1)
  if index > shards then
    tools.fail("InvalidArgument", ("shard: index is %d, expected a number from 1 to %d"):format(index, shards))
  end
  local count = self.count >= 0 and math.max(self.count - index + shards, 0) // shards or self.count
  return count, function(ahead)
    local next, skipped = self.open(ahead), index - 1
    return function()
      for _ = 1, skipped do
        if next() == nil then return nil end
      end
      skipped = shards - 1
      return next()
    end
  end
end)

local function truth(who, kept)
  if type(kept) == "userdata" then kept = kept:item() end
  if type(kept) == "boolean" then return kept end
  tools.fail("InvalidArgument", ("%s: the function gives %s, expected true or false"):format(who, tools.what_is(kept)))
end

-- take_while(f): the elements before the first for which f gives false.
derive("take_while", function(self, f)
  require_function("take_while", f)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, is_over = self.open(ahead), false
    return function()
      if is_over then return nil end
      local element = table.pack(next())
      if element[1] ~= nil and truth("take_while", f(table.unpack(element, 1, element.n))) then
        return table.unpack(element, 1, element.n)
      end
      is_over = true
    end
  end
end)

-- scan(state, f): f(state, values...) returns the next state and the values of the new element.
derive("scan", function(self, initial, f)
  require_function("scan", f, "the state and an element's values")
  return self.count, function(ahead)
    local next, state = self.open(ahead), initial
    local function taken(new_state, first, ...)
      state = new_state
      if first == nil then
        tools.fail("InvalidArgument", "scan: the function gives no values, expected the next state and an element's values")
      end
      return table.unpack(structure.parts("scan", first, ...))
    end
    return function()
      local element = table.pack(next())
      if element[1] == nil then return nil end
      return taken(f(state, table.unpack(element, 1, element.n)))
    end
  end
end)

-- reduce(state, f): f(state, values...) returns the next state; the result is the last one.
function Dataset:reduce(state, f)
  require_self("reduce", self)
  require_function("reduce", f, "the state and an element's values")
  if self.count == kInfinite then
    tools.fail("InvalidArgument", "reduce: the dataset is infinite: write dataset:take(n):reduce(...)")
  end
  local next, s, control, close <close> = self:iterate()
  local element = table.pack(next(s, control))
  while element[1] ~= nil do
    state = f(state, table.unpack(element, 1, element.n))
    element = table.pack(next(s, element[1]))
  end
  return state
end

-- apply(f): f(dataset), which returns a dataset.
function Dataset:apply(f)
  require_self("apply", self)
  require_function("apply", f, "the dataset")
  return require_made("apply", f(self))
end

-- get_single_element(): the values of the only element.
function Dataset:get_single_element()
  require_self("get_single_element", self)
  local next, s, control, close <close> = self:iterate()
  local element, more = table.pack(next(s, control)), nil
  if element[1] ~= nil then more = next(s, element[1]) end
  if element[1] == nil or more ~= nil then
    tools.fail("InvalidArgument", ("get_single_element: the dataset has %s, expected one element"):format(
      more ~= nil and "several elements" or "no elements"))
  end
  return table.unpack(element, 1, element.n)
end

-- unique(): elements of one value, each the first time that it comes.
derive("unique", function(self)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, seen = self.open(ahead), {}
    return function()
      while true do
        local value, second = next()
        if value == nil then return nil end
        if second ~= nil or type(value) ~= "userdata" then
          tools.fail("InvalidArgument", "unique: an element has several values, expected one tensor")
        end
        local key = value.dtype .. tostring(value.shape) .. value:bytes()
        if not seen[key] then
          seen[key] = true
          return value
        end
      end
    end
  end
end)

return {}
