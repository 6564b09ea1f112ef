-- Compares what an op gave with what was expected, and says in one line where they differ.
local compare = {}

compare.dtypes = {
  float32 = true, float64 = true, float16 = true, bfloat16 = true,
  int8 = true, uint8 = true, int16 = true, int32 = true,
  int64 = true, bool = true,
}

-- Relative and absolute: how far a result may be from one computed in Lua's doubles.
compare.tolerances = {
  float32 = { 1e-5, 1e-6 }, float64 = { 1e-12, 1e-12 }, float16 = { 2e-3, 1e-3 }, bfloat16 = { 2e-2, 1e-2 },
}

function compare.is_tensor(value)
  if type(value) ~= "userdata" then return false end
  local ok, dtype = pcall(function() return value.dtype end)
  return ok and compare.dtypes[dtype] == true
end

-- "{{1, 2}, {3}}", shortened: for the line of a failure.
function compare.show(value, budget)
  budget = budget or { left = 160 }
  if compare.is_tensor(value) then
    local shape = {}
    for i = 1, #value.shape do shape[i] = tostring(value.shape[i]) end
    return ("%s %s of shape (%s)"):format(value.dtype, compare.show(value:totable(), budget), table.concat(shape, ", "))
  end
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    local text = type(value) == "string" and ("%q"):format(value) or tostring(value)
    budget.left = budget.left - #text - 2
    return text
  end
  local parts = {}
  for i = 1, #value do
    if budget.left <= 0 then
      parts[#parts + 1] = "..."
      break
    end
    parts[#parts + 1] = compare.show(value[i], budget)
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- The leaves of nested lists, in order, and the shape the nesting shows (a list of nothing ends it).
function compare.flatten(value)
  local leaves, shape = {}, {}
  local function walk(node, depth)
    if type(node) ~= "table" then
      leaves[#leaves + 1] = node
      return
    end
    shape[depth] = shape[depth] or #node
    for i = 1, #node do walk(node[i], depth + 1) end
  end
  walk(value, 1)
  return leaves, shape
end

function compare.same_list(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

local function same_value(got, wanted, relative, absolute)
  if type(wanted) ~= type(got) then return false end
  if type(wanted) ~= "number" then return got == wanted end
  if wanted ~= wanted then return got ~= got end
  if got == wanted then return true end
  return math.abs(got - wanted) <= relative * math.abs(wanted) + absolute  -- false for nan and for one infinity
end

-- How far a result may be from a number that somebody wrote down: 0.3133 stands for all that rounds to it.
function compare.as_written(wanted)
  if type(wanted) ~= "number" or wanted % 1 == 0 then return 1e-7 end
  local scaled = wanted * 1e4
  return math.abs(scaled - math.floor(scaled + 0.5)) < 1e-6 and 5.1e-5 or 1e-7
end

-- The first leaf that differs, as a sentence; nil when none does. `absolute` is a number, or a function of what is
-- wanted.
function compare.leaves(got, wanted, relative, absolute)
  if #got ~= #wanted then return ("%d elements, expected %d"):format(#got, #wanted) end
  for i = 1, #wanted do
    local margin = type(absolute) == "function" and absolute(wanted[i]) or absolute
    if not same_value(got[i], wanted[i], relative, margin) then
      local where = #wanted > 1 and ("element %d is "):format(i) or "is "
      return where .. tostring(got[i]) .. ", expected " .. tostring(wanted[i])
    end
  end
end

-- What is wrong with `got`, a tensor or anything else an op returns; nil when nothing is.
-- options: relative, absolute (default exact), dtype, shape (instead of the one that wanted's nesting shows).
function compare.value(got, wanted, options)
  options = options or {}
  if compare.is_tensor(wanted) then
    options = { relative = options.relative, absolute = options.absolute, dtype = options.dtype or wanted.dtype,
                shape = options.shape or wanted.shape }
    wanted = wanted:totable()
  end
  if not compare.is_tensor(got) then
    if options.dtype or options.shape then return "is a " .. type(got) .. ", expected a tensor" end
    if type(got) == "table" and type(wanted) == "table" and getmetatable(got) == nil then
      if #got ~= #wanted then return ("a list of %d, expected %d"):format(#got, #wanted) end
      for i = 1, #wanted do
        local problem = compare.value(got[i], wanted[i], options)
        if problem then return ("[%d] %s"):format(i, problem) end
      end
      return nil
    end
    if type(got) == "table" or type(got) == "userdata" then
      return got ~= wanted and ("is %s, expected %s"):format(tostring(got), compare.show(wanted)) or nil
    end
    return compare.leaves({ got }, { wanted }, options.relative or 0, options.absolute or 0)
  end
  if options.dtype and got.dtype ~= options.dtype then
    return ("has dtype %s, expected %s"):format(got.dtype, options.dtype)
  end
  local leaves, shape = {}, options.shape
  if wanted ~= nil then
    local shown
    leaves, shown = compare.flatten(wanted)
    shape = shape or shown
  end
  if not compare.same_list(got.shape, shape) then
    return ("has shape (%s), expected (%s)"):format(table.concat(got.shape, ", "), table.concat(shape, ", "))
  end
  if wanted == nil then return nil end
  local rounds = compare.tolerances[got.dtype] ~= nil  -- integers and booleans are exact
  local problem = compare.leaves(compare.flatten(got:totable()), leaves, rounds and options.relative or 0,
                                 rounds and options.absolute or 0)
  if problem then return ("%s; got %s"):format(problem, compare.show(got)) end
end

return compare
