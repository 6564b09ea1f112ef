-- watch(f) notes the effects of f that replays of a graph will not repeat: calls of print, math.random and the like, and
-- assignments to upvalues, globals and entries of plain tables that f or its helpers refer to. watch:finish() returns
-- them as a clause for users, or nil.

local kMostFunctions, kMostTables, kMostEntries = 100, 50, 500
local kCalls = { "print", "io.write", "io.read", "io.lines", "io.open", "math.random", "os.time", "os.clock", "os.date",
  "os.execute", "os.remove", "os.rename" }

local Watch = {}
Watch.__index = Watch

local function is_same(a, b) return rawequal(a, b) or (a ~= a and b ~= b) end

local function entries_of(t)
  local copy, count = {}, 0
  for key, value in next, t do
    count = count + 1
    if count > kMostEntries then return nil end
    copy[key] = value
  end
  return copy
end

-- Notes the upvalues of f and of the Lua functions among them, and the plain tables.
function Watch:note(f)
  if self.seen[f] or self.functions >= kMostFunctions then return end
  self.seen[f], self.functions = true, self.functions + 1
  local source = debug.getinfo(f, "S").source
  if source == "=[C]" or source:find "^=%[lutra%." then return end
  for i = 1, math.huge do
    local name, value = debug.getupvalue(f, i)
    if not name then return end
    if name == "_ENV" and type(value) == "table" then
      self.env = self.env or value
      self.tables[value] = self.tables[value] or { entries = entries_of(value), is_env = true }
    else
      self.upvalues[#self.upvalues + 1] = { f = f, index = i, name = name, value = value, id = debug.upvalueid(f, i) }
      if type(value) == "function" then self:note(value)
      elseif type(value) == "table" and debug.getmetatable(value) == nil and not self.tables[value] and self.count < kMostTables then
        self.count = self.count + 1
        self.tables[value] = { entries = entries_of(value), name = name }
      end
    end
  end
end

-- While it runs, the functions of kCalls note that they are called.
function Watch:listen()
  for _, name in ipairs(kCalls) do
    local library, key = name:match "^(%a+)%.(%a+)$"
    local from = self.env
    if library then from = rawget(from, library) end
    local original = type(from) == "table" and rawget(from, key or name)
    if type(original) == "function" then
      local function noted(...)
        self.called[name] = true
        return original(...)
      end
      rawset(from, key or name, noted)
      table.insert(self.replaced, { from = from, key = key or name, original = original, noted = noted })
    end
  end
end

function Watch:restore()
  for _, each in ipairs(self.replaced) do
    if rawget(each.from, each.key) == each.noted then rawset(each.from, each.key, each.original) end
  end
  self.replaced = {}
end
Watch.__close = Watch.restore

local function listed(words) return table.concat(words, ", ") end

function Watch:finish()
  self:restore()
  local called, assigned, changed, seen = {}, {}, {}, {}
  for _, name in ipairs(kCalls) do
    if self.called[name] then called[#called + 1] = name end
  end
  for _, each in ipairs(self.upvalues) do
    local _, value = debug.getupvalue(each.f, each.index)
    if not seen[each.id] and not is_same(value, each.value) then
      seen[each.id] = true
      assigned[#assigned + 1] = "'" .. each.name .. "'"
    end
  end
  for t, before in next, self.tables do
    local now, names = before.entries and entries_of(t), {}
    if now then
      for key in next, before.entries do
        if now[key] == nil then now[key] = before end  -- removed: differs from all values
      end
      for key, value in next, now do
        if not is_same(value, before.entries[key]) then names[#names + 1] = tostring(key) end
      end
      table.sort(names)
    end
    if before.is_env then
      for _, name in ipairs(names) do assigned[#assigned + 1] = "the global '" .. name .. "'" end
    elseif #names > 0 or before.entries and not now then  -- it has outgrown what is looked at
      changed[#changed + 1] = "'" .. before.name .. "'"
    end
  end
  table.sort(changed)
  local parts = {}
  if #called > 0 then parts[#parts + 1] = "calls " .. listed(called) end
  if #assigned > 0 then parts[#parts + 1] = "assigns " .. listed(assigned) end
  if #changed > 0 then parts[#parts + 1] = "changes the table " .. listed(changed) end
  if #parts > 0 then return table.concat(parts, ", ") end
end

return function(f)
  if not (debug and debug.getupvalue and debug.upvalueid and debug.getmetatable) then return nil end  -- a sandbox
  local watch = setmetatable({ functions = 0, count = 0, seen = {}, upvalues = {}, tables = {}, called = {}, replaced = {} }, Watch)
  watch:note(f)
  watch.env = watch.env or _G
  watch:listen()
  return watch
end
