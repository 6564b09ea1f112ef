-- How benchmarks write their tables into docs/benchmarks.
local page = {}

-- Replaces a page's text between the markers of a command.
function page.write(path, command, text)
  local begin, last = ("<!-- %s: begin -->"):format(command), ("<!-- %s: end -->"):format(command)
  local file = assert(io.open(path))
  local old = file:read("a")
  file:close()
  local from, to = old:find(begin, 1, true), select(2, old:find(last, 1, true))
  if not (from and to) then error(path .. " has lost its markers for " .. command, 0) end
  file = assert(io.open(path, "w"))
  file:write(old:sub(1, from - 1), begin, "\n", text, "\n", last, old:sub(to + 1))
  file:close()
end

-- Writes a whole file, line by line.
function page.write_file(path, lines)
  local file <close> = assert(io.open(path, "w"))
  file:write(table.concat(lines, "\n"), "\n")
end

return page
