-- Plots in files: SVG read back by its ticks' labels, PNG by its pixels.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local folder = dofile("tests/support/folder.lua")
local plots = dofile("tests/support/plots.lua")
local plot = lt.plot

local blue, orange = "#0072b2", "#d55e00"

-- Fails where a point of the data has no drawn point within half a pixel.
local function lies_on(read, points, xs, ys, what)
  for i = 1, #xs do
    local x, y, is_there = read.from_x(xs[i]), read.from_y(ys[i]), false
    for _, point in ipairs(points) do
      is_there = is_there or math.abs(point[1] - x) <= 0.5 and math.abs(point[2] - y) <= 0.5
    end
    assert(is_there, ("%s: no point at %g, %g (pixel %g, %g)"):format(what, xs[i], ys[i], x, y))
  end
end

expect.case("a line's points are at their numbers, within half a pixel", function()
  for what, scale in pairs { small = 1e-9, one = 1, large = 3e7 } do
    local xs, ys = {}, {}
    for i = 1, 30 do xs[i], ys[i] = i * 0.7 * scale, (i % 7 - 3) * scale end
    local read = plots.read_svg(plot.line({ xs, ys }):svg())
    local points = plots.points_of(read, "polyline", blue)
    expect.equal(#points, 30)
    lies_on(read, points, xs, ys, what)
  end
end)

expect.case("so are the points of several series, each in its colour", function()
  local data = { a = { { 1, 2, 3 }, { -5, 0, 2.5 } }, b = { { 0, 4 }, { 7, 1 } } }
  local read = plots.read_svg(plot.scatter(data):svg())
  lies_on(read, plots.points_of(read, "circle", blue), data.a[1], data.a[2], "a")
  -- Squares, by their middles.
  local squares = plots.points_of(read, "polygon", orange)
  local middles = {}
  for i = 1, #squares, 4 do middles[#middles + 1] = { (squares[i][1] + squares[i + 2][1]) / 2, (squares[i][2] + squares[i + 2][2]) / 2 } end
  lies_on(read, middles, data.b[1], data.b[2], "b")
end)

expect.case("a long line keeps its extremes", function()
  local ys = {}
  for i = 1, 20000 do ys[i] = math.sin(i) end
  ys[7777], ys[15001] = 9, -8
  local text = plot.line(ys):svg()
  assert(#text < 200000, #text)
  local read = plots.read_svg(text)
  lies_on(read, plots.points_of(read, "polyline", blue), { 1, 7777, 15001, 20000 }, { ys[1], 9, -8, ys[20000] }, "extremes")
end)

expect.case("bars and bins reach their numbers", function()
  local function tops(read)
    local list = {}
    for _, element in ipairs(read.elements) do
      local x1, y1, y2, x2 = (element.at.points or ""):match "^([%d.]+),([%d.]+) [%d.]+,([%d.]+) ([%d.]+),[%d.]+ [%d.]+,[%d.]+$"
      if element.kind == "polygon" then
        x1, y1, x2, y2 = element.at.points:match "^([%d.-]+),([%d.-]+) [%d.-]+,[%d.-]+ ([%d.-]+),([%d.-]+)"
        list[#list + 1] = { tonumber(x1), tonumber(y1), tonumber(x2), tonumber(y2) }
      end
    end
    return list
  end
  local read = plots.read_svg(plot.bar({ { "x", "y", "z" }, { 3, -2, 0.5 } }):svg())
  local bars = tops(read)
  for i, value in ipairs { 3, -2, 0.5 } do
    expect.close(bars[i][2], read.from_y(0), 0.5 / 300)
    assert(math.abs(bars[i][4] - read.from_y(value)) <= 0.5)
  end
  read = plots.read_svg(plot.hist({ 0, 0.5, 1.5, 1.6, 2 }, { bins = 2 }):svg())
  local bins = tops(read)
  for i, wanted in ipairs { { 0, 1, 2 }, { 1, 2, 3 } } do
    assert(math.abs(bins[i][1] - read.from_x(wanted[1])) <= 1 and math.abs(bins[i][3] - read.from_x(wanted[2])) <= 1)
    assert(math.abs(bins[i][4] - read.from_y(wanted[3])) <= 0.5)
  end
end)

expect.case("title, labels, legend and notes are text, and XML stays XML", function()
  local read = plots.read_svg(plot.line({ ["a < b & c"] = { 1, 0 / 0 }, ['"q"'] = { 1, 2 } },
    { title = "<&>", xlabel = "x > 0", ylabel = "y\0\27[31m" }):svg())
  local all = "\n" .. table.concat(read.texts, "\n") .. "\n"
  for _, words in ipairs { "&lt;&amp;&gt;", "x &gt; 0", "y??[31m", "a &lt; b &amp; c", "&quot;q&quot;", "1 of 4 points left out (nan or inf)" } do
    assert(all:find("\n" .. words .. "\n", 1, true), words .. " is missing in " .. all)
  end
end)

expect.case("nothing is drawn outside the picture", function()
  local long = ("a very long name "):rep(8)
  for _, made in ipairs {
    plot.line({ [long] = { 1e9, -1e9 }, b = { 1, 2 } }, { title = long, xlabel = long, ylabel = long }),
    plot.bar({ { long, long .. "2", "x", "y", "z", "u", "v" }, { 1, -2, 3, 4, 5, 6, 7 } }), plot.heat(lt.zeros { 3, 1000 } + 1e-9),
    plot.scatter({ { 1, 1e-300 }, { 1e300, -1e300 } }), plot.hist(lt.range(0, 5000)), plot.image(lt.zeros { 1, 900 }),
  } do
    for _, size in ipairs { { width = 100, height = 100 }, { width = 640, height = 400 }, { width = 300, height = 900 } } do
      for _, element in ipairs(plots.read_svg(made:svg(size)).elements) do
        local at = element.at
        for x, y in (at.points or at.x and at.x .. "," .. at.y or ""):gmatch "([%d.-]+),([%d.-]+)" do
          assert(tonumber(x) >= -0.5 and tonumber(x) <= size.width + 0.5, element.kind .. " at x = " .. x)
          assert(tonumber(y) >= -0.5 and tonumber(y) <= size.height + 0.5, element.kind .. " at y = " .. y)
        end
      end
    end
  end
end)

expect.case("numbers have a point in every locale that is here", function()
  local wanted = plot.line({ 0.25, 0.5 }):svg()
  for _, name in ipairs { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8" } do
    if os.setlocale(name, "numeric") then expect.equal(plot.line({ 0.25, 0.5 }):svg(), wanted) end
  end
  os.setlocale("C", "numeric")
end)

expect.case("a PNG has the series' colours where the data are, at twice the pixels", function()
  local data = { a = { { 0, 1, 2, 3 }, { 1, 3, 2, 4 } }, b = { { 0, 3 }, { 4, 0 } } }
  local file = folder.at "line.png"
  expect.equal(select("#", plot.line(data, { file = file, width = 500, height = 300, title = "t" })), 0)
  local pixels = lt.load(file)
  expect.equal(pixels.shape, { 600, 1000, 3 })
  local read = plots.read_svg(plot.line(data, { title = "t" }):svg { width = 500, height = 300 })
  -- A line's end covers its last pixel in part.
  local function has_color(x, y, color)
    local row, column = math.floor(read.from_y(y) * 2) + 1, math.floor(read.from_x(x) * 2) + 1
    for i = row - 1, row + 1 do
      for k = column - 1, column + 1 do
        local found = pixels[{ i, k }]:totable()
        if found[1] == color[1] and found[2] == color[2] and found[3] == color[3] then return true end
      end
    end
  end
  for i = 1, 4 do assert(has_color(data.a[1][i], data.a[2][i], { 0, 114, 178 }), i) end
  for i = 0, 10 do assert(has_color(0.3 * i, 4 - 0.4 * i, { 213, 94, 0 }), i) end
  assert(not has_color(1.5, 3.5, { 0, 114, 178 }) and not has_color(1, 1, { 213, 94, 0 }))
  expect.equal(pixels[{ 3, 3 }]:totable(), { 255, 255, 255 })
  -- Dark text is above the plot, where the title is.
  assert(pixels[{ { 10, 50 }, { 400, 600 } }]:min():item() < 60)
end)

expect.case("a heat map's pixels are its numbers' colours, in both kinds of files", function()
  local made = plot.heat { { 0, 1 }, { 0 / 0, 2 } }
  local file = folder.at "heat.png"
  made:save(file)
  local pixels = lt.load(file)
  local data, x, y, width, height
  for _, element in ipairs(plots.read_svg(made:svg()).elements) do
    -- The bar of colours is narrower.
    if element.kind == "image" and tonumber(element.at.width) > 100 then
      data = element.at["xlink:href"]:match "base64,(.*)$"
      x, y, width, height = tonumber(element.at.x), tonumber(element.at.y), tonumber(element.at.width), tonumber(element.at.height)
    end
  end
  local function at(column, row)
    return pixels[{ math.floor(2 * (y + height * (row - 0.5) / 2)), math.floor(2 * (x + width * (column - 0.5) / 2)) }]:totable()
  end
  expect.equal(at(1, 1), { 68, 1, 84 })
  expect.equal(at(2, 2), { 253, 231, 37 })
  expect.equal(at(1, 2), { 225, 225, 225 })
  local greens = at(2, 1)
  assert(greens[2] > greens[1] and greens[2] > 100)
  -- The picture in the SVG, decoded by another program.
  local pipe = assert(io.popen("base64 -d > '" .. folder.at "inner.png" .. "'", "w"))
  pipe:write(data)
  assert(pipe:close())
  local inner = lt.load(folder.at "inner.png"):totable()
  expect.equal(inner, { { { 68, 1, 84 }, greens }, { { 225, 225, 225 }, { 253, 231, 37 } } })
end)

expect.case("a picture keeps its pixels and proportions", function()
  local picture = lt.random.randint({ 4, 8, 3 }, 0, 256):uint8()
  plot.image(picture, { file = folder.at "image.png", width = 200, height = 200 })
  local wanted, shown = picture:totable(), lt.load(folder.at "image.png")
  local first, last
  -- The picture lies in the middle; its left and right edges have a margin.
  for column = 1, 400 do
    if shown[{ 200, column }]:min():item() < 255 then first, last = first or column, column end
  end
  local size = (last - first + 1) / 8
  for row = 1, 4 do
    for column = 1, 8 do
      local y, x = math.floor(201 + (row - 2.5) * size + 0.5), math.floor(first + (column - 0.5) * size)
      expect.equal(shown[{ y, x }]:totable(), wanted[row][column], ("pixel %d, %d"):format(row, column))
    end
  end
end)

expect.case("files appear whole or not at all", function()
  folder.clear()
  local file = folder.at "there.svg"
  folder.write(file, "old")
  expect.raises("InvalidArgument", "y[2] is \"x\"", plot.line, { 1, "x" }, { file = file })
  expect.equal(folder.read(file), "old")
  plot.line({ 1, 2 }, { file = file })
  assert(folder.read(file):find "^<%?xml.*</svg>\n$")
  expect.equal(folder.list(), "there.svg\n")
  expect.raises("NotFound", "cannot be written: No such file or directory", plot.line, { 1 }, { file = folder.at "no/x.png" })
  expect.raises("NotFound", "cannot be written", plot.line { 1 }.save, plot.line { 1 }, folder.at "no/x.svg")
  local limited = assert(io.popen(("ulimit -f 1; '%s' -e 'print(pcall(lt.plot.heat, lt.random.normal{200, 200}, {file = \"%s\"}))' 2>&1"):format(
    os.getenv "LUTRA" or "lutra", folder.at "big.svg")))
  local text = limited:read "a"
  limited:close()
  assert(text:find "false.*big.svg cannot be written: File too large", text)
  expect.equal(folder.list(), "there.svg\n")
end)

expect.case("the object writes what the option does", function()
  local data = { a = { 1, 2, 4 }, b = { 3, 2, 2 } }
  for _, kind in ipairs { "svg", "png" } do
    plot.line(data, { file = folder.at("a." .. kind), width = 300, height = 200 })
    local made = plot.line(data)
    made:save(folder.at("b." .. kind:upper()), { width = 300, height = 200 })
    expect.equal(folder.read(folder.at("a." .. kind)), folder.read(folder.at("b." .. kind:upper())))
    expect.equal(made[kind](made, { width = 300, height = 200 }), folder.read(folder.at("a." .. kind)))
  end
end)

folder.remove()
expect.end_of_cases()
