-- Pictures in a terminal: by its own protocol where it has one, else two coloured pixels in each character, else shades.
local lutra, tools, use = ...
local frame, inline = use "plot.frame", use "plot.inline"

local shades = { [false] = " ░▒▓█", [true] = " .:-=+*#%@" }

-- Red, green and blue of the part of a picture that a pixel of a smaller one shows: the mean of at most 4 by 4 of its
-- pixels, so that large pictures cost no more.
local function pixel(chart, x, width, y, height)
  local r, g, b, count = 0, 0, 0, 0
  local function places(at, size, whole)
    local first, last = at * whole // size, math.max(((at + 1) * whole - 1) // size, at * whole // size)
    return first, last, math.max((last - first + 1) // 4, 1)
  end
  local first_x, last_x, step_x = places(x, width, chart.width)
  local first_y, last_y, step_y = places(y, height, chart.height)
  for row = first_y, last_y, step_y do
    for column = first_x, last_x, step_x do
      local red, green, blue = chart.pixels:byte((row * chart.width + column) * 3 + 1,
        (row * chart.width + column) * 3 + 3)
      r, g, b, count = r + red, g + green, b + blue, count + 1
    end
  end
  return r // count, g // count, b // count
end

-- The size in pixels that fits in a room; small pictures are enlarged by a whole number.
local function fitted(chart, width, height)
  local whole = math.min(width // chart.width, height // chart.height)
  if whole >= 1 then return chart.width * whole, chart.height * whole end
  local share = math.min(width / chart.width, height / chart.height)
  return math.max(math.floor(chart.width * share), 1), math.max(math.floor(chart.height * share), 1)
end

local function half_blocks(chart, columns, rows)
  local width, height = fitted(chart, columns, rows * 2)
  local lines = {}
  for row = 0, height - 1, 2 do
    local out, last = {}, nil
    for column = 0, width - 1 do
      local r, g, b = pixel(chart, column, width, row, height)
      local lower = "\27[49m"
      if row + 1 < height then lower = ("\27[48;2;%d;%d;%dm"):format(pixel(chart, column, width, row + 1, height)) end
      -- Colours are written only where they change.
      local code = ("\27[38;2;%d;%d;%dm%s"):format(r, g, b, lower)
      out[#out + 1] = (code == last and "" or code) .. "▀"
      last = code
    end
    lines[#lines + 1] = table.concat(out) .. "\27[0m"
  end
  return lines, width
end

-- Shades by luminance (ITU-R BT.601), each two characters wide, as a character is about twice as high as wide.
local function shaded(chart, columns, rows, is_ascii)
  local width, height = fitted(chart, columns // 2, rows)
  local lines, list = {}, {}
  for _, code in utf8.codes(shades[is_ascii]) do list[#list + 1] = utf8.char(code) end
  for row = 0, height - 1 do
    local out = {}
    for column = 0, width - 1 do
      local r, g, b = pixel(chart, column, width, row, height)
      local light = (0.299 * r + 0.587 * g + 0.114 * b) / 255
      out[#out + 1] = list[math.min(math.floor(light * #list), #list - 1) + 1]:rep(2)
    end
    lines[#lines + 1] = table.concat(out):gsub(" +$", "")
  end
  return lines, width * 2
end

return function(chart, shown)
  local columns, rows = shown.columns, math.max(shown.rows - #chart.notes - (chart.title and 1 or 0), 2)
  local lines, width
  if chart.width * chart.height == 0 then lines, width = {}, 0
  elseif not shown.has_colors or shown.is_ascii then lines, width = shaded(chart, columns, rows, shown.is_ascii)
  else
    local protocol = shown.terminal.is_terminal and tools.terminal_pictures() or ""
    if protocol ~= "" then lines, width = inline(chart, shown, protocol, columns, rows, pixel)
    else lines, width = half_blocks(chart, columns, rows) end
  end
  local above, below = frame.around(chart, shown, 0, width, {})
  table.move(lines, 1, #lines, #above + 1, above)
  return table.concat(table.move(below, 1, #below, #above + 1, above), "\n")
end
