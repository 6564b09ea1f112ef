-- lutra tests/support/on_card.lua RUNNER [ARGUMENT ...]: runs it on the machine's own GPUs; exit status 77, which skips the
-- test, where there are none.
local runner = table.remove(arg, 1)
if not runner then
  io.stderr:write("usage: lutra tests/support/on_card.lua RUNNER [ARGUMENT ...]\n")
  os.exit(2)
end
if #lt.config.list_physical_devices("GPU") == 0 then
  print("no GPU here, or no plugin for it")
  os.exit(77)
end
arg[0] = runner
dofile(runner)
