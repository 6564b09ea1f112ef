-- Checks the cases of nn_reference.lua, which PyTorch computed: results and gradients of the ops of neural networks.
local reference = require "golden.nn_reference"
local samples = require "samples"

local nn_cases = {}

-- Numbers from -1 to 1; make_nn_reference.py makes the same.
local function noise(seed, count)
  local values = {}
  for i = 0, count - 1 do
    values[i + 1] = ((i * 7919 + seed * 104729) * (i + 31) % 16777213) / 8388606.5 - 1
  end
  return values
end

function nn_cases.tensor(seed, shape, dtype, factor, shift)
  local values = noise(seed, samples.size(shape))
  for i, value in ipairs(values) do values[i] = value * (factor or 1) + (shift or 0) end
  return lt.constant(values, { dtype = dtype }):reshape(shape)
end

-- The largest difference from `wanted`, relative to the largest number there.
local function distance(got, wanted)
  if got.size == 0 then return 0 end
  local exact = lt.cast(wanted, "float64")
  return ((got:cast("float64") - exact):abs():max() / lt.maximum(exact:abs():max(), 1)):item()
end

-- The reference has all of an array, or three sums of products with noise.
local function check_array(t, got, shape, wanted, tolerance, what)
  t.equal({ table.unpack(got.shape, 1, #got.shape) }, shape, what .. "'s shape")
  local flat = got:reshape { -1 }:cast("float64")
  if not wanted.sums then
    local off = distance(flat, lt.constant(wanted, { dtype = "float64" }))
    return t.ok(off < tolerance, ("%s is off by %g"):format(what, off))
  end
  for i, sum in ipairs(wanted.sums) do
    local off = math.abs((flat * nn_cases.tensor(100 + i, { flat.size }, "float64")):sum():item() - sum)
    t.ok(off < tolerance * 10 * flat.size ^ 0.5, ("%s's sum %d is off by %g"):format(what, i, off))
  end
end

-- All cases of an op on one dtype.
function nn_cases.check(t, op, dtype, tolerance)
  local found = 0
  for _, case in ipairs(reference) do
    if case.op == op then
      found = found + 1
      local inputs, args = {}, {}
      for k, input in ipairs(case.inputs) do
        inputs[k] = nn_cases.tensor(k, input.shape, dtype, input.factor, input.shift)
        args[k] = inputs[k]
      end
      if case.fixed then table.insert(args, op == "embedding" and 2 or 1, lt.constant(case.fixed)) end
      local options = {}
      for key, value in pairs(case.options) do options[key] = value end
      local tape <close> = lt.GradientTape()
      tape:watch(inputs)
      if options.size then args[#args + 1], options.size = options.size, nil end
      args[#args + 1] = options
      local y = lt[op](table.unpack(args))
      local loss = (y * nn_cases.tensor(77, case.shape, dtype)):sum()
      local what = ("%s case %d in %s"):format(op, found, dtype)
      check_array(t, y, case.shape, case.gives, tolerance, what)
      for k, gradient in ipairs(tape:gradient(loss, inputs)) do
        check_array(t, gradient, case.inputs[k].shape, case.gradients[k], tolerance * 10, what .. ", gradient " .. k)
      end
    end
  end
  t.ok(found > 0, "there are cases of " .. op)
end

-- f's result and gradients on halves, which must be what float32 gives for the same numbers, rounded. Everything but f is
-- computed in float32.
function nn_cases.halves(t, what, f, literals)
  for half, tolerance in pairs { float16 = 4e-3, bfloat16 = 3e-2 } do
    local function run(dtype)
      local tensors, rounded = {}, {}
      for k, literal in ipairs(literals) do tensors[k] = lt.cast(literal, half):cast("float32") end
      local tape <close> = lt.GradientTape()
      tape:watch(tensors)
      for k, tensor in ipairs(tensors) do rounded[k] = tensor:cast(dtype) end
      local y = f(table.unpack(rounded))
      t.equal(y.dtype, dtype, what)
      local wide = y:cast("float32")
      return wide, tape:gradient(wide * nn_cases.tensor(9, y.shape, "float32"), tensors)
    end
    local wanted, wanted_gradients = run("float32")
    local got, gradients = run(half)
    local off = distance(got, wanted)
    t.ok(off < tolerance, ("%s in %s is off by %g"):format(what, half, off))
    for k, gradient in ipairs(gradients) do
      off = distance(gradient, wanted_gradients[k])
      t.ok(off < tolerance * 4, ("%s in %s: gradient %d is off by %g"):format(what, half, k, off))
    end
  end
end

-- The gradients of a gradient's weighted sum against central differences of it: f(table of float64 tensors) gives the
-- result whose gradients are asked first.
function nn_cases.second_order(t, what, f, literals, tolerance)
  local function slopes(tensors)
    local tape <close> = lt.GradientTape()
    tape:watch(tensors)
    local y = f(table.unpack(tensors))
    local loss = (y * nn_cases.tensor(5, y.shape, "float64")):sum()
    local total
    for k, gradient in ipairs(tape:gradient(loss, tensors)) do
      local term = (gradient * nn_cases.tensor(6 + k, gradient.shape, "float64")):sum()
      total = total and total + term or term
    end
    return total
  end
  local function tensors_of()
    local tensors = {}
    for k, literal in ipairs(literals) do tensors[k] = lt.constant(literal, { dtype = "float64" }) end
    return tensors
  end
  local tensors = tensors_of()
  local tape <close> = lt.GradientTape()
  tape:watch(tensors)
  local found = tape:gradient(slopes(tensors), tensors, { unconnected_gradients = "zero" })
  local step = 1e-5
  for k, literal in ipairs(literals) do
    local shape, wanted = tensors[k].shape, {}
    local flat = tensors[k]:reshape { -1 }:totable()
    for i = 1, #flat do
      local function moved(by)
        local copy = table.move(flat, 1, #flat, 1, {})
        copy[i] = copy[i] + by
        local all = tensors_of()
        all[k] = lt.constant(copy, { dtype = "float64" }):reshape(shape)
        return slopes(all):item()
      end
      wanted[i] = (moved(step) - moved(-step)) / (2 * step)
    end
    local difference = (found[k]:reshape { -1 } - lt.constant(wanted, { dtype = "float64" })):abs():max():item()
    t.ok(difference < (tolerance or 1e-6), ("%s: second gradient %d is off by %g"):format(what, k, difference))
  end
end

return nn_cases
