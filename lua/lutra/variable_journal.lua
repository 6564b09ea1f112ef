-- Journals of variables: they keep the value that a variable had when the journal was opened, from the variable's first
-- assignment after that. The garbage collector closes a journal that nobody refers to.
local lutra, tools, use = ...
local class = use "class"

local Journal = class "VariableJournal"

-- Open journals by number, with holes for closed ones. A finalizer may open another journal at any time.
local open, last = setmetatable({}, { __mode = "v" }), 0

-- Called before a variable is assigned.
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

-- Removes the hook for assignments if no journal is open.
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

-- For variables that are assigned without their methods.
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

-- Restores the values from when the journal was opened. Closing the result brings back the present values.
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
