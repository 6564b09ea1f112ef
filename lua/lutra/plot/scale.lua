-- Axes: limits around data, ticks at nice numbers and their labels, and where a number lies between two limits.
local scale = {}

-- Not as methods: scripts may change what strings have.
local formatted, find, sub = string.format, string.find, string.sub

-- Numbers that differ by less than this are one number to a plot.
scale.tiny = 1e-290

-- string.format with a point in every locale.
function scale.fixed(format, number)
  local text, point = formatted(format, number), sub(formatted("%.1f", 1.5), 2, -2)
  if point == "." then return text end
  local at, last = find(text, point, 1, true)
  return at and sub(text, 1, at - 1) .. "." .. sub(text, last + 1) or text
end

-- A number for people, with up to `digits` digits.
function scale.number(value, digits)
  if math.type(value) == "integer" then return formatted("%d", value) end
  return scale.fixed("%." .. (digits or 4) .. "g", value)
end

-- The limits of an axis for numbers from `least` to `most`; both are nil if there are none. Equal numbers get some room.
function scale.limits(least, most)
  if not least then return 0.0, 1.0 end
  local span = most / 2 - least / 2
  local size = math.max(math.abs(least), math.abs(most))
  if span > 1e-13 * size and span > scale.tiny then return least + 0.0, most + 0.0 end
  local room = size > scale.tiny and size / 10 or 0.5
  local largest = 0x1.fffffffffffffp+1023
  return math.max(least - room, -largest), math.min(most + room, largest)
end

-- Where value lies between the limits: 0 at low, 1 at high. Halves, since high - low may overflow.
function scale.share(value, low, high)
  return (value / 2 - low / 2) / (high / 2 - low / 2)
end

-- Sets limits.base if the limits differ in their last digits only: labels then count from there. Returns a note of it.
function scale.set_base(limits, axis)
  local low, high = limits[1], limits[2]
  local span, size = high - low, math.max(math.abs(low), math.abs(high))
  if span - span ~= 0 or size < 1e6 * span then return nil end
  local unit = 10.0 ^ math.ceil(math.log(span, 10))
  limits.base = low // unit * unit
  return ("add %s to the labels of %s"):format(scale.number(limits.base, 15), axis)
end

-- At most `most` ticks of an axis, and their labels. An axis of indices has limits.most, as it has none between them.
function scale.labelled(limits, most, power)
  local base = limits.base or 0
  local low, high = math.min(limits[1], limits[2]) - base, math.max(limits[1], limits[2]) - base
  local ticks, exponent = scale.ticks(low, high, math.min(most, limits.most or most))
  local labels = scale.labels(ticks, exponent, power)
  for i, tick in ipairs(ticks) do ticks[i] = tick + base end
  return ticks, labels
end

-- At most `most` multiples of 1, 2 or 5 times a power of ten in [low, high], and their distance's power of ten.
function scale.ticks(low, high, most)
  local raw = (high / 2 - low / 2) / most * 2
  local exponent = math.floor(math.log(raw, 10))
  local step
  for _, try in ipairs { { 1, 0 }, { 2, 0 }, { 5, 0 }, { 1, 1 }, { 2, 1 }, { 5, 1 } } do
    local size = try[1] * 10.0 ^ (exponent + try[2])
    local first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
    if size >= raw * (1 - 1e-9) and last - first < most then
      step, exponent = size, exponent + try[2]
      local ticks = {}
      for i = first, last do ticks[#ticks + 1] = i * step end
      return ticks, exponent
    end
  end
  return { low, high }, exponent
end

-- The ticks' labels, all in one form: "0.5", or "1.5e9" with the same exponent. power(exponent) writes "e9".
function scale.labels(ticks, exponent, power)
  local largest, labels = 0, {}
  for _, tick in ipairs(ticks) do largest = math.max(largest, math.abs(tick)) end
  local shift = 0
  if largest >= 1e6 or largest > 0 and exponent < -4 then shift = math.floor(math.log(largest, 10) + 1e-9) end
  local digits = math.min(math.max(shift - exponent, 0), 17)
  local function write()
    local format = ("%%.%df"):format(digits)
    for i, tick in ipairs(ticks) do labels[i] = scale.fixed(format, shift == 0 and tick or tick / 10.0 ^ shift) end
  end
  -- As few digits as all of them need.
  local function ends_in_zeros()
    for i, tick in ipairs(ticks) do
      if tick ~= 0 and labels[i]:sub(-1) ~= "0" then return false end
    end
    return digits > 0
  end
  write()
  while ends_in_zeros() do
    digits = digits - 1
    write()
  end
  for i, tick in ipairs(ticks) do
    if tick == 0 then labels[i] = "0" elseif shift ~= 0 then labels[i] = labels[i] .. power(shift) end
  end
  return labels
end

-- The least and the most of lists of numbers, without nan and infinities; nil if there are none.
function scale.extent(lists)
  local least, most
  for _, list in ipairs(lists) do
    for i = 1, #list do
      local value = list[i]
      if value - value == 0 then
        if not least or value < least then least = value end
        if not most or value > most then most = value end
      end
    end
  end
  -- Floats, as differences of integers may overflow.
  if least then return least + 0.0, most + 0.0 end
end

return scale
