-- Two programs on one card: with limits, with fractions, with the memory that the first one leaves, and when the card
-- is full. Run on the stub of NVIDIA's driver, whose memory programs share through a file, and on real cards
-- (gpu.two_programs).
-- Stub: inline,memory:1024
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local program = dofile("tests/support/run/program.lua")

local stub, environment, cards = os.getenv("LUTRA_CUDA_STUB")
if stub then
  cards = os.tmpname()
  environment = ("LUTRA_CUDA_STUB=%s,shared:%s"):format(stub, cards)
end
local function start() return program.start(environment) end
local function finish(...)
  for _, each in ipairs { ... } do equal(each:finish(), 0) end
end
local function contains(text, ...)
  for _, words in ipairs { ... } do
    if not tostring(text):find(words, 1, true) then error(("%q is not in: %s"):format(words, text), 2) end
  end
end

-- A sixty-fourth of the card, in bytes that a granule divides.
local first = start()
local total = math.tointeger(tonumber(first:ask [[return lt.config.get_device_details("GPU:0").memory_bytes]]))
finish(first)
local kMiB <const> = 1 << 20
local part = total // 64 // (2 * kMiB) * (2 * kMiB)

-- What the driver says is free, as `lutra doctor` asks it.
local function free_bytes()
  local pipe = assert(io.popen(("env %s '%s' doctor --json"):format(environment or "A=", os.getenv("LUTRA") or "lutra")))
  local told = pipe:read("a")
  pipe:close()
  return math.tointeger(tonumber(told:match('"free_bytes": "(%d+)"') or error(told)))
end
-- The driver's figure is that of get_memory_info; contexts are beside it, of which a stub has none.
local function check_free(taken)
  local free = free_bytes()
  if stub then equal(free, total - taken) end
  assert(free <= total - taken, ("%d bytes are free, %d of %d are taken"):format(free, taken, total))
end

local kInfo <const> = [[local info = lt.config.get_memory_info("GPU:0") return info.limit, info.reserved, info.current]]
local kWork <const> = [[
  work = lt.range(1 << 20):reshape { 1024, 1024 } * 2
  return (work:sum()):item(), work.device:match("GPU:%d")
]]
local function works(each)
  local sum, device = each:ask(kWork)
  equal(sum, (1 << 20) * ((1 << 20) - 1))
  equal(device, "GPU:0")
end

