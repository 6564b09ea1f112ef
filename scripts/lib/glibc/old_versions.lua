-- lutra old_versions.lua VERSION PROVIDER FILE...: makes ELF files of x86-64 that were linked with a newer glibc run with
-- glibc VERSION ("2.28") and later. A symbol of a later version becomes the latest earlier one that glibc has; a function
-- that is newer than VERSION must be one of PROVIDER's (liblutra_glibc.so), and its reference becomes unversioned. Changes
-- nothing else; fails, naming the symbol, where neither is possible.

local limit, provider = arg[1], arg[2]
local UNVERSIONED = 1
local SHT_DYNSYM, SHT_VERDEF, SHT_VERNEED, SHT_VERSYM = 11, 0x6ffffffd, 0x6ffffffe, 0x6fffffff

local function numbers(version)
  local major, minor, third = version:match("^GLIBC_(%d+)%.(%d+)%.?(%d*)$")
  if not major then return nil end
  return tonumber(major) * 1000000 + tonumber(minor) * 1000 + (tonumber(third) or 0)
end
local most = numbers("GLIBC_" .. limit)

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read("a")
  file:close()
  return bytes
end

-- The sections of dynamic symbols, by their types, with their tables of strings.
local function sections_of(bytes, path)
  if bytes:sub(1, 6) ~= "\127ELF\2\1" then error(path .. " is no 64-bit little-endian ELF file", 0) end
  local at, _, _, size, count = ("<I8"):unpack(bytes, 41), nil, nil, ("<I2I2"):unpack(bytes, 59)
  local all, found = {}, {}
  for i = 0, count - 1 do
    local _, kind, _, _, offset, bytes_in, link, info = ("<I4I4I8I8I8I8I4I4"):unpack(bytes, at + i * size + 1)
    all[i] = { kind = kind, offset = offset, size = bytes_in, link = link, info = info }
    found[kind] = found[kind] or all[i]
  end
  for _, section in pairs(found) do section.strings = all[section.link] end
  return found
end

local function text_at(bytes, section, offset) return (("z"):unpack(bytes, section.strings.offset + offset + 1)) end

-- Calls visit(name, version's index, is_undefined, position of the index) for each dynamic symbol.
local function each_symbol(bytes, sections, visit)
  local symbols, versions = sections[SHT_DYNSYM], sections[SHT_VERSYM]
  if not symbols or not versions then return end
  for i = 1, symbols.size // 24 - 1 do
    local name, _, _, section = ("<I4I1I1I2"):unpack(bytes, symbols.offset + i * 24 + 1)
    local at = versions.offset + i * 2 + 1
    visit(text_at(bytes, symbols, name), ("<I2"):unpack(bytes, at) & 0x7fff, section == 0, at)
  end
end

-- What a library defines: for each symbol, the numbers and names of its versions.
local function definitions_of(path)
  local bytes = read(path)
  local sections = sections_of(bytes, path)
  local names, section = {}, sections[SHT_VERDEF]
  local at = section and section.offset + 1
  for _ = 1, section and section.info or 0 do
    local _, _, index, _, _, aux, next_one = ("<I2I2I2I2I4I4I4"):unpack(bytes, at)
    names[index] = text_at(bytes, section, (("<I4"):unpack(bytes, at + aux)))
    at = at + next_one
  end
  local found = {}
  each_symbol(bytes, sections, function(name, index, is_undefined)
    if is_undefined then return end
    found[name] = found[name] or {}
    table.insert(found[name], names[index] or "")
  end)
  return found
end

-- glibc's libraries here define each symbol's earlier versions too.
local folder
for _, try in ipairs { "/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib" } do
  local file = io.open(try .. "/libc.so.6", "rb")
  if file then file:close() folder = try break end
end
assert(folder, "libc.so.6 is not where it is looked for")
local glibc = {}
for _, name in ipairs { "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2" } do
  for symbol, versions in pairs(definitions_of(folder .. "/" .. name)) do
    glibc[symbol] = glibc[symbol] or {}
    table.move(versions, 1, #versions, #glibc[symbol] + 1, glibc[symbol])
  end
end
local provided = definitions_of(provider)

local function earlier_version(symbol)
  local best, best_number
  for _, version in ipairs(glibc[symbol] or {}) do
    local number = numbers(version)
    if number and number <= most and (not best or number > best_number) then best, best_number = version, number end
  end
  return best
end

local BASE = "GLIBC_2.2.5"

local function convert(path)
  local bytes = read(path)
  local sections = sections_of(bytes, path)
  local needs = sections[SHT_VERNEED]
  if not needs then return 0 end
  local edits = {}
  local function edit(at, format, ...) edits[#edits + 1] = { at, format:pack(...) } end

  -- The entries of versions: too new, or one to change them into.
  local too_new, by_name, base = {}, {}, nil
  local at = needs.offset + 1
  for _ = 1, needs.info do
    local _, count, _, aux, next_one = ("<I2I2I4I4I4"):unpack(bytes, at)
    local entry = at + aux
    for _ = 1, count do
      local hash, _, index, name, next_aux = ("<I4I2I2I4I4"):unpack(bytes, entry)
      local version = text_at(bytes, needs, name)
      local number = numbers(version)
      if version:find("^GLIBC_ABI_") then error(path .. " needs " .. version .. ", which no earlier glibc has", 0) end
      if number and number > most then too_new[index & 0x7fff] = { at = entry, version = version } end
      if number and number <= most then by_name[version] = index & 0x7fff end
      if version == BASE then base = { hash = hash, name = name } end
      entry = entry + next_aux
    end
    at = at + next_one
  end
  if not next(too_new) then return 0 end
  if not base then error(("%s needs no %s, which later versions are changed into"):format(path, BASE), 0) end
  for _, version in pairs(too_new) do
    edit(version.at, "<I4", base.hash)
    edit(version.at + 8, "<I4", base.name)
  end

  local changed = 0
  each_symbol(bytes, sections, function(name, index, is_undefined, where)
    if not is_undefined or not too_new[index] then return end
    changed = changed + 1
    local earlier = earlier_version(name)
    if provided[name] then
      edit(where, "<I2", UNVERSIONED)
    elseif not earlier then
      error(("%s: %s is of %s, glibc %s has none, and %s has none either"):format(path, name, too_new[index].version, limit,
        provider), 0)
    elseif earlier ~= BASE then
      edit(where, "<I2", by_name[earlier] or UNVERSIONED)
    end
  end)

  table.sort(edits, function(a, b) return a[1] < b[1] end)
  local out, from = {}, 1
  for _, each in ipairs(edits) do
    out[#out + 1] = bytes:sub(from, each[1] - 1)
    out[#out + 1] = each[2]
    from = each[1] + #each[2]
  end
  out[#out + 1] = bytes:sub(from)
  local file = assert(io.open(path, "wb"))
  file:write(table.concat(out))
  assert(file:close())
  return changed
end

local changed = 0
for i = 3, #arg do changed = changed + convert(arg[i]) end
io.stderr:write(("lutra: dist: %d references now need no more than glibc %s\n"):format(changed, limit))
