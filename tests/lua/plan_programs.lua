-- The programs of scripts/experiments about plans, with small settings. Their plans follow from times measured in this
-- run, so nothing is said here about how much faster a plan is: tests/lua/plan_*.lua and tests/unit/plan do with given times.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function run(command)
  local pipe = assert(io.popen(("%s scripts/experiments/%s 2>&1 </dev/null"):format(os.getenv("LUTRA") or "lutra", command)))
  local text = pipe:read "a"
  assert(pipe:close(), text)
  return text
end

expect.case("two towers give the same loss on one GPU, on another and on both", function()
  local page = os.tmpname()
  local text = run("two_towers.lua 4 " .. page)
  local losses, predicted = {}, {}
  for name, us, loss in text:gmatch "(GPU:[%w:+]+) +([%d.]+) ms +[%d.]+ ms +[-%d.]+%%  ([%d.]+)" do
    losses[#losses + 1], predicted[name] = loss, tonumber(us)
  end
  assert(#losses == 3 and losses[1] == losses[2] and losses[2] == losses[3], text)
  assert(predicted["GPU:0"] and predicted["GPU:1"] and predicted["GPU:0+GPU:1"], text)
  local file <close> = assert(io.open(page))
  assert(file:read "a":find "^<!doctype html>")
  os.remove(page)
end)

expect.case("a pipeline gives the results of one GPU", function()
  local text = run "layer_pipeline.lua 4"
  local _, count = text:gsub("is busy %d+%% of the time", "")
  assert(count == 3 and text:find("the same results", 1, true), text)
  local one, three = text:match "one GPU: +predicted +([%d.]+) ms.*three GPUs: predicted +([%d.]+) ms"
  assert(one and three, text)
end)

expect.case("a network that fits on no GPU trains within the limits of three", function()
  local text = run "too_big.lua 6"
  local count = 0
  for name in text:gmatch "(GPU:%d) alone: it needs [%d.]+MiB and has" do count = count + #name / #name end
  expect.equal(count, 3.0)
  local first, last = text:match "step  1: loss ([%d.]+).*step  6: loss ([%d.]+)"
  assert(tonumber(last) < tonumber(first), text)
  -- A card may have weights, or only the gradients of others' weights.
  local total = 0
  for layers, held, limit in text:gmatch "has (%d+) layers; it held at most ([%d.]+) MB of (%d+)" do
    total = total + tonumber(layers)
    assert(tonumber(held) > 0 and tonumber(held) <= tonumber(limit), text)
  end
  expect.equal(total, 12, text)
end)
expect.case("scaling is predicted and measured", function()
  local text = run "scaling.lua 1 64"
  local predicted = {}
  for n, ms in text:gmatch "\n +(%d) +([%d.]+) ms +[%d.]+ ms +[-%d.]+%%" do predicted[tonumber(n)] = tonumber(ms) end
  assert(predicted[1] and predicted[2], text)
end)
print("ok")
