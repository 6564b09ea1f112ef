-- lutra.plot: plots in the terminal and in PNG and SVG files. Documented in _meta/plot.lua.
local lutra, tools, use = ...
local options, charts, screen = use "options", use "plot.charts", use "plot.screen"

local kDrawn = { lines = "series", points = "series", hist = "series", bars = "bars", heat = "heat", image = "image" }

-- What the functions return: it draws itself where it is printed, and writes files.
local Plot = {}
Plot.__index, Plot.__name = Plot, "lutra.plot.Plot"

local function draw(self)
  return use("plot.drawn_" .. kDrawn[self.chart.kind])(self.chart, screen.of(self.shown))
end

function Plot:__tostring() return draw(self) end

local function require_plot(who, self)
  if type(self) ~= "table" or getmetatable(self) ~= Plot then
    tools.fail("InvalidArgument",
      ("%s: called on %s, expected a plot: write plot:%s(...)"):format(who, tools.what_is(self), who))
  end
end

local function size_of(who, read)
  local function side(name, usual)
    if not read[name] then return usual end
    local size = options.count(who, name, read[name], 100)
    if size > 10000 then
      tools.fail("InvalidArgument", ("%s: %s is %d, expected 100 to 10000 pixels"):format(who, name, size))
    end
    return size
  end
  return side("width", 640), side("height", 400)
end

-- The bytes of a file, by its extension.
local writers = { svg = "plot.svg", png = "plot.png" }
local function bytes_of(self, kind, who, given)
  local scene = use "plot.scene"(self.chart, size_of(who, options.read(who, given, { width = false, height = false })))
  return use(writers[kind])(scene)
end

function Plot:svg(size)
  require_plot("svg", self)
  return bytes_of(self, "svg", "svg", size)
end

function Plot:png(size)
  require_plot("png", self)
  return bytes_of(self, "png", "png", size)
end

local function kind_of(who, file)
  local kind = options.text(who, "file", file):match("%.(%w+)$")
  kind = kind and kind:lower()
  if not (kind and writers[kind]) then
    tools.fail("InvalidArgument",
      ("%s: file is \"%s\", expected a name that ends in .png or .svg"):format(who, options.quoted(file)))
  end
  return kind
end

function Plot:save(file, size)
  require_plot("save", self)
  tools.write_file(file, bytes_of(self, kind_of("save", file), "save", size), "save")
end

local kOptions = { title = false, xlabel = false, ylabel = false, width = false, height = false, file = false,
  ascii = false, color = false }

-- Reads the options that all kinds have, makes the chart, and writes the file if there is one.
local function plot(who, make, given, options_given, own)
  local known = own or {}
  for name, value in pairs(kOptions) do known[name] = value end
  local read = options.read(who, options_given, known)
  local function optional_boolean(name)
    local value = options_given and rawget(options_given, name)
    if value == nil then return nil end
    return options.boolean(who, name, value)
  end
  for _, name in ipairs { "title", "xlabel", "ylabel" } do
    if read[name] then options.text(who, name, read[name]) end
  end
  local kind = read.file and kind_of(who, read.file)
  local shown = { ascii = optional_boolean "ascii", color = optional_boolean "color" }
  if kind then
    size_of(who, read)
  else
    for name, least in pairs { width = 20, height = 5 } do
      if read[name] then
        shown[name] = options.count(who, name, read[name], least)
        if shown[name] > 1000 then
          tools.fail("InvalidArgument",
            ("%s: %s is %d, expected %d to 1000 characters; with `file` it is in pixels"):format(who, name,
            shown[name], least))
        end
      end
    end
  end
  local chart = make(given, read)
  for _, name in ipairs { "title", "xlabel", "ylabel" } do chart[name] = read[name] or chart[name] end
  local made = setmetatable({ chart = chart, shown = shown }, Plot)
  if not kind then return made end
  tools.write_file(read.file, bytes_of(made, kind, who, { width = read.width, height = read.height }), who)
end

-- No tail calls of plot: an error looks for the function that was called.
local module = {}
for _, name in ipairs { "line", "scatter", "bar", "heat", "image" } do
  module[name] = function(given, options_given)
    return select(1, plot(name, charts[name], given, options_given))
  end
end
function module.hist(given, options_given)
  return select(1, plot("hist", charts.hist, given, options_given, { bins = false }))
end

return module
