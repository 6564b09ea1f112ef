-- The experiment data_parallel prints its table: three lines of replicas, none faster than the simulated speed allows.
local expect = dofile("tests/support/expect.lua")
local program = os.getenv("LUTRA") or "lutra"
local pipe = assert(io.popen(program .. " scripts/experiments/data_parallel.lua 2 2>&1"))
local text = pipe:read("a")
assert(pipe:close(), text)
local lines = {}
for line in text:gmatch("[^\n]+") do
  local count, ms, paper, _, efficiency = line:match("^%s+(%d+)%s+([%d.]+)%s+([%d.]+)%s+(%d+)%s+(%d+)%%$")
  if count then lines[#lines + 1] = { tonumber(count), tonumber(ms), tonumber(paper), tonumber(efficiency) } end
end
expect.equal(#lines, 3, "lines of the table")
expect.equal({ lines[1][1], lines[2][1], lines[3][1] }, { 1, 2, 4 })
expect.equal(lines[1][4], 100, "the efficiency of one")
-- The products alone take 27.98 ms at 10 GFLOP/s, however fast the machine is; on paper 3.2 MB cross links of 1 GB/s twice or more.
for _, line in ipairs(lines) do assert(line[2] > 27.9, text) end
assert(lines[2][3] > lines[1][3] + 6 and lines[3][3] > lines[2][3], text)
