-- Runs the blocks of docs/*.md, docs/cookbook/*.md, README.md, CONTRIBUTING.md and the READMEs of scripts, and compares what
-- they print with what the page says.
--   ```lua run --sim-gpus 2        a program; the options go to lutra, words like NAME=value before them to its environment
--   ```lua measured                a program that prints times: it must end well; a ```text block has what one run printed
--   ```text output                 the next block: stdout and stderr in order, the program's file being example.lua
--   ```lua session --sim-gpus 2    typed lines at the prompt and their answers, as in tests/sessions
--   ```lua terminal --sim-gpus 2   the same in a terminal, if there is python3-pexpect to type with
--   ```lua file train.lua          a file for the page's commands, one of which must name it; a C, C++ or text file likewise
--   ```sh run                      commands, in a folder that has the page's files; a ```text output block follows.
--                                  `lutra` and `scripts/run` are the program. `sh run liblutra` needs the library, which
--                                  pkg-config finds, `sh run launch` Open MPI, `sh run module busted` the module for
--                                  lua5.4 and the program busted; where these are missing, the block is left out
--   ```sh                          commands that are only read, as those in lines that begin with four blanks: their
--                                  scripts, verbs and options must exist
--   ```diff                        git's, of one file: what it leaves there, hunk by hunk, still stands there
-- A block of Lua, C, C++ or shell of another kind is a mistake. Not run: `python` (what is ported), `cmake`, and `text`, such
-- as what a measurement printed once.
-- The times of a fit's lines (`51ms - 807us/step`) may differ. Other wildcards are golden.lua's: `<*>` within a line, a line `...` for any lines. A program whose output nobody prints, and
-- an output without a program, are mistakes. `--accept [FILE]` writes what was printed into the pages: look at the diff.
package.path = "tests/support/?.lua;" .. package.path
local golden = require "run.golden"
local pages = require "run.pages"
local session = require "run.session"

local accept, only = false, nil
for _, word in ipairs(arg) do
  if word == "--accept" then accept = true else only = word end
end

local count, left_out, problems = 0, 0, {}

-- What of a line of commands does not exist, or nil.
local verbs, options_help = golden.read("scripts/dev"), golden.run("--help")
local function missing_in(line)
  for word in line:gmatch("[%w_./-]+") do
    if word:match("^scripts/") and not os.rename(word, word) then return word end
  end
  local verb = line:match("scripts/dev ([%l-]+)")
  if verb and not verbs:find("\n#   " .. verb, 1, true) then return "scripts/dev " .. verb end
  local after = line:match("^lutra (.*)") or line:match("^scripts/run (.*)")
  for option in (after or ""):gsub("%s[%w_./]+%.lua.*", ""):gmatch("%-%-[%l-]+") do
    if not options_help:find(option, 1, true) then return "lutra " .. option end
  end
end

-- A block's kind and the words after it: "lua run", "--sim-gpus 2".
local function kind_of(info)
  local language, kind, words = info:match("^([%w+]+)%s+(%l+)%f[%s\0]%s*(.*)$")
  if language then return language .. " " .. kind, words end
  return info, ""
end

local written = { lua = true, c = true, cpp = true, text = true, sh = true }
local not_run = { python = true, cmake = true, text = true, [""] = true }

local function without_times(lines)
  local out = {}
  for i, line in ipairs(lines) do
    out[i] = line:find("/step", 1, true) and line:gsub("%d+[mu]?s%f[^%w]", "TIME") or line
  end
  return out
end

local function check_page(path)
  local lines = golden.lines(golden.read(path))
  local folder <close> = pages.folder()
  local replacements = {}
  local function problem(at, text) problems[#problems + 1] = ("%s:%d: %s"):format(path, at, text) end
  local function compare(block, wanted, printed)
    count = count + 1
    local difference = golden.compare(without_times(wanted), without_times(printed))
    if difference and accept then
      replacements[#replacements + 1] = { first = block.first, last = block.last, lines = printed }
    elseif difference then
      problem(block.first, "prints something else\n" .. difference)
    end
  end

  local blocks = pages.blocks_of(lines)
  local function text_of(block) return table.move(lines, block.first, block.last, 1, {}) end
  local function compare_output(at, run)
    local output = blocks[at + 1]
    if not output or output.info ~= "text output" then
      return problem(blocks[at].first, "nothing says what it prints: a ```text output block must follow")
    end
    local printed = run()
    if printed then compare(output, text_of(output), printed) else left_out = left_out + 1 end
  end

  for i, block in ipairs(blocks) do
    local kind, words = kind_of(block.info)
    local text = text_of(block)
    if kind == "lua run" then
      compare_output(i, function() return pages.run_program(text, words) end)
    elseif kind == "lua measured" then
      count = count + 1
      local printed = pages.run_program(text, words)
      if (printed[#printed] or ""):find("^exit status") then problem(block.first, table.concat(printed, "\n")) end
    elseif kind == "sh run" then
      compare_output(i, function() return pages.run_commands(folder, text, words) end)
    elseif kind == "lua session" or kind == "lua terminal" then
      local head = (words ~= "" and "# options: " .. words .. "\n" or "") .. (kind == "lua terminal" and "# terminal\n" or "")
      local parsed = session.parse(head .. table.concat(text, "\n"))
      if kind == "lua session" or session.python() then compare(block, parsed.lines, session.play(parsed)) end
    elseif kind:match("^%w+ file$") and written[kind:match("^%w+")] then
      folder:write(words, text)
      local is_used = false
      for _, other in ipairs(blocks) do
        local its_kind = kind_of(other.info)
        is_used = is_used or other ~= block and (its_kind == "sh run" or its_kind:match(" file$"))
          and table.concat(text_of(other), "\n"):find(words, 1, true)
      end
      if not is_used then problem(block.first, "no command uses " .. words) end
    elseif kind == "sh" then
      count = count + 1
      for number, line in ipairs(text) do
        local missing = missing_in(line)
        if missing then problem(block.first + number - 1, "there is no " .. missing) end
      end
    elseif kind == "diff" then
      count = count + 1
      local what = pages.outdated(text)
      if what then problem(block.first, what) end
    elseif kind == "text output" then
      local before = blocks[i - 1] and kind_of(blocks[i - 1].info)
      if before ~= "lua run" and before ~= "sh run" then problem(block.first, "an output without a program or commands before it") end
    elseif not not_run[kind] then
      problem(block.first, "'" .. block.info .. "' is no kind of block that tests/lua/docs_examples.lua lists")
    end
  end
  local in_block = {}
  for _, block in ipairs(blocks) do
    for number = block.first, block.last do in_block[number] = true end
  end
  for number, line in ipairs(lines) do
    local command = not in_block[number] and line:match("^    (%S.*)$")
    local missing = command and missing_in(command)
    if command and (command:find "^lutra " or command:find "^scripts/") then count = count + 1 end
    if missing then problem(number, "there is no " .. missing) end
  end
  if #replacements > 0 then pages.rewrite(path, lines, replacements) end
end

local list <close> = assert(io.popen("ls README.md CONTRIBUTING.md docs/*.md docs/cookbook/*.md scripts/README.md scripts/*/README.md"))
for path in list:lines() do
  if not only or path == only then
    local ok, raised = pcall(check_page, path)
    if not ok then problems[#problems + 1] = path .. ": " .. tostring(raised) end
  end
end
if count + left_out == 0 then problems[#problems + 1] = "no page has an example" end
if #problems > 0 then error(table.concat(problems, "\n"), 0) end
print(("ok: %d examples%s"):format(count, left_out > 0 and (", %d left out for want of liblutra.so, a compiler or the like"):format(left_out) or ""))
