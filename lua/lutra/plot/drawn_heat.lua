-- Heat maps in a terminal: two coloured cells in each character, or shades where there are no colours.
local lutra, tools, use = ...
local scale, frame, colors = use "plot.scale", use "plot.frame", use "plot.colors"

local shades = { [false] = { " ", "░", "▒", "▓", "█" }, [true] = { " ", ".", ":", "-", "=", "+", "*", "#", "%", "@" } }

local function is_finite(value) return value - value == 0 end

-- The mean of the numbers that a part of the picture shows, nil if all are nan or infinite. at: from 0 to size - 1.
local function mean_at(chart, across, width, down, height)
  local function range(at, size, count)
    local first = at * count // size + 1
    return first, math.max(((at + 1) * count + size - 1) // size, first)
  end
  local first_row, last_row = range(down, height, chart.row_count)
  local first, last = range(across, width, chart.column_count)
  -- Enlarged, a place shows one number: the one in its middle.
  if chart.row_count <= height then
    first_row = (2 * down + 1) * chart.row_count // (2 * height) + 1
    last_row = first_row
  end
  if chart.column_count <= width then
    first = (2 * across + 1) * chart.column_count // (2 * width) + 1
    last = first
  end
  local sum, count = 0, 0
  for row = first_row, last_row do
    for column = first, last do
      local value = chart.rows[row][column]
      if is_finite(value) then sum, count = sum + value, count + 1 end
    end
  end
  return count > 0 and sum / count or nil
end

local function share_of(chart, value)
  return math.min(math.max(scale.share(value, chart.z_limits[1], chart.z_limits[2]), 0), 1)
end

local function shade(chart, shown, value)
  if not value then return "x" end
  local list = shades[shown.is_ascii]
  return list[math.min(math.floor(share_of(chart, value) * #list), #list - 1) + 1]
end

local function colored(kind, r, g, b) return ("\27[%d;2;%d;%d;%dm"):format(kind, r, g, b) end

local function color(chart, kind, value)
  if not value then return kind == 38 and "\27[39m" or "\27[49m" end
  return colored(kind, colors.of_share(share_of(chart, value)))
end

-- The object that frame draws.
local function picture(chart, shown, columns, rows)
  local drawn = {}
  function drawn:text(row)
    local out, last = {}, ""
    -- A cell in colours, which are written only where they change.
    local function put(code, text)
      out[#out + 1] = (code == last and "" or code) .. text
      last = code
    end
    for column = 0, chart.row_count > 0 and chart.column_count > 0 and columns - 1 or -1 do
      if not shown.has_colors then
        out[#out + 1] = shade(chart, shown, mean_at(chart, column, columns, row, rows))
      elseif shown.is_ascii then
        put(color(chart, 48, mean_at(chart, column, columns, row, rows)), " ")
      else
        local upper = mean_at(chart, column, columns, 2 * row, 2 * rows)
        local lower = mean_at(chart, column, columns, 2 * row + 1, 2 * rows)
        -- A part without a number keeps the terminal's background.
        if not upper and not lower then put("\27[0m", " ")
        elseif upper then put(color(chart, 38, upper) .. color(chart, 48, lower), "▀")
        else put("\27[49m" .. color(chart, 38, lower), "▄") end
      end
    end
    local text = table.concat(out)
    return shown.has_colors and text ~= "" and text .. "\27[0m" or (text:gsub(" +$", ""))
  end
  return drawn
end

-- What the colours or shades mean.
local function key(chart, shown)
  local low, high = scale.number(chart.z_limits[1]), scale.number(chart.z_limits[2])
  if not shown.has_colors then return ("%s %s %s"):format(low, table.concat(shades[shown.is_ascii]), high) end
  local cells = {}
  for i = 0, 15 do cells[#cells + 1] = colored(48, colors.of_share(i / 15)) .. " " end
  return ("%s %s\27[0m %s"):format(low, table.concat(cells), high)
end

return function(chart, shown)
  local dots = { across = 1, down = shown.has_colors and not shown.is_ascii and 2 or 1 }
  local smaller = setmetatable({ rows = shown.rows - 1 }, { __index = shown })
  local text = frame.draw(chart, smaller, dots, nil,
    function(columns, rows) return picture(chart, shown, columns, rows) end)
  return chart.has_numbers and text .. "\n" .. key(chart, shown) or text
end
