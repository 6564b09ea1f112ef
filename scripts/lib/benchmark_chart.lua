-- lua5.4 scripts/lib/benchmark_chart.lua, in the root of the tree: draws docs/benchmarks/overview.svg from grid_means.csv
-- and training.md beside it. A bar is a peer's time over Lutra's.
local kFolder = "docs/benchmarks/"
local kColours = {PyTorch = "#d9622b", NumPy = "#4f7cac", oneDNN = "#7a7a7a", JAX = "#5b9a5b"}
local kLeft, kUnit, kBar, kGap, kTop = 250, 52, 14, 12, 56 -- kUnit: pixels of 1x

-- {{threads =, peer =, size =, ratio =}...}
local function read_means()
  local rows = {}
  for line in io.lines(kFolder .. "grid_means.csv") do
    local threads, peer, size, ratio = line:match("^(%d+),([^,]+),([^,]+),([%d.]+),")
    if threads then rows[#rows + 1] = {threads = threads, peer = peer, size = size, ratio = tonumber(ratio)} end
  end
  return rows
end

local groups = {}

-- Of rows with the same threads, peer and size the last is the newest.
local function add_means(title, size)
  local bars, at = {}, {}
  for _, row in ipairs(read_means()) do
    if row.threads == "2" and row.size == size then
      at[row.peer] = at[row.peer] or #bars + 1
      bars[at[row.peer]] = {peer = row.peer, ratio = row.ratio}
    end
  end
  groups[#groups + 1] = {title = title, bars = bars}
end

-- A row of the table in training.md: `| title | Lutra | PyTorch | JAX |`, a peer's cell with its `(4.18x [`.
local function add_training(row, title)
  local bars = {}
  for line in io.lines(kFolder .. "training.md") do
    if line:sub(1, #row + 4) == "| " .. row .. " |" then
      local cells = {}
      for cell in line:gmatch("[^|]+") do cells[#cells + 1] = cell end
      for i, peer in ipairs {"PyTorch", "JAX"} do
        local ratio = (cells[i + 2] or ""):match("%(([%d.]+)x ")
        if ratio then bars[#bars + 1] = {peer = peer, ratio = tonumber(ratio)} end
      end
    end
  end
  groups[#groups + 1] = {title = title, bars = bars}
end

add_means("every op, 1e3 elements", "1e3")
add_means("every op, 1e5 elements", "1e5")
add_means("every op, 1e7 elements", "1e7")
add_means("products and convolutions", "shapes")
add_training("784-128-10 SGD, 32 rows", "step: dense net, SGD, 32 rows")
add_training("784-128-10 Adam, 32 rows", "step: dense net, Adam, 32 rows")
add_training("LSTM 32-128-1 Adam, 16 rows of 32 steps", "step: LSTM, Adam, 16 rows")

local body, y, longest = {}, kTop, 0
local function add(text, ...) body[#body + 1] = text:format(...) end
for _, group in ipairs(groups) do
  assert(#group.bars > 0, "no figures for: " .. group.title)
  add('<text x="%d" y="%.0f" text-anchor="end">%s</text>', kLeft - 10, y + #group.bars * kBar / 2 + 4, group.title)
  for _, bar in ipairs(group.bars) do
    add('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>', kLeft, y, bar.ratio * kUnit, kBar - 2,
      assert(kColours[bar.peer], bar.peer))
    add('<text x="%.1f" y="%d">%s %.2f</text>', kLeft + bar.ratio * kUnit + 5, y + 10, bar.peer, bar.ratio)
    longest = math.max(longest, bar.ratio)
    y = y + kBar
  end
  y = y + kGap
end
local width, height = math.ceil(kLeft + longest * kUnit + 110), y + 8
add('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#000000" stroke-dasharray="4 3"/>', kLeft + kUnit, kTop - 8,
  kLeft + kUnit, y - kGap + 4)
add('<text x="%d" y="%d" text-anchor="middle">1: as fast as Lutra</text>', kLeft + kUnit, kTop - 14)

local file <close> = assert(io.open(kFolder .. "overview.svg", "w"))
file:write(('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">\n')
  :format(width, height, width, height))
file:write("<title>A peer's time over Lutra's, two threads of a CPU: above 1 Lutra is faster</title>\n")
file:write(('<rect width="%d" height="%d" fill="#ffffff"/>\n'):format(width, height))
file:write('<text x="10" y="20" font-size="14" font-weight="bold">A peer\'s time over Lutra\'s, two threads of a CPU: above 1 Lutra is faster</text>\n')
file:write(table.concat(body, "\n"), "\n</svg>\n")
