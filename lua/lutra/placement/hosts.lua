-- How long processes on hosts of their own take to sum gradients, for `scaling` with a link. The sums are those of
-- MultiWorkerMirroredStrategy: ranks agree by way of rank 0, each rank adds a slice, then all get all slices
-- (docs/decisions/owners-add-in-a-tree.md).
local lutra, tools = ...
local hosts = {}

-- Millions.
local kScales = { M = 1, G = 1e3, T = 1e6 }
-- Of TCP within a data centre.
local kLatency = 30
-- What a process takes to send or receive one message, in microseconds.
local kMessage = 2
-- What several senders reach together of the rate of a link, by TCP: measured on links of 100 and 500 Mbit/s.
local kShared = 0.78
-- A gradient is copied into the bucket and out of it, and its sums are written.
local kPasses = 4

local function text_of(value) return type(value) == "string" and '"' .. value .. '"' or tools.what_is(value) end

-- The link between two hosts: {latency_us, bytes_per_us}.
function hosts.link(who, link, latency)
  local number, scale, unit
  if type(link) == "string" then number, scale, unit = link:match "^([%d.]+) ?([MGT])([bB])p?/?s?$" end
  local count = tonumber(number)
  if not count or count <= 0 then
    tools.fail("InvalidArgument",
      ('%s: link is %s, expected bits or bytes per second, as in "25Gb" or "3GB"'):format(who, text_of(link)))
  end
  latency = latency or kLatency
  if type(latency) ~= "number" or not (latency >= 0) or latency == math.huge then
    tools.fail("InvalidArgument",
      ("%s: latency_us is %s, expected microseconds, 0 or more"):format(who, text_of(latency)))
  end
  return { latency_us = latency, bytes_per_us = count * kScales[scale] / (unit == "b" and 8 or 1) }
end

-- The sum of `bytes` of gradients over n processes; adds: the bytes that a process reads and writes per microsecond.
function hosts.sum_us(n, bytes, link, adds)
  if n == 1 then return 0 end
  local messages = 2 * n + 2 * (n - 1)  -- rank 0 hears and answers everybody; slices and sums go to everybody
  local moved = 2 * bytes * (n - 1) / n / (n > 2 and kShared or 1)
  return 4 * link.latency_us + messages * kMessage + moved / link.bytes_per_us + kPasses * bytes / adds
end

return hosts
