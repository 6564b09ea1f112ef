-- lutra sbom.lua VERSION DATE OUT CUDA FILE...: writes the list of software that the built files contain or link to OUT,
-- as SPDX 2.3 in JSON. Libraries are found by ldd; their versions and licences are those of the Debian packages they come
-- from. CUDA is the version of the toolkit whose static runtime is in the plugin for NVIDIA's cards, "" without a plugin.

local version, date, out, cuda = arg[1], arg[2], arg[3], arg[4]

-- Linked statically, or headers whose code is compiled in.
local compiled_in = { "liblua5.4-dev", "nlohmann-json3-dev" }

-- Debian's names of licences, in lower case, and SPDX's.
local spdx = {
  ["apache-2.0"] = "Apache-2.0", expat = "MIT", ["mpl-2"] = "MPL-2.0", ["mpl-2.0"] = "MPL-2.0", zlib = "Zlib",
  libpng = "libpng-2.0", isc = "ISC", ["bsd-2-clause"] = "BSD-2-Clause", ["bsd-3-clause"] = "BSD-3-Clause",
  ["lgpl-3.0+ with special exception granted by copyright holders"] = "LGPL-3.0-or-later",
}

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>/dev/null"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function package_of(path)
  local real = output_of("readlink -f " .. quoted(path)):gsub("\n", "")
  for _, try in ipairs { real, (real:gsub("^/usr", "")), "/usr" .. real } do
    local found = output_of("dpkg-query -S " .. quoted(try)):match("^([^:,\n]+)")
    if found then return found end
  end
  error("no package has " .. path .. ", so its version and licence are not known", 0)
end

-- The licence of all files, by the package's copyright file.
local function licence_of(name)
  local file = io.open("/usr/share/doc/" .. name .. "/copyright")
  if not file then return "NOASSERTION" end
  local text = file:read("a")
  file:close()
  if text:find("GCC RUNTIME LIBRARY EXCEPTION", 1, true) then return "GPL-3.0-or-later WITH GCC-exception-3.1" end
  if text:find("prepackaged version of the GNU C Library", 1, true) then return "LGPL-2.1-or-later" end
  local all_files = text:match("\nFiles:%s*%*(.*)")
  local licence = all_files and all_files:match("\nLicense:%s*([^\n]*)")
  return licence and spdx[licence:lower():gsub("%s+$", "")] or "NOASSERTION"
end

local found, names = {}, {}
local function add(name, relation, file)
  if found[name] then return end
  local installed, architecture = output_of("dpkg-query -W -f='${Version} ${Architecture}\\n' " .. quoted(name)):match("(%S+) (%S+)")
  if not installed then error("the package " .. name .. " is not installed", 0) end
  found[name] = { version = installed, architecture = architecture, relation = relation, licence = licence_of(name), file = file }
  names[#names + 1] = name
end

for _, name in ipairs(compiled_in) do add(name, "STATIC_LINK") end
for i = 5, #arg do
  for line in output_of("ldd " .. quoted(arg[i])):gmatch("[^\n]+") do
    if line:find("not found", 1, true) then error(arg[i] .. " needs " .. line:match("%S+") .. ", which is not here", 0) end
    local path = line:match("=> (/%S+)") or line:match("^%s*(/%S+)")
    if path and not path:find("liblutra", 1, true) then add(package_of(path), "DYNAMIC_LINK") end
  end
end
table.sort(names)

local function json(value, indent)
  local inner = indent .. "  "
  if type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local lines = {}
  if #value > 0 then
    for _, each in ipairs(value) do lines[#lines + 1] = inner .. json(each, inner) end
    return "[\n" .. table.concat(lines, ",\n") .. "\n" .. indent .. "]"
  end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do lines[#lines + 1] = inner .. json(key, inner) .. ": " .. json(value[key], inner) end
  return "{\n" .. table.concat(lines, ",\n") .. "\n" .. indent .. "}"
end

local packages = { {
  SPDXID = "SPDXRef-lutra", name = "lutra", versionInfo = version, downloadLocation = "NOASSERTION", filesAnalyzed = false,
  licenseDeclared = "Apache-2.0", licenseConcluded = "Apache-2.0", copyrightText = "NOASSERTION",
  primaryPackagePurpose = "APPLICATION",
} }
local relations = { {
  spdxElementId = "SPDXRef-DOCUMENT", relationshipType = "DESCRIBES", relatedSpdxElement = "SPDXRef-lutra",
} }
for _, name in ipairs(names) do
  local each = found[name]
  local id = "SPDXRef-" .. name:gsub("[^%w.-]", "-")
  packages[#packages + 1] = {
    SPDXID = id, name = name, versionInfo = each.version, supplier = "Organization: Debian",
    downloadLocation = "NOASSERTION", filesAnalyzed = false, licenseDeclared = each.licence,
    licenseConcluded = "NOASSERTION", copyrightText = "NOASSERTION", primaryPackagePurpose = "LIBRARY",
    externalRefs = { {
      referenceCategory = "PACKAGE-MANAGER", referenceType = "purl",
      referenceLocator = ("pkg:deb/debian/%s@%s?arch=%s"):format(name:gsub("%+", "%%2B"), each.version:gsub("%+", "%%2B"):gsub(":", "%%3A"),
        each.architecture),
    } },
  }
  relations[#relations + 1] = {
    spdxElementId = "SPDXRef-lutra", relationshipType = each.relation, relatedSpdxElement = id,
  }
end
local other_licences
if cuda ~= "" then
  packages[#packages + 1] = {
    SPDXID = "SPDXRef-cuda-runtime", name = "cuda-runtime", versionInfo = cuda, supplier = "Organization: NVIDIA",
    downloadLocation = "NOASSERTION", filesAnalyzed = false, licenseDeclared = "LicenseRef-NVIDIA-CUDA",
    licenseConcluded = "NOASSERTION", copyrightText = "NOASSERTION", primaryPackagePurpose = "LIBRARY",
  }
  relations[#relations + 1] = {
    spdxElementId = "SPDXRef-lutra", relationshipType = "STATIC_LINK", relatedSpdxElement = "SPDXRef-cuda-runtime",
  }
  other_licences = { {
    licenseId = "LicenseRef-NVIDIA-CUDA", name = "NVIDIA CUDA Toolkit End User License Agreement",
    extractedText = "share/doc/lutra/licences/nvidia-cuda in the archives with the plugin",
  } }
end

local file = assert(io.open(out, "w"))
file:write(json({
  hasExtractedLicensingInfos = other_licences,
  spdxVersion = "SPDX-2.3", dataLicense = "CC0-1.0", SPDXID = "SPDXRef-DOCUMENT", name = "lutra-" .. version,
  documentNamespace = "urn:lutra:sbom:" .. version .. ":" .. date:gsub("[^%d]", ""),
  creationInfo = { created = date, creators = { "Tool: lutra-scripts-dev-release" } },
  packages = packages, relationships = relations,
}, ""), "\n")
assert(file:close())
io.stderr:write(("lutra: release: %d packages in %s\n"):format(#packages, out))
