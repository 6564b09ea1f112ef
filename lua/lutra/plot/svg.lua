-- A scene as the text of an SVG 1.1 file. Written by hand: it is one line for each item, and text stays text, which can
-- be searched, and edited in any drawing program (docs/decisions/plots.md).
local lutra, tools, use = ...
local scale = use "plot.scale"

local function number(value)
  local text = scale.fixed("%.2f", value):gsub("%.?0+$", "")
  return text == "-0" and "0" or text == "" and "0" or text
end

local function escaped(text)
  return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function color(name, r, g, b, a)
  local text = ('%s="#%02x%02x%02x"'):format(name, math.floor(r * 255 + 0.5), math.floor(g * 255 + 0.5),
    math.floor(b * 255 + 0.5))
  return a < 1 and ('%s %s-opacity="%s"'):format(text, name, number(a)) or text
end

local function points_text(points)
  local out = {}
  for i = 1, #points, 2 do out[#out + 1] = number(points[i]) .. "," .. number(points[i + 1]) end
  return table.concat(out, " ")
end

local anchors = { [0] = "start", [0.5] = "middle", [1] = "end" }
local writers = {}

function writers.line(points, r, g, b, a, width, dash)
  local list = {}
  for i, length in ipairs(dash) do list[i] = number(length) end
  return ('<polyline points="%s" fill="none" %s stroke-width="%s" stroke-linejoin="round"%s/>'):format(
    points_text(points),
    color("stroke", r, g, b, a), number(width),
      #list > 0 and (' stroke-dasharray="%s"'):format(table.concat(list, " ")) or "")
end

function writers.shape(points, r, g, b, a)
  return ('<polygon points="%s" %s/>'):format(points_text(points), color("fill", r, g, b, a))
end

function writers.circle(x, y, radius, r, g, b, a)
  return ('<circle cx="%s" cy="%s" r="%s" %s/>'):format(number(x), number(y), number(radius), color("fill", r, g, b, a))
end

function writers.text(x, y, text, size, anchor, degrees, bold)
  local turned = degrees ~= 0 and (' transform="rotate(%s %s %s)"'):format(number(degrees), number(x), number(y)) or ""
  return ('<text x="%s" y="%s" font-size="%s" text-anchor="%s"%s%s>%s</text>'):format(number(x), number(y),
    number(size),
    anchors[anchor], bold == 1 and ' font-weight="bold"' or "", turned, escaped(text))
end

function writers.raster(x, y, width, height, bytes, columns, rows, smooth)
  return ('<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none"%s xlink:href="data:image/png;base64,%s"/>'):format(
    number(x), number(y), number(width), number(height),
    smooth == 1 and "" or ' image-rendering="optimizeSpeed" style="image-rendering:pixelated"',
    tools.base64(tools.png_of(bytes, rows, columns)))
end

return function(scene)
  local out = {
    '<?xml version="1.0" encoding="UTF-8"?>',
    ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%d" height="%d" viewBox="0 0 %d %d" '
      .. 'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" fill="#1a1a1a">'):format(scene.width,
      scene.height,
      scene.width, scene.height),
    '<rect width="100%" height="100%" fill="#ffffff"/>',
  }
  for _, item in ipairs(scene.items) do out[#out + 1] = writers[item[1]](table.unpack(item, 2)) end
  out[#out + 1] = "</svg>\n"
  return table.concat(out, "\n")
end