case("two programs share a card by their limits, and neither takes more than its own", function()
  local limits = { 16 * part, 8 * part }
  local programs = { start(), start() }
  for i, each in ipairs(programs) do
    each:ask(('lt.config.set_logical_device_configuration("GPU:0", { { memory_limit = %d } })'):format(limits[i] // kMiB))
    works(each)
    local limit, reserved = each:ask(kInfo)
    equal(limit, limits[i])
    equal(reserved, limits[i])
  end
  check_free(limits[1] + limits[2])
  local ok, problem = programs[2]:try("too_large = lt.zeros { " .. 9 * part // 4 .. " }")
  equal(ok, nil)
  contains(problem, "ResourceExhausted: ", "The tensor is larger than the device's limit")
  for _, each in ipairs(programs) do works(each) end
  finish(table.unpack(programs))
  check_free(0)
end)

case("two programs share a card by fractions of it", function()
  local fractions = { 0.25, 0.5 }
  local programs, taken = { start(), start() }, 0
  for i, each in ipairs(programs) do
    each:ask(('lt.config.set_per_process_memory_fraction("GPU:0", %s)'):format(fractions[i]))
    works(each)
    local limit, reserved = each:ask(kInfo)
    assert(math.abs(limit - fractions[i] * total) < 2 * kMiB, limit)
    equal(reserved, limit)
    taken = taken + reserved
  end
  check_free(taken)
  for _, each in ipairs(programs) do works(each) end
  finish(table.unpack(programs))
end)

case("a program that says nothing takes nearly all of what others have left", function()
  local programs = { start(), start() }
  for _, each in ipairs(programs) do works(each) end
  local most, rest = programs[1]:ask(kInfo), programs[2]:ask(kInfo)
  assert(most > 31 * part and rest < most and rest <= total - most, ("%d and %d of %d"):format(most, rest, total))
  for _, each in ipairs(programs) do works(each) end
  finish(table.unpack(programs))
end)

-- The sum of its first element and its last.
local kEnds <const> = "local all = %s return all[{ 1 }]:item() + all[{ -1 }]:item()"

-- Two that grow, each up to nearly all of the card: that is settled while it is empty.
local function start_growing()
  local programs = { start(), start() }
  for _, each in ipairs(programs) do
    each:ask [[lt.config.set_memory_growth("GPU:0", true) first = lt.ones { 8 } + 1]]
  end
  return table.unpack(programs)
end
-- Takes all of the card that is left, a part after the other, but for less than one of them.
local kFill <const> = [[
  all = all or {}
  for i = 1, 100 do all[#all + 1] = lt.zeros { %d } end
]]
local function fill(each)
  local ok, problem = each:try(kFill:format(part // 4))
  equal(ok, nil)
  return problem
end

case("when others have the card, a program uses its own memory again, and the report has the driver's words", function()
  local a, b = start_growing()
  a:ask(("x = {} for i = 1, 10 do x[i] = lt.fill({ %d }, i) end"):format(2 * part // 4))
  local problem = fill(b)
  contains(problem, "ResourceExhausted: zeros: out of memory on", "GPU:0", "the limit leaves room, but the device gave no pages: failed to allocate ",
    " bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory", "Largest live tensors:", "end other programs that use the device")
  -- Free memory is fragmented: no hole is large enough, and the card has no more.
  a:ask "for i = 1, 10, 2 do x[i]:release() end"
  a:ask(("y = lt.fill({ %d }, 7)"):format(6 * part // 4))
  equal(a:ask "return y:max():item() + y:min():item()", 14.0)
  for i = 2, 10, 2 do equal(a:ask(("return x[%d]:max():item() + x[%d]:min():item()"):format(i, i)), 2.0 * i) end
  local ok
  ok, problem = a:try(("z = lt.fill({ %d }, 3)"):format(20 * part // 4))
  equal(ok, nil)
  contains(problem, "ResourceExhausted: fill: out of memory on", "from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory")
  -- What another program had can be had when it has ended.
  finish(b)
  a:ask(("z = lt.fill({ %d }, 3)"):format(20 * part // 4))
  equal(a:ask(kEnds:format("z")), 6.0)
  finish(a)
end)

case("memory that is given back is another program's to take", function()
  local a, b = start_growing()
  a:ask(("x = lt.zeros { %d }"):format(40 * part // 4))
  a:ask "x:release()"
  local ok, problem = b:try(("y = lt.ones { %d }"):format(40 * part // 4))
  equal(ok, nil)
  contains(problem, "CUDA_ERROR_OUT_OF_MEMORY")
  a:ask [[lt.config.release_memory("GPU:0")]]
  b:ask(("y = lt.ones { %d }"):format(40 * part // 4))
  equal(b:ask(kEnds:format("y")), 2.0)
  finish(a, b)
end)

case("what one logical GPU of a card keeps is given back for another of them", function()
  local a, b = start(), start()
  a:ask(('lt.config.set_logical_device_configuration("GPU:0", { { memory_limit = %d }, { memory_limit = %d } })'):format(
    24 * part // kMiB, 24 * part // kMiB))
  for _, each in ipairs { a, b } do each:ask [[lt.config.set_memory_growth("GPU:0", true)]] end
  b:ask "first = lt.ones { 8 } + 1"
  a:ask(("x = lt.device('/GPU:0', function() return lt.zeros { %d } end)"):format(20 * part // 4))
  a:ask "x:release()"
  fill(b)
  a:ask(("y = lt.device('/GPU:1', function() return lt.ones { %d } end)"):format(16 * part // 4))
  equal(a:ask(kEnds:format("y")), 2.0)
  finish(a, b)
end)

if cards then os.remove(cards) end
expect.end_of_cases()
