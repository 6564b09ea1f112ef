-- lutra scripts/lib/benchmark_chart.lua, in the root of the tree: draws docs/benchmarks/ops.svg from grid_means.csv beside it,
-- and steps.svg from training.md. A bar is a peer's time over Lutra's.
local kFolder = "docs/benchmarks/"

-- The bars of these rows, {{row, title of its bar}...}: {titles, ratios}, as lt.plot.bar takes them.
local function bars(ratio_of, titles)
  local names, ratios = {}, {}
  for i, title in ipairs(titles) do
    names[i], ratios[i] = title[2], assert(ratio_of[title[1]], title[1])
  end
  return { names, ratios }
end

-- The bars of a peer on two threads. Of rows with the same size the last is the newest.
local function means_of(wanted, titles)
  local ratio_of = {}
  for line in io.lines(kFolder .. "grid_means.csv") do
    local threads, peer, size, ratio = line:match("^(%d+),([^,]+),([^,]+),([%d.]+),")
    if threads == "2" and peer == wanted then ratio_of[size] = tonumber(ratio) end
  end
  return bars(ratio_of, titles)
end

-- The same from the table in training.md: `| title | Lutra | PyTorch | JAX |`, a peer's cell with its `(4.18x [`.
local function steps_of(column, titles)
  local ratio_of = {}
  for line in io.lines(kFolder .. "training.md") do
    local cells = {}
    for cell in line:gmatch("[^|]+") do cells[#cells + 1] = cell:match("^%s*(.-)%s*$") end
    ratio_of[cells[1] or ""] = tonumber((cells[column] or ""):match("%(([%d.]+)x "))
  end
  return bars(ratio_of, titles)
end

local function draw(name, title, series)
  lt.plot.bar(series, { file = kFolder .. name, title = title, ylabel = "times as long as Lutra", width = 720, height = 300 })
end

local sizes = { { "1e3", "1e3 elements" }, { "1e5", "1e5 elements" }, { "1e7", "1e7 elements" }, { "shapes", "products, convolutions" } }
draw("ops.svg", "Single operations on two threads of a CPU", { PyTorch = means_of("PyTorch", sizes), NumPy = means_of("NumPy", sizes) })
local steps = {
  { "784-128-10 SGD, 32 rows", "SGD, 32 rows" }, { "784-128-10 SGD, 256 rows", "SGD, 256 rows" },
  { "784-128-10 Adam, 32 rows", "Adam, 32 rows" },
}
draw("steps.svg", "Training steps of a dense net (784-128-10)", { PyTorch = steps_of(3, steps), JAX = steps_of(4, steps) })
