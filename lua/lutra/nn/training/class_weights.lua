-- Sample weights from the classes of labels, for fit's class_weight.
local lutra, tools = ...

-- Larger class numbers are taken for mistakes: the table of weights is as long as the largest number.
local kClasses = 1 << 24

local function read_class_weights(who, class_weight, first)
  local wanted = ("expected classes' numbers from %d%s and weights, as in {[%d] = 2.0}"):format(first,
    first == 0 and " to 1" or "", first + 1)
  if type(class_weight) ~= "table" or getmetatable(class_weight) ~= nil then
    tools.fail("InvalidArgument", ("%s: class_weight is %s, %s"):format(who, tools.what_is(class_weight), wanted))
  end
  local most = 0
  for number, weight in pairs(class_weight) do
    if math.type(number) ~= "integer" or number < first or number > (first == 0 and 1 or kClasses)
      or type(weight) ~= "number"
      or weight ~= weight then
      tools.fail("InvalidArgument",
        ("%s: class_weight holds %s = %s, %s"):format(who, tools.what_is(number), tools.what_is(weight), wanted))
    end
    most = math.max(most, number)
  end
  return most
end

-- Sample weights from the classes of labels: class_weight[class], or 1 for classes without an entry. Labels are class
-- numbers or distributions. Numbers count from 1, except that two classes are 0 and 1 for a loss that says so.
local function weights_of(who, y, class_weight, loss)
  local first = type(loss) == "table" and loss.first_class or 1
  local most, list = read_class_weights(who, class_weight, first), {}
  if y.rank > 1 and y.shape[y.rank] > 1 then
    if first == 0 then
      tools.fail("InvalidArgument",
        ("%s: class_weight is for one label a row, and y has the shape %s: give a sample_weight"):format(who,
        tostring(y.shape)))
    end
    y = lutra.argmax(y, -1)
  elseif y.rank > 1 then
    y = lutra.squeeze(y, -1)
  end
  local numbers = lutra.cast(y, "int64")
  local least, greatest = lutra.min(numbers):item(), lutra.max(numbers):item()
  if least < first or first == 0 and greatest > 1 then
    tools.fail("InvalidArgument", ("%s: class_weight is for classes' numbers, %s, and y has %d"):format(who,
      first == 0 and "0 and 1" or "which count from 1", least < first and least or greatest))
  end
  if y.dtype ~= "bool" and not lutra.all(lutra.cast(numbers, y.dtype):eq(y)):item() then
    tools.fail("InvalidArgument",
      who .. ": class_weight is for classes' numbers, and y has numbers that are not whole: give a sample_weight")
  end
  -- The last entry is for all larger classes.
  for number = first, most + 1 do list[number - first + 1] = (class_weight[number] or 1) + 0.0 end
  return lutra.gather(lutra.constant(list), lutra.minimum(numbers, most + 1) + (1 - first))
end

-- The same, multiplied with given sample weights, if any. Models with several outputs do this per output (outputs.lua).
local function of_rows(who, y, weight, class_weight, loss)
  if type(loss) == "table" and loss.weights_by_class then return loss:weights_by_class(who, y, weight, class_weight) end
  local by_class = weights_of(who, y, class_weight, loss)
  if not weight then return by_class end
  if weight.rank == by_class.rank + 1 and weight.shape[weight.rank] == 1 then weight = lutra.squeeze(weight, -1) end
  return weight * by_class
end

return { of_rows = of_rows }
