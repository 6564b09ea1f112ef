-- Network namespaces that stand for hosts: `local hosts = dofile("tests/support/run/hosts.lua")`. That needs root and
-- iproute2.
local hosts = {}
hosts.__index = hosts
hosts.__close = function(self) self:remove() end

local function shell(words) return os.execute(words .. " >/dev/null 2>&1") end

-- The names are this process' own: other tests may make some at the same time.
local pid = assert(io.open "/proc/self/stat"):read "n"

-- `count` hosts with the addresses 10.91.0.1 and following, at one switch. rate: of each host's link in both directions,
-- as tc writes it ("100mbit"). Nil if they cannot be made here.
function hosts.make(count, rate)
  local self = setmetatable({ switch = "lutra-" .. pid, addresses = {}, names = {} }, hosts)
  for i = 1, count do self.names[i], self.addresses[i] = ("lutra-%d-%d"):format(pid, i), "10.91.0." .. i end
  if self:build(rate) then return self end
  self:remove()
  return nil
end

function hosts:build(rate)
  local switch = self.switch
  if not (shell("ip netns add " .. switch) and shell("ip -n " .. switch .. " link add br0 type bridge")
      and shell("ip -n " .. switch .. " link set br0 up")) then
    return false
  end
  for i, name in ipairs(self.names) do
    if not (shell("ip netns add " .. name)
        and shell(("ip link add port%d netns %s type veth peer name eth0 netns %s"):format(i, switch, name))
        and shell(("ip -n %s link set port%d master br0 up"):format(switch, i))
        and shell(("ip -n %s addr add %s/24 dev eth0"):format(name, self.addresses[i]))
        and shell(("ip -n %s link set eth0 up"):format(name)) and shell(("ip -n %s link set lo up"):format(name))) then
      return false
    end
    for namespace, device in pairs(rate and { [switch] = "port" .. i, [name] = "eth0" } or {}) do
      if not shell(("tc -n %s qdisc add dev %s root tbf rate %s burst 128kb latency 100ms"):format(namespace, device, rate)) then
        return false
      end
    end
  end
  return shell(("ip netns exec %s unshare -u hostname host1"):format(self.names[1]))
end

function hosts:remove()
  shell("ip netns del " .. self.switch)
  for _, name in ipairs(self.names) do shell("ip netns del " .. name) end
end

-- The text of a program in place of ssh, which is called with an address and a command.
function hosts:agent()
  return ([[#!/bin/sh
number=${1##*.}
shift
ip -n %s link show port$number | grep -q LOWER_UP || exit 255
exec ip netns exec lutra-%d-$number unshare -u sh -c "hostname host$number; $*"
]]):format(self.switch, pid)
end

-- A command for the shell that runs `words` on the first host, with the agent's file in place of ssh. environment: "A=1
-- B=2".
function hosts:on_first(agent, words, environment)
  local quoted = "'" .. ("hostname host1; exec " .. words):gsub("'", "'\\''") .. "'"
  return ("env OMPI_MCA_plm_rsh_agent=%s %s ip netns exec %s unshare -u sh -c %s"):format(agent, environment or "",
    self.names[1], quoted)
end

return hosts
