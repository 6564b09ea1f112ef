-- How a plot is shown on stdout: its size there, UTF-8 or ASCII, colours or none.
local lutra, tools = ...
local screen = {}

-- Colours of series: of ANSI, so that they suit the terminal's background.
local ansi = { 36, 33, 35, 32, 31, 34 }
-- What tells series apart where there are no colours.
local marks = { "o", "+", "x", "*", "#", "@", "%", "&" }

function screen.mark(series) return marks[(series - 1) % #marks + 1] end

-- {columns, rows, is_ascii, has_colors, terminal} for the options of a plot; terminal: as tools.terminal returns it.
function screen.of(given)
  local terminal = tools.terminal()
  local has_colors = given.color
  if has_colors == nil then has_colors = terminal.has_colors end
  local is_ascii = given.ascii
  if is_ascii == nil then is_ascii = not terminal.is_utf8 end
  local columns = given.width or math.min(math.max(terminal.columns or 80, 20), 120)
  local most_rows = math.max((terminal.rows or 30) - 4, 8)
  return {
    columns = columns, rows = given.height or math.min(math.max(columns // 4, 12), 24, most_rows),
    is_ascii = is_ascii, has_colors = has_colors, terminal = terminal,
  }
end

-- Text in a series' colour.
function screen.paint(shown, series, text)
  if not (shown.has_colors and series) then return text end
  return ("\27[%dm%s\27[0m"):format(ansi[(series - 1) % #ansi + 1], text)
end

return screen
