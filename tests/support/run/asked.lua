-- lutra tests/support/run/asked.lua: runs each line of its input as a chunk of Lua and answers with a line: true and
-- the chunk's results, or false, the error's code and its message. For tests of programs that run side by side
-- (tests/support/run/program.lua starts it).
io.stdout:setvbuf("line")

local function answer(...)
  local words = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    words[i] = ("%q"):format(type(value) == "userdata" and tostring(value) or value):gsub("\\\n", "\\n")
  end
  print(table.concat(words, ", "))
end

for line in io.lines() do
  local chunk <const> = assert(load(line, "=asked"))
  answer(xpcall(chunk, function(problem)
    return lt.iserror(problem) and problem.code .. ": " .. problem.message or tostring(problem)
  end))
end
