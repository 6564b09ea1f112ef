-- The kinds of plots: each function reads its data into a chart, which the terminal's and the files' code draws:
-- {kind, title, xlabel, ylabel, series, x_limits, y_limits, notes, ...}.
local lutra, tools, use = ...
local options, data, scale = use "options", use "plot.data", use "plot.scale"
local charts = {}

local function columns(series, field)
  local lists = {}
  for i, each in ipairs(series) do lists[i] = each[field] end
  return lists
end

-- What a plot leaves out, it says.
local function note(chart, count, all, what)
  if count > 0 then chart.notes[#chart.notes + 1] = ("%d of %d %s left out (nan or inf)"):format(count, all, what) end
end

-- How many of the series' points, and how many in all, have a coordinate that is nan or infinite.
local function count_bad(series)
  local bad, all = 0, 0
  for _, each in ipairs(series) do
    all = all + #each.y
    for i = 1, #each.y do
      if each.y[i] - each.y[i] ~= 0 or each.x[i] - each.x[i] ~= 0 then bad = bad + 1 end
    end
  end
  return bad, all
end

local function new(kind, series) return { kind = kind, series = series, notes = {} } end

local function are_whole(series)
  for _, each in ipairs(series) do
    for i = 1, each.counts and 0 or #each.x do
      if each.x[i] - each.x[i] == 0 and each.x[i] % 1 ~= 0 then return false end
    end
  end
  return true
end

local function set_limits(chart, axis, least, most)
  local limits = { scale.limits(least, most) }
  chart[axis .. "_limits"] = limits
  chart.notes[#chart.notes + 1] = scale.set_base(limits, axis)
end

local function of_points(kind, who, given)
  local series = data.series(who, given)
  local chart = new(kind, series)
  local bad, all = count_bad(series)
  note(chart, bad, all, "points")
  if all == 0 then chart.notes[1] = "there are no points" end
  local least, most = scale.extent(columns(series, "x"))
  set_limits(chart, "x", least, most)
  -- Whole numbers, such as steps and epochs, have no ticks between them.
  if least and most - least >= 1 and most - least < 1000 and are_whole(series) then
    chart.x_limits.most = math.floor(most - least) + 1
  end
  set_limits(chart, "y", scale.extent(columns(series, "y")))
  return chart
end

function charts.line(given) return of_points("lines", "line", given) end
function charts.scatter(given) return of_points("points", "scatter", given) end

-- The categories of all series: names in the order in which they come, numbers sorted.
local function categories_of(series)
  local seen, order = {}, {}
  for _, each in ipairs(series) do
    for i = 1, #each.y do
      local key = each.labels and each.labels[i] or each.x[i]
      if key == key and not seen[key] then
        seen[key], order[#order + 1] = true, key
      end
    end
  end
  for _, key in ipairs(order) do
    if type(key) ~= type(order[1]) then
      tools.fail("InvalidArgument",
        "bar: some series have names for their bars and others numbers, expected one of both")
    end
  end
  if type(order[1]) == "number" then table.sort(order) end
  return order
end

function charts.bar(given)
  local series = data.bars("bar", given)
  local chart, at, values = new("bars", series), {}, {}
  chart.categories = categories_of(series)
  for c, key in ipairs(chart.categories) do at[key] = c end
  local bad, all = count_bad(series)
  for i, each in ipairs(series) do
    each.values = {}
    for k = 1, #each.y do
      local c = at[each.labels and each.labels[k] or each.x[k]]
      if c and each.y[k] - each.y[k] == 0 then each.values[c] = each.y[k] end
    end
    values[i] = each.y
  end
  for c, key in ipairs(chart.categories) do chart.categories[c] = type(key) == "number" and scale.number(key) or key end
  note(chart, bad, all, "bars")
  if all == 0 then chart.notes[1] = "there are no bars" end
  local least, most = scale.extent(values)
  least, most = math.min(least or 0.0, 0.0), math.max(most or 0.0, 0.0)
  local is_flat = most / 2 - least / 2 < scale.tiny
  chart.y_limits = { is_flat and 0.0 or least, is_flat and 1.0 or most }
  return chart
end

-- Edges of bins from least to most: as NumPy's bins="auto" the narrower of Sturges' and Freedman and Diaconis' bins.
local function edges_of(lists, count, least, most, bins)
  local low, high = scale.limits(least, most)
  if not bins then
    local sample, all_whole, step = {}, true, math.max(count // 10000, 1)
    local at = 0
    for _, list in ipairs(lists) do
      for i = 1, #list do
        local value = list[i]
        if value - value == 0 then
          at = at + 1
          if at % step == 0 then sample[#sample + 1] = value end
          all_whole = all_whole and value % 1 == 0
        end
      end
    end
    table.sort(sample)
    bins = math.ceil(math.log(math.max(count, 1), 2)) + 1
    -- Halves, since differences may overflow.
    local spread = #sample > 3 and sample[#sample * 3 // 4] / 2 - sample[#sample // 4 + 1] / 2 or 0
    local wanted = spread > 0 and (high / 2 - low / 2) / (2 * spread / count ^ (1 / 3)) or 0
    if wanted > bins then bins = math.ceil(math.min(wanted, 200)) end
    bins = math.min(math.max(bins, 1), 200)
    -- Whole numbers have a bin each where there is room.
    local has_room = count > 0 and least - 0.5 < least and most + 0.5 > most
    if all_whole and has_room and most - least < math.max(bins, 30) then
      low, high, bins = least - 0.5, most + 0.5, math.tointeger(most - least + 1)
    end
  end
  local edges = {}
  local step = high / bins - low / bins
  for i = 0, bins do
    local edge = low + step * i
    edges[i + 1] = edge - edge == 0 and edge or (low / 2 + step / 2 * i) * 2 -- step * i may overflow
  end
  edges[bins + 1] = high
  return edges
end

function charts.hist(given, read)
  local series = data.series("hist", given)
  local bins = read.bins and options.count("hist", "bins", read.bins, 1)
  if bins and bins > 10000 then
    tools.fail("InvalidArgument", ("hist: bins is %d, expected 1 to 10000"):format(bins))
  end
  for _, each in ipairs(series) do
    if not each.counts then
      tools.fail("InvalidArgument", "hist: the numbers are {x, y}, expected numbers or {name = numbers, ...}")
    end
  end
  local chart, lists = new("hist", series), columns(series, "y")
  local bad, all = count_bad(series)
  note(chart, bad, all, "numbers")
  if all == 0 then chart.notes[1] = "there are no numbers" end
  local least, most = scale.extent(lists)
  local edges = edges_of(lists, all - bad, least, most, bins)
  local low, high, last, tallest = edges[1], edges[#edges], #edges - 1, 0
  for _, each in ipairs(series) do
    local counts = {}
    for i = 1, last do counts[i] = 0 end
    for _, value in ipairs(each.y) do
      if value - value == 0 then
        local bin = math.min(math.floor(scale.share(value, low, high) * last) + 1, last)
        -- The rounded quotient may be one off.
        if value < edges[bin] then bin = bin - 1 elseif bin < last and value >= edges[bin + 1] then bin = bin + 1 end
        counts[bin] = counts[bin] + 1
      end
    end
    for _, count in ipairs(counts) do tallest = math.max(tallest, count) end
    each.counts, each.edges = counts, edges
  end
  chart.x_limits, chart.y_limits = { low, high }, { 0.0, math.max(tallest, 1) + 0.0 }
  chart.ylabel = "count"
  return chart
end

function charts.heat(given)
  local chart = new("heat")
  chart.rows, chart.row_count, chart.column_count = data.matrix("heat", given)
  local bad = 0
  for _, row in ipairs(chart.rows) do
    for i = 1, #row do
      if row[i] - row[i] ~= 0 then bad = bad + 1 end
    end
  end
  note(chart, bad, chart.row_count * chart.column_count, "numbers")
  if chart.row_count * chart.column_count == 0 then chart.notes[1] = "there are no numbers" end
  local least, most = scale.extent(chart.rows)
  chart.has_numbers = least ~= nil
  chart.z_limits = { scale.limits(least, most) }
  -- Row 1 is at the top, as in a matrix.
  local columns, rows = math.max(chart.column_count, 1), math.max(chart.row_count, 1)
  chart.x_limits = { 0.5, columns + 0.5, most = columns }
  chart.y_limits = { rows + 0.5, 0.5, most = rows }
  return chart
end

function charts.image(given)
  local chart, tensor = new("image"), given
  if not tools.is_tensor(tensor) then
    if type(given) ~= "table" or getmetatable(given) ~= nil then
      tools.fail("InvalidArgument", ("image: the picture is %s, expected a tensor {height, width} or "
        .. "{height, width, channels}"):format(tools.what_is(given)))
    end
    tensor = lutra.constant(given)
  end
  local shape = tensor.shape
  if #shape ~= 2 and not (#shape == 3 and shape[3] >= 1 and shape[3] <= 4) then
    tools.fail("InvalidArgument", ("image: the tensor is %s, expected {height, width} or "
      .. "{height, width, 1 to 4 channels}%s"):format(options.shape_text(shape),
        #shape == 4 and "; write images[1] for the first of several" or ""))
  end
  local clipped, nans
  chart.pixels, chart.height, chart.width, clipped, nans = tools.pixels(tensor)
  if clipped > 0 then
    local wanted = (tensor.dtype:find "float" or tensor.dtype == "bool") and "0 to 1" or "0 to 255"
    chart.notes[1] = ("%d of %d numbers outside %s, cut off there"):format(clipped, tensor.size, wanted)
  end
  if nans > 0 then chart.notes[#chart.notes + 1] = ("%d of %d numbers nan, drawn as 0"):format(nans, tensor.size) end
  if tensor.size == 0 then chart.notes[1] = "there are no pixels" end
  return chart
end

return charts
