-- The kinds of recurrent layers: how a step combines the input's product, the previous state and the recurrent kernel.
-- stepper(dropped) returns a function from input product and state to the new state, whose first tensor is the output.
-- dropped[k] multiplies the state in the product with matrix k; nil if nothing is dropped.
local lutra, tools, use = ...
local Recurrent, initializers = use "nn.layers.recurrent", use "nn.layers.initializers"
local split, linear = lutra.split, lutra.linear
local lstm_cell, gru_cell = lutra.lstm_cell, lutra.gru_cell

-- Returns a function for a state's product with these matrices, which lie side by side.
local function product_with(self, kernel, count, dropped)
  if not dropped then return function(h) return self:state_product(h, kernel) end end
  local kernels = split(kernel, count, -1)
  return function(h)
    local parts = {}
    for k = 1, count do parts[k] = self:state_product(h * dropped[k], kernels[k]) end
    return count > 1 and lutra.concat(parts, -1) or parts[1]
  end
end

local function same(x) return x end

-- Whether the activations are those of the operation that computes a whole step.
local function is_usual(self) return self.activation == lutra.tanh and self.recurrent_activation == lutra.sigmoid end

-- h = activation(x * kernel + h * recurrent_kernel + bias) (Elman, 1990).
local SimpleRNN = Recurrent.define("SimpleRNN", { gates = 1, states = 1 })

function SimpleRNN:stepper(dropped)
  local product, activation = product_with(self, self.recurrent_kernel, 1, dropped), self.activation or same
  return function(input, h) return activation(product(h) + input) end
end

-- Input, forget, candidate and output side by side (Hochreiter and Schmidhuber, 1997; Gers et al., 2000).
local LSTM = Recurrent.define("LSTM", {
  gates = 4, states = 2, defaults = { recurrent_activation = "sigmoid", unit_forget_bias = true },
})

-- With a bias of 1 the forget gates start open (Jozefowicz et al., ICML 2015).
function LSTM:bias_start()
  if not self.read.unit_forget_bias then return self.read.bias_initializer end
  local start = initializers.get("layer '" .. self.name .. "'", "bias_initializer", self.read.bias_initializer)
  local units = self.units
  return function() return lutra.concat { start { units }, lutra.ones { units }, start { 2 * units } } end
end

function LSTM:stepper(dropped)
  local activation, gate = self.activation or same, self.recurrent_activation or same
  local product = product_with(self, self.recurrent_kernel, 4, dropped)
  if is_usual(self) then
    return function(input, h, c)
      local state, cell = lstm_cell(input, product(h), c)
      return state, cell
    end
  end
  return function(input, h, c)
    local parts = split(product(h) + input, 4, -1)
    local cell = gate(parts[2]) * c + gate(parts[1]) * activation(parts[3])
    return gate(parts[4]) * activation(cell), cell
  end
end

-- Update, reset and candidate side by side (Cho et al., EMNLP 2014). With reset_after the reset gate is applied after
-- the product, which has its own bias: bias has two rows.
local GRU = Recurrent.define("GRU", {
  gates = 3, states = 1, defaults = { recurrent_activation = "sigmoid", reset_after = true },
})

function GRU:bias_shape()
  local width = 3 * self.units
  return self.read.reset_after and { 2, width } or { width }
end

function GRU:input_bias()
  local bias = self.bias
  return bias and self.read.reset_after and bias[1] or bias
end

local function mixed(update, h, candidate) return candidate + update * (h - candidate) end

local function stepper_after(self, dropped)
  local kernel, activation, gate = self.recurrent_kernel, self.activation or same, self.recurrent_activation or same
  local units, bias, is_usual = self.units, self.bias and self.bias[2], is_usual(self)
  local product = product_with(self, kernel, 3, dropped)
  if bias then
    local plain = product
    product = dropped and function(h) return plain(h) + bias end or function(h) return linear(h, kernel, bias) end
  end
  return function(input, h)
    local inner = product(h)
    if is_usual then return (gru_cell(input, inner, h)) end
    local from_x, from_h = split(input, { 2 * units, units }, -1), split(inner, { 2 * units, units }, -1)
    local gates = split(gate(from_x[1] + from_h[1]), 2, -1)
    return mixed(gates[1], h, activation(from_x[2] + gates[2] * from_h[2]))
  end
end

local function stepper_before(self, dropped)
  local activation, gate = self.activation or same, self.recurrent_activation or same
  local units = self.units
  local kernels = split(self.recurrent_kernel, { 2 * units, units }, -1)
  local product = product_with(self, kernels[1], 2, dropped)
  return function(input, h)
    local before = dropped and h * dropped[3] or h
    local from_x = split(input, { 2 * units, units }, -1)
    local gates = split(gate(from_x[1] + product(h)), 2, -1)
    return mixed(gates[1], h, activation(from_x[2] + self:state_product(gates[2] * before, kernels[2])))
  end
end

function GRU:stepper(dropped)
  return (self.read.reset_after and stepper_after or stepper_before)(self, dropped)
end

return { SimpleRNN = SimpleRNN, LSTM = LSTM, GRU = GRU }
