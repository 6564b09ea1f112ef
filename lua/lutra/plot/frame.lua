-- The text around what is drawn in a terminal: title, axes with ticks, legend, labels and notes.
local lutra, tools, use = ...
local scale, words, screen = use "plot.scale", use "plot.words", use "plot.screen"
local frame = {}

local lines_of = {
  [true] = { left = "|", tick = "+", corner = "+", bottom = "-", bottom_tick = "+", sample = "--" },
  [false] = { left = "│", tick = "┤", corner = "└", bottom = "─", bottom_tick = "┬", sample = "──" },
}

local function power(exponent) return "e" .. exponent end

-- The ticks of an axis that is `size` characters long, as a list {at, text} with `at` from 0: at most `most`.
function frame.ticks(limits, size, most, dots_per_cell)
  local ticks, labels = scale.labelled(limits, most, power)
  local placed = {}
  for i, tick in ipairs(ticks) do
    local dot = math.floor(scale.share(tick, limits[1], limits[2]) * (size * dots_per_cell - 1) + 0.5)
    placed[i] = { at = math.min(math.max(dot // dots_per_cell, 0), size - 1), text = labels[i] }
  end
  return placed
end

function frame.y_ticks(limits, rows, dots_per_cell)
  local ticks = frame.ticks(limits, rows, math.min(math.max((rows + 1) // 2, 2), 8), dots_per_cell)
  for _, tick in ipairs(ticks) do tick.at = rows - 1 - tick.at end
  return ticks
end

-- As many ticks as their labels leave room for.
function frame.x_ticks(limits, columns, dots_per_cell)
  for most = math.max(columns // 5, 2), 2, -1 do
    local ticks, fits, last = frame.ticks(limits, columns, most, dots_per_cell), true, -4
    for _, tick in ipairs(ticks) do
      -- Under its tick, but neither before the plot nor behind it.
      tick.label_at = math.max(math.min(tick.at - #tick.text // 2, columns + 1 - #tick.text), -2)
      fits, last = fits and tick.label_at >= last + 2, tick.label_at + #tick.text
    end
    if fits then return ticks end
  end
  return {}
end

-- The samples and names of series, in lines of at most `columns`.
function frame.legend(shown, names, columns)
  local lines, line, width = {}, {}, 0
  for i, name in ipairs(names) do
    -- Only several series are drawn with marks.
    local has_line = shown.has_colors or #names == 1
    local sample = has_line and lines_of[shown.is_ascii].sample or screen.mark(i)
    local text = words.cut(words.clean(name, shown.is_ascii), math.max(columns - 3, 1), shown.is_ascii)
    local size = (has_line and 2 or 1) + 1 + words.width(text)
    if width > 0 and width + 3 + size > columns then
      lines[#lines + 1] = table.concat(line, "   ")
      line, width = {}, 0
    end
    line[#line + 1] = screen.paint(shown, i, sample) .. " " .. text
    width = width + size + (width > 0 and 3 or 0)
  end
  if #line > 0 then lines[#lines + 1] = table.concat(line, "   ") end
  return lines
end

-- The notes, broken where they are longer than the plot is wide: what is left out must be read.
function frame.notes(chart, shown)
  local lines = {}
  for _, note in ipairs(chart.notes) do
    local line = ""
    for word in words.clean(note, shown.is_ascii):gmatch "%S+" do
      if line ~= "" and #line + 1 + #word > shown.columns then
        lines[#lines + 1], line = line, ""
      end
      line = line == "" and word or line .. " " .. word
    end
    lines[#lines + 1] = line
  end
  return lines
end

-- The lines above a plot and below it; `left` is the number of columns before the plot's own.
function frame.around(chart, shown, left, columns, legend)
  local above, below, room = {}, {}, shown.columns
  local function fitted(text, most) return words.cut(words.clean(text, shown.is_ascii), most, shown.is_ascii) end
  local function centred(text)
    text = fitted(text, room)
    local start = math.max(math.min(left + (columns - words.width(text)) // 2, room - words.width(text)), 0)
    return (" "):rep(start) .. text
  end
  if chart.title then above[1] = centred(chart.title) end
  for _, line in ipairs(legend or {}) do above[#above + 1] = (" "):rep(left) .. line end
  if chart.ylabel then above[#above + 1] = fitted(chart.ylabel, room) end
  if chart.xlabel then below[1] = centred(chart.xlabel) end
  for _, note in ipairs(frame.notes(chart, shown)) do below[#below + 1] = note end
  return above, below
end

-- The bottom axis and the labels of its ticks.
local function bottom(ticks, columns, left, line)
  local axis, labels, width = {}, {}, 0
  for column = 1, columns do axis[column] = line.bottom end
  for _, tick in ipairs(ticks) do
    axis[tick.at + 1] = line.bottom_tick
    local start = left + tick.label_at
    labels[#labels + 1] = (" "):rep(start - width) .. tick.text
    width = math.max(start, width) + #tick.text
  end
  return (" "):rep(left - 1) .. line.corner .. table.concat(axis), table.concat(labels)
end

-- Draws a plot with two axes: draw(columns, rows) returns a canvas or another object with text(row, paint).
-- legend: names of series. Returns the text.
function frame.draw(chart, shown, dots, legend, draw)
  local line = lines_of[shown.is_ascii]
  -- The legend and labels take rows from the canvas; the y labels' width takes columns.
  local probe = legend and frame.legend(shown, legend, shown.columns - 8) or {}
  local rows = shown.rows - 2 - #probe - #frame.notes(chart, shown)
  for _, label in ipairs { "title", "xlabel", "ylabel" } do rows = rows - (chart[label] and 1 or 0) end
  rows = math.max(rows, 3)
  local y_ticks, width = frame.y_ticks(chart.y_limits, rows, dots.down), 0
  local label_of = {}
  for _, tick in ipairs(y_ticks) do
    width = math.max(width, #tick.text)
    label_of[tick.at] = tick.text
  end
  local left = width + 2
  local columns = math.max(shown.columns - left - 1, 8)
  local canvas = draw(columns, rows)
  local above, below = frame.around(chart, shown, left, columns, probe)
  local out = above
  local function paint(owner, text) return screen.paint(shown, owner, text) end
  for row = 0, rows - 1 do
    local label = label_of[row]
    out[#out + 1] = words.right(label or "", width) .. " " .. (label and line.tick or line.left) ..
      canvas:text(row, paint)
  end
  local axis, labels = bottom(frame.x_ticks(chart.x_limits, columns, dots.across), columns, left, line)
  out[#out + 1], out[#out + 2] = axis, labels
  return table.concat(table.move(below, 1, #below, #out + 1, out), "\n")
end

return frame
