-- Iterators over row numbers. A dataset that only reorders rows of its tensors produces row numbers, many at a time:
-- next(most) returns a range `first, last` or an int64 tensor, and nil after the last. So a batch is one slice or one
-- gather, and no Lua runs per row.
local lutra, tools, use = ...

local places = {}

-- first .. last.
function places.range(first, last)
  return function(most)
    if first > last then return nil end
    local from, to = first, last
    if last - first >= most then to = first + most - 1 end
    first = to + 1
    return from, to
  end
end

-- The row numbers in a tensor.
function places.listed(list)
  local next_range = places.range(1, #list)
  return function(most)
    local first, last = next_range(most)
    return first and list[{ { first, last } }]
  end
end

local function count_of(first, last) return last and last - first + 1 or #first end
local function as_tensor(first, last) return last and lutra.range(first, last + 1, { dtype = "int64" }) or first end
places.as_tensor = as_tensor

-- Like next(most), but returns fewer than `most` row numbers only at the end.
function places.collect(next, most)
  local first, last = next(most)
  if first == nil then return nil end
  local have, list = count_of(first, last), nil
  while have < most do
    local more, more_last = next(most - have)
    if more == nil then break end
    list = list or { as_tensor(first, last) }
    list[#list + 1] = as_tensor(more, more_last)
    have = have + count_of(more, more_last)
  end
  if list then return lutra.concat(list) end
  return first, last
end

-- At most `most` row numbers in total.
function places.take(next, most)
  return function(wanted)
    if most <= 0 then return nil end
    local first, last = next(math.min(wanted, most))
    if first ~= nil then most = most - count_of(first, last) end
    return first, last
  end
end

-- All but the first `count` row numbers.
function places.skip(next, count)
  return function(wanted)
    while count > 0 do
      local first, last = next(count)
      if first == nil then return nil end
      count = count - count_of(first, last)
    end
    return next(wanted)
  end
end

-- The row numbers of open(), repeated `times` times, or forever if that is nil.
function places.again(open, times)
  local next, is_fresh = nil, true
  return function(wanted)
    while true do
      if not next then
        if times == 0 then return nil end
        next, is_fresh, times = open(), true, times and times - 1
      end
      local first, last = next(wanted)
      if first ~= nil then
        is_fresh = false
        return first, last
      end
      next = nil
      if is_fresh then return nil end
    end
  end
end

return places
