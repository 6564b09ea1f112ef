-- Runs the examples of README.md and docs/*.md and compares what they print with what the page says.
--   ```lua run --sim-gpus 2        a program; the options go to lutra, words like NAME=value before them to its environment
--   ```text output                 the next block: stdout and stderr in order, the program's file being example.lua
--   ```lua session --sim-gpus 2    typed lines at the prompt and their answers, as in tests/sessions
--   ```lua terminal --sim-gpus 2   the same in a terminal, if there is python3-pexpect to type with
--   ```diff                        git's, of one file: what it leaves there, hunk by hunk, still stands there
-- Wildcards are golden.lua's: `<*>` within a line, a line `...` for any lines. A program whose output nobody prints, and
-- an output without a program, are mistakes. `--accept [FILE]` writes what was printed into the pages: look at the diff.
package.path = "tests/support/?.lua;" .. package.path
local golden = require "run.golden"
local session = require "run.session"

local accept, only = false, nil
for _, word in ipairs(arg) do
  if word == "--accept" then accept = true else only = word end
end

-- {info, first, last} of every fenced block; its text is lines[first .. last].
local function blocks_of(lines)
  local blocks, open = {}, nil
  for number, line in ipairs(lines) do
    if open then
      if line:match("^```%s*$") then
        open.last = number - 1
        blocks[#blocks + 1], open = open, nil
      end
    else
      local info = line:match("^```(.*)$")
      if info then open = { info = info, first = number + 1 } end
    end
  end
  if open then error(("line %d: the block is never closed"):format(open.first - 1), 0) end
  return blocks
end

local function run_program(code, words)
  local environment, options = {}, words
  while options:match("^[%w_]+=") do
    environment[#environment + 1], options = options:match("^(%S+)%s*(.*)$")
  end
  local name = os.tmpname()
  do
    local file <close> = assert(io.open(name, "wb"))
    file:write(table.concat(code, "\n"), "\n")
  end
  local output, status = golden.run(options .. " " .. golden.quote(name), environment)
  os.remove(name)
  -- A reader does not see the temporary file's name.
  local printed = golden.lines((output:gsub(name:gsub("%p", "%%%0"), "example.lua")))
  if status ~= 0 then printed[#printed + 1] = "exit status " .. status end
  return printed
end

-- Why a diff is outdated, or nil.
local function outdated(diff)
  local path, hunks = nil, {}
  for _, line in ipairs(diff) do
    local mark, rest = line:sub(1, 1), line:sub(2)
    if line:match("^%+%+%+ b/") then
      path = line:match("^%+%+%+ b/(.*)$")
    elseif mark == "@" then
      hunks[#hunks + 1] = {}
    elseif path and (mark == "+" or mark == " ") then
      table.insert(hunks[#hunks], rest)
    end
  end
  if not path or #hunks == 0 then return "a diff without a file or a hunk" end
  local text = "\n" .. golden.read(path) .. "\n"
  for i, hunk in ipairs(hunks) do
    local wanted = "\n" .. table.concat(hunk, "\n") .. "\n"
    if not text:find(wanted, 1, true) then return ("hunk %d does not stand in %s (any more)"):format(i, path) end
  end
end

local count, problems = 0, {}

local function check_page(path)
  local lines = golden.lines(golden.read(path))
  local replacements = {}
  local function problem(at, text) problems[#problems + 1] = ("%s:%d: %s"):format(path, at, text) end
  local function compare(block, wanted, printed)
    count = count + 1
    local difference = golden.compare(wanted, printed)
    if difference and accept then
      replacements[#replacements + 1] = { first = block.first, last = block.last, lines = printed }
    elseif difference then
      problem(block.first, "prints something else\n" .. difference)
    end
  end

  local blocks = blocks_of(lines)
  for i, block in ipairs(blocks) do
    local text = table.move(lines, block.first, block.last, 1, {})
    local run = block.info:match("^lua run%f[%s\0]%s*(.*)$")
    local kind, typed = block.info:match("^lua (%l+)%f[%s\0]%s*(.*)$")
    if kind ~= "session" and kind ~= "terminal" then typed = nil end
    if run then
      local output = blocks[i + 1]
      if not output or output.info ~= "text output" then
        problem(block.first, "a program without a ```text output block after it")
      else
        compare(output, table.move(lines, output.first, output.last, 1, {}), run_program(text, run))
      end
    elseif typed then
      local head = (typed ~= "" and "# options: " .. typed .. "\n" or "") .. (kind == "terminal" and "# terminal\n" or "")
      local parsed = session.parse(head .. table.concat(text, "\n"))
      if kind == "session" or session.python() then compare(block, parsed.lines, session.play(parsed)) end
    elseif block.info == "diff" then
      count = count + 1
      local what = outdated(text)
      if what then problem(block.first, what) end
    elseif block.info == "text output" then
      local before = blocks[i - 1]
      if not before or not before.info:match("^lua run%f[%s\0]") then
        problem(block.first, "an output without a ```lua run block before it")
      end
    elseif block.info:match("^lua%s+%S") or block.info:match("^text%s+%S") then
      problem(block.first, "'" .. block.info .. "' is neither run, session, terminal nor output")
    end
  end

  if #replacements == 0 then return end
  for i = #replacements, 1, -1 do
    local new = replacements[i]
    local rest = table.move(lines, new.last + 1, #lines, 1, {})
    for at = #lines, new.first, -1 do lines[at] = nil end
    table.move(new.lines, 1, #new.lines, #lines + 1, lines)
    table.move(rest, 1, #rest, #lines + 1, lines)
  end
  local out <close> = assert(io.open(path, "wb"))
  out:write(table.concat(lines, "\n"), "\n")
  print(path .. " rewritten")
end

local pages = {}
do
  local list <close> = assert(io.popen("ls README.md docs/*.md"))
  for path in list:lines() do pages[#pages + 1] = path end
end
for _, path in ipairs(pages) do
  if not only or path == only then
    local ok, raised = pcall(check_page, path)
    if not ok then problems[#problems + 1] = path .. ": " .. tostring(raised) end
  end
end
if count == 0 then problems[#problems + 1] = "no page has an example" end
if #problems > 0 then error(table.concat(problems, "\n"), 0) end
print(("ok: %d examples"):format(count))
