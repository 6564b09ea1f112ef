-- Text that a program should print: reading it, comparing with what was printed, running programs for it.
-- In a golden line `<*>` stands for any text within the line; a line `...` stands for any number of lines.
local golden = {}

function golden.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

function golden.lines(text)
  local lines = {}
  if text:sub(-1) ~= "\n" and text ~= "" then text = text .. "\n" end
  for line in text:gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  return lines
end

function golden.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function line_matches(wanted, got)
  if wanted == got then return true end
  if not wanted:find("<*>", 1, true) then return false end
  local pattern = wanted:gsub("%p", "%%%0"):gsub("%%<%%%*%%>", ".-")
  return got:match("^" .. pattern .. "$") ~= nil
end

-- nil when `got` is what `wanted` says, else a readable diff. Both are lists of lines.
function golden.compare(wanted, got)
  -- best[i][j]: do wanted's lines from i on say what got's lines from j on are?
  local best = {}
  for i = #wanted + 1, 1, -1 do
    best[i] = {}
    for j = #got + 1, 1, -1 do
      if i > #wanted then
        best[i][j] = j > #got
      elseif wanted[i] == "..." then
        best[i][j] = best[i + 1][j] or (j <= #got and best[i][j + 1])
      else
        best[i][j] = j <= #got and line_matches(wanted[i], got[j]) and best[i + 1][j + 1]
      end
    end
  end
  if best[1][1] then return nil end
  return golden.diff(wanted, got)
end

-- Common lines begin with two blanks, the others with "- " (expected) or "+ " (printed).
function golden.diff(wanted, got)
  local common = {}
  for i = #wanted + 1, 1, -1 do
    common[i] = {}
    for j = #got + 1, 1, -1 do
      if i > #wanted or j > #got then
        common[i][j] = 0
      elseif line_matches(wanted[i], got[j]) then
        common[i][j] = common[i + 1][j + 1] + 1
      else
        common[i][j] = math.max(common[i + 1][j], common[i][j + 1])
      end
    end
  end
  local out, i, j = { "  (- expected, + printed)" }, 1, 1
  while i <= #wanted or j <= #got do
    if i <= #wanted and j <= #got and line_matches(wanted[i], got[j]) then
      out[#out + 1] = "  " .. wanted[i]
      i, j = i + 1, j + 1
    elseif i <= #wanted and (j > #got or common[i + 1][j] >= common[i][j + 1]) then
      out[#out + 1] = "- " .. wanted[i]
      i = i + 1
    else
      out[#out + 1] = "+ " .. got[j]
      j = j + 1
    end
  end
  return table.concat(out, "\n")
end

-- Settings of the person who runs the tests must not change what is printed. CTest reads the same list.
local unset = {}
for name in io.lines("tests/support/unset_variables.txt") do unset[#unset + 1] = name end

-- The program under test: LUTRA, or the one that runs this file.
function golden.program()
  local program = os.getenv("LUTRA")
  if program and program ~= "" then return program end
  local i = 0
  while arg[i - 1] do i = i - 1 end
  return arg[i]
end

-- Runs a command of the shell with the tests' environment. Returns stdout and stderr as one text, and the exit status (a
-- signal's is 128 more than its number).
function golden.run_command(words, environment)
  local command = { "env" }
  for _, name in ipairs(unset) do command[#command + 1] = "-u " .. name end
  command[#command + 1] = "LC_ALL=C.UTF-8"  -- plots are drawn in braille, whatever the locale is here
  for _, setting in ipairs(environment or {}) do command[#command + 1] = golden.quote(setting) end
  command[#command + 1] = "sh -c " .. golden.quote(words)
  command[#command + 1] = "2>&1"
  local pipe = assert(io.popen(table.concat(command, " "), "r"))
  local output = pipe:read("a")
  local _, how, status = pipe:close()
  return output, how == "signal" and 128 + status or status
end

-- Runs the program, by the command `runner` if that is given; `words` go to the shell as they are.
function golden.run(words, environment, runner)
  return golden.run_command(("exec %s %s %s"):format(runner or "", golden.quote(golden.program()), words), environment)
end

return golden
