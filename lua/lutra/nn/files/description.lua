-- Reads and checks the model description in a checkpoint: a file may come from anywhere. config.lua checks how the
-- model itself is made.
local lutra, tools, use = ...
local json, accumulation = use "json", use "optim.accumulation"

local kFormat = 1

local function is_count(value) return math.type(value) == "integer" and value >= 0 end
-- A bound on epochs and batches that no fit reaches.
local function is_reachable(value) return is_count(value) and value < 2 ^ 31 end
local function is_whole(value) return math.type(value) == "integer" end
local function is_text(value) return type(value) == "string" end
local function is_table(value) return type(value) == "table" and value ~= json.null end

local function list_of(is_entry, count)
  return function(value)
    if not is_table(value) or next(value) ~= nil and #value == 0 or count and #value ~= count then return false end
    for _, entry in ipairs(value) do
      if not is_entry(entry) then return false end
    end
    return true
  end
end
local is_random = list_of(is_whole, 2)

local function fields_of(fields)
  return function(value)
    if not is_table(value) then return false end
    for name, is_field in pairs(fields) do
      if not is_field(value[name]) then return false end
    end
    return true
  end
end

local is_shuffle = function(value) return is_table(value) and is_count(value[1])
  and (is_whole(value[2]) or value[2] == false) end
local is_data = fields_of {
  shuffles = list_of(is_shuffle), taken = is_reachable,
  random = function(value) return value == nil or is_random(value) end,
}

local checks = {
  kind = is_text,
  input = list_of(fields_of { shape = list_of(is_count), dtype = is_text }),
  states = is_table, model = is_table, compiled = is_table, why = is_text,
  optimizer = fields_of {
    kind = is_text, iterations = is_count,
    has_slots = function(value) return type(value) == "boolean" end,
    learning_rate = function(value) return value == json.null or type(value) == "number" and value >= 0 end,
    held = accumulation.is_description,
  },
  callbacks = list_of(fields_of { kind = is_text, state = is_table }),
  training = fields_of {
    epoch = is_reachable, random = is_random, data = function(value) return value == nil or is_data(value) end,
  },
}

-- description(who, path, text): the decoded JSON; each field is valid or missing.
return function(who, path, text)
  local about = json.decode(text, who .. ": " .. path)
  if not is_table(about) or math.type(about.format) ~= "integer" then
    tools.fail("InvalidArgument", ("%s: %s: its model description was not written by Lutra"):format(who, path))
  elseif about.format > kFormat then
    tools.fail("InvalidArgument",
      ("%s: %s: its format is %d, and this version of Lutra reads up to %d"):format(who, path, about.format,
      kFormat))
  end
  for name, is_right in pairs(checks) do
    if about[name] == json.null then about[name] = nil end
    if about[name] ~= nil and not is_right(about[name]) then
      tools.fail("InvalidArgument",
        ("%s: %s: its model description is damaged: '%s' has an invalid value"):format(who, path, name))
    end
  end
  -- Absurd row sizes would use up the memory.
  for _, input in ipairs(about.input or {}) do
    local size = 1.0
    for _, n in ipairs(input.shape) do size = size * n end
    if size > 2 ^ 31 or #input.shape > 7 then
      tools.fail("InvalidArgument",
        ("%s: %s: its model description is damaged: rows of %g elements"):format(who, path, size))
    end
  end
  return about
end
