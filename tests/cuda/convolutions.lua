-- Who computes a convolution on a card: cuDNN, or cuBLASLt as a product with the windows laid out. With the precision
-- "bf16" the results differ, since cuDNN rounds float32 to tf32, which keeps 1 + 2^-9. The libraries are stubs
-- (tests/support/cuda_stub); the stub of cuDNN refuses windows that are both dilated and strided.
local expect = dofile("tests/support/expect.lua")

local script = [[
lt.config.set_float32_matmul_precision("bf16")
local kept = 1 + 0x1p-9
local function who(name, size, taps, options)
  local x = lt.device("/GPU:0", function() return lt.fill({ 1, size, size, 4 }, kept) end)
  local w = lt.device("/GPU:0", function() return lt.ones { taps, taps, 4 // (options.groups or 1), 2 } end)
  lt.device("/GPU:0", function()
    local tape <close> = lt.GradientTape()
    tape:watch { x, w }
    local y = lt.conv2d(x, w, options)
    local slopes = tape:gradient(y, { x, w }, { output_gradients = lt.ones_like(y) * kept })
    local told = {}
    for i, result in ipairs { y, slopes[1], slopes[2] } do
      assert(result.device:find("GPU:0"), result.device)
      -- The gradient of w rounds twice.
      local largest = result:max():item()
      told[i] = largest == math.tointeger(largest) and "laid out" or "cuDNN"
    end
    print(name .. ": " .. table.concat(told, ", "))
  end)
end
who("plain", 5, 3, {})
who("padded alike", 5, 3, { padding = "same" })
who("padded behind", 4, 3, { padding = "same", stride = 2 })
who("groups", 5, 3, { groups = 2 })
who("strided", 5, 3, { stride = 2 })
who("dilated and strided", 7, 3, { stride = 2, dilation = 2 })
]]

local function run(environment) return (expect.program(script, "--no-init", environment)) end
local equal = expect.equal
local function all(who) return ("%s, %s, %s"):format(who, who, who) end
local function table_of(who)
  return ("plain: %s\npadded alike: %s\npadded behind: %s\ngroups: %s\nstrided: %s\ndilated and strided: %s\n"):format(
    all(who), all(who), all("laid out"), all(who), all(who), all("laid out"))
end

equal(run(""), table_of("cuDNN"))
equal(run("LUTRA_CUDNN=1"), table_of("cuDNN"))
equal(run("LUTRA_CUDNN=0"), table_of("laid out"))
equal(run("LUTRA_CUDNN=off"), table_of("laid out"))
assert(run("LUTRA_CUDNN=maybe"):find("LUTRA_CUDNN is 'maybe', expected 1 or 0", 1, true))

-- One that is none, and one that does not start on a card: convolutions go on without it, and that is said once.
local without <const> = "; convolutions are laid out and multiplied by cuBLASLt\n"
local not_started <const> = "WARNING: GPU:%d: cuDNN is not used: cuDNN does not start on this card (CUDNN_STATUS_BAD_PARAM)" .. without
local environment, remove, folder = dofile("tests/support/false_library.lua")("libcudnn.so.9")
local is_none = ("WARNING: cuDNN is not used: %s/libcudnn.so.9 has no cudnnCreate: it is no cuDNN, or one that Lutra does not know"):format(folder)
  .. without
equal(run(environment), is_none .. table_of("laid out"))
equal(run("LUTRA_CUDA_STUB_FAILS=cudnnCreate"), not_started:format(0) .. table_of("laid out"))
local both <const> = [[
for step = 0, 5 do
  local x, w = lt.ones { 1, 5, 5, 4 }, lt.ones { 3, 3, 4, 2 }
  lt.device("/GPU:" .. step % 2, function() print(lt.conv2d(x, w):max():item()) end)
end]]
equal(expect.program(both, "--no-init", environment), is_none .. ("36.0\n"):rep(6))
equal(expect.program(both, "--no-init", "LUTRA_CUDA_STUB_FAILS=cudnnCreate"),
  not_started:format(0) .. "36.0\n" .. not_started:format(1) .. ("36.0\n"):rep(5))
remove()
print("convolutions passed")
