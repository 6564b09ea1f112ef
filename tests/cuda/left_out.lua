-- A card that cannot be used does not affect the others: one that is too old for the plugin's code, and one on which no
-- context can be made. The cards are those of the stub of NVIDIA's driver (tests/support/cuda_stub).
local program = dofile("tests/support/expect.lua").program

local script = [[
local x = lt.ones { 4 } + 1
print("sum", x:sum():item(), x.device:match("[CG]PU:%d+"))
local names = {}
for i, card in ipairs(lt.config.list_physical_devices("GPU")) do
  names[i] = card.name:match("GPU:%d+") .. "=" .. lt.config.get_device_details(card).device_name
end
print("physical", table.concat(names, " "))
names = {}
for i, gpu in ipairs(lt.config.list_logical_devices("GPU")) do names[i] = gpu.name:match("GPU:%d+") end
print("logical", table.concat(names, " "))
print(select(2, pcall(lt.device, "/GPU:7", function() return lt.ones { 1 } end)))
print(select(2, pcall(lt.device, "/physical_device:GPU:0", function() end)))
]]

local function expect(cards, ...)
  local told = program(script, "--no-init", "LUTRA_CUDA_STUB=random:1," .. cards)
  for _, part in ipairs { ... } do
    if not told:find(part, 1, true) then error(("%s: does not say %q:\n%s"):format(cards, part, told), 2) end
  end
  return told
end
local function count(text, part)
  local found, at = 0, 1
  while true do
    local from, to = text:find(part, at, true)
    if not from then return found end
    found, at = found + 1, to + 1
  end
end

local kOld = "WARNING: Ignoring visible gpu device (device: 0, name: Stub 0, pci bus id: 0000:00:00.0, compute capability: 7.0) "
  .. "with Cuda compute capability 7.0. The minimum required Cuda capability is 8.0.\n"
local kClosed = "the card gives no context: CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy or unavailable; "
  .. "lutra doctor says who has it\n"

local told = expect("cards:2,old:0", kOld, "sum\t8.0\tGPU:0", "physical\tGPU:0=Stub 1\n", "logical\tGPU:0\n")
assert(count(told, "WARNING") == 1, told)

told = expect("cards:3,closed:1", "WARNING: /physical_device:GPU:1 is left out: " .. kClosed, "sum\t8.0\tGPU:0",
  "physical\tGPU:0=Stub 0 GPU:1=Stub 1 GPU:2=Stub 2\n", "logical\tGPU:0 GPU:1\n")
assert(count(told, "WARNING") == 1, told)

-- The first one that can be used is GPU:0.
told = expect("cards:3,old:0,closed:1", kOld, "WARNING: /physical_device:GPU:0 is left out: " .. kClosed, "sum\t8.0\tGPU:0",
  "physical\tGPU:0=Stub 1 GPU:1=Stub 2\n", "logical\tGPU:0\n", "GPU:7 unknown device",
  "is the physical device '/physical_device:GPU:0', expected a logical one; no logical device is on it: it is not visible "
    .. "(lutra.config.set_visible_devices), or it could not be opened (lutra doctor says why)")
assert(count(told, "WARNING") == 2, told)

-- Where none can be used, ops run on the CPU.
expect("cards:1,old:0", kOld, "sum\t8.0\tCPU:0", "physical\t\n", "logical\t\n")
expect("cards:1,closed:0", "WARNING: /physical_device:GPU:0 is left out: " .. kClosed, "sum\t8.0\tCPU:0",
  "physical\tGPU:0=Stub 0\n", "logical\t\n")
print("left_out passed")
