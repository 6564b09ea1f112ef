-- Mirrored variables: one lt.Variable with a component on each device of a strategy. Outside replicas it acts as the
-- first component. While replica r runs, the r-th component takes the variable's place (mirrored.place). All components
-- have the same bits at all times: every change is made to all of them.
local lutra, tools, use = ...

local mirrored = {}

-- By mirrored variable: its `strategy`, `parts`, the components of replicas 2, 3, ..., its `aggregation`, and is_assigned
-- after a write, for equal_weights.lua. The variable's own memory is the first component.
local known = setmetatable({}, { __mode = "k" })

-- By strategy: `variables`, a list; `parts`, for each replica from the second on the list of their components;
-- `placed`, the replica whose components are in place; `behind`, whether components wait for memory to get the first
-- component's value. The lists are weak: a collected variable leaves a hole.
local books = setmetatable({}, { __mode = "k" })

local function new_book(strategy)
  local function list() return setmetatable({}, { __mode = "v" }) end
  local book = { variables = list(), parts = {}, count = 0, wanted = 64, placed = 1 }
  for id = 2, #strategy.devices do book.parts[id] = list() end
  return book
end

-- Copies a book without its holes, when the lists have grown long.
local function compact(strategy)
  local old, book = books[strategy], new_book(strategy)
  for i = 1, old.count do
    local variable = old.variables[i]
    if variable then
      book.count = book.count + 1
      book.variables[book.count] = variable
      for id, list in pairs(old.parts) do book.parts[id][book.count] = list[i] end
    end
  end
  book.wanted, book.placed, book.behind = math.max(64, 2 * book.count), old.placed, old.behind
  return book
end

-- Assigns the first component's value to the others.
local function spread(variable)
  local mirror = known[variable]
  local value = variable:value()
  for id = 2, #mirror.strategy.devices do tools.raw_assign(mirror.parts[id], value) end
end

-- The same for all variables of a strategy, after an interrupted step. If a device has no memory for it, components
-- stay behind and are updated before anybody reads them. The first components have the right values.
function mirrored.spread_all(strategy)
  local book = books[strategy]
  if not book then return end
  book.behind = true
  for i = 1, book.count do
    if book.variables[i] then spread(book.variables[i]) end
  end
  book.behind = false
end

-- Called outside replicas before components other than the first are read or changed.
local function catch_up(strategy)
  local book = books[strategy]
  if book and book.behind then mirrored.spread_all(strategy) end
end
mirrored.catch_up = catch_up

-- Puts the components of replica `id` in the variables' place; id 1 restores the variables.
function mirrored.place(strategy, id)
  local book = books[strategy]
  if book then tools.place_components(book, id) end
end

function mirrored.of(variable) return known[variable] end

-- Makes a mirrored variable. Its initial value is computed once and copied. is_own: other ranks do not have it.
function mirrored.make(strategy, initial, options, is_own)
  local devices = strategy.devices
  local first = lutra.device(devices[1], tools.raw_variable, initial, options)
  local mirror = { strategy = strategy, parts = {}, aggregation = options and options.aggregation or "none" }
  if strategy.ranks and not is_own then
    -- All ranks get rank 0's value.
    local what = ("the variable '%s' %s %s"):format(first.name, first.dtype, tostring(first.shape))
    local bytes = use "distribute.ranks".of_chief(what, first:value():to("/CPU:0"):bytes())
    if strategy.ranks.rank > 0 then
      tools.raw_assign(first, lutra.device(devices[1], lutra.from_bytes, bytes, first.dtype, { table.unpack(first.shape) }))
    end
  end
  local value = first:value()
  for id = 2, #devices do
    mirror.parts[id] = lutra.device(devices[id], tools.raw_variable, value,
      { name = ("%s/replica_%d"):format(first.name, id), trainable = first.trainable })
  end
  local book = books[strategy] or new_book(strategy)
  if book.count >= book.wanted then book = compact(strategy) end
  books[strategy] = book
  book.count = book.count + 1
  book.variables[book.count] = first
  for id, part in pairs(mirror.parts) do book.parts[id][book.count] = part end
  known[first] = mirror
  tools.mark_mirrored(first)
  return first
end

-- Assigns the prepared copies to the components; if write() failed, restores the first component.
local function settle(change)
  local mirror = known[change.variable]
  if change.copies then
    for id, copy in pairs(change.copies) do tools.raw_assign(mirror.parts[id], copy) end
  elseif change.before then
    tools.raw_assign(change.variable, change.before)
  end
end

local function prepare(change, assign, ...)
  local variable, copies = change.variable, {}
  change.before = variable:value()
  assign(variable, ...)
  local value = variable:value()
  for id, part in pairs(known[variable].parts) do copies[id] = value:to(part.device) end
  change.copies = copies
end

-- Outside replicas: assigns to all components, or to none if it fails. `assign` is one of the raw functions.
function mirrored.write(variable, assign, ...)
  local change = { variable = variable }
  known[variable].is_assigned = true
  tools.finally(settle, change, prepare, change, assign, ...)
  return variable
end

-- The values of all components, outside replicas.
function mirrored.values(variable)
  local mirror = known[variable]
  catch_up(mirror.strategy)
  local values = { variable:value() }
  for id = 2, #mirror.strategy.devices do values[id] = mirror.parts[id]:value() end
  return values
end

-- The component of replica `id` as a variable, for a tape that sees all replicas.
function mirrored.component(variable, id) return id == 1 and variable or known[variable].parts[id] end

function mirrored.text(variable)
  catch_up(known[variable].strategy)
  local lines = { "MirroredVariable:{" }
  for id = 1, #known[variable].strategy.devices do
    lines[#lines + 1] = ("  %d: %s,"):format(id, tools.raw_text(mirrored.component(variable, id)))
  end
  lines[#lines] = lines[#lines]:sub(1, -2)
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n")
end

return mirrored
