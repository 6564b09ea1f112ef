-- Axes, ticks, legend and labels of a picture.
local lutra, tools, use = ...
local scale, words, colors = use "plot.scale", use "plot.words", use "plot.colors"
local axes = {}

local kText, kTitle = 12, 14
axes.text_size = kText

-- About as wide as DejaVu Sans, which is wider than most fonts.
function axes.text_width(text, size)
  text = words.clean(text)
  local _, narrow = text:gsub("[ijlrtfI .,:;!'|()%[%]/-]", "")
  local _, broad = text:gsub("[mwMW@%%]", "")
  return (words.width(text) * 0.64 - narrow * 0.27 + broad * 0.3) * size
end

local superscripts = { ["-"] = "⁻", ["0"] = "⁰", ["1"] = "¹", ["2"] = "²", ["3"] = "³", ["4"] = "⁴", ["5"] = "⁵",
  ["6"] = "⁶", ["7"] = "⁷",
  ["8"] = "⁸", ["9"] = "⁹" }
local function power(exponent) return "×10" .. tostring(exponent):gsub(".", superscripts) end

-- Ticks and labels of an axis.
function axes.ticks(limits, most)
  local ticks, labels = scale.labelled(limits, most, power)
  for i, label in ipairs(labels) do labels[i] = label:gsub("^%-", "−") end
  return ticks, labels
end

-- Limits with some room on both sides, so that no point lies on an axis.
function axes.with_room(limits, share)
  local room = (limits[2] / 2 - limits[1] / 2) * 2 * share
  local low, high = limits[1] - room, limits[2] + room
  if low - low ~= 0 or high - high ~= 0 then return limits end
  return { low, high, base = limits.base, most = limits.most }
end

-- Title, axis labels and notes; returns what is left for the plot.
function axes.around(scene, chart)
  local room = { left = 12, top = 14, right = scene.width - 18, bottom = scene.height - 12 }
  -- At most as long as the picture is wide.
  local function cut(text, length, size)
    return words.cut(words.clean(text), math.max(math.floor(length / (size * 0.62)), 1))
  end
  local middle = scene.width / 2
  if chart.title then
    scene.text(middle, room.top + 10, cut(chart.title, scene.width - 20, kTitle), kTitle, 0.5, 0, true)
    room.top = room.top + 24
  end
  for i = #chart.notes, 1, -1 do
    scene.text(scene.width - 10, room.bottom + 4, cut(chart.notes[i], scene.width - 20, 9), 9, 1)
    room.bottom = room.bottom - 14
  end
  if chart.xlabel then
    room.xlabel = { text = cut(chart.xlabel, scene.width - 20, kText), y = room.bottom }
    room.bottom = room.bottom - 20
  end
  if chart.ylabel then
    room.ylabel = { text = cut(chart.ylabel, scene.height - 20, kText), x = room.left + 8 }
    room.left = room.left + 18
  end
  return room
end

-- The axis labels, centred on the plot.
function axes.labels(scene, room, box)
  if room.xlabel then scene.text((box.left + box.right) / 2, room.xlabel.y, room.xlabel.text, kText, 0.5) end
  if room.ylabel then scene.text(room.ylabel.x, (box.top + box.bottom) / 2, room.ylabel.text, kText, 0.5, -90) end
end

-- The legend above the plot, so that it hides no data: sample(x, y, series) draws what stands before a name, 22 wide.
function axes.legend(scene, chart, room, sample)
  if not (chart.series and chart.series[1] and chart.series[1].name) then return end
  local x, left = room.left + 40, room.left + 40
  for i, series in ipairs(chart.series) do
    local name = words.cut(words.clean(series.name), 40)
    local width = 28 + axes.text_width(name, kText) + 14
    if x > left and x + width > room.right then
      x, room.top = left, room.top + 18
    end
    sample(x, room.top + 2, i)
    scene.text(x + 28, room.top + 6, name, kText, 0)
    x = x + width
  end
  room.top = room.top + 20
end

local function line(scene, points, grey, width) scene.add("line", points, grey, grey, grey, 1, width, {}) end

-- The y axis with a light grid. Sets box.left by the width of the labels; returns a function from numbers to pixels.
function axes.y_axis(scene, room, box, limits, has_grid)
  local height = box.bottom - box.top
  local ticks, labels = axes.ticks(limits, math.min(math.max(math.floor(height / 38), 2), 9))
  local width = 0
  for _, label in ipairs(labels) do width = math.max(width, axes.text_width(label, kText)) end
  box.left = math.min(math.floor(room.left + width + 10) + 0.5, box.right - 20)
  local function to_y(value) return box.bottom - scale.share(value, limits[1], limits[2]) * height end
  for i, tick in ipairs(ticks) do
    local y = to_y(tick)
    if has_grid then line(scene, { box.left, y, box.right, y }, 0.88, 0.7) end
    line(scene, { box.left - 4, y, box.left, y }, 0.25, 0.9)
    scene.text(box.left - 7, y + kText * 0.36, labels[i], kText, 1)
  end
  return to_y
end

-- The x axis; as many ticks as have room for their labels.
function axes.x_axis(scene, box, limits, has_grid)
  local width = box.right - box.left
  local function to_x(value) return box.left + scale.share(value, limits[1], limits[2]) * width end
  for most = math.max(math.floor(width / 50), 2), 2, -1 do
    local ticks, labels = axes.ticks(limits, most)
    local widest = 0
    for _, label in ipairs(labels) do widest = math.max(widest, axes.text_width(label, kText)) end
    if most == 2 or #ticks < 2 or math.abs(to_x(ticks[2]) - to_x(ticks[1])) > widest + 12 then
      for i, tick in ipairs(ticks) do
        local x = to_x(tick)
        if has_grid then line(scene, { x, box.top, x, box.bottom }, 0.88, 0.7) end
        line(scene, { x, box.bottom, x, box.bottom + 4 }, 0.25, 0.9)
        scene.text(x, box.bottom + 6 + kText * 0.9, labels[i], kText, 0.5)
      end
      break
    end
  end
  return to_x
end

-- The two lines of the axes, over what is drawn.
function axes.spines(scene, box)
  line(scene, { box.left, box.top, box.left, box.bottom, box.right, box.bottom }, 0.25, 1)
end

-- A series' colour as three shares.
function axes.color(i)
  local color = colors.of_series(i)
  return color[1] / 255, color[2] / 255, color[3] / 255
end

return axes
