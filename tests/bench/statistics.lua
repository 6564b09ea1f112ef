-- Medians, their intervals, and the format of figures, for scripts/lib's benchmarks.
local statistics = {}

local kResamples = 4000

function statistics.median(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

-- {middle, low, high}: the median and its 95% bootstrap interval, the same for the same values.
function statistics.interval(values)
  math.randomseed(1)
  local medians, sample = {}, {}
  for i = 1, kResamples do
    for k = 1, #values do sample[k] = values[math.random(#values)] end
    medians[i] = statistics.median(sample)
  end
  table.sort(medians)
  return {
    middle = statistics.median(values),
    low = medians[kResamples * 25 // 1000],
    high = medians[kResamples * 975 // 1000 + 1],
  }
end

function statistics.geometric_mean(values)
  local sum = 0
  for _, value in ipairs(values) do sum = sum + math.log(value) end
  return math.exp(sum / #values)
end

function statistics.text_of_ns(ns)
  if ns < 1000 then return ("%.0f ns"):format(ns) end
  if ns < 1e6 then return ("%.2f us"):format(ns / 1e3) end
  return ("%.2f ms"):format(ns / 1e6)
end

local function text_of_factor(x)
  return (x < 10 and "%.2f" or x < 100 and "%.1f" or "%.0f"):format(x)
end

-- "3.50x [3.41, 3.62]", and whether the lower end reaches the target; starred ones count from 0.97 on.
function statistics.text_of_ratio(ratio, target, starred)
  local middle, low, high = text_of_factor(ratio.middle), text_of_factor(ratio.low), text_of_factor(ratio.high)
  local text = ("%sx [%s, %s]"):format(middle, low, high)
  if not target then return text end
  local met = ratio.low >= (starred and math.min(target, 0.97) or target)
  return ("%s, target %gx%s %s"):format(text, target, starred and "*" or "", met and "met" or "missed")
end

-- ", limit 130 ns met", or nothing where there is no limit.
function statistics.text_of_limit(value, limit, text)
  if not limit then return "" end
  return (", limit %s %s"):format(text, value <= limit and "met" or "missed")
end

return statistics
