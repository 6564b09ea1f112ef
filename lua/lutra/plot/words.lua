-- Text in plots: cleaned of what a terminal or a file would not show as text, and measured in columns of a terminal.
local words = {}

-- Ranges of characters that are two columns wide, and of those that join the character before (Unicode 15, the common
-- ones).
local wide = {
  { 0x1100, 0x115F }, { 0x2E80, 0x303E }, { 0x3041, 0xA4CF }, { 0xAC00, 0xD7A3 }, { 0xF900, 0xFAFF },
  { 0xFE30, 0xFE6F },
  { 0xFF00, 0xFF60 }, { 0xFFE0, 0xFFE6 }, { 0x1F300, 0x1F64F }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
}
local joining = { { 0x300, 0x36F }, { 0x200B, 0x200F }, { 0xFE00, 0xFE0F }, { 0x20D0, 0x20FF } }

local function is_in(ranges, code)
  for _, range in ipairs(ranges) do
    if code >= range[1] and code <= range[2] then return true end
  end
  return false
end

local function columns_of(code)
  return code < 0x300 and 1 or is_in(joining, code) and 0 or is_in(wide, code) and 2 or 1
end

-- Valid UTF-8 without control characters; everything else becomes "?". With is_ascii also what is not ASCII.
function words.clean(text, is_ascii)
  if is_ascii then return (text:gsub(utf8.charpattern, function(c) return #c > 1 and "?" end):gsub("[^ -~]", "?")) end
  local out, at = {}, 1
  while at <= #text do
    local valid, bad = utf8.len(text, at)
    out[#out + 1] = text:sub(at, valid and -1 or bad - 1)
    if valid then break end
    out[#out + 1], at = "?", bad + 1
  end
  -- C0 and C1 controls, and characters that turn the direction of text around.
  return (table.concat(out):gsub("%c", "?"):gsub("\u{FFFE}", "?"):gsub("\u{FFFF}", "?"):gsub("\xC2[\x80-\x9F]",
    "?"):gsub(
    "\xE2\x80[\xAA-\xAE]", "?"):gsub("\xE2\x81[\xA6-\xA9]", "?"))
end

-- The columns that a clean text takes.
function words.width(text)
  local width = 0
  for _, code in utf8.codes(text) do width = width + columns_of(code) end
  return width
end

-- The text cut to a number of columns.
function words.cut(text, columns, is_ascii)
  if words.width(text) <= columns then return text end
  local mark = is_ascii and "..." or "…"
  local room, width = math.max(columns - words.width(mark), 0), 0
  for at, code in utf8.codes(text) do
    width = width + columns_of(code)
    if width > room then return text:sub(1, at - 1) .. mark:sub(1, is_ascii and columns or -1) end
  end
end

function words.right(text, columns) return (" "):rep(columns - words.width(text)) .. text end
function words.left(text, columns) return text .. (" "):rep(columns - words.width(text)) end
function words.middle(text, columns)
  return (" "):rep((columns - words.width(text)) // 2) .. text
end

return words
