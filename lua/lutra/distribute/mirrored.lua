-- Mirrored variables: one lt.Variable with a component on each device of a strategy. Outside of replicas it acts as the
-- first component, in replica r as the r-th, which takes its place while that replica runs (mirrored.swap). All components
-- have the same bits at all times: what changes one changes all.
local lutra, tools, use = ...

local mirrored = {}

-- Of each mirrored variable: its strategy, the components of replicas 2, 3, ..., and how what replicas assign is put
-- together. The variable's own memory is the first component.
local known = setmetatable({}, { __mode = "k" })

-- Of each strategy: `variables`, a list, and for each replica from the second on the list of their components. They keep
-- nothing alive: where a variable is gone there is a hole.
local books = setmetatable({}, { __mode = "k" })

local function new_book(strategy)
  local function list() return setmetatable({}, { __mode = "v" }) end
  local book = { variables = list(), parts = {}, count = 0, wanted = 64 }
  for id = 2, #strategy.devices do book.parts[id] = list() end
  return book
end

-- A book without the variables that are gone, when their places have become many.
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
  book.wanted = math.max(64, 2 * book.count)
  return book
end

-- The components of replica `id` take the variables' places, or go back to their own.
function mirrored.swap(strategy, id)
  local book = books[strategy]
  if book and id > 1 then tools.swap_variables(book.variables, book.parts[id], book.count) end
end

function mirrored.of(variable) return known[variable] end

-- Gives every component the value of the first.
local function spread(variable)
  local mirror = known[variable]
  local value = variable:value()
  for id = 2, #mirror.strategy.devices do tools.raw_assign(mirror.parts[id], value) end
end
mirrored.spread = spread

-- All variables of a strategy, after a step that was broken off.
function mirrored.spread_all(strategy)
  local book = books[strategy]
  for i = 1, book and book.count or 0 do
    if book.variables[i] then spread(book.variables[i]) end
  end
end

-- A new one. Its initial value is worked out once and copied.
function mirrored.make(strategy, initial, options)
  local devices = strategy.devices
  local first = lutra.device(devices[1], tools.raw_variable, initial, options)
  local mirror = { strategy = strategy, parts = {}, aggregation = options and options.aggregation or "none" }
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

-- Outside of replicas: assigns to the first component, and copies. `assign` is one of the raw functions.
function mirrored.write(variable, assign, ...)
  assign(variable, ...)
  spread(variable)
  return variable
end

-- The values of all components, outside of replicas.
function mirrored.values(variable)
  local mirror = known[variable]
  local values = { variable:value() }
  for id = 2, #mirror.strategy.devices do values[id] = mirror.parts[id]:value() end
  return values
end

-- Components of replica `id` as variables, for a tape that sees all replicas.
function mirrored.component(variable, id) return id == 1 and variable or known[variable].parts[id] end

function mirrored.text(variable)
  local lines = { "MirroredVariable:{" }
  for id = 1, #known[variable].strategy.devices do
    lines[#lines + 1] = ("  %d: %s,"):format(id, tools.raw_text(mirrored.component(variable, id)))
  end
  lines[#lines] = lines[#lines]:sub(1, -2)
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n")
end

return mirrored
