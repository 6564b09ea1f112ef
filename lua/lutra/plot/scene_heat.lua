-- Heat maps of a picture: a raster with one pixel for each number, and a bar with the colours' meaning.
local lutra, tools, use = ...
local axes, scale, colors = use "plot.scene_axes", use "plot.scale", use "plot.colors"

local function bytes_of(chart)
  local lines, none = {}, string.char(table.unpack(colors.none))
  local low, high = chart.z_limits[1], chart.z_limits[2]
  for i, row in ipairs(chart.rows) do
    local cells = {}
    for k = 1, #row do
      local value = row[k]
      cells[k] = value - value == 0 and string.char(colors.of_share(scale.share(value, low, high))) or none
    end
    lines[i] = table.concat(cells)
  end
  return table.concat(lines)
end

local function frame(scene, left, top, right, bottom)
  scene.add("line", { left, top, right, top, right, bottom, left, bottom, left, top }, 0.25, 0.25, 0.25, 1, 1, {})
end

-- The bar of colours at the right; returns where it begins.
local function draw_key(scene, chart, room, box)
  local limits = chart.z_limits
  local ticks, labels = axes.ticks(limits, 6)
  local width, steps = 0, {}
  for _, label in ipairs(labels) do width = math.max(width, axes.text_width(label, axes.text_size)) end
  local right = room.right - width - 8
  local left, height = right - 14, box.bottom - box.top
  for i = 0, 255 do steps[i + 1] = string.char(colors.of_share(1 - i / 255)) end
  scene.add("raster", left, box.top, 14, height, table.concat(steps), 1, 256, 0)
  frame(scene, left, box.top, right, box.bottom)
  for i, tick in ipairs(ticks) do
    local y = box.bottom - scale.share(tick, limits[1], limits[2]) * height
    scene.add("line", { right, y, right + 4, y }, 0.25, 0.25, 0.25, 1, 0.9, {})
    scene.text(right + 7, y + axes.text_size * 0.36, labels[i], axes.text_size, 0)
  end
  return left
end

return function(scene, chart, room)
  local box = { top = room.top, right = room.right, bottom = math.floor(room.bottom - 20) + 0.5 }
  if chart.has_numbers and room.right - room.left > 180 then box.right = draw_key(scene, chart, room, box) - 14 end
  axes.y_axis(scene, room, box, chart.y_limits, false)
  axes.x_axis(scene, box, chart.x_limits, false)
  if chart.row_count * chart.column_count > 0 then
    scene.add("raster", box.left, box.top, box.right - box.left, box.bottom - box.top, bytes_of(chart),
      chart.column_count,
      chart.row_count, 0)
  end
  frame(scene, box.left, box.top, box.right, box.bottom)
  axes.labels(scene, room, box)
end
