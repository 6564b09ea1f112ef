-- Lines, points and histograms of a picture.
local lutra, tools, use = ...
local axes, thinned = use "plot.scene_axes", use "plot.thinned"

local kWidth = 1.6
-- When the colours are used up, dashes tell the series apart.
local dashes = { {}, { 6, 3 }, { 2, 2 }, { 8, 3, 2, 3 } }
local function dash_of(i) return dashes[((i - 1) // 7) % #dashes + 1] end

local function is_finite(value) return value - value == 0 end

-- nan and infinities interrupt a line; a point between two of them is a dot.
local function draw_line(scene, series, i, to_x, to_y)
  local r, g, b = axes.color(i)
  local points = {}
  local function flush()
    if #points == 2 then scene.add("circle", points[1], points[2], 2, r, g, b, 1)
    elseif #points > 2 then scene.add("line", thinned(points, 0.5), r, g, b, 1, kWidth, dash_of(i)) end
    points = {}
  end
  for k = 1, #series.y do
    local x, y = series.x[k], series.y[k]
    if is_finite(x) and is_finite(y) then points[#points + 1], points[#points + 2] = to_x(x), to_y(y) else flush() end
  end
  flush()
end

-- Each series has a form of its own, for print without colours.
local corners = { false, { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } }, { { 0, -1.2 }, { 1.15, 0.9 }, { -1.15, 0.9 } },
  { { 0, -1.35 }, { 1.35, 0 }, { 0, 1.35 }, { -1.35, 0 } } }
local function draw_mark(scene, x, y, i, size)
  local r, g, b = axes.color(i)
  local form = corners[(i - 1) % #corners + 1]
  if not form then return scene.add("circle", x, y, size, r, g, b, 0.8) end
  local points = {}
  for _, corner in ipairs(form) do
    points[#points + 1], points[#points + 2] = x + corner[1] * size, y + corner[2] * size
  end
  scene.add("shape", points, r, g, b, 0.8)
end

-- A point that would hide under another one of its series is left out.
local function draw_points(scene, series, i, to_x, to_y)
  local seen, size = {}, #series.y > 2000 and 1.5 or 2.6
  local fine = #series.y > 20000 and 1 or 4
  for k = 1, #series.y do
    local x, y = series.x[k], series.y[k]
    if is_finite(x) and is_finite(y) then
      x, y = to_x(x), to_y(y)
      local place = (x * fine // 1) * 100000 + (y * fine // 1)
      if not seen[place] then
        seen[place] = true
        draw_mark(scene, x, y, i, size)
      end
    end
  end
end

local function draw_bins(scene, series, i, to_x, to_y, is_alone)
  local r, g, b = axes.color(i)
  local outline, base = { to_x(series.edges[1]), to_y(0) }, to_y(0)
  for k, count in ipairs(series.counts) do
    local left, right, top = to_x(series.edges[k]), to_x(series.edges[k + 1]), to_y(count)
    if count > 0 then
      local gap = is_alone and right - left > 4 and 0.5 or 0
      scene.add("shape", { left + gap, base, left + gap, top, right - gap, top, right - gap, base }, r, g, b,
        is_alone and 1 or 0.3)
    end
    for _, at in ipairs { left, top, right, top } do outline[#outline + 1] = at end
  end
  outline[#outline + 1], outline[#outline + 2] = to_x(series.edges[#series.edges]), base
  if not is_alone then scene.add("line", outline, r, g, b, 1, 1.4, dash_of(i)) end
end

return function(scene, chart, room)
  axes.legend(scene, chart, room, function(x, y, i)
    local r, g, b = axes.color(i)
    if chart.kind == "points" then draw_mark(scene, x + 16, y, i, 3.2)
    elseif chart.kind == "hist" then
      scene.add("shape", { x + 6, y - 5, x + 22, y - 5, x + 22, y + 5, x + 6, y + 5 }, r, g, b, 0.3)
      scene.add("line", { x + 6, y - 5, x + 22, y - 5, x + 22, y + 5, x + 6, y + 5, x + 6, y - 5 }, r, g, b, 1, 1.2,
        dash_of(i))
    else scene.add("line", { x + 2, y, x + 23, y }, r, g, b, 1, kWidth, dash_of(i)) end
  end)
  local box = { top = room.top, right = room.right, bottom = math.floor(room.bottom - 20) + 0.5 }
  local is_hist = chart.kind == "hist"
  local y_limits = is_hist and { 0.0, chart.y_limits[2] * 1.05 } or axes.with_room(chart.y_limits, 0.04)
  local to_y = axes.y_axis(scene, room, box, y_limits, true)
  local to_x = axes.x_axis(scene, box, axes.with_room(chart.x_limits, 0.02), not is_hist)
  for i, series in ipairs(chart.series) do
    if is_hist then draw_bins(scene, series, i, to_x, to_y, #chart.series == 1)
    elseif chart.kind == "points" then draw_points(scene, series, i, to_x, to_y)
    else draw_line(scene, series, i, to_x, to_y) end
  end
  axes.spines(scene, box)
  axes.labels(scene, room, box)
end
