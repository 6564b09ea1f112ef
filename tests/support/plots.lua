-- Reads plots back: `local plots = dofile("tests/support/plots.lua")`. What is drawn is found by the ticks' labels alone, as
-- a reader would, so that a test compares it with the data and not with the code that drew it.
local plots = {}

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  return lines
end

-- The characters of a line, without colours.
local function characters(line)
  local list = {}
  for _, code in utf8.codes((line:gsub("\27%[[%d;]*m", ""))) do list[#list + 1] = utf8.char(code) end
  return list
end

-- A straight line through the first and the last of some {place, value}.
local function through(ticks)
  local first, last = ticks[1], ticks[#ticks]
  assert(#ticks >= 2, "an axis needs two ticks to be read")
  local step = (last[2] - first[2]) / (last[1] - first[1])
  return function(place) return first[2] + (place - first[1]) * step end, math.abs(step)
end

local across = { [0] = 0, 0, 0, 1, 1, 1, 0, 1 }
local down = { [0] = 0, 1, 2, 0, 1, 2, 3, 3 }

-- A plot of the terminal: {dots = {{x, y}, ...} in units of the axes, x_cell, y_cell = the size of a character there,
-- marks = {character = {{x, y}, ...}}, above = lines, below = lines, rows}.
function plots.read(text)
  local read = { dots = {}, marks = {}, above = {}, below = {} }
  local rows, bottom, labels = {}, nil, nil
  for _, line in ipairs(lines_of(text)) do
    local list = characters(line)
    local plain = table.concat(list)
    if bottom and not labels then labels = plain
    elseif plain:find("^ *└") or plain:find("^ *%+[-+]+$") then bottom = list
    elseif not bottom and (plain:find("^ *[%d.e-]* ?[┤│]") or plain:find("^ *[%d.e-]* ?[|+]")) and (plain:find "┤" or plain:find "│" or
        plain:find "^ *[%d.e-]* [|+]") then
      rows[#rows + 1] = list
    else table.insert(bottom and read.below or read.above, plain) end
  end
  local left
  for i, c in ipairs(bottom) do
    if c == "└" or c == "+" and not left then left = i break end
  end
  local x_ticks, y_ticks, at = {}, {}, 1
  for i = left + 1, #bottom do
    if bottom[i] == "┬" or bottom[i] == "+" then
      local first, last = labels:find("%S+", at)
      if first then
        x_ticks[#x_ticks + 1], at = { i, tonumber(labels:sub(first, last)) }, last + 1
      end
    end
  end
  for row, list in ipairs(rows) do
    local label = tonumber(table.concat(list, "", 1, left - 1))
    if label then y_ticks[#y_ticks + 1] = { row, label } end
  end
  local x_of, y_of
  x_of, read.x_cell = through(x_ticks)
  y_of, read.y_cell = through(y_ticks)
  read.x_ticks, read.y_ticks, read.rows = x_ticks, y_ticks, rows
  for row, list in ipairs(rows) do
    for i = left + 1, #list do
      local code = utf8.codepoint(list[i])
      if code > 0x2800 and code < 0x2900 then
        for bit = 0, 7 do
          if (code - 0x2800) >> bit & 1 == 1 then
            table.insert(read.dots, { x_of(i + across[bit] / 2 - 0.25), y_of(row + down[bit] / 4 - 0.375) })
          end
        end
      elseif list[i] ~= " " then
        read.marks[list[i]] = read.marks[list[i]] or {}
        table.insert(read.marks[list[i]], { x_of(i), y_of(row) })
      end
    end
  end
  return read
end

-- Whether one of the dots is at most a character away from a point.
function plots.is_near(read, dots, x, y)
  for _, dot in ipairs(dots) do
    if math.abs(dot[1] - x) <= read.x_cell and math.abs(dot[2] - y) <= read.y_cell then return true end
  end
  return false
end

local function attributes(text)
  local found = {}
  for name, value in text:gmatch('([%w:-]+)="([^"]*)"') do found[name] = value end
  return found
end

local function number_of(label)
  local text = label:gsub("−", "-"):gsub("×10", "e")
  for i, c in ipairs { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" } do text = text:gsub(c, tostring(i - 1)) end
  return tonumber((text:gsub("⁻", "-")))
end

-- An SVG file: {elements = {{kind, attributes, text}}, to_x, to_y: from pixels to units of the axes, from_x, from_y: back}.
function plots.read_svg(text)
  local read = { elements = {}, texts = {} }
  for kind, rest, content in text:gmatch("<(%w+)([^>]*)>([^<]*)") do
    local element = { kind = kind, at = attributes(rest), text = content }
    read.elements[#read.elements + 1] = element
    if kind == "text" then read.texts[#read.texts + 1] = content end
  end
  local x_ticks, y_ticks = {}, {}
  for _, element in ipairs(read.elements) do
    local value = element.kind == "text" and number_of(element.text)
    if value and element.at["text-anchor"] == "middle" then table.insert(x_ticks, { tonumber(element.at.x), value }) end
    -- A label's baseline lies a little below its tick.
    if value and element.at["text-anchor"] == "end" then table.insert(y_ticks, { tonumber(element.at.y) - 0.36 * 12, value }) end
  end
  if #x_ticks >= 2 then read.to_x, read.x_pixel = through(x_ticks) end
  if #y_ticks >= 2 then read.to_y, read.y_pixel = through(y_ticks) end
  local function back(ticks)
    local swapped = {}
    for i, tick in ipairs(ticks) do swapped[i] = { tick[2], tick[1] } end
    return (through(swapped))
  end
  if read.to_x then read.from_x = back(x_ticks) end
  if read.to_y then read.from_y = back(y_ticks) end
  return read
end

-- The points of polylines and polygons of one colour, in pixels.
function plots.points_of(read, kind, color)
  local points = {}
  for _, element in ipairs(read.elements) do
    local at = element.at
    if element.kind == kind and (at.stroke == color or at.fill == color) then
      if kind == "circle" then points[#points + 1] = { tonumber(at.cx), tonumber(at.cy) } end
      for x, y in (at.points or ""):gmatch("([%d.-]+),([%d.-]+)") do points[#points + 1] = { tonumber(x), tonumber(y) } end
    end
  end
  return points
end

return plots
