-- Cells of a notebook: unlike entries of the prompt they may have an expression after their statements, whose value they
-- show, and commands before them.
local _, _, use = ...

local cells = {}

local most_lines, most_bytes = 100, 100000

-- Text that continues the statement before it: a(b) over two lines is a call.
local function may_continue(token)
  return token.kind == "string" or token.text == "(" or token.text == "{" or token.text == "["
end

local function first_token(text)
  for _, token in ipairs(use "repl.tokens".split(text)) do
    if token.kind ~= "comment" then return token end
  end
end

-- The cell as a chunk that returns the value of its last lines, if these are an expression; and whether a ";" silences
-- it. nil if they are not. is_chunk: whether Lua takes the text as it is.
function cells.with_value(session, text, is_chunk)
  if #text > most_bytes then return nil end
  text = text:gsub("%s+$", "")
  local start = #text + 1
  for _ = 1, most_lines do
    local before = text:sub(1, start - 1)
    local line = before:match("^.*\n()[^\n]*\n$") or before:match("^.*\n()[^\n]+$")
    if not line then return nil end
    start = line
    local rest = text:sub(start)
    local token = first_token(rest)
    if token and not (is_chunk and may_continue(token)) then
      local silenced = use "repl.tokens".silenced(rest)
      if load("return " .. (silenced or rest) .. "\n") and session:load(text:sub(1, start - 1)) then
        -- A variable to be closed prevents a tail call, after which the cell's locals would be gone.
        local whole = text:sub(1, start - 1) .. "local __lutra <close> = nil return " .. rest
        if session:load(whole) then return whole, silenced ~= nil end
      end
    end
  end
end

-- Runs the commands in the first lines of a cell that has more lines. Returns the cell with empty lines in their place;
-- nil if one of them has failed. A command that runs an entry takes the whole cell: nothing is run here.
function cells.after_commands(session, text)
  local command, at = use "repl.command", 1
  while true do
    local line, rest = text:match("^%s*([:?][^\n]*)\n()%s*%S", at)
    if not line or line:find("^::") then break end
    local done = command.run_line(session, line)
    if done == false then return nil end
    if not done then break end
    at = rest
  end
  local _, lines = text:sub(1, at - 1):gsub("\n", "")
  return ("\n"):rep(lines) .. text:sub(at)
end

return cells
