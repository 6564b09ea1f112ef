-- model:summary(): the layers, their output shapes and numbers of parameters.
local lutra, tools, use = ...
local options, layers, below = use "options", use "nn.layers.layer", use "nn.layers.below"
local terminal_text = use "terminal_text"

local function thousands(number)
  local text = tostring(number):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^,", ""))
end

local function size_text(count, bytes)
  local unit, size = "B", bytes
  for _, larger in ipairs { "KB", "MB", "GB" } do
    if size >= 1024 then unit, size = larger, size / 1024 end
  end
  return ("%s (%s %s)"):format(thousands(count), unit == "B" and size or ("%.2f"):format(size), unit)
end

local function totals(variables)
  local count, bytes = 0, 0
  for _, variable in ipairs(variables) do count, bytes = count + variable.size, bytes + variable.nbytes end
  return size_text(count, bytes)
end

-- The layer's output shape for the rows it was built for; nil if it would have to be tried out.
local function output_shape(layer)
  local shape = rawget(layer, "built_for") or rawget(layer, "steps") and {}
  if not (shape and layer.built) or layer.compute_output_shape == layers.Layer.compute_output_shape then return nil end
  local ok, out = pcall(layer.compute_output_shape, layer, shape)
  return ok and out or nil
end

local function shape_text(shape)
  if type(shape) ~= "table" or type(shape[1]) == "table" and #shape[1] == 0 then return "?" end
  return options.batch_text(shape)
end

local function outputs_of(step)
  if not step.shapes[2] then return step.shapes[1] end
  return step.shapes
end

-- {layer, output shape} of the direct sublayers: of a graph in its order, each layer once; of a list of layers in
-- sequence; of a class in the order of its fields.
local function rows_of(model)
  local rows, seen = {}, {}
  if rawget(model, "steps") then
    for _, symbol in ipairs(model.input_symbols) do rows[#rows + 1] = { symbol.name .. " (Input)", symbol.shape } end
    for _, step in ipairs(model.steps) do
      if not seen[step.layer] then rows[#rows + 1] = { step.layer, outputs_of(step) } end
      seen[step.layer] = true
    end
    return rows
  end
  local shape, is_chain = rawget(model, "shape"), rawget(model, "shape") ~= nil
  for _, layer in ipairs(below.right_below(model)) do
    if is_chain then shape = shape and layer.built and layer:compute_output_shape(shape) end
    rows[#rows + 1] = { layer, is_chain and shape or output_shape(layer) }
  end
  return rows
end

-- Adds a line for each layer; with `expand` also for the layers inside it.
local function add_lines(lines, model, expand, indent)
  for _, row in ipairs(rows_of(model)) do
    local layer, shape = row[1], shape_text(row[2])
    if type(layer) == "table" then
      lines[#lines + 1] = { ("%s%s (%s)"):format(indent, layer.name, layer.kind), shape,
        thousands(layer:count_params()) }
      if expand then add_lines(lines, layer, expand, indent .. "  ") end
    else
      lines[#lines + 1] = { indent .. layer, shape, "0" }
    end
  end
end

local summary = {}

-- Prints the summary, or calls print_fn with each line.
function summary:summary(given)
  local read = options.read("summary", given, { print_fn = false, expand_nested = false })
  local print_line = read.print_fn or print
  local rows = { { "Layer (type)", "Output shape", "Parameters" } }
  add_lines(rows, self, options.boolean("summary", "expand_nested", read.expand_nested), "")
  for _, row in ipairs(rows) do row[1] = " " .. terminal_text.harmless(row[1]) end
  -- A function of the caller's has a width of its own.
  local lines = terminal_text.table(rows, { gap = 2, right = { [3] = true }, any_width = read.print_fn })
  print_line(('Model: "%s"'):format(terminal_text.harmless(self.name)))
  for i, line in ipairs(lines) do
    print_line(line)
    if i == 1 then print_line(" " .. ("-"):rep(utf8.len(line) - 1)) end
  end
  print_line(" Total parameters: " .. totals(self:variables()))
  print_line(" Trainable parameters: " .. totals(self:trainable_variables()))
  print_line(" Non-trainable parameters: " .. totals(self:non_trainable_variables()))
end

return summary
