-- Text for a terminal: without control characters, and broken or shortened to its width.
local _, tools = ...

local terminal_text = {}

local escapes = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\", ['"'] = '\\"' }
local function escaped(c) return escapes[c] or ("\\x%02X"):format(c:byte()) end

-- Text without control characters, those beyond ASCII included, which a terminal would obey.
function terminal_text.harmless(text)
  text = text:gsub("[%c\127]", escaped)
  if not utf8.len(text) then return (text:gsub("[\128-\255]", escaped)) end
  return (text:gsub("\xC2[\x80-\x9F]", function(c) return ("\\u{%X}"):format(utf8.codepoint(c)) end))
end

-- The same of a text of several lines: line ends and tabs stay.
function terminal_text.harmless_lines(text) return (text:gsub("[^\n\t]+", terminal_text.harmless)) end

local function length(text) return utf8.len(text) or #text end

-- The columns that a line may take; nil if nobody sees it in a terminal.
local function width()
  local terminal = tools.terminal()
  return terminal.is_terminal and terminal.columns and math.max(terminal.columns - 1, 20) or nil
end

-- A long line broken between words. Further lines are indented like what follows the name of a list's entry.
local function filled_line(line, columns)
  if length(line) <= columns then return line end
  local indent = #(line:match "^ *%S.-   *" or "")
  if indent == 0 or indent > columns // 2 then indent = #line:match "^ *" + 2 end
  local lines, made, has_words = {}, line:match "^ *", false
  for blanks, word in line:gmatch "( *)(%S+)" do
    local longer = made .. blanks .. word
    if has_words and length(longer) > columns then
      lines[#lines + 1], made, has_words = made, (" "):rep(indent), false
    end
    made, has_words = made .. (has_words and blanks or "") .. word, true
  end
  lines[#lines + 1] = made
  return table.concat(lines, "\n")
end

-- Text for people in a terminal, whose long lines it would break within words.
function terminal_text.filled(text)
  local columns = width()
  if not columns then return text end
  return (text:gsub("[^\n]+", function(line) return filled_line(line, columns) end))
end

local function shortened(text, most)
  if length(text) <= most then return text end
  local last = utf8.len(text) and utf8.offset(text, math.max(most - 3, 0) + 1) or math.max(most - 3, 0) + 1
  return (text:sub(1, last - 1) .. "..."):sub(1, math.max(most, 3))
end

local function without(rows, column)
  local made = {}
  for i, row in ipairs(rows) do
    made[i] = table.move(row, 1, #row, 1, {})
    if #row > 2 then table.remove(made[i], column) end
  end
  return made
end

-- The widths of the columns. The last cell of a shorter row may take the place of several.
local function widths_of(rows, least)
  local widths, most = {}, 0
  for _, row in ipairs(rows) do most = math.max(most, #row) end
  for _, row in ipairs(rows) do
    for column, cell in ipairs(row) do
      if column < #row or #row == most then
        widths[column] = math.max(widths[column] or least[column] or 0, length(cell))
      end
    end
  end
  return widths
end

local function total(widths, gap)
  local sum = 0
  for _, each in ipairs(widths) do sum = sum + each + gap end
  return sum - gap
end

local fewest = 6 -- columns that a shortened cell keeps

-- The lines of a table, given its rows of texts. format: least = least widths; right = {[column] = true}, those aligned
-- to the right; any_width = true, no terminal; gap = blanks between columns; optional = columns that a narrow terminal may
-- lack, the first to go first. Where that is not enough, the widest are shortened.
function terminal_text.table(rows, format)
  local columns, gap, right, least = not format.any_width and width() or nil, format.gap or 1, format.right or {}, format.least or {}
  local widths = widths_of(rows, least)
  if columns and total(widths, gap) > columns then
    widths = widths_of(rows, {})
    for _, column in ipairs(format.optional or {}) do
      if total(widths, gap) > columns then
        rows = without(rows, column)
        widths = widths_of(rows, {})
        local moved = {}
        for each in pairs(right) do moved[each > column and each - 1 or each] = true end
        right = moved
      end
    end
    while total(widths, gap) > columns do
      local widest = 1
      for column = 2, #widths do
        if widths[column] > widths[widest] then widest = column end
      end
      if widths[widest] <= fewest then break end
      widths[widest] = widths[widest] - 1
    end
  end
  local lines = {}
  for i, row in ipairs(rows) do
    local line, at = {}, 0
    for column, cell in ipairs(row) do
      local is_last = column == #row
      local most = is_last and column < #widths and (columns or math.huge) - at or widths[column]
      cell = shortened(cell, most)
      local blanks = (is_last and not right[column]) and "" or (" "):rep((widths[column] or 0) - length(cell))
      line[column] = right[column] and blanks .. cell or cell .. blanks
      at = at + (widths[column] or 0) + gap
    end
    lines[i] = table.concat(line, (" "):rep(gap))
  end
  return lines
end

return terminal_text
