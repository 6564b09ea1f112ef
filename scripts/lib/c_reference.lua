-- Whether docs/reference/c.md describes all of lutra.h: each function has a heading, the header's declaration, and a line
-- for each argument, for its result, its errors and who owns what; each struct a row for each field; each constant is named.
-- Returns a function that gets the header, the page, and a function that is called with the text of each failure.

local function strip_comments(header) return (header:gsub("/%*.-%*/", " ")) end

local function one_line(text) return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

-- Name to declaration, without `LUTRA_API` and `static inline`.
local function functions_of(code)
  local found = {}
  local function add(declaration)
    local name = declaration:match("([%w_]+)%(")
    found[name] = one_line(declaration)
  end
  for declaration in code:gmatch("\nLUTRA_API%s+([^;]+);") do add(declaration) end
  for declaration in code:gmatch("\nstatic inline ([^{]-) {") do add(declaration) end
  return found
end

-- The names of a declaration's arguments: the last word of each, or the name of a pointer to a function.
local function arguments_of(declaration)
  local names = {}
  local inner = declaration:match("%((.*)%)$"):gsub("%(%*%s*([%w_]+)%)%s*%b()", "%1")
  for argument in inner:gmatch("[^,]+") do
    local name = argument:match("([%w_]+)%s*$")
    if name ~= "void" then names[#names + 1] = name end
  end
  return names
end

-- Name of a struct to the names of its fields, those of a union inside as well.
local function structs_of(code)
  local found = {}
  for name, body in code:gmatch("\ntypedef struct ([%w_]+) (%b{})") do
    local fields = {}
    for field in body:gmatch("([%w_]+)%s*%[?%d*%]?%s*;") do fields[#fields + 1] = field end
    found[name] = fields
  end
  return found
end

-- Heading to the text below it.
local function sections_of(page)
  local found, heading = {}, nil
  for line in page:gmatch("([^\n]*)\n") do
    heading = line:match("^### (.*)") or (line:find("^##? ") and "") or heading
    if heading then found[heading] = (found[heading] or "") .. line .. "\n" end
  end
  return found
end

return function(header, page, fail)
  local code = strip_comments(header)
  local sections, functions, structs = sections_of(page), functions_of(code), structs_of(code)
  assert(functions.lutra_open and functions.lutra_nil and structs.lutra_options, "lutra.h was not understood")
  for name, declaration in pairs(functions) do
    local section = sections[name]
    if not section then
      fail("%s has no entry in docs/reference/c.md", name)
    else
      if not section:find("\n`" .. declaration .. "`\n", 1, true) then
        fail("docs/reference/c.md: %s is declared otherwise: `%s`", name, declaration)
      end
      local needed = arguments_of(declaration)
      if not declaration:find("^void [%w_]+%(") then needed[#needed + 1] = "result" end
      needed[#needed + 1], needed[#needed + 2] = "errors", "ownership"
      for _, key in ipairs(needed) do
        if not section:find("\n- " .. key .. ": ", 1, true) then fail("docs/reference/c.md: %s says nothing of its %s", name, key) end
      end
    end
  end
  for name, fields in pairs(structs) do
    local section = sections["struct " .. name] or ""
    for _, field in ipairs(fields) do
      if not section:find("`" .. field .. "`", 1, true) then fail("docs/reference/c.md: %s has a field %s", name, field) end
    end
  end
  for constant in code:gmatch("%f[%w](LUTRA_[%w_]+)%s*=") do
    if not page:find("`" .. constant .. "`", 1, true) then fail("docs/reference/c.md does not name %s", constant) end
  end
  for heading in pairs(sections) do
    local struct = heading:match("^struct (.*)")
    if heading ~= "" and not (struct and structs[struct] or functions[heading]) then
      fail("docs/reference/c.md describes %s, which lutra.h has not", heading)
    end
  end
end
