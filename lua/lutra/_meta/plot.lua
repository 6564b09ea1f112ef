---@meta

--- Plots in the terminal, and in PNG and SVG files. A plot draws itself where it is printed, and at the prompt.
---
--- Loaded on first use. [plots.md](../plots.md) shows each kind. Data are y, {x, y} or {name = y, ...} for several
--- series, each a list of numbers or a tensor with one axis, on any device; without x the places 1, 2, ... count. Points
--- that are nan or infinite are left out, and the plot says how many.
---
--- All functions take the options title, xlabel, ylabel; width and height in characters (at least 20 and 5; by default
--- the terminal's, where COLUMNS counts more, at most 120), with `file` in pixels (100 to 10000; 640 and 400); file = a
--- name that ends in .png or .svg: the plot is written there, whole or not at all, nothing is printed and nothing
--- returned; ascii = true or false: ASCII instead of braille and blocks, by default outside UTF-8 locales; color = true
--- or false, by default true on a terminal unless NO_COLOR is set. A PNG file has two pixels for each of width and
--- height; it is drawn by cairo (Debian's libcairo2), which is opened when the first one is written.
---@class lutra.plot
local plot = {}

--- Draws lines through points, in the order given.
---@param data table|lutra.Tensor y, {x, y}, or {name = y or {x, y}, ...}
---@param options? table {title, xlabel, ylabel, width, height, file, ascii, color}
---@return lutra.plot.Plot|nil # nil with `file`
--- Errors: InvalidArgument for data that are no numbers, x and y of different lengths, a tensor with several axes, an
---   unknown option or extension; NotFound when the file's folder does not exist, FailedPrecondition when it is not
---   writable, or for a PNG file without cairo.
--- Example:
---     print(lt.plot.line({1, 4, 9, 16, 25}, {width = 32, height = 8, ascii = true}))
---     -->    |                        ..'
---     --> 20 +                     ..'
---     -->    |                 ..''
---     --> 10 +             ..''
---     -->    |         ..''
---     -->    |....'''''
---     -->    ++------+-----+------+-----+
---     -->     1      2     3      4     5
--- Source: matplotlib.pyplot.plot
function plot.line(data, options) end

--- Draws points.
---@param data table|lutra.Tensor y, {x, y}, or {name = y or {x, y}, ...}
---@param options? table {title, xlabel, ylabel, width, height, file, ascii, color}
---@return lutra.plot.Plot|nil # nil with `file`
--- Errors: those of line.
--- Example:
---     print(lt.plot.scatter({{1, 2, 3}, {1, 3, 2}}, {width = 24, height = 6, ascii = true}))
---     -->   |          '
---     --> 2 +                   .
---     -->   |
---     -->   |.
---     -->   ++---------+--------+
---     -->    1         2        3
--- Source: matplotlib.pyplot.scatter
function plot.scatter(data, options) end

--- Draws bars from 0: lying in the terminal, upright in a file.
---@param data table|lutra.Tensor y; {x, y}, where x may be a list of names; {name = number, ...}, a bar for each name; or {name = y or {x, y}, ...}, side by side
---@param options? table {title, xlabel, ylabel, width, height, file, ascii, color}
---@return lutra.plot.Plot|nil # nil with `file`
--- Errors: those of line; InvalidArgument if some series have names for their bars and others numbers.
--- Example:
---     print(lt.plot.bar({cats = 3, dogs = 4.5}, {width = 30, ascii = true}))
---     --> cats |############# 3
---     --> dogs |#################### 4.5
--- Source: matplotlib.pyplot.bar
function plot.bar(data, options) end

--- Counts numbers in bins and draws the counts.
---
--- By default there are as many bins as NumPy's bins = "auto" gives, at most 200; whole numbers that lie near each other
--- have a bin each. The last bin includes its upper end. Several series have the same bins.
---@param data table|lutra.Tensor numbers, or {name = numbers, ...}
---@param options? table {bins = their number, 1 to 10000; title, xlabel, ylabel = "count", width, height, file, ascii, color}
---@return lutra.plot.Plot|nil # nil with `file`
--- Errors: those of line.
--- Example:
---     print(lt.plot.hist({1, 2, 2, 3}, {width = 24, height = 8, ascii = true}))
---     --> count
---     --> 2 +      :::::::
---     -->   |      :::::::
---     --> 1 +::::::::::::::::::::
---     -->   |::::::::::::::::::::
---     --> 0 +::::::::::::::::::::
---     -->   +---+------+-----+---
---     -->       1      2     3
--- Source: matplotlib.pyplot.hist
function plot.hist(data, options) end

--- Draws a matrix in colours, or in shades where there are none. Row 1 is at the top.
---
--- A matrix with more rows or columns than the terminal has room for is shown by the means of its parts.
---@param data table|lutra.Tensor with two axes, or a list of rows
---@param options? table {title, xlabel, ylabel, width, height, file, ascii, color}
---@return lutra.plot.Plot|nil # nil with `file`
--- Errors: those of line; InvalidArgument for rows of different lengths or a tensor without two axes.
--- Example:
---     print(lt.plot.heat({{1, 2}, {3, 4}}, {width = 24, height = 8, ascii = true}))
---     -->   |          ----------
---     --> 1 +          ----------
---     -->   |**********@@@@@@@@@@
---     --> 2 +**********@@@@@@@@@@
---     -->   |**********@@@@@@@@@@
---     -->   +-----+--------+-----
---     -->         1        2
---     --> 1  .:-=+*#%@ 4
--- Source: matplotlib.pyplot.imshow
function plot.heat(data, options) end

--- Draws a picture: in a terminal that says it can by kitty's graphics protocol or by sixel, else two pixels in each
--- character, and without colours in shades.
---
--- Integers are levels from 0 to 255; floats and booleans from 0 to 1. Numbers beyond are cut off there, and the plot
--- says how many. What is transparent shows white. The terminal is asked once, for at most 100 ms, and only if stdin and
--- stdout are terminals.
---@param data lutra.Tensor|table {height, width} or {height, width, channels}, with 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels
---@param options? table {title, xlabel, ylabel, width, height, file, ascii, color}
---@return lutra.plot.Plot|nil # nil with `file`
--- Errors: those of line; InvalidArgument for another shape.
--- Example:
---     print(lt.plot.image({{0.0, 0.5, 1.0}}, {width = 24, height = 5, ascii = true}))
---     -->         ++++++++@@@@@@@@
---     -->         ++++++++@@@@@@@@
---     -->         ++++++++@@@@@@@@
---     -->         ++++++++@@@@@@@@
--- Source: matplotlib.pyplot.imshow
function plot.image(data, options) end

--- A plot: print it, or write it to files. It holds a copy of its data.
---@class lutra.plot.Plot
local Plot = {}

--- Writes the plot to a file, whole or not at all.
---@param file string ends in .png or .svg
---@param size? table {width = 640, height = 400}: pixels; a PNG file has two for each
--- Errors: InvalidArgument for another extension or size; NotFound when the file's folder does not exist,
---   FailedPrecondition when it is not writable, or for a PNG file without cairo.
--- Example:
---     local file = os.tmpname() .. ".svg"
---     lt.plot.line({1, 2, 3}):save(file, {width = 300, height = 200})
---     print(io.open(file):read())  --> <?xml version="1.0" encoding="UTF-8"?>
---     os.remove(file)
--- Source: matplotlib.pyplot.savefig
function Plot:save(file, size) end

--- The text of the SVG file.
---@param size? table {width = 640, height = 400}: pixels
---@return string
--- Errors: InvalidArgument for another size.
--- Example:
---     print(lt.plot.line({1, 2, 3}):svg():sub(1, 5))  --> <?xml
function Plot:svg(size) end

--- The bytes of the PNG file.
---@param size? table {width = 640, height = 400}: pixels; the file has two for each
---@return string
--- Errors: InvalidArgument for another size; FailedPrecondition without cairo.
--- Example:
---     print(lt.plot.line({1, 2, 3}):png():sub(2, 4))  --> PNG
function Plot:png(size) end

--- What t:describe() returns; it prints as a list. Numbers that are nan or infinite count in `nan` and `inf` only;
--- without any other number min, max, mean, std, quartiles and counts are nil.
---@class lutra.plot.Description
---@field shape lutra.Shape
---@field dtype string
---@field device string
---@field count integer elements
---@field nan integer how many are nan
---@field inf integer how many are infinite
---@field zeros integer how many are 0 or false
---@field min number|nil an integer for integers; booleans are 0 and 1
---@field max number|nil
---@field mean number|nil
---@field std number|nil of the whole population, as lt.std
---@field quartiles table|nil three numbers: a quarter of the elements, half and three quarters lie below; interpolated as NumPy's
---@field counts table|nil 32 integers: how many elements lie in each of as many equal parts of min to max; all 0 if these are equal
local Description = {}
