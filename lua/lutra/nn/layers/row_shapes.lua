-- Shapes of rows, without the batch axis: of tensors, and of results of layers that must be tried out to find the
-- shape.
local lutra, tools, use = ...
local texts = use "texts"

local shapes = {}

-- A tensor's shape without the batch axis, or those of a list of tensors.
function shapes.below(x)
  if texts.is(x) then return { table.unpack(texts.sizes(x), 2) } end
  if type(x) ~= "table" then
    local shape = x.shape
    return { table.unpack(shape, 2) }
  end
  local found = {}
  for key, each in pairs(x) do found[key] = shapes.below(each) end
  return found
end

-- A batch with one row of this shape, or a list of such batches; `any` replaces sizes of -1. Floats are 0; integers,
-- which may be ids, are 1.
local function rows_like(shape, dtype, any)
  if type(shape[1]) == "table" then
    local list = {}
    for i, each in ipairs(shape) do list[i] = rows_like(each, dtype, any) end
    return list
  end
  local sizes = { 1 }
  for i, size in ipairs(shape) do sizes[i + 1] = size == -1 and any or size end
  return dtype == "float32" and lutra.zeros(sizes) or lutra.ones(sizes, { dtype = dtype })
end

-- Checks the result of a layer's call: a tensor or a list of them.
function shapes.result(layer, y)
  local kind = type(y)
  if kind ~= "userdata" and kind ~= "table" then
    layer:refuse("its call gives %s, expected a tensor or a list of them", y == nil and "nothing" or tools.what_is(y))
  end
  return y
end

local function call(layer, x) return shapes.result(layer, layer:call(x, false)) end

-- Calls the layer with such rows: floats, or integers if it rejects floats.
local function try_out(layer, shape, any, name_error)
  local ok, out = pcall(call, layer, rows_like(shape, "float32", any))
  if not ok then
    local err = name_error(out)
    tools.running.layer = layer  -- the layer that was running when it failed
    if not lutra.iserror(err, "InvalidArgument") then error(err, 0) end
    ok, out = pcall(call, layer, rows_like(shape, "int32", any))
    if not ok then error(err, 0) end
  end
  return shapes.below(out)
end

local function is_open(shape)
  for _, size in ipairs(shape) do
    if size == -1 or type(size) == "table" and is_open(size) then return true end
  end
  return false
end

-- The common shape of two trials with different sizes: -1 where they differ.
local function common(a, b)
  local out = {}
  for i, size in ipairs(a) do
    if type(size) == "table" then out[i] = common(size, b[i]) else out[i] = size == b[i] and size or -1 end
  end
  return out
end

-- The layer's output shape for rows of this shape, in which -1 is any size. name_error adds the layer's name to an
-- error.
function shapes.tried(layer, shape, name_error)
  if not is_open(shape) then return try_out(layer, shape, nil, name_error) end
  return common(try_out(layer, shape, 6, name_error), try_out(layer, shape, 7, name_error))
end

return shapes
