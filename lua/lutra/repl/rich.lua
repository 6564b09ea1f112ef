-- How values look in a notebook: a plot as a picture, a tensor and t:describe() as tables, everything as text.
local lutra, tools, use = ...

local rawget, type, tostring, select, pcall = rawget, type, tostring, select, pcall
local metatable_of = debug.getmetatable

local rich = {}

local marks = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
local function html(text) return (text:gsub('[&<>"]', marks)) end

local function name_of(value)
  local meta = type(value) == "table" and metatable_of(value)
  return type(meta) == "table" and rawget(meta, "__name") or nil
end

-- The rows of a tensor's text, each a list of its numbers as they are printed, "..." among them; nil if it has not one
-- or two axes, or no elements.
local function cells_of(text)
  local body = text:match("^lutra%.%a+%((.*), shape=%(")
  body = body and body:match("^%s*(%[.*%])%s*$")
  if not body or body:find "%[%[%[" then return nil end
  local list, at = {}, 1
  local inner = body:find "^%[%[" and body:sub(2, -2) or body
  while true do
    local first, last, row = inner:find("%[([^%[%]]*)%]", at)
    if not first then break end
    if inner:sub(at, first - 1):find("...", 1, true) then list[#list + 1] = { "..." } end
    local cells = {}
    for cell in row:gmatch("%S+") do cells[#cells + 1] = cell end
    list[#list + 1] = cells
    at = last + 1
  end
  return #list > 0 and #list[1] > 0 and list or nil
end

local cell_style = ' style="text-align: right"'

local function tensor_html(session, value, text)
  local shape, dtype, device = session.native.tensor(value)
  if not shape then return nil end
  local rows = cells_of(text)
  if not rows then return nil end
  local widest = 0
  for _, row in ipairs(rows) do widest = math.max(widest, #row) end
  local out = { "<table>" }
  for _, row in ipairs(rows) do
    local line = {}
    if #row == 1 and row[1] == "..." and widest > 1 then
      line[1] = ('<td colspan="%d" style="text-align: center">&hellip;</td>'):format(widest)
    else
      for i, cell in ipairs(row) do
        line[i] = ("<td%s>%s</td>"):format(cell_style, cell == "..." and "&hellip;" or html(cell))
      end
    end
    out[#out + 1] = "<tr>" .. table.concat(line) .. "</tr>"
  end
  out[#out + 1] = ("</table><p>shape=%s, dtype=%s, device=%s</p>"):format(html(shape), html(dtype), html(device))
  return table.concat(out)
end

-- A table of the lines "name value" of t:describe().
local function description_html(text)
  local out = {}
  for line in text:gmatch "[^\n]+" do
    local name, value = line:match "^  (%S+)%s+(.*)$"
    if #out == 0 then out[1] = "<table><caption>" .. html(line) .. "</caption>"
    elseif name and not (name:find "^%a" or name:find "^%d+%%$") then -- the histogram, between the least and the most
      out[#out + 1] = ('<tr><td colspan="2" style="text-align: center">%s</td></tr>'):format(html(line))
    elseif name then out[#out + 1] = ("<tr><th>%s</th><td%s>%s</td></tr>"):format(html(name), cell_style,
      html(value)) end
  end
  return table.concat(out) .. "</table>"
end

-- The forms of one value, by MIME type.
local function bundle_of(session, value, text)
  local forms = { ["text/plain"] = text }
  local name = name_of(value)
  if name == "lutra.plot.Plot" then
    local ok, svg = pcall(value.svg, value)
    if ok then forms["image/svg+xml"] = svg end
    local has_png, png = pcall(value.png, value)
    if has_png then forms["image/png"] = tools.base64(png) end
  elseif name == "lutra.plot.Description" then
    forms["text/html"] = description_html(text)
  elseif type(value) == "userdata" then
    forms["text/html"] = tensor_html(session, value, text)
  end
  return forms
end

local function show(session, is_result, forms) session.native.display(is_result, use "json".encode(forms)) end

-- The results of an entry: one in all its forms, more as one line of text. Pictures among them follow.
function rich.results(session, ...)
  local count = select("#", ...)
  local shown, texts = table.pack(use "repl.listing".shown(session, ...)), {}
  for i = 1, count do texts[i] = tostring(shown[i]) end
  if count == 1 then return show(session, true, bundle_of(session, (...), texts[1])) end
  show(session, true, { ["text/plain"] = table.concat(texts, "\t") })
  for i = 1, count do
    local value = select(i, ...)
    if name_of(value) == "lutra.plot.Plot" then show(session, false, bundle_of(session, value, texts[i])) end
  end
end

-- lutra.repl.display in a notebook.
function rich.display(session, ...)
  local shown = table.pack(use "repl.listing".shown(session, ...))
  for i = 1, select("#", ...) do
    show(session, false, bundle_of(session, (select(i, ...)), tostring(shown[i])))
  end
end

return rich
