-- Lines, points and histograms in a terminal.
local lutra, tools, use = ...
local scale, frame, screen, new_canvas, thinned = use "plot.scale", use "plot.frame", use "plot.screen",
  use "plot.canvas", use "plot.thinned"

local function is_finite(value) return value - value == 0 end

-- How a series is drawn. Without colours several series differ by marks.
local function pen_of(chart, shown, series, columns)
  local pen = { owner = series }
  if shown.has_colors or #chart.series == 1 then return pen end
  pen.mark = screen.mark(series)
  if chart.kind ~= "points" then
    pen.every = math.max(columns // 8, 2)
    pen.offset, pen.seen = series * pen.every // #chart.series, {}
  end
  return pen
end

local function draw_points(canvas, series, pen, to_x, to_y)
  local xs, ys = series.x, series.y
  for i = 1, #ys do
    if is_finite(xs[i]) and is_finite(ys[i]) then canvas:dot(to_x(xs[i]), to_y(ys[i]), pen) end
  end
end

-- nan and infinities interrupt a line.
local function draw_line(canvas, series, pen, to_x, to_y)
  local points, xs, ys = {}, series.x, series.y
  local function flush()
    points = thinned(points, 1)
    if points[1] then canvas:dot(points[1], points[2], pen) end
    for i = 3, #points, 2 do canvas:line(points[i - 2], points[i - 1], points[i], points[i + 1], pen) end
    points = {}
  end
  for i = 1, #ys do
    local x, y = xs[i], ys[i]
    if is_finite(x) and is_finite(y) then points[#points + 1], points[#points + 2] = to_x(x), to_y(y) else flush() end
  end
  flush()
end

-- A histogram alone is filled; several are outlines.
local function draw_bins(canvas, series, pen, to_x, to_y, is_filled)
  local base, last = to_y(0), to_y(0)
  for i, count in ipairs(series.counts) do
    local first, next_first, y = to_x(series.edges[i]), to_x(series.edges[i + 1]), to_y(count)
    if is_filled then
      local stop = i == #series.counts and next_first or math.max(next_first - 1, first)
      for x = first, count > 0 and stop or first - 1 do canvas:line(x, base, x, y, pen) end
    else
      canvas:line(first, last, first, y, pen)
      canvas:line(first, y, next_first, y, pen)
      if i == #series.counts then canvas:line(next_first, y, next_first, base, pen) end
    end
    last = y
  end
end

return function(chart, shown)
  local names
  if chart.series[1] and chart.series[1].name then
    names = {}
    for i, series in ipairs(chart.series) do names[i] = series.name end
  end
  local dots = shown.is_ascii and { across = 1, down = 2 } or { across = 2, down = 4 }
  return frame.draw(chart, shown, dots, names, function(columns, rows)
    local canvas = new_canvas(columns, rows, shown.is_ascii)
    local x_limits, y_limits = chart.x_limits, chart.y_limits
    local width, height = canvas:width() - 1, canvas:height() - 1
    local function to_x(x) return math.floor(scale.share(x, x_limits[1], x_limits[2]) * width + 0.5) end
    local function to_y(y) return height - math.floor(scale.share(y, y_limits[1], y_limits[2]) * height + 0.5) end
    for i, series in ipairs(chart.series) do
      local pen = pen_of(chart, shown, i, columns)
      if chart.kind == "hist" then
        draw_bins(canvas, series, pen, to_x, to_y, #chart.series == 1)
      elseif chart.kind == "points" then
        draw_points(canvas, series, pen, to_x, to_y)
      else
        draw_line(canvas, series, pen, to_x, to_y)
      end
    end
    return canvas
  end)
end
