-- activation(einsum(equation, x, kernel) + bias). Loaded when it is named.
local lutra, tools, use = ...
local options, define, activations = use "options", use "nn.layers.define_layer", use "nn.layers.activations"
local initializers = use "nn.layers.initializers"

local function refuse_equation(equation)
  tools.fail("InvalidArgument", ("EinsumDense: equation is \"%s\", expected letters of input, kernel and result, as in "
    .. "\"abc,cd->abd\", \"...x,xy->...y\" or \"ab...,bc->ac...\""):format(options.quoted(equation)))
end

local function refuse_letter(equation, letter, what)
  tools.fail("InvalidArgument", ("EinsumDense: equation is \"%s\", and %s has the letter %s%s"):format(
    options.quoted(equation), what.where, letter, what.says))
end

-- The letters of input, kernel and result, and the side on which an ellipsis stands for any axes: "left", "right" or nil.
local function parsed(equation)
  local text = options.text("EinsumDense", "equation", equation):gsub("%s", "")
  local side = text:find "^%.%.%." and "left" or text:find "%.%.%.," and "right" or nil
  local pattern = side == "left" and "^%.%.%.(%a+),(%a+)%->%.%.%.(%a+)$"
    or side == "right" and "^(%a+)%.%.%.,(%a+)%->(%a+)%.%.%.$" or "^(%a+),(%a+)%->(%a+)$"
  local input, kernel, result = text:match(pattern)
  if not input then refuse_equation(equation) end
  for _, each in ipairs { { "the input", input }, { "the kernel", kernel }, { "the result", result } } do
    local seen = {}
    for letter in each[2]:gmatch "." do
      if seen[letter] then refuse_letter(equation, letter, { where = each[1], says = " twice" }) end
      seen[letter] = true
    end
  end
  for letter in kernel:gmatch "." do
    if not input:find(letter, 1, true) and not result:find(letter, 1, true) then
      refuse_letter(equation, letter, { where = "the kernel", says = ", which neither input nor result has" })
    end
  end
  for letter in result:gmatch "." do
    if not input:find(letter, 1, true) and not kernel:find(letter, 1, true) then
      refuse_letter(equation, letter, { where = "the result", says = ", which neither input nor kernel has" })
    end
  end
  return { text = text, input = input, kernel = kernel, result = result, side = side }
end

local EinsumDense = define("EinsumDense", {
  activation = false, bias_axes = false, kernel_initializer = "glorot_uniform", bias_initializer = "zeros",
  kernel_regularizer = false, bias_regularizer = false, kernel_constraint = false, bias_constraint = false,
}, 2, function(self, read, equation, output_shape)
  rawset(self, "spec", parsed(equation))
  rawset(self, "sizes_given", options.shape("EinsumDense", "output_shape", output_shape))
  self.activation = activations.get("EinsumDense", read.activation)
  if read.bias_axes then
    for letter in options.text("EinsumDense", "bias_axes", read.bias_axes):gmatch "." do
      if not self.spec.result:find(letter, 1, true) then
        tools.fail("InvalidArgument", ("EinsumDense: bias_axes has %s, expected letters of the result, %s"):format(
          options.quoted(letter), self.spec.result))
      end
    end
  end
  self.read = read
end)
EinsumDense.takes_one = true

-- The sizes by letter and the result's shape, both with the batch, for an input of this shape without it.
local function sizes_of(self, shape)
  local spec, full = self.spec, { -1, table.unpack(shape) }
  local more = #full - #spec.input
  if more < 0 or more > 0 and not spec.side then
    self:refuse("its input has the shape %s, expected %s%d axes, those of %s", options.batch_text(shape),
      spec.side and "at least " or "", #spec.input, spec.text)
  end
  local skipped = spec.side == "left" and more or 0
  local sizes = {}
  for i = 1, #spec.input do sizes[spec.input:sub(i, i)] = full[skipped + i] end
  -- The result's axes behind the batch are those that the ellipsis stands for, and those of output_shape.
  local out = { full[1] }
  if spec.side == "left" then table.move(full, 2, more, 2, out) end
  table.move(self.sizes_given, 1, #self.sizes_given, #out + 1, out)
  if spec.side == "right" then table.move(full, #spec.input + 1, #full, #out + 1, out) end
  if #out ~= #spec.result + more then
    self:refuse("output_shape is %s, expected a size for each of the result's axes without the batch and the ellipsis, %d",
      options.shape_text(self.sizes_given), spec.side == "left" and more > 0 and #spec.result or #spec.result - 1)
  end
  for i = 1, #spec.result do
    local letter, at = spec.result:sub(i, i), skipped + i
    local here, there = sizes[letter], out[at]
    if here and there ~= -1 and here ~= -1 and there ~= here then
      self:refuse("output_shape has %d for %s, and its input %s has %d", there, letter, options.batch_text(shape), here)
    end
    if there == -1 then out[at] = here or -1 else sizes[letter] = there end
    sizes[letter] = sizes[letter] or out[at]
  end
  return sizes, out
end

-- An initializer that depends on the numbers of inputs and results counts those of the equation.
local function kernel_initializer(self, sizes)
  local spec = self.spec
  local made = initializers.get("EinsumDense", "kernel_initializer", self.read.kernel_initializer)
  if not initializers.is_scaled(made) then return made end
  return function(shape)
    local into, out = 1, 1
    for letter in spec.kernel:gmatch "." do
      if spec.result:find(letter, 1, true) then out = out * sizes[letter] else into = into * sizes[letter] end
    end
    return lutra.reshape(made { into, out }, shape)
  end
end

function EinsumDense:build(shape)
  local spec, read = self.spec, self.read
  local sizes = sizes_of(self, shape)
  local kernel, bias = {}, {}
  for letter in spec.kernel:gmatch "." do kernel[#kernel + 1] = sizes[letter] end
  self.kernel = self:add_weight {
    name = "kernel", shape = kernel, initializer = kernel_initializer(self, sizes),
    regularizer = read.kernel_regularizer, constraint = read.kernel_constraint,
  }
  if not read.bias_axes then return end
  for letter in spec.result:gmatch "." do
    local has_it = read.bias_axes:find(letter, 1, true) ~= nil
    if has_it or #bias > 0 then bias[#bias + 1] = has_it and sizes[letter] or 1 end
  end
  if spec.side == "right" then
    for _ = #spec.input + 1, #shape + 1 do bias[#bias + 1] = 1 end
  end
  self.bias = self:add_weight {
    name = "bias", shape = bias, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
    constraint = read.bias_constraint,
  }
end

function EinsumDense:compute_output_shape(shape)
  local _, out = sizes_of(self, shape)
  return { table.unpack(out, 2) }
end

function EinsumDense:call(x)
  local y = lutra.einsum(self.spec.text, x, self.kernel)
  if self.bias then y = y + self.bias end
  return self.activation and self.activation(y) or y
end

return { EinsumDense = EinsumDense }
