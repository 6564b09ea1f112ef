-- A list of workloads in a fresh process: grid_worker.lua FILE, by scripts/lib/grid.lua. Its twin is
-- peers/grid_worker.py. FILE has lines of fields between tabs: `input NAME CODE`, `work NAME INPUTS SETUP RUN CHECK`,
-- `compare 1`, which asks for results, and `time 0`, which leaves times out. Prints `start CPU-SECONDS`, for each workload
-- `time NAME NANOSECONDS` (the median of batches, per run) and
-- `result NAME COUNT SUM ABSOLUTE SQUARES WEIGHTED SAMPLE...`, and `end CPU-SECONDS`.
local lt = require "lutra"

local new_report = dofile("tests/bench/batches.lua")
local limits = { batch = 0.001, warm = 0.005, seconds = 0.02, fewest = 3, longest = 0.5 }
local kSamples = 16

local inputs, code = {}, {}
local wants = {compare = "1", time = "1"}

-- Inputs are made when a workload first names them, and stay.
local function input(name)
  if not inputs[name] then
    local text = assert(code[name], name)
    local names, values, seen = {}, {}, {[name] = true}
    for word in text:gmatch("%f[%w_]%a[%w_]*") do
      if code[word] and not seen[word] then
        seen[word] = true
        names[#names + 1], values[#values + 1] = word, input(word)
      end
    end
    local head = #names > 0 and "local " .. table.concat(names, ", ") .. " = ... " or ""
    inputs[name] = assert(load("local lt = lutra " .. head .. "return " .. text, "=" .. name))(table.unpack(values))
  end
  return inputs[name]
end

-- By the number of elements: a number for each position.
local weights = {}

local function print_result(name, result)
  if type(result) == "number" then result = lt.constant(result) end
  local flat = lt.reshape(lt.cast(result, "float64"), {-1})
  local n = #flat
  local figures = {n}
  if n > 0 then
    weights[n] = weights[n] or lt.cast(lt.range(n) % 97, "float64")
    for _, tensor in ipairs {flat, lt.abs(flat), flat * flat, flat * weights[n]} do
      figures[#figures + 1] = ("%.17g"):format(lt.sum(tensor):item())
    end
    for k = 0, kSamples - 1 do
      figures[#figures + 1] = ("%.17g"):format(flat[k * (n - 1) // (kSamples - 1) + 1]:item())
    end
  end
  print("result", name, table.concat(figures, "\t"))
end

local function measure(name, names, setup, run, check)
  local values, list = {}, {}
  for word in names:gmatch("%S+") do
    list[#list + 1] = word
    values[word] = input(word)
  end
  local source = {"local lt, input, report = ...", "local now, r = lt.time"}
  for _, word in ipairs(list) do source[#source + 1] = ("local %s = input.%s"):format(word, word) end
  table.move({
    setup,
    "local n = report()",
    "while n do",
    "  local start = now()",
    "  for _ = 1, n do " .. run .. " end",
    "  n = report(now() - start)",
    "end",
    wants.compare == "1" and "return " .. (check ~= "" and check or "r") or "",
  }, 1, 8, #source + 1, source)
  local measured = {}
  local once
  local report = wants.time == "1" and new_report(limits, measured) or function()
    once = not once
    return once and 1 or nil
  end
  local result = assert(load(table.concat(source, "\n"), "=" .. name))(lt, values, report)
  if measured.ns then print("time", name, measured.ns) end
  if wants.compare == "1" then print_result(name, result) end
end

print("start", os.clock())
io.stdout:flush()
for line in io.lines(arg[1]) do
  local fields = {}
  for field in (line .. "\t"):gmatch("([^\t]*)\t") do fields[#fields + 1] = field end
  local word = fields[1]
  if word == "input" then
    code[fields[2]] = fields[3]
  elseif word == "work" then
    local ok, message = pcall(measure, table.unpack(fields, 2, 6))
    if not ok then print("failed", fields[2], (tostring(message):gsub("%s+", " "))) end
  else
    wants[word] = fields[2]
  end
end
print("end", os.clock())
