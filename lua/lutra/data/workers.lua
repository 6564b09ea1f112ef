-- map with num_parallel_calls: the function runs in other interpreters, each on a thread of its own (workers.cpp). Values
-- go there and back as text: numbers, strings, booleans, tensors, tables of them, Lua functions with what they use, and
-- Lutra's and Lua's own functions by name.
local lutra, tools, use = ...
local options, structure, randomness = use "options", use "data.structure", use "data.randomness"

local workers = {}

local function refuse(what, value, hint)
  tools.fail("InvalidArgument", ("map: num_parallel_calls sends the function and the elements to other interpreters, and %s is "
    .. "%s, which cannot be sent%s"):format(what, tools.what_is(value), hint or ""))
end

-- The names of functions and modules that every interpreter has: by value, and the reverse.
local function names_of_modules()
  local names = {}
  local function walk(path, value, depth)
    names[value] = names[value] or path
    if depth == 0 then return end
    for key, entry in next, value do
      local kind = type(entry)
      if type(key) == "string" and key:find "^[%a_][%w_]*$" then
        if kind == "table" and not names[entry] and (getmetatable(entry) == nil or depth > 1) then walk(path .. "." .. key, entry, depth - 1)
        elseif kind == "function" then names[entry] = names[entry] or path .. "." .. key end
      end
    end
  end
  for _, name in ipairs { "string", "math", "table", "utf8", "os", "io", "coroutine", "debug" } do
    local library = _G[name]
    if type(library) == "table" then walk(name, library, 1) end
  end
  for name, value in next, _G do
    if type(name) == "string" and type(value) == "function" and debug.getinfo(value, "S").what == "C" then names[value] = names[value] or name end
  end
  walk("lutra", lutra, 2)
  names[_G] = "_G"
  return names
end
local function named(path)
  local value = _G
  for name in path:gmatch "[^.]+" do
    if value == _G and name == "lutra" then value = lutra
    elseif value == _G and name == "_G" then value = _G
    else value = value[name] end
  end
  return value
end

