-- lua5.4 scripts/lib/layers.lua ROOT: the includes of src and kernels point down the layers, lua.h and OpenMP stay where
-- they belong. Prints what does not, and exits 1 then. Run by `scripts/dev layers` and by the test check.layers.
local root = assert(arg[1], "usage: layers.lua ROOT")

-- One rank per layer; layers of one rank do not see each other.
local rank = {}
for i, layers in ipairs {
  {"core"}, {"device"}, {"memory"}, {"tensor"}, {"io", "ops"}, {"eager", "kernels"}, {"autograd", "plan"},
  {"distribute"}, {"lua"}, {"embed", "cli"},
} do
  for _, layer in ipairs(layers) do rank[layer] = i end
end

-- Headers that only some files may include, as patterns of the file's path.
local reserved = {
  ["lua.h"] = "^src/lua/", ["lauxlib.h"] = "^src/lua/", ["lualib.h"] = "^src/lua/", ["lua.hpp"] = "^src/lua/",
  ["omp.h"] = "^src/core/parallel%.cpp$",
}

local violations, files, includes = {}, 0, 0

local function complain(path, line, ...)
  violations[#violations + 1] = path .. ":" .. line .. ": " .. string.format(...)
end

local function check_include(path, number, layer, header)
  includes = includes + 1
  for name, allowed in pairs(reserved) do
    if header == name and not path:find(allowed) then complain(path, number, "%s does not belong here", name) end
  end
  local target = header:match("^([%w_]+)/")
  if not target or not rank[target] or target == layer then return end
  if rank[target] >= rank[layer] then
    complain(path, number, "%s must not include %s: %s", layer, header,
      rank[target] == rank[layer] and "the two layers do not see each other" or "an include points down the layers")
  end
end

local function check_file(path)
  local layer = path:match("^src/([^/]+)/") or path:match("^(kernels)/")
  if not layer then return end
  files = files + 1
  if not rank[layer] then return complain(path, 1, "src/%s is no layer (scripts/lib/layers.lua lists them)", layer) end
  local number = 0
  for line in io.lines(root .. "/" .. path) do
    number = number + 1
    local quoted, header = line:match('^%s*#%s*include%s*([<"])([^>"]+)[>"]')
    if header then
      check_include(path, number, layer, header)
      if quoted == '"' and header:find("^%.%./") then complain(path, number, "include by path from src/, not %s", header) end
    end
    if line:find("^%s*#%s*pragma%s+omp") and path ~= "src/core/parallel.cpp" then
      complain(path, number, "OpenMP belongs to src/core/parallel.cpp; use parallel_for")
    end
  end
end

local quoted_root = "'" .. root:gsub("'", "'\\''") .. "'"
local list <close> = assert(io.popen("cd " .. quoted_root .. " && find src kernels -type f | LC_ALL=C sort"))
for path in list:lines() do
  if path:find("%.h$") or path:find("%.hpp$") or path:find("%.cpp$") or path:find("%.cuh?$") then check_file(path) end
end

for _, violation in ipairs(violations) do print(violation) end
if files == 0 then violations[1] = "nothing found"; print("no sources under " .. root) end
print(string.format("layers: %d files, %d includes, %d violations", files, includes, #violations))
os.exit(#violations == 0)
