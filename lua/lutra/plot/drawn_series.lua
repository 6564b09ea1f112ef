-- Lines, points and histograms in a terminal.
local lutra, tools, use = ...
local scale, frame, screen, new_canvas = use "plot.scale", use "plot.frame", use "plot.screen", use "plot.canvas"

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

local function draw_series(canvas, kind, series, pen, to_x, to_y)
  local last_x, last_y
  local xs, ys = series.x, series.y
  for i = 1, #ys do
    local x, y = xs[i], ys[i]
    if is_finite(x) and is_finite(y) then
      x, y = to_x(x), to_y(y)
      if kind == "points" or not last_x then canvas:dot(x, y, pen) else canvas:line(last_x, last_y, x, y, pen) end
      last_x, last_y = x, y
    else
      last_x = nil
    end
  end
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
      else
        draw_series(canvas, chart.kind, series, pen, to_x, to_y)
      end
    end
    return canvas
  end)
end
