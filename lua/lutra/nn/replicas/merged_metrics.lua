-- A model's metrics over the rows of all ranks: each rank has counted those of its own.
local lutra, tools, use = ...
local ranks = use "distribute.ranks"

-- The numbers in a metric's state.
local function numbers_of(metric)
  if type(metric.total) == "number" and type(metric.count) == "number" and metric.read then
    metric:read()
    return { metric.total, metric.count }
  end
  if metric.num_thresholds then
    local list, counts = {}, metric.counts and metric.counts:totable()
    for k = 1, metric.num_thresholds do
      list[k], list[metric.num_thresholds + k] = counts and counts[1][k] or 0, counts and counts[2][k] or 0
    end
    return list
  end
  tools.fail("Unimplemented", ("the metric '%s' cannot be combined over several processes: extend lt.nn.metrics.Mean, or evaluate "
    .. "it in one process"):format(tostring(metric.name)))
end

-- Gives the metric the state with these numbers.
local function set(metric, numbers)
  if metric.read then
    metric.total, metric.count = numbers[1], numbers[2]
    return
  end
  local half = #numbers // 2
  metric.counts = lutra.constant({ table.move(numbers, 1, half, 1, {}), table.move(numbers, half + 1, #numbers, 1, {}) },
    { dtype = "float64" })
end

-- Calls f(metric) for each metric while it has the sums of all ranks, and gives it back its own.
return function(metrics, f)
  local mine, flat = {}, {}
  for i, metric in ipairs(metrics) do
    mine[i] = numbers_of(metric)
    table.move(mine[i], 1, #mine[i], #flat + 1, flat)
  end
  local totals = {}
  for _, list in ipairs(ranks.gather_numbers("reading the metrics", flat, tostring(#flat))) do
    for k, number in ipairs(list) do totals[k] = (totals[k] or 0) + number end
  end
  local at = 0
  for i, metric in ipairs(metrics) do
    set(metric, table.move(totals, at + 1, at + #mine[i], 1, {}))
    local ok, err = pcall(f, metric, i)
    set(metric, mine[i])
    if not ok then error(err, 0) end
    at = at + #mine[i]
  end
end
