-- scripts/lib/ranks_table.lua [--times=20] [ROW...]: tries the rows of the table of failures in docs/several-hosts.md, each
-- so many times, and prints how often what the table says has happened. Run by `scripts/dev ranks`, with the root of the tree
-- as working directory. A row is a case of tests/lua; rows that need network namespaces are skipped where these cannot be made.
-- LUTRA_BUILD is the build folder whose program runs. Exit status 1: a row was not met every time.
local cli = dofile("tests/bench/cli.lua")
local stop, quoted = cli.stop, cli.quoted
local program = (os.getenv("LUTRA_BUILD") or "build/release") .. "/bin/lutra"

local rows = {
  { "collectives", "ranks", "ranks in different collectives are told both lines, and can go on" },
  { "shapes", "ranks_training", "ranks that differ in rows, seeds, variables or shapes are told so" },
  { "early-end", "ranks", "a rank that ends early ends the others' wait" },
  { "error", "ranks", "an error in one rank reaches all, with its line" },
  { "late", "ranks", "a barrier with a time limit names who is missing, and the late rank is told as well" },
  { "killed", "ranks_failures", "a killed rank ends the job, and the others say what they waited for" },
  { "interrupted", "ranks_failures", "a signal to the launcher ends all ranks" },
  { "stopped", "ranks_failures", "a stopped rank is noticed, and the job ends" },
  { "restart", "ranks_failures", "a fit whose rank is killed goes on from its backup, with the same weights" },
  { "cut-off", "ranks_hosts", "a host that is cut off ends the job" },
  { "cut-off-restart", "ranks_hosts", "a fit whose host is cut off goes on with the others, and ends with the same weights" },
  { "no-host", "ranks_hosts", "a host that does not exist" },
}

local times, wanted, known = 20, {}, {}
for _, row in ipairs(rows) do known[row[1]] = row end
for _, word in ipairs(arg) do
  local number = word:match "^%-%-times=(%d+)$"
  if number then times = tonumber(number)
  elseif known[word] then wanted[#wanted + 1] = known[word]
  else stop("scripts/dev ranks has no row or option ", word) end
end

local failed = false
for _, row in ipairs(#wanted > 0 and wanted or rows) do
  local name, file, case = table.unpack(row)
  local met, skipped = 0, false
  for _ = 1, times do
    local run = assert(io.popen(("LUTRA=%s LUTRA_TEST_CASE=%s %s tests/lua/%s.lua 2>&1"):format(quoted(program), quoted(case), quoted(program), file)))
    local text = run:read "a"
    local ok, _, status = run:close()
    skipped = status == 77
    if skipped then break end
    if ok and text:find "1 passed\n$" then met = met + 1 else io.stderr:write(text) end
  end
  print(skipped and ("%-16s skipped"):format(name) or ("%-16s %d of %d"):format(name, met, times))
  io.stdout:flush()
  failed = failed or not skipped and met < times
end
if failed then os.exit(1) end
