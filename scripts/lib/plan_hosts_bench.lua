-- scripts/lib/plan_hosts_bench.lua [LINK...]: the training steps that `lutra plan-hosts` predicts beside measured ones, on
-- 2, 4 and 8 hosts, which are network namespaces here with links of this rate ("100Mb"). Run as root by `scripts/dev bench
-- plan-hosts`, with the root of the tree as working directory. LUTRA_BUILD is the build folder whose program runs.
local cli = dofile("tests/bench/cli.lua")
local hosts = dofile("tests/support/run/hosts.lua")
local build = os.getenv("LUTRA_BUILD") or "build/release"
local lutra = cli.quoted(build .. "/bin/lutra")
local kProgram, kLatency = "tests/bench/hosts_step.lua", 60
local links = #arg > 0 and arg or { "100Mb", "500Mb" }

local function lines_of(command)
  local pipe = assert(io.popen("timeout -k 10 300 " .. command))
  local text = pipe:read "a"
  if not pipe:close() then cli.stop("this failed: ", command) end
  return text
end

print(("%-8s %6s %12s %12s %8s"):format("link", "hosts", "predicted", "measured", "error"))
for _, link in ipairs(links) do
  local rate = link:match "^[%d.]+[MG]b$" and link:gsub("b$", "bit"):lower()
  if not rate then cli.stop("a link is 100Mb or 1Gb, not ", link) end
  local predicted = lines_of(("%s %s %s %d 2 4 8"):format(lutra, kProgram, link, kLatency))
  for n, us in predicted:gmatch "(%d+)\t([%d.]+)" do
    local made <close> = hosts.make(tonumber(n), rate) or cli.stop("network namespaces cannot be made here: that needs root, and iproute2")
    local agent = os.tmpname()
    local file = assert(io.open(agent, "w"))
    file:write(made:agent())
    file:close()
    os.execute("chmod +x " .. agent)
    local command = ("%s launch -n %s --hosts %s %s"):format(lutra, n, table.concat(made.addresses, ","), kProgram)
    local measured = lines_of(made:on_first(agent, command, "LUTRA_NUM_THREADS=1")):match "measured\t([%d.]+)"
    os.remove(agent)
    print(("%-8s %6s %9.2f ms %9.2f ms %7.1f%%"):format(link, n, us / 1e3, measured / 1e3, 100 * (us / measured - 1)))
  end
end
