-- Compares an op's result with the expected one, and says in one line where they differ.
local show = require "show"
local compare = { is_tensor = show.is_tensor, show = show.value }

compare.dtypes = {
  float32 = true, float64 = true, float16 = true, bfloat16 = true,
  int8 = true, uint8 = true, int16 = true, int32 = true,
  int64 = true, bool = true, complex64 = true, complex128 = true,
}

-- Relative and absolute: how far a result may be from one computed in Lua's doubles.
compare.tolerances = {
  float32 = { 1e-5, 1e-6 }, float64 = { 1e-12, 1e-12 }, float16 = { 2e-3, 1e-3 }, bfloat16 = { 2e-2, 1e-2 },
  complex64 = { 1e-5, 1e-6 }, complex128 = { 1e-12, 1e-12 },
}

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

-- How far a result may be from a number in a spec: 0.3133 means every number that rounds to it.
function compare.as_written(wanted)
  if type(wanted) ~= "number" or wanted % 1 == 0 then return 1e-7 end
  local scaled = wanted * 1e4
  return math.abs(scaled - math.floor(scaled + 0.5)) < 1e-6 and 5.1e-5 or 1e-7
end

-- "[2][3]" for the sixth element of shape (2, 3).
local function position_of(i, shape)
  local words, rest = {}, i - 1
  for axis = #shape, 1, -1 do
    words[axis] = ("[%d]"):format(rest % shape[axis] + 1)
    rest = rest // shape[axis]
  end
  return table.concat(words)
end

-- " (off by 0.5, allowed 1e-05)"
local function distance_of(got, wanted, allowed)
  if type(got) ~= "number" or type(wanted) ~= "number" then return "" end
  local off = math.abs(got - wanted)
  if not (off < math.huge) then return "" end
  return (" (off by %.3g, allowed %.3g)"):format(off, allowed)
end

-- The first leaf that differs, and how many do, as a sentence; nil when none does. `absolute` is a number, or a function
-- of the wanted value. `shape` says where in a tensor the leaf is.
function compare.leaves(got, wanted, relative, absolute, shape)
  if #got ~= #wanted then return ("%d elements, expected %d"):format(#got, #wanted) end
  local first, problem, count = nil, nil, 0
  for i = 1, #wanted do
    local margin = type(absolute) == "function" and absolute(wanted[i]) or absolute
    if not same_value(got[i], wanted[i], relative, margin) then
      count = count + 1
      if not first then
        first = i
        local allowed = type(wanted[i]) == "number" and relative * math.abs(wanted[i]) + margin or 0
        problem = ("is %s, expected %s%s"):format(show.value(got[i]), show.value(wanted[i]),
                                                  distance_of(got[i], wanted[i], allowed))
      end
    end
  end
  if not first or #wanted == 1 then return problem end
  return ("%d of %d elements differ: %s %s"):format(count, #wanted,
                                                    shape and position_of(first, shape) or "element " .. first, problem)
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
    if options.dtype or options.shape then
      return ("is a %s (%s), expected a tensor"):format(type(got), show.value(got))
    end
    if type(got) == "table" and type(wanted) == "table" and getmetatable(got) == nil then
      if #got ~= #wanted then
        return ("a list of %d, expected %d: %s"):format(#got, #wanted, show.value(got))
      end
      for i = 1, #wanted do
        local problem = compare.value(got[i], wanted[i], options)
        if problem then return ("[%d] %s"):format(i, problem) end
      end
      return nil
    end
    if type(got) == "table" or type(got) == "userdata" then
      return got ~= wanted and ("is %s, expected %s"):format(show.value(got), show.value(wanted)) or nil
    end
    return compare.leaves({ got }, { wanted }, options.relative or 0, options.absolute or 0)
  end
  if options.dtype and got.dtype ~= options.dtype then
    return ("has dtype %s, expected %s; got %s"):format(got.dtype, options.dtype, show.value(got))
  end
  local leaves, shape = {}, options.shape
  if wanted ~= nil then
    local shown
    leaves, shown = compare.flatten(wanted)
    if got.dtype:find "complex" then table.remove(shown) end  -- an element is {re, im}
    shape = shape or shown
  end
  if not compare.same_list(got.shape, shape) then
    return ("has shape %s, expected %s; got %s"):format(show.shape(got.shape), show.shape(shape), show.value(got))
  end
  if wanted == nil then return nil end
  local rounds = compare.tolerances[got.dtype] ~= nil  -- integers and booleans are exact
  local problem = compare.leaves(compare.flatten(got:totable()), leaves, rounds and options.relative or 0,
                                 rounds and options.absolute or 0, got.shape)
  if problem then return ("%s; got %s"):format(problem, show.value(got)) end
end

return compare
