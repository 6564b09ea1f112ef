-- A second Lutra that runs beside the test: `local other = dofile("tests/support/run/program.lua").start(environment)`.
local program = {}
program.__index = program

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- environment: text as `env` takes it, "A=1 B=2"; may be left out.
function program.start(environment)
  local pipe = os.tmpname()
  os.remove(pipe)
  assert(os.execute("mkfifo " .. quoted(pipe)))
  local lutra = quoted(os.getenv("LUTRA") or "lutra")
  local command = ("env %s %s --no-init tests/support/run/asked.lua > %s"):format(environment or "A=", lutra, quoted(pipe))
  local self = setmetatable({ input = assert(io.popen(command, "w")) }, program)
  self.output = assert(io.open(pipe))
  os.remove(pipe)
  return self
end

-- Runs `chunk` there; its results, or nil and the error as "Code: message".
function program:try(chunk)
  self.input:write((chunk:gsub("%s*\n%s*", " ")), "\n")
  self.input:flush()
  local answer = self.output:read("l") or error("the other program has ended", 2)
  local values = table.pack(load("return " .. answer, "=answer")())
  if not values[1] then return nil, values[2] end
  return table.unpack(values, 2, values.n)
end

-- The same where it must go well.
function program:ask(chunk)
  local values = table.pack(self:try(chunk))
  if values[1] == nil and values.n == 2 then error("the other program: " .. tostring(values[2]), 2) end
  return table.unpack(values, 1, values.n)
end

-- Its exit status, which is 0 when all is well.
function program:finish()
  local _, _, status = self.input:close()
  self.output:close()
  return status
end

return program
