-- lutra tests/support/run/on_card.lua RUNNER [ARGUMENT ...]: runs RUNNER on the machine's own GPUs. Exit status 77,
-- which skips the test, where there are none. Where a driver is present but Lutra finds no GPU, the test fails with the
-- doctor's output.
local runner = table.remove(arg, 1)
if not runner then
  io.stderr:write("usage: lutra tests/support/run/on_card.lua RUNNER [ARGUMENT ...]\n")
  os.exit(2)
end
if #lt.config.list_physical_devices("GPU") == 0 then
  local there = io.open("/dev/nvidiactl") or io.open("/dev/dxg")
  if there or os.getenv("LUTRA_CUDA_DRIVER") then
    os.execute(("'%s' doctor"):format(os.getenv("LUTRA") or "lutra"))
    os.exit(1)
  end
  print("no GPU here")
  os.exit(77)
end
arg[0] = runner
dofile(runner)
