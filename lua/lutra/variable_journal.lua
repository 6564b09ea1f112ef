-- Journals of variables: what each was when the journal was opened, kept from when it is first assigned after that. One that
-- nobody holds is closed by the collector.
local lutra, tools, use = ...
local class = use "class"

local Journal = class "VariableJournal"

-- Those that are open, by number; holes where one is gone. A finalizer may open another one at any time.
local open, last = setmetatable({}, { __mode = "v" }), 0

-- A variable is about to be assigned.
local function note(variable)
  local value
  for i = 1, last do
    local journal = open[i]
    if journal and journal.values[variable] == nil then
      if not value then
        local paused <close> = tools.pause()
        value = variable:value()
      end
      journal.values[variable] = value
      table.insert(journal.order, variable)
    end
  end
end

-- Nothing is told of assignments while no journal is open.
local function trim()
  while last > 0 and open[last] == nil do last = last - 1 end
  tools.set_assign_noter(last > 0 and note or nil)
end

function Journal:init()
  trim()
  last = last + 1
  self.values, self.order, self.number = {}, {}, last
  open[last] = self
  tools.set_assign_noter(note)
end

-- Of variables that are assigned otherwise than by their methods.
function Journal.note_all(variables)
  if last == 0 then return end
  trim()
  for _, variable in ipairs(variables) do note(variable) end
end

function Journal:close()
  if open[self.number] == self then open[self.number] = nil end
  self.values, self.order = {}, {}
  trim()
end

-- Variables are as they were when the journal was opened until what is returned is closed, and then as they are now.
function Journal:go_back()
  local paused <close> = tools.pause()
  local now, order, count = {}, self.order, #self.order
  for i = 1, count do now[i] = order[i]:value() end
  local back = setmetatable({}, { __close = function()
    local paused_again <close> = tools.pause()
    for i = 1, count do tools.raw_assign(order[i], now[i]) end
  end })
  for i = 1, count do tools.raw_assign(order[i], self.values[order[i]]) end
  return back
end

return Journal
