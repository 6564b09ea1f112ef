local _, _, use = ...

local given = use "repl.names".given

local function bytes_text(bytes)
  if bytes < 1024 then return bytes .. " B" end
  for _, unit in ipairs { "KB", "MB", "GB" } do
    bytes = bytes / 1024
    if bytes < 1024 or unit == "GB" then return ("%.1f %s"):format(bytes, unit) end
  end
end

-- {name, value, kind} of session variables and of globals that the user made, sorted by name.
local function variables(session)
  local list = {}
  for name, kind in next, session.declared do
    local value = session.consts[name]
    if value == nil then value = rawget(session.env, name) end
    if name ~= "_" and value ~= nil then list[#list + 1] = { name = name, value = value, kind = kind } end
  end
  for name, value in next, _G do
    if type(name) == "string" and not given[name] then
      list[#list + 1] = { name = name, value = value, kind = "global" }
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

return {
  usage = "who",
  help = "list the variables of the session and the globals you made",
  run = function(session)
    local list, listing, terminal_text = variables(session), use "repl.listing", use "terminal_text"
    if #list == 0 then return session:print "no variables" end
    local total, rows = 0, {}
    for _, each in ipairs(list) do
      each.name = terminal_text.harmless(each.name)
      local shape, dtype, device, bytes = session.native.tensor(each.value)
      if shape then
        total = total + bytes
        rows[#rows + 1] = { each.name, shape, dtype, device, bytes_text(bytes) }
      else
        local mark = each.kind == "const" and " (const)" or ""
        rows[#rows + 1] = { each.name, listing.brief(session, each.value) .. mark }
      end
    end
    for _, line in ipairs(terminal_text.table(rows, { least = { 16, 16, 9, 8 } })) do session:print(line) end
    if total > 0 then session:print("tensors hold " .. bytes_text(total)) end
  end,
}
