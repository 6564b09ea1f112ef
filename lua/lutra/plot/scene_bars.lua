-- Bars of a picture: upright, side by side where there are several series.
local lutra, tools, use = ...
local axes, words = use "plot.scene_axes", use "plot.words"

local kText = axes.text_size

-- Names below the bars: level where they fit, else at an angle; of too many only some.
local function draw_names(scene, chart, box, step, is_level)
  local every = math.max(math.ceil((kText + 2) / step), 1)
  for c = 1, #chart.categories, is_level and 1 or every do
    local x = box.left + (c - 0.5) * step
    local name = words.cut(words.clean(chart.categories[c]), 24)
    if is_level then
      scene.text(x, box.bottom + 6 + kText * 0.9, name, kText, 0.5)
    else
      -- At 40 degrees a name takes 0.77 of its length to the left.
      local most = math.floor((x - 4) / 0.77 / axes.text_width("n", kText))
      scene.text(x + 4, box.bottom + 12, words.cut(name, math.max(most, 4)), kText, 1, -40)
    end
  end
end

return function(scene, chart, room)
  local function rectangle(x, y, to_x, to_y, i)
    local r, g, b = axes.color(i)
    scene.add("shape", { x, y, to_x, y, to_x, to_y, x, to_y }, r, g, b, 1)
  end
  axes.legend(scene, chart, room, function(x, y, i) rectangle(x + 10, y - 5, x + 22, y + 5, i) end)
  local box = { top = room.top, right = room.right }
  local widest, count = 0, math.max(#chart.categories, 1)
  for _, name in ipairs(chart.categories) do
    widest = math.max(widest, axes.text_width(words.cut(words.clean(name), 24), kText))
  end
  -- How wide the y labels will be is not known yet; 50 is what they take at most but for a few.
  local is_level = widest + 6 <= (box.right - room.left - 50) / count
  box.bottom = math.floor(room.bottom - (is_level and 20 or math.min(widest * 0.64 + 16, scene.height / 3))) + 0.5
  local low, high = chart.y_limits[1], chart.y_limits[2]
  local largest = 0x1.fffffffffffffp+1023
  local to_y = axes.y_axis(scene, room, box, { math.max(low * 1.05, -largest), math.min(high * 1.05, largest) }, true)
  local step = (box.right - box.left) / count
  local width = step * 0.8 / math.max(#chart.series, 1)
  for i, series in ipairs(chart.series) do
    for c = 1, #chart.categories do
      local value = series.values[c]
      local x = box.left + (c - 0.9) * step + (i - 1) * width
      if value then rectangle(x, to_y(0), x + width * (#chart.series > 1 and 0.95 or 1), to_y(value), i) end
    end
  end
  if low < 0 then scene.add("line", { box.left, to_y(0), box.right, to_y(0) }, 0.25, 0.25, 0.25, 1, 0.8, {}) end
  draw_names(scene, chart, box, step, is_level)
  axes.spines(scene, box)
  axes.labels(scene, room, box)
end
