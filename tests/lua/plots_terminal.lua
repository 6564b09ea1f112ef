-- Plots in the terminal, read back by their ticks' labels and compared with the data.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local plots = dofile("tests/support/plots.lua")
local plot = lt.plot

local function drawn(kind, data, given) return tostring(plot[kind](data, given)) end

local function has_line(lines, words)
  for _, line in ipairs(lines) do
    if line:find(words, 1, true) then return true end
  end
  return false
end

expect.case("a line passes where its function does, and nowhere else", function()
  local xs, ys = {}, {}
  for i = 0, 400 do
    xs[i + 1] = -3 + i * 0.02
    ys[i + 1] = 40 * math.sin(xs[i + 1])
  end
  for _, given in ipairs { { width = 80, height = 24 }, { width = 40, height = 12, title = "t", xlabel = "x", ylabel = "y" } } do
    local read = plots.read(drawn("line", { xs, ys }, given))
    assert(#read.dots > 40)
    for i = 1, #xs do assert(plots.is_near(read, read.dots, xs[i], ys[i]), ("nothing at %g, %g"):format(xs[i], ys[i])) end
    for _, dot in ipairs(read.dots) do
      local low, high = math.huge, -math.huge
      for k = -10, 10 do
        local y = 40 * math.sin(dot[1] + k / 10 * read.x_cell)
        low, high = math.min(low, y), math.max(high, y)
      end
      assert(dot[2] >= low - read.y_cell and dot[2] <= high + read.y_cell, ("a dot at %g, %g"):format(dot[1], dot[2]))
    end
  end
end)

expect.case("no line is longer than the width, and there are as many as the height says", function()
  for _, width in ipairs { 20, 40, 80, 133 } do
    for _, data in ipairs { { 1, 2, 3 }, { 1e9, 1e9 + 1 }, { -1e-7, 3e-7 }, {}, { 5 }, { a = { 1, 2 }, b = { 2, 1 } } } do
      local text = drawn("line", data, { width = width, height = 12, title = ("long title "):rep(20), xlabel = ("x"):rep(200) })
      local count = 0
      for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        count = count + 1
        assert(utf8.len(line) <= width, ("%d columns for %d: %s"):format(utf8.len(line), width, line))
      end
      expect.equal(count, 12)
    end
  end
end)

expect.case("points are where they are, the others left out and told", function()
  local x, y = { 0, 2.5, 7, 10, 0 / 0, 3, 1 / 0 }, { -5, 3, 0.25, 5, 1, 0 / 0, 2 }
  local read = plots.read(drawn("scatter", { x, y }, { width = 60, height = 20 }))
  expect.equal(#read.dots, 4)
  for i = 1, 4 do assert(plots.is_near(read, read.dots, x[i], y[i]), i) end
  expect.equal(read.below, { "3 of 7 points left out (nan or inf)" })
end)

expect.case("nan interrupts a line", function()
  local read = plots.read(drawn("line", { 1, 1, 0 / 0, 1, 2 }, { width = 60, height = 12 }))
  for _, dot in ipairs(read.dots) do
    assert(dot[1] <= 2 + read.x_cell or dot[1] >= 4 - read.x_cell, "a dot in the gap, at " .. dot[1])
  end
end)

expect.case("tensors of any dtype and device draw as the same numbers do", function()
  local wanted = drawn("line", { 0, 1, 4, 9 }, { width = 40, height = 10 })
  for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64" } do
    expect.equal(drawn("line", lt.constant({ 0, 1, 4, 9 }):cast(dtype), { width = 40, height = 10 }), wanted)
  end
  expect.equal(drawn("line", { lt.range(1, 5), lt.Variable({ 0.0, 1, 4, 9 }) }, { width = 40, height = 10 }), wanted)
  expect.equal(tostring(lt.constant({ 0, 1, 4, 9 }):plot { width = 40, height = 10 }), wanted)
  expect.equal(drawn("line", lt.constant { true, false }, { width = 40 }), drawn("line", { 1, 0 }, { width = 40 }))
end)

expect.case("several series have a legend, marks without colours and colours with them", function()
  local data = { up = { 0, 1, 2, 3, 4 }, down = { 4, 3, 2, 1, 0 } }
  local read = plots.read(drawn("line", data, { width = 60, height = 16, color = false }))
  assert(has_line(read.above, "o down") and has_line(read.above, "+ up"))
  assert(#read.marks.o > 2 and #read.marks["+"] > 2)
  for _, mark in ipairs(read.marks["+"]) do
    assert(math.abs(mark[2] - (mark[1] - 1)) < 2 * read.y_cell, "a mark of `up` off its line")
  end
  for _, mark in ipairs(read.marks.o) do assert(math.abs(mark[2] - (5 - mark[1])) < 2 * read.y_cell) end
  local text = drawn("line", data, { width = 60, height = 16, color = true })
  assert(text:find("\27[36m──\27[0m down", 1, true) and text:find("\27[33m──\27[0m up", 1, true), text)
  expect.equal(plots.read(text).marks, {})
  -- Not on a terminal, colours have to be asked for.
  assert(not drawn("line", data):find "\27")
end)

expect.case("ASCII has only ASCII, and lines are still where they belong", function()
  local data = { 3, 1, 4, 1, 5, 9, 2, 6 }
  for _, kind in ipairs { "line", "scatter", "bar", "hist" } do
    local text = drawn(kind, data, { ascii = true, title = "Übung\t✓", width = 50, height = 12 })
    assert(not text:find "[^\n -~]", text)
    assert(text:find("?bung??", 1, true), text)
  end
  local read = plots.read(drawn("scatter", data, { ascii = true, width = 50, height = 14 }))
  local all = {}
  for _, list in pairs(read.marks) do table.move(list, 1, #list, #all + 1, all) end
  expect.equal(#all, #data)
  for x, y in ipairs(data) do assert(plots.is_near(read, all, x, y)) end
end)

expect.case("the locale chooses ASCII, COLUMNS the width", function()
  local script = 'print(lt.plot.line {1, 2, 3})'
  local function run(environment) return (expect.program("lt = require 'lutra' " .. script, nil, environment)) end
  assert(run("LC_ALL=C"):find "^[\n -~]*$")
  assert(run("LC_ALL= LC_CTYPE= LANG=de_DE.ISO-8859-1"):find "^[\n -~]*$")
  assert(run("LC_ALL= LC_CTYPE= LANG=de_DE.utf8"):find "[┤│]")
  for _, width in ipairs { 40, 70 } do
    local widest = 0
    for line in run("COLUMNS=" .. width):gmatch "[^\n]+" do widest = math.max(widest, utf8.len(line)) end
    assert(widest <= width and widest > width - 6, widest)
  end
end)

expect.case("bars are as long as their numbers", function()
  local text = drawn("bar", { { "a", "b", "c" }, { 1, 2, 4 } }, { width = 60 })
  local length = {}
  for name, bar, value in text:gmatch "(%a) ┤([^ \n]*) ([%d.]+)" do
    length[name] = 0
    for _, code in utf8.codes(bar) do length[name] = length[name] + (0x2590 - code) / 8 end
    expect.equal(value, ({ a = "1", b = "2", c = "4" })[name])
  end
  expect.close(length.b / length.a, 2, 0.03)
  expect.close(length.c / length.a, 4, 0.03)
  local below = drawn("bar", { cats = -2, dogs = 2 }, { width = 61, ascii = true })
  local cats, dogs = below:match "cats |( *#+) %-2\n", below:match "dogs |( *#+) 2"
  expect.equal(#cats:gsub(" ", ""), #dogs:gsub(" ", ""))
  expect.equal(#cats, #dogs:match "^ *")
end)

expect.case("bars of several series stand under one another", function()
  local text = drawn("bar", { one = { { "x", "y" }, { 1, 2 } }, two = { { "y", "z" }, { 3, 4 } } }, { width = 40, ascii = true })
  local values = {}
  for value in text:gmatch "|[#= ]+ (%d)" do values[#values + 1] = tonumber(value) end
  expect.equal(values, { 1, 2, 3, 4 })
  assert(text:find("# one   = two", 1, true))
end)

expect.case("a histogram counts as one does by hand", function()
  local numbers, counts = {}, { 3, 0, 7, 1, 9 }
  for bin, count in ipairs(counts) do
    for i = 1, count do numbers[#numbers + 1] = bin - 1 + i / (count + 1) end
  end
  numbers[#numbers + 1], numbers[#numbers + 2], counts[1], counts[5] = 0.0, 5.0, counts[1] + 1, counts[5] + 1
  local read = plots.read(drawn("hist", numbers, { bins = 5, width = 80, height = 30 }))
  for bin, count in ipairs(counts) do
    local top = 0
    for _, dot in ipairs(read.dots) do
      if dot[1] > bin - 1 + 2 * read.x_cell and dot[1] < bin - 2 * read.x_cell then top = math.max(top, dot[2]) end
    end
    expect.close(top, count, read.y_cell, "bin " .. bin)
  end
  assert(has_line(read.above, "count"))
end)

expect.case("whole numbers have a bin each", function()
  local svg = plots.read_svg(plot.hist({ 1, 2, 2, 3, 3, 3, 6 }):svg())
  local tops = {}
  for _, element in ipairs(svg.elements) do
    if element.kind == "polygon" then
      local x, y = element.at.points:match "^[%d.]+,[%d.]+ ([%d.]+),([%d.]+)"
      tops[math.floor(svg.to_x(tonumber(x)) + 0.6)] = math.floor(svg.to_y(tonumber(y)) + 0.5)
    end
  end
  expect.equal(tops, { 1, 2, 3, [6] = 1 })
end)

expect.case("shades grow with the numbers, colours too", function()
  local text = drawn("heat", { { 0, 1, 2, 3, 4 } }, { width = 30, height = 8 })
  local row = text:match "│([^\n]*)" or text:match "┤([^\n]*)"
  local order, seen = {}, {}
  for _, code in utf8.codes(row) do
    local c = utf8.char(code)
    if not seen[c] then
      seen[c], order[#order + 1] = true, c
    end
  end
  expect.equal(order, { " ", "░", "▒", "▓", "█" })
  assert(text:find("0  ░▒▓█ 4", 1, true), text)
  local colored = drawn("heat", { { 0, 0 / 0 }, { 1, 2 } }, { width = 30, height = 12, color = true })
  for _, rgb in ipairs { "68;1;84", "253;231;37" } do assert(colored:find("8;2;" .. rgb .. "m", 1, true), rgb) end
  assert(colored:find "1 of 4 numbers left out")
end)

expect.case("a large matrix is shown by means of its parts", function()
  local half = lt.concat({ lt.zeros { 300, 300 }, lt.ones { 300, 300 } }, 2)
  local text = drawn("heat", half, { width = 64, height = 12, ascii = true })
  local row = text:match "\n *|([^\n]*)"
  assert(row:find "^ +@+$", row)
  expect.close(#row:match "^ +", #row / 2, 1.1)
end)

expect.case("a picture's pixels are its characters' colours", function()
  local picture = lt.constant({ { { 255, 0, 0 }, { 0, 255, 0 } }, { { 0, 0, 255 }, { 10, 20, 30 } } }, { dtype = "uint8" })
  local text = drawn("image", picture, { width = 20, height = 5, color = true })
  assert(text:find("\27[38;2;255;0;0m\27[48;2;255;0;0m▀▀▀▀▀\27[38;2;0;255;0m\27[48;2;0;255;0m▀▀▀▀▀\27[0m", 1, true), text)
  assert(text:find("\27[38;2;0;0;255m\27[48;2;0;0;255m▀", 1, true) and text:find("48;2;10;20;30m", 1, true))
  expect.equal(drawn("image", picture:float32() / 255, { width = 20, height = 5, color = true }), text)
  local grey = drawn("image", { { 0.0, 0.5, 1.0 } }, { width = 30, height = 6, ascii = true })
  assert(grey:find "^ +%++@+\n" or grey:find "^ +=+@+\n", grey)
  assert(drawn("image", { { 2.0, -1.0, 0 / 0 } }, { width = 60 }):find "2 of 3 numbers outside 0 to 1, cut off there\n1 of 3 numbers nan")
end)

expect.case("data of no, one or equal numbers, and of extreme ones", function()
  for _, kind in ipairs { "line", "scatter", "bar", "hist" } do
    for _, data in ipairs { {}, { 5 }, { 0 }, { 2, 2, 2 }, { 0 / 0 }, { 1 / 0, -1 / 0 }, { -1.7e308, 1.7e308 }, { 5e-324, 0 },
      { 1e16, 1e16 + 2 }, { math.maxinteger, math.mininteger }, lt.zeros { 0 } } do
      local text = drawn(kind, data, { width = 50, height = 12 })
      assert(not text:find "[^%a]nan[^%a]" or text:find "left out", text)
      assert(#text > 5, text)
      assert(plot[kind](data):svg():find "</svg>\n$")
    end
  end
  assert(drawn("line", {}):find "there are no points")
  assert(drawn("heat", lt.zeros { 0, 3 }):find "there are no numbers")
  assert(drawn("image", lt.zeros { 0, 3, 3 }):find "there are no pixels")
  assert(drawn("heat", { { 0 / 0 } }):find "1 of 1 numbers left out")
  assert(plot.heat(lt.zeros { 0, 3 }):svg() and plot.image(lt.zeros { 3, 0 }):svg())
end)

expect.case("ticks are at nice numbers inside the axis", function()
  for _, range in ipairs { { 0, 1.25 }, { -3.7, 12.9 }, { 1e-8, 5e-8 }, { 123456, 123470 }, { -2e9, 7e9 }, { 0.999, 1.001 } } do
    local read = plots.read(drawn("line", { { range[1], range[2] }, { range[1], range[2] } }, { width = 80, height = 24 }))
    for _, ticks in ipairs { read.x_ticks, read.y_ticks } do
      assert(#ticks >= 3 and #ticks <= 20)
      local step = math.abs(ticks[2][2] - ticks[1][2])
      local mantissa = tonumber((("%.3e"):format(step):match "^[^e]+"))
      assert(mantissa == 1 or mantissa == 2 or mantissa == 5, step)
      for _, tick in ipairs(ticks) do assert(tick[2] >= range[1] - step / 1e6 and tick[2] <= range[2] + step / 1e6) end
    end
  end
end)

expect.case("places have ticks at whole numbers only", function()
  for count = 2, 12 do
    local list = {}
    for i = 1, count do list[i] = i * i end
    local read = plots.read(drawn("line", list, { width = 100, height = 12 }))
    for _, tick in ipairs(read.x_ticks) do expect.equal(tick[2] % 1, 0.0, "tick of " .. count) end
  end
end)

expect.case("titles with control characters, broken UTF-8 or wide letters harm nothing", function()
  local text = drawn("line", { ["\27[31mred\7"] = { 1, 2 }, b = { 2, 3 } }, { title = "a\27]0;x\7b\xff\u{202E}", width = 50 })
  assert(not text:find "[\27\7\xff]" and utf8.len(text) and not text:find "\u{202E}")
  assert(text:find("a?]0;x?b??", 1, true), text)
  local wide = drawn("line", { 1, 2 }, { title = ("図"):rep(40), width = 40 })
  expect.equal(select(2, wide:match("^[^\n]*"):gsub("図", "")), 19)
end)

expect.end_of_cases()
