-- Reads and checks options of functions that are written in Lua.
local lutra, tools = ...
local options = {}

-- The strings among the keys of a table.
function options.sorted_names(names)
  local list = {}
  for name in pairs(names) do
    if type(name) == "string" then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- A word for error messages, shortened if it is long.
function options.quoted(word)
  local text = tostring(word)
  return text:sub(1, 40):gsub("%c", "?") .. (#text > 40 and "..." or "")
end

-- The given options over the defaults; a default of false means none. An unknown name is an error; with may_list, list
-- entries are left to the caller. Checked here are options whose default is true, `name` and `seed`; the caller checks
-- the others.
function options.read(who, given, defaults, may_list)
  local read = {}
  for name, value in pairs(defaults) do read[name] = value end
  if given == nil then return read end
  if type(given) ~= "table" or getmetatable(given) ~= nil then
    tools.fail("InvalidArgument", ("%s: options is %s, expected a table of options"):format(who, tools.what_is(given)))
  end
  for name, value in pairs(given) do
    if defaults[name] ~= nil then
      if defaults[name] == true then options.boolean(who, name, value) end
      if name == "name" and value then options.text(who, name, value) end
      if name == "seed" and value then value = options.whole(who, name, value) end
      read[name] = value
    elseif not (may_list and math.type(name) == "integer") then
      tools.refuse_word(("%s: unknown option '%s'"):format(who, options.quoted(name)), name,
        options.sorted_names(defaults))
    end
  end
  return read
end

-- Checks the class, since a user's `__index` may return true for any key.
function options.is_dataset(value)
  local kind = type(value) == "table" and getmetatable(value)
  return type(kind) == "table" and kind.is_dataset == true
end

-- Fails if value is a class where an object is expected.
function options.refuse_class(who, what, value)
  local kind = getmetatable(value)
  if type(kind) ~= "table" or kind.__name ~= "lutra.Class" then return end
  tools.fail("InvalidArgument", ("%s: %s is a class, expected an object: call it, as in %s()"):format(who, what,
    (rawget(value, "__name"):gsub("^lutra%.", ""))))
end

-- The value of a word in `known`; an unknown word is an error that lists those. Other values are returned, except
-- classes.
function options.resolve(who, what, value, known)
  if type(value) == "string" then
    if known[value] == nil then
      tools.refuse_word(("%s: %s is \"%s\", which is not known"):format(who, what, options.quoted(value)), value,
        options.sorted_names(known))
    end
    return known[value]
  end
  options.refuse_class(who, what, value)
  return value
end

-- Like resolve, for words only.
function options.word(who, what, value, known)
  return options.resolve(who, what, options.text(who, what, value), known)
end

-- The most elements along an axis of what windows, borders and images are asked for: sums and products of two such
-- numbers stay within an integer.
options.kMostSize = (1 << 31) - 1

-- A whole number from `least` on, up to `most` if that is given.
function options.count(who, name, value, least, most)
  local count = math.tointeger(value)
  if type(value) ~= "number" or not count or count < least then
    -- Keras' Conv2D(filters=8, kernel_size=3), written as a table.
    local is_named = type(value) == "table" and rawget(value, name) ~= nil
    tools.fail("InvalidArgument",
      ("%s: %s is %s, expected a whole number, %d or more%s"):format(who, name, tools.what_is(value), least,
      is_named and ("; arguments go by their order, only options have names: write %s(%s, ...)"):format(who,
        tostring(rawget(value, name))) or ""))
  end
  if most and count > most then
    tools.fail("InvalidArgument", ("%s: %s is %d, expected at most %d"):format(who, name, count, most))
  end
  return count
end

local kLarge = 1 << 28

-- Fails as the allocation of such a tensor does, if it is large: before slow work that would end there.
function options.require_memory(who, device, shape, dtype)
  local size = 1.0
  for _, n in ipairs(shape) do size = size * n end
  if size < kLarge then return end
  local paused <close> = tools.pause()
  local ok, problem = pcall(lutra.device, device, function() local made <close> = lutra.zeros(shape, { dtype = dtype }) end)
  if ok then return end
  if not lutra.iserror(problem) then error(problem, 0) end
  tools.fail(problem.code, who .. ": " .. problem.message:gsub("^zeros: ", ""))
end

function options.whole(who, name, value)
  if type(value) ~= "number" or not math.tointeger(value) then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a whole number"):format(who, name, tools.what_is(value)))
  end
  return math.tointeger(value)
end

-- A number, in [least, most] if these are given.
function options.number(who, name, value, least, most)
  if type(value) ~= "number" or least and not (value >= least and value <= (most or math.huge)) then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number%s"):format(who, name, tools.what_is(value),
      most and (" of %g to %g"):format(least, most) or least and (" of %g or more"):format(least) or ""))
  end
  return value
