-- Pictures inside a terminal's text, by kitty's graphics protocol or by sixel. Both are a page of escape sequences,
-- less than the use of a library for one of them.
local lutra, tools = ...

local kLargest = 1024

-- The size in pixels, with the picture's proportions, of at most so many characters; and its width in characters.
local function fitted(chart, shown, columns, rows)
  local terminal = shown.terminal
  -- 8 by 16 where the terminal does not say how large its characters are.
  local across = terminal.width and math.max(terminal.width // terminal.columns, 1) or 8
  local down = terminal.height and math.max(terminal.height // terminal.rows, 1) or 16
  local share = math.min(columns * across / chart.width, rows * down / chart.height,
    math.max(8, across * 16 / chart.width))
  local width = math.max(math.floor(chart.width * share), 1)
  local height = math.max(math.floor(chart.height * share), 1)
  return width, height, (width + across - 1) // across
end

local function resized(chart, width, height, pixel)
  local rows = {}
  for y = 0, height - 1 do
    local out = {}
    for x = 0, width - 1 do out[x + 1] = string.char(pixel(chart, x, width, y, height)) end
    rows[y + 1] = table.concat(out)
  end
  return table.concat(rows)
end

-- https://sw.kovidgoyal.net/kitty/graphics-protocol/: a PNG file in pieces of at most 4096 characters. The number of
-- columns is given, the terminal finds the rows.
local function kitty(chart, columns, pixel)
  local pixels, width, height = chart.pixels, chart.width, chart.height
  if width > kLargest or height > kLargest then
    local share = kLargest / math.max(width, height)
    width, height = math.max(math.floor(width * share), 1), math.max(math.floor(height * share), 1)
    pixels = resized(chart, width, height, pixel)
  end
  local text, out = tools.base64(tools.png_of(pixels, height, width)), {}
  for at = 1, #text, 4096 do
    local head = at == 1 and ("a=T,f=100,q=2,c=%d,"):format(columns) or "q=2,"
    out[#out + 1] = ("\27_G%sm=%d;%s\27\\"):format(head, at + 4096 <= #text and 1 or 0, text:sub(at, at + 4095))
  end
  return table.concat(out)
end

-- Thresholds of a 4 by 4 ordered dither.
local dither = { 0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5 }

local function repeated(char, count) return count > 3 and ("!%d%s"):format(count, char) or char:rep(count) end

-- DEC's sixel (VT330/VT340 programmer reference, chapter 14): six levels of each colour, a band of six rows for each
-- colour in it.
local function sixel(chart, width, height, pixel)
  local out = { ('\27Pq"1;1;%d;%d'):format(width, height) }
  for color = 0, 215 do
    out[#out + 1] = ("#%d;2;%d;%d;%d"):format(color, color // 36 * 20, color // 6 % 6 * 20, color % 6 * 20)
  end
  for band = 0, height - 1, 6 do
    local bits = {}
    for y = band, math.min(band + 5, height - 1) do
      for x = 0, width - 1 do
        local more = (dither[y % 4 * 4 + x % 4 + 1] + 0.5) / 16
        local r, g, b = pixel(chart, x, width, y, height)
        local color = math.floor(r / 51 + more) * 36 + math.floor(g / 51 + more) * 6 + math.floor(b / 51 + more)
        bits[color] = bits[color] or {}
        bits[color][x] = (bits[color][x] or 0) | 1 << (y - band)
      end
    end
    local is_first = true
    for color, row in pairs(bits) do
      out[#out + 1] = (is_first and "#" or "$#") .. color
      is_first = false
      local last, count = nil, 0
      for x = 0, width - 1 do
        local char = string.char(63 + (row[x] or 0))
        if char == last then count = count + 1
        else
          if last then out[#out + 1] = repeated(last, count) end
          last, count = char, 1
        end
      end
      out[#out + 1] = repeated(last, count)
    end
    out[#out + 1] = "-"
  end
  out[#out + 1] = "\27\\"
  return table.concat(out)
end

-- The lines that show the picture, and how many characters wide it is.
return function(chart, shown, protocol, columns, rows, pixel)
  local width, height, across = fitted(chart, shown, columns, rows)
  local text = protocol == "kitty" and kitty(chart, across, pixel) or sixel(chart, width, height, pixel)
  return { text }, across
end
