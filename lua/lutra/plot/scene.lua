-- A chart as a picture: lines, shapes, circles, text and rasters at pixels from the upper left, which svg.lua writes and
-- png.lua draws. An item is a list, as src/lua/bindings/pictures.cpp reads it:
--   {"line", points, r, g, b, a, width, dash}       points: {x1, y1, x2, y2, ...}; colours from 0 to 1; dash: a list
--   {"shape", points, r, g, b, a}
--   {"circle", x, y, radius, r, g, b, a}
--   {"text", x, y, text, size, anchor, degrees, bold}   anchor: 0 left, 0.5 middle, 1 right; y is the baseline
--   {"raster", x, y, width, height, RGB bytes, columns, rows, smooth}
local lutra, tools, use = ...
local words, axes = use "plot.words", use "plot.scene_axes"

local draws = { lines = "plot.scene_series", points = "plot.scene_series", hist = "plot.scene_series",
  bars = "plot.scene_bars",
  heat = "plot.scene_heat", image = "plot.scene_image" }

return function(chart, width, height)
  local scene = { width = width, height = height, items = {} }
  function scene.add(...) scene.items[#scene.items + 1] = { ... } end
  function scene.text(x, y, text, size, anchor, degrees, bold)
    scene.add("text", x, y, words.clean(text), size, anchor, degrees or 0, bold and 1 or 0)
  end
  -- {left, top, right, bottom}: what the title and labels leave for the plot.
  local room = axes.around(scene, chart)
  use(draws[chart.kind])(scene, chart, room)
  return scene
end