end

-- A number above 0.
function options.positive(who, name, value)
  if type(value) ~= "number" or not (value > 0) then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number above 0"):format(who, name, tools.what_is(value)))
  end
  return value
end

function options.boolean(who, name, value)
  if type(value) ~= "boolean" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected true or false"):format(who, name, tools.what_is(value)))
  end
  return value
end

function options.text(who, name, value)
  if type(value) ~= "string" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a string"):format(who, name, tools.what_is(value)))
  end
  return value
end

function options.is_callable(value)
  local meta = getmetatable(value)
  -- A tensor's shape has a __call, which raises an error.
  return type(value) == "function" or type(meta) == "table" and meta.__call ~= nil and not tools.is_shape(value)
end

-- The value of a word in `known`, or a function or callable object of the program.
function options.resolve_callable(who, what, value, known, wanted)
  local found = options.resolve(who, what, value, known)
  if options.is_callable(found) then return found end
  tools.fail("InvalidArgument", ("%s: %s is %s, expected %s"):format(who, what, tools.what_is(value), wanted))
end

-- A shape without the batch axis: a list of sizes, or one size; -1 stands for any size.
function options.shape(who, name, value)
  if math.type(value) == "integer" then value = { value } end
  if type(value) ~= "table" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a list of sizes"):format(who, name, tools.what_is(value)))
  end
  local shape = {}
  for i = 1, #value do shape[i] = value[i] == -1 and -1 or options.count(who, name .. "[" .. i .. "]", value[i], 0) end
  return shape
end

local function size_text(size) return size == -1 and "any" or tostring(size) end

-- (2, 3), as shapes print.
function options.shape_text(shape)
  local words = {}
  for i = 1, #shape do words[i] = size_text(shape[i]) end
  return "(" .. table.concat(words, ", ") .. (#shape == 1 and ",)" or ")")
end

-- The same for a shape without the batch axis, (batch, 3), or for a list of shapes.
function options.batch_text(shape)
  local words = {}
  if type(shape[1]) ~= "table" then
    for i = 1, #shape do words[i] = ", " .. size_text(shape[i]) end
    return "(batch" .. table.concat(words) .. ")"
  end
  for i, each in ipairs(shape) do words[i] = options.batch_text(each) end
  return "{" .. table.concat(words, ", ") .. "}"
end

-- A tensor of a table or another literal; its errors name the function and the argument.
function options.literal(who, what, value)
  local ok, made = pcall(lutra.constant, value)
  if ok then return made end
  if not lutra.iserror(made) then error(made, 0) end
  tools.fail(made.code, ("%s: %s: %s"):format(who, what, made.message))
end

-- What stands for a tensor: a tensor, a number, a boolean, a table of them, and a shape, which is a list of numbers.
-- `wanted` names what is accepted.
function options.tensor(who, name, value, wanted)
  if tools.is_tensor(value) then return value end
  local kind = type(value)
  if kind == "number" or kind == "boolean" or kind == "table" and (getmetatable(value) == nil or tools.is_shape(value)) then
    return options.literal(who, name, value)
  end
  tools.fail("InvalidArgument", ("%s: %s is %s, expected %s"):format(who, name, tools.what_is(value), wanted or "a tensor"))
end

-- x if it is a float, else as float32. A complex tensor is refused, as a cast would drop its imaginary part.
function options.as_float(x, who, name)
  if x.dtype:find "float" then return x end
  if x.dtype:find "complex" then
    name = name or "a tensor"
    tools.fail("InvalidArgument", ("%s%s is %s, expected a real number; take its parts: :real(), :imag() or :abs()"):format(
      who and who .. ": " or "", name, x.dtype))
  end
  return lutra.cast(x, "float32")
end

-- f, which refuses more than `most` arguments. With is_named, a mistake that an inner op finds names f: for functions
-- that call nothing of the user's.
function options.bounded(who, most, f, is_named)
  return function(...)
    local count = select("#", ...)
    if count > most then
      tools.fail("InvalidArgument", ("%s: %d arguments given, at most %d are taken"):format(who, count, most))
    end
    if not is_named then return f(...) end
    local results = table.pack(pcall(f, ...))
    if results[1] then return table.unpack(results, 2, results.n) end
    local raised = results[2]
    local is_mistake = lutra.iserror(raised, "InvalidArgument") or lutra.iserror(raised, "OutOfRange")
    if is_mistake and raised.message:sub(1, #who + 1) ~= who .. ":" then
      tools.fail(raised.code, who .. ": " .. raised.message)
    end
    error(raised, 0)
  end
end

return options
