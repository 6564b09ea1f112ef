-- A picture in a picture: as large as fits, with its proportions.
local lutra, tools, use = ...
local axes = use "plot.scene_axes"

return function(scene, chart, room)
  local width, height = room.right - room.left, room.bottom - room.top
  local box = { left = room.left, top = room.top, right = room.right, bottom = room.bottom }
  if chart.width * chart.height > 0 then
    local share = math.min(width / chart.width, height / chart.height)
    local shown_width, shown_height = chart.width * share, chart.height * share
    box.left, box.top = room.left + (width - shown_width) / 2, room.top + (height - shown_height) / 2
    box.right, box.bottom = box.left + shown_width, box.top + shown_height
    -- Enlarged, pixels stay squares; reduced, they are mixed.
    scene.add("raster", box.left, box.top, shown_width, shown_height, chart.pixels, chart.width, chart.height,
      share < 1 and 1 or 0)
  end
  axes.labels(scene, room, box)
end