-- Returns pack(value, what) and a function that returns the text. names: those of modules and functions that may be sent by
-- name; nil: no functions are sent.
local function packer(names)
  local packers, out, seen, count = {}, {}, {}, 0
  local function put(format, ...) out[#out + 1] = string.pack(format, ...) end
  local pack
  -- Tables and functions that occur twice are one again at the other end.
  local function is_known(value)
    if seen[value] then
      put("<c1I4", "r", seen[value])
      return true
    end
    count = count + 1
    seen[value] = count
  end
  function packers.table(value, what)
    if names and names[value] then return put("<c1s4", "n", names[value]) end
    local meta = getmetatable(value)
    local kind = type(meta) == "table" and meta.can_be_sent == true and meta.kind
    -- Shapes become plain lists.
    if meta ~= nil and not kind and not tools.is_shape(value) then
      refuse(what, value, "; an object has a metatable, which stays here")
    end
    if is_known(value) then return end
    if kind then put("<c1s1", "o", kind) else put("<c1", "{") end
    for key, entry in next, value do
      local kind = type(key)
      if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then refuse("a key of " .. what, key) end
      pack(key, what)
      pack(entry, ("%s[%s]"):format(what, options.quoted(key)))
    end
    put("<c1", "}")
  end
  packers["function"] = function(value, what)
    if names and names[value] then return put("<c1s4", "n", names[value]) end
    if not names then refuse(what, value) end
    if is_known(value) then return end
    local info = debug.getinfo(value, "uS")
    if info.what == "C" then refuse(what, value, "; it is written in C") end
    put("<c1s4I1", "f", string.dump(value), info.nups)
    for i = 1, info.nups do
      local name, held = debug.getupvalue(value, i)
      -- One variable of several functions is one again at the other end.
      local id = debug.upvalueid(value, i)
      if seen[id] then
        put("<c1I4", "u", seen[id])
      else
        count = count + 1
        seen[id] = count
        put("<c1", "v")
        if name == "_ENV" or held == _G then put("<c1s4", "n", "_G")
        else pack(held, name ~= "" and ("'%s', which %s uses,"):format(name, what) or "a variable of " .. what) end
      end
    end
  end
  function packers.userdata(value, what)
    if not tools.is_tensor(value) then refuse(what, value) end
    if getmetatable(value) == "lutra.Variable" then refuse(what, value, "; write v:value() for its value now") end
    local shape = value.shape
    put("<c1s1I1", "t", value.dtype, #shape)
    for axis = 1, #shape do put("<i8", shape[axis]) end
    local bytes = value:bytes()
    put("<i8", #bytes)
    out[#out + 1] = bytes -- without a copy
  end
  function packers.string(value) put("<c1s8", "s", value) end
  function packers.number(value)
    if math.type(value) == "integer" then put("<c1i8", "i", value) else put("<c1d", "d", value) end
  end
  function packers.boolean(value) put("<c1", value and "+" or "-") end
  packers["nil"] = function() put("<c1", "0") end
  function pack(value, what)
    local f = packers[type(value)]
    if not f then refuse(what, value) end
    return f(value, what)
  end
  return pack, function() return table.concat(out) end
end

-- Returns a function that returns the next value of a text.
local function unpacked(text)
  local at, made, count = 1, {}, 0
  local function get(format)
    local a, b, c
    a, b, c = string.unpack(format, text, at)
    at = c or b
    return a, c and b or nil
  end
  local take
  local readers = {}
  readers["0"] = function() return nil end
  readers["+"], readers["-"] = function() return true end, function() return false end
  function readers.i() return (get "<i8") end
  function readers.d() return (get "<d") end
  function readers.s() return (get "<s8") end
  function readers.n() return named((get "<s4")) end
  function readers.r() return made[get "<I4"] end
  function readers.t()
    local dtype, rank = get "<s1I1"
    local shape = {}
    for axis = 1, rank do shape[axis] = get "<i8" end
    return lutra.device("/CPU:0", lutra.from_bytes, (get "<s8"), dtype, shape)
  end
  local function entries(value)
    count = count + 1
    made[count] = value
    while text:sub(at, at) ~= "}" do
      local key = take()
      value[key] = take()
    end
    at = at + 1
    return value
  end
  readers["{"] = function() return entries {} end
  -- Of a class of lutra.nn.
  function readers.o()
    local class = lutra.nn[get "<s1"]
    return setmetatable(entries {}, class)
  end
  function readers.f()
    local code, variables = get "<s4I1"
    local f = assert(load(code, "=map", "b"))
    count = count + 1
    made[count] = f
    for i = 1, variables do
      if get "<c1" == "u" then
        local other = made[get "<I4"]
        debug.upvaluejoin(f, i, other[1], other[2])
      else
        count = count + 1
        made[count] = { f, i }
        -- Not one with another function's of the same code.
        local held = take()
        debug.setupvalue(f, i, held)
      end
    end
    return f
  end
  function take() return readers[get "<c1"]() end
  return take
end

-- In a worker: returns the handler of jobs.
function workers.serve(setup)
  lutra.config.set_visible_devices({}, "GPU")
  lutra.config.threading.set_intra_op_parallelism_threads(1)
  local f = unpacked(setup)()
  return function(job)
    local take = unpacked(job)
    local seed, n = take(), take()
    -- Random numbers depend on the element, not on the worker.
    lutra.random.set_seed(seed & math.maxinteger)
    math.randomseed(seed)
    local values = {}
    for i = 1, n do values[i] = take() end
    local results = table.pack(xpcall(f, function(problem) return problem end, table.unpack(values, 1, n)))
    local is_good, packed = results[1], nil
    if is_good then
      is_good, packed = pcall(function()
        local pack, text = packer(nil)
        local parts = results.n > 1 and results[2] ~= nil and structure.parts("map", table.unpack(results, 2, results.n)) or {}
        pack(#parts)
        for i = 1, #parts do pack(parts[i], "a result of the function") end
        return text()
      end)
      results[2] = packed
    end
    if is_good then return false, packed end
    local problem, pack, text = results[2], packer(nil)
    local is_own = lutra.iserror(problem)
    local place = is_own and tostring(problem):match "^([^\n]-:%d+): "
    pack(is_own and problem.code or false)
    pack(is_own and problem.message .. (place and (" (in map's function, %s)"):format(place) or "") or tostring(problem))
    return true, text()
  end
end

-- How many workers num_parallel_calls asks for; nil: the function runs here, one element after the other.
function workers.count(value)
  if not value then return nil end
  options.count("map", "num_parallel_calls", value, -1)
  if value == 0 then tools.fail("InvalidArgument", "map: num_parallel_calls is 0, expected 1 or more, or lutra.data.AUTOTUNE") end
  return value < 0 and tools.usable_threads() or value
end

-- Opens an iteration of the elements of `next`, mapped by f.
function workers.open(f, count, next)
  if not (debug and debug.getupvalue) then return nil end -- a sandbox, which has no other threads
  local setup, text = packer(names_of_modules())
  setup(f, "the function")
  local pool = tools.workers(count, text())
  if not pool then return nil end
  local seed, sent, taken, is_over = randomness.drawn(), 0, 0, false
  local function submit(first, ...)
    if first == nil then
      is_over = true
      return
    end
    local pack, job = packer(nil)
    local values = table.pack(first, ...)
    pack(randomness.derived(seed, sent))
    pack(values.n)
    for i = 1, values.n do pack(values[i], "a value of an element") end
    sent = sent + 1
    tools.submit_job(pool, sent, job())
  end
  return function()
    while not is_over and sent - taken < 2 * count do submit(next()) end
    if taken == sent then
      if pool then local _ <close> = pool end
      pool = nil
      return nil
    end
    taken = taken + 1
    local has_failed, result
    repeat has_failed, result = tools.take_result(pool, taken) until has_failed ~= nil
    if has_failed then
      -- A worker without memory cannot pack its error.
      local is_packed, code, message = pcall(function()
        local take = unpacked(result)
        return take(), take()
      end)
      if not is_packed then code, message = "ResourceExhausted", "map: an interpreter has no memory: " .. result end
      local _ <close> = pool
      is_over, sent, pool = true, taken, nil
      if code then tools.fail(code, message) end
      error(message, 0)
    end
    local take = unpacked(result)
    local values, n = {}, take()
    if n == 0 then tools.fail("InvalidArgument", "map: the function gives nothing for an element, expected values") end
    for i = 1, n do values[i] = take() end
    return table.unpack(values, 1, n)
  end
end

return workers
