-- model:summary(): its layers, what they give, how many numbers they hold.
local lutra, tools, use = ...
local options = use "options"

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

local function shape_text(shape)
  if type(shape) ~= "table" or type(shape[1]) == "table" then return "?" end
  return options.batch_text(shape)
end

-- {layer, the shape it gives} of each: of a graph as it is planned, of a list of layers one after the other.
local function rows_of(model)
  local rows = {}
  if model.steps then
    for _, symbol in ipairs(model.input_symbols) do rows[#rows + 1] = { symbol.name .. " (Input)", shape_text(symbol.shape), 0 } end
    for _, step in ipairs(model.steps) do rows[#rows + 1] = { step.layer, shape_text(step.shape) } end
    return rows
  end
  local shape = rawget(model, "shape")
  for _, layer in ipairs(rawget(model, "layers") or model:sublayers()) do
    shape = shape and layer.built and layer:compute_output_shape(shape)
    rows[#rows + 1] = { layer, shape_text(shape) }
  end
  return rows
end

local summary = {}

-- Prints it, or hands each line to print_fn.
function summary:summary(given)
  local print_line = options.read("summary", given, { print_fn = false }).print_fn or print
  local lines, widths = { { "Layer (type)", "Output shape", "Parameters" } }, { 0, 0, 0 }
  for _, row in ipairs(rows_of(self)) do
    local layer = row[1]
    if type(layer) == "table" then
      lines[#lines + 1] = { ("%s (%s)"):format(layer.name, layer.kind), row[2], thousands(layer:count_params()) }
    else
      lines[#lines + 1] = { layer, row[2], "0" }
    end
  end
  for _, line in ipairs(lines) do
    for column = 1, 3 do widths[column] = math.max(widths[column], #line[column]) end
  end
  print_line(('Model: "%s"'):format(self.name))
  for i, line in ipairs(lines) do
    print_line((" %-" .. widths[1] .. "s  %-" .. widths[2] .. "s  %" .. widths[3] .. "s"):format(table.unpack(line)))
    if i == 1 then print_line(" " .. ("-"):rep(widths[1] + widths[2] + widths[3] + 4)) end
  end
  print_line(" Total parameters: " .. totals(self:variables()))
  print_line(" Trainable parameters: " .. totals(self:trainable_variables()))
  print_line(" Non-trainable parameters: " .. totals(self:non_trainable_variables()))
end

return summary
