-- lua5.4 scripts/lib/layers.lua ROOT: checks that includes in src and kernels point down the layers, that only src/lua
-- includes lua.h, that nobody uses OpenMP, and that the documents name the layers as the root CMakeLists.txt does. Prints
-- the violations; exit status 1 when there are any. Run by `scripts/dev layers` and by the test check.layers.
local root = assert(arg[1], "usage: layers.lua ROOT")

local function read(path)
  local file <close> = assert(io.open(root .. "/" .. path, "rb"))
  return file:read("a")
end

-- One rank per layer; layers of one rank do not see each other.
local ranks, rank = {}, {}
for word in (read("CMakeLists.txt"):match("\nset%(LAYER_RANKS ([^)]+)%)") or ""):gmatch("%S+") do
  local layers = {}
  for layer in word:gmatch("[^|]+") do
    layers[#layers + 1] = layer
    rank[layer] = #ranks + 1
  end
  ranks[#ranks + 1] = layers
end

-- Headers that only some files may include, as patterns of the file's path.
local reserved = {
  ["lua.h"] = "^src/lua/", ["lauxlib.h"] = "^src/lua/", ["lualib.h"] = "^src/lua/", ["lua.hpp"] = "^src/lua/",
  ["omp.h"] = "^$",
}

local violations, files, includes, has_files = {}, 0, 0, {}

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
  if not rank[layer] then return complain(path, 1, "src/%s is no layer (LAYER_RANKS of CMakeLists.txt lists them)", layer) end
  has_files[layer] = true
  local number = 0
  for line in io.lines(root .. "/" .. path) do
    number = number + 1
    local quoted, header = line:match('^%s*#%s*include%s*([<"])([^>"]+)[>"]')
    if header then
      check_include(path, number, layer, header)
      if quoted == '"' and header:find("^%.%./") then complain(path, number, "include by path from src/, not %s", header) end
    end
    if line:find("^%s*#%s*pragma%s+omp") then complain(path, number, "threads are parallel_for's (core/parallel.h), not OpenMP's") end
  end
end

local quoted_root = "'" .. root:gsub("'", "'\\''") .. "'"
local list <close> = assert(io.popen("cd " .. quoted_root .. " && find src kernels -type f | LC_ALL=C sort"))
for path in list:lines() do
  if path:find("%.h$") or path:find("%.hpp$") or path:find("%.cpp$") or path:find("%.cuh?$") then check_file(path) end
end

-- CONTRIBUTING.md draws the ranks in one line: `core < device < ... < {io, ops} < ...`.
local function check_drawing(path)
  local drawn = {}
  for i, layers in ipairs(ranks) do
    drawn[i] = #layers == 1 and layers[1] or "{" .. table.concat(layers, ", ") .. "}"
  end
  local line = table.concat(drawn, " < ")
  if not read(path):find("\n%s*" .. line:gsub("%p", "%%%0") .. "\n") then
    complain(path, 1, "does not draw the layers of CMakeLists.txt: %s", line)
  end
end

-- src/README.md has a row for each layer that has files, lowest first: `| [core](core/README.md) | ... |`.
local function check_table(path)
  local number, last, named = 0, 0, {}
  for line in (read(path) .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    for layer in (line:match("^|([^|]*)|") or ""):gmatch("%[([%w_]+)%]") do
      named[layer] = true
      if not has_files[layer] then complain(path, number, "%s is no layer with files", layer)
      elseif rank[layer] < last then complain(path, number, "%s stands below a higher layer", layer)
      else last = rank[layer] end
    end
  end
  for layer in pairs(has_files) do
    if not named[layer] then complain(path, 1, "%s has no row", layer) end
  end
end

check_drawing("CONTRIBUTING.md")
check_table("src/README.md")

table.sort(violations)
for _, violation in ipairs(violations) do print(violation) end
if files == 0 then violations[1] = "nothing found"; print("no sources under " .. root) end
if #ranks == 0 then violations[1] = "nothing found"; print("CMakeLists.txt has no LAYER_RANKS") end
print(string.format("layers: %d files, %d includes, %d violations", files, includes, #violations))
os.exit(#violations == 0)
