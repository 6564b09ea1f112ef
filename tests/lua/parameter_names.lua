-- Errors name a parameter as the documentation does: each documented function gets a coroutine, which no parameter
-- accepts, in each position, after valid arguments.
local lt = require "lutra"
local annotations = dofile("lua/lutra/annotations.lua")
lt.config.set_simulated_gpus(2)

local path = os.tmpname()
local fine = {
  device = "GPU:0", devices = {}, path = path .. ".npy", value = lt.zeros { 2 }, bytes = "\0\0\0\0", dtype = "float32",
  shape = { 1 }, name = "/CPU:0", f = function() end, initial = 1.0, count = 2, topic = "matmul", seed = 1,
  on = true, ["iserror.value"] = "text",
}
-- Any value will do there.
local takes_anything = { ["help.topic"] = true, ["iserror.value"] = true }
local wrong = coroutine.create(print)

local function read(file)
  local handle <close> = assert(io.open("lua/lutra/_meta/" .. file .. ".lua", "rb"))
  return handle:read("a")
end

local asked = 0
local function ask(f, entry)
  local given = {}
  for i, param in ipairs(entry.params) do
    local key = entry.name .. "." .. param.name
    if param.name ~= "..." and not takes_anything[key] then
      given[i] = wrong
      local ok, err = pcall(f, table.unpack(given, 1, i))
      assert(not ok, key .. " takes a coroutine")
      local words = param.name .. " is a coroutine"
      assert(lt.iserror(err) and err.message:find(words, 1, true), ("%s: %q is not in: %s"):format(key, words, tostring(err)))
      asked = asked + 1
    end
    given[i] = fine[key] or fine[param.name]
    if given[i] == nil then break end
  end
end

for _, module in ipairs { "lutra", "config", "debugging" } do
  for _, class in ipairs(annotations.of(module, read)) do
    local place = lt
    for part in class.path:gmatch("[^%.]+") do place = place and rawget(place, part) end
    for _, entry in ipairs(class.entries) do
      if type(place) == "table" and not entry.is_method and not entry.alias then ask(place[entry.name], entry) end
    end
  end
end
os.remove(path)
assert(asked > 40, "only " .. asked .. " parameters were asked for")
