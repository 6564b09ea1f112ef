-- A new, empty folder for what a test writes: `local folder = dofile("tests/support/folder.lua")`, and folder.remove() at the end.
local folder = { path = os.tmpname() }
os.remove(folder.path)
assert(os.execute("mkdir '" .. folder.path .. "'"))

function folder.at(name) return folder.path .. "/" .. name end

function folder.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

function folder.write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

-- The names of all files, one a line.
function folder.list()
  local pipe <close> = assert(io.popen("ls -A '" .. folder.path .. "'"))
  return pipe:read("a")
end

function folder.clear() os.execute(("rm '%s'/*"):format(folder.path)) end
function folder.remove() os.execute(("rm -r '%s'"):format(folder.path)) end

return folder
