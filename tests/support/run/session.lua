-- A transcript of the prompt: lines after "> " (">> " for the rest of a statement) are typed, and the lines below are
-- the answer. The first lines may be `# options: --sim-gpus 2` and `# terminal`, which types in a terminal, where the prompt
-- has commands and keeps locals. An answer cannot contain a line that begins like a prompt.
local golden = require "run.golden"

local session = {}

-- The prompts get a mark that no answer holds, so that the output splits exactly where they were printed.
local mark = "\30"
local set_prompts = [[_PROMPT, _PROMPT2 = "\30> ", "\30>> "]]

-- A Python that has pexpect, by which a terminal is typed in; nil if there is none. Debian's own comes before others.
local python
function session.python()
  if python ~= nil then return python or nil end
  for _, name in ipairs { "/usr/bin/python3", "python3" } do
    python = os.execute(name .. " -c 'import pexpect' 2> /dev/null") and name or false
    if python then return python end
  end
end

-- {options, in_terminal, typed = list of lines, lines = the transcript below the head}
function session.parse(text)
  local lines = golden.lines(text)
  local parsed = { options = "", typed = {}, lines = lines }
  parsed.head = {}
  while lines[1] and lines[1]:match("^# %l+") do
    local options = lines[1]:match("^# options: (.+)$")
    if options then parsed.options = options end
    if lines[1] == "# terminal" then parsed.in_terminal = true end
    parsed.head[#parsed.head + 1] = table.remove(lines, 1)
  end
  for _, line in ipairs(lines) do
    local typed = line:match("^>>? (.*)$")
    if typed then parsed.typed[#parsed.typed + 1] = typed end
  end
  if #parsed.typed == 0 then error("nothing is typed", 0) end
  return parsed
end

-- Types the lines at a fresh prompt. Returns the transcript, as lines.
function session.play(parsed)
  local name = os.tmpname()
  do
    local file <close> = assert(io.open(name, "wb"))
    file:write(table.concat(parsed.typed, "\n"), "\n")
  end
  local words = ("--no-init %s -e %s -i < %s"):format(parsed.options, golden.quote(set_prompts), golden.quote(name))
  local settings = { "LUTRA_HISTORY=", "TERM=dumb", "NO_COLOR=1", "VISUAL=true" }
  local program = parsed.in_terminal and session.python() .. " tests/support/run/terminal.py"
  local output, status = golden.run(words, settings, program)
  os.remove(name)

  local at = output:find(mark, 1, true)
  if not at then error("no prompt was printed (_PROMPT sets it); the output is:\n" .. output, 0) end
  local transcript, number = {}, 0
  for prompt, answer in output:sub(at):gmatch(mark .. "(>>? )([^" .. mark .. "]*)") do
    number = number + 1
    local typed = parsed.typed[number]
    if typed then
      transcript[#transcript + 1] = prompt .. typed
      for _, line in ipairs(golden.lines(answer)) do
        -- On a busy machine any entry may take the second from which the prompt says how long it took.
        local is_time = parsed.in_terminal and line:find("^took [%d.e+]+ s$")
        if not is_time or typed:find("^:time") then transcript[#transcript + 1] = line end
      end
    elseif answer:find("%S") then
      error("after the last line: " .. answer, 0)  -- the end of the input is answered by a line feed at most
    end
  end
  if status ~= 0 then transcript[#transcript + 1] = "exit status " .. status end
  return transcript
end

return session
