-- What plots refuse, and how they say it.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local plot = lt.plot

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end

expect.case("data of a wrong kind", function()
  for _, kind in ipairs { "line", "scatter", "bar", "hist" } do
    refused(kind .. ": y is missing, expected y, {x, y} or {name = y, ...}", plot[kind])
    refused(kind .. ': y is "abc", expected a list of numbers or a tensor', plot[kind], "abc")
    refused(kind .. ": y is a function", plot[kind], print)
    refused(kind .. ': y[2] is "x", expected a number', plot[kind], { 1, "x" })
    refused(kind .. ": y is a tensor (2, 2), expected one axis", plot[kind], lt.zeros { 2, 2 })
    refused(kind .. ": y is a tensor (), expected one axis", plot[kind], lt.constant(1))
    refused(kind .. ": the plot has 2 of x and 3 of y, expected as many", plot[kind], { { 1, 2 }, { 1, 2, 3 } })
    refused(kind .. ": y is a list of 3 columns, expected y or {x, y}; several series have names", plot[kind], { { 1 }, { 2 }, { 3 } })
    refused(kind .. ': the table has 2 entries without a name and the name "a"', plot[kind], { 1, 2, a = { 3 } })
    refused(kind .. ": y has the key 0, expected a list of numbers", plot[kind], { [0] = 1 })
    refused(kind .. ": a's y[1] is a table", plot[kind], { a = { { 1 }, { {} } } })
  end
  refused("hist: the numbers are {x, y}, expected numbers", plot.hist, { { 1 }, { 2 } })
  refused("bar: some series have names for their bars and others numbers", plot.bar, { a = { 1 }, b = { { "x" }, { 1 } } })
  refused("heat: row 2 has 1 numbers and row 1 has 2", plot.heat, { { 1, 2 }, { 3 } })
  refused("heat: row 1 is 1, expected a list of numbers", plot.heat, { 1, 2 })
  refused("heat: the tensor is (3,), expected two axes", plot.heat, lt.zeros { 3 })
  refused("image: the tensor is (2, 2, 5)", plot.image, lt.zeros { 2, 2, 5 })
  refused("write images[1] for the first of several", plot.image, lt.zeros { 3, 2, 2, 3 })
  refused('image: the picture is "x"', plot.image, "x")
end)

expect.case("no metamethod of the program's runs", function()
  local trap = setmetatable({}, { __index = function() error "ran" end, __len = function() error "ran" end, __pairs = function() error "ran" end })
  for _, kind in ipairs { "line", "scatter", "bar", "hist", "heat", "image" } do
    for _, data in ipairs { trap, { trap }, { a = trap }, { { 1 }, trap } } do
      local ok, err = pcall(plot[kind], data)
      assert(not ok and lt.iserror(err) and not err.message:find "ran", tostring(err))
    end
    refused("options is a table, expected a table of options", plot[kind], { { 1 }, { 2 } }, trap)
  end
end)

expect.case("options that are unknown or wrong", function()
  for _, kind in ipairs { "line", "scatter", "bar", "hist", "heat", "image" } do
    local data = kind == "heat" and { { 1 } } or kind == "image" and { { 1 } } or { 1 }
    local function with(words, options) refused(kind .. ": " .. words, plot[kind], data, options) end
    with("unknown option 'titel' (did you mean 'title'?)", { titel = "x" })
    with("title is 5, expected a string", { title = 5 })
    with("xlabel is a table, expected a string", { xlabel = {} })
    with("width is 19, expected a whole number, 20 or more", { width = 19 })
    with("width is 1001, expected 20 to 1000 characters; with `file` it is in pixels", { width = 1001 })
    with("height is 5.5, expected a whole number, 5 or more", { height = 5.5 })
    with("ascii is 1, expected true or false", { ascii = 1 })
    with('color is "red", expected true or false', { color = "red" })
    with('file is "x.gif", expected a name that ends in .png or .svg', { file = "x.gif" })
    with('file is "png", expected a name that ends in .png or .svg', { file = "png" })
    with("file is 5, expected a string", { file = 5 })
    with("width is 99, expected a whole number, 100 or more", { file = "x.png", width = 99 })
    with("height is 10001, expected 100 to 10000 pixels", { file = "x.png", height = 10001 })
    with("options is 5, expected a table of options", 5)
  end
  refused("hist: bins is 0, expected a whole number, 1 or more", plot.hist, { 1 }, { bins = 0 })
  refused("line: unknown option 'bins'", plot.line, { 1 }, { bins = 3 })
  assert(io.open "x.png" == nil)
end)

expect.case("methods called on something else", function()
  local made = plot.line { 1, 2 }
  refused("save: called on nil, expected a plot: write plot:save(...)", made.save)
  refused("save: file is nil, expected a string", made.save, made)
  refused('save: file is "x.pdf"', made.save, made, "x.pdf")
  refused("svg: unknown option 'wide'", made.svg, made, { wide = 300 })
  refused("png: called on 5", made.png, 5)
  refused("plot: called on 5, expected a tensor: write t:plot()", lt.zeros({ 1 }).plot, 5)
  refused("describe: called on a table", lt.zeros({ 1 }).describe, {})
  refused("describe: 1 argument given, expected t:describe()", lt.zeros({ 1 }).describe, lt.zeros { 1 }, 5)
  local gone = lt.zeros { 1000 }
  gone:release()
  expect.raises("InvalidArgument", "plot", gone.plot or lt.zeros({ 1 }).plot, gone)
end)

expect.case("without cairo a PNG says what to install, and an SVG is written", function()
  -- A library of that name which has none of its functions.
  local folder = dofile("tests/support/folder.lua")
  local made = os.execute(("echo 'int nothing;' | cc -shared -fPIC -x c -o '%s' - 2>/dev/null"):format(folder.at "libcairo.so.2"))
  if made then
    local text = expect.program([[
      local lt = require "lutra"
      local ok, err = pcall(lt.plot.line, {1, 2}, {file = "no.png"})
      print(err.code, err.message)
      print(#lt.plot.line({1, 2}):svg() > 100, io.open "no.png")
    ]], nil, ("LD_LIBRARY_PATH='%s'"):format(folder.path))
    assert(text:find("^FailedPrecondition\tplot: PNG files of plots are drawn by cairo, which cannot be opened %(libcairo.so.2 has no "
      .. "cairo_[%w_]+%). Install it, on Debian with `apt install libcairo2`, or write an .svg\ntrue\tnil"), text)
  end
  folder.remove()
end)

expect.end_of_cases()
