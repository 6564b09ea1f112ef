-- The first large product, with more and more address space (ulimit -v). oneDNN compiles code then, and once ended the
-- process when there was room for everything else.
local program = os.getenv("LUTRA") or "lutra"
local script = [[local a = lt.ones {300, 300} print(pcall(function() return a:matmul(a):max():item() end))]]

if dofile("tests/support/expect.lua").is_sanitized() then
  print "a sanitizer needs more addresses than any limit allows"
  os.exit(77)
end

local function size_of(key)
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match("^" .. key .. ":%s*(%d+)")
    if kilobytes then return tonumber(kilobytes) end
  end
end

-- This process has not multiplied yet: from somewhat less than its room on, to more than a product wants.
local first, right = size_of "VmSize" - 4000, 0
for kilobytes = first, first + 30000, 500 do
  local command = ("ulimit -v %d; LUTRA_NUM_THREADS=1 exec '%s' -e '%s' 2>&1"):format(kilobytes, program, script)
  local pipe = assert(io.popen(command))
  local output = pipe:read "a"
  local _, how, status = pipe:close()
  local loads = not output:find("shared librar", 1, true)
  assert(not loads or (how == "exit" and status <= 1 and output ~= ""), ("%d kB: %s %d: %s"):format(kilobytes, how, status, output))
  if output == "true\t300.0\n" then right = right + 1 end
end
assert(right > 10, "it never went well")
