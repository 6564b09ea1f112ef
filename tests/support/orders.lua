-- Shared by the specs of sort, argsort and the like.
local orders = {}

local nan = 0 / 0

-- `count` values with many equals, and with what is special about the dtype: the same ones every time.
function orders.some_values(count, dtype, different)
  local spread = lt.range(count, { dtype = "int64" }) * 7919 % (different or 61)
  if dtype == "bool" then return (spread % 2):cast("bool") end
  if dtype == "uint8" then return (spread % 200):cast(dtype) end
  if dtype == "int8" then return (spread % 100 - 50):cast(dtype) end
  if dtype:find("int") then return ((spread - 20) * (dtype == "int16" and 7 or 1000003)):cast(dtype) end
  local values = (spread - 20):float64() / 4
  values = lt.where(spread:eq(7), lt.constant(nan), lt.where(spread:eq(21), lt.constant(-0.0), values))
  return values:cast(dtype)
end

-- Lua's own sort of the positions 1..n of a list: by value, nan last, equals by position.
function orders.order_of(list, descending)
  local function rank(value)
    if value == true then return 1 elseif value == false then return 0 end
    return value
  end
  local places = {}
  for i = 1, #list do places[i] = i end
  table.sort(places, function(i, j)
    local a, b = rank(list[i]), rank(list[j])
    local a_nan, b_nan = a ~= a, b ~= b
    if descending then a, b, a_nan, b_nan = b, a, b_nan, a_nan end
    if a_nan or b_nan then
      if a_nan ~= b_nan then return b_nan end
      return i < j
    end
    if a ~= b then return a < b end
    return i < j
  end)
  return places
end

function orders.pick(list, places, count)
  local values = {}
  for i = 1, count or #places do values[i] = list[places[i]] end
  return values
end

-- For tensors that are too large to compare in Lua.
function orders.same(got, wanted)
  return got.dtype == wanted.dtype and got.shape == wanted.shape and got:float64():eq(wanted:float64()):all():item()
end

return orders
