-- The shapes of a file's tensors while a model is built from it: a weight of another shape is an error before it is
-- allocated.
local lutra, tools, use = ...
local options = use "options"

local expected = {}
local now -- who reads which file, and how many of its tensors have a shape, by its text

-- Calls f(...), in which Lutra's own layers may make only weights of these shapes.
function expected.during(who, path, tensors, f, ...)
  local counts, before = {}, now
  for _, tensor in pairs(tensors) do
    local shape = options.shape_text(tensor.shape)
    counts[shape] = (counts[shape] or 0) + 1
  end
  now = { place = who .. ": " .. path, counts = counts }
  local _ <close> = setmetatable({}, { __close = function() now = before end })
  local results = table.pack(f(...))
  return table.unpack(results, 1, results.n)
end

-- Layers of the program may have weights that no file stores.
function expected.take(layer, name, shape)
  if not now or not rawequal(lutra.nn[layer.kind], getmetatable(layer)) then return end
  local text = options.shape_text(shape)
  local left = now.counts[text] or 0
  if left == 0 then
    tools.fail("InvalidArgument",
      ("%s: the layer '%s' of its model has a weight '%s' of shape %s, and the file has no%s tensor of that "
      .. "shape"):format(now.place, layer.name, name, text, now.counts[text] and " further" or ""))
  end
  now.counts[text] = left - 1
end

return expected
