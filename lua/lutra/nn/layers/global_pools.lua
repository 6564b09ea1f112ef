-- Layers that reduce each channel to its mean or maximum over all steps of a sequence or pixels of an image.
local lutra, tools, use = ...
local options, masks, define_layer = use "options", use "nn.training.masks", use "nn.layers.define_layer"

local function define(kind, axes, expected, pool)
  local Pool = define_layer(kind, { keepdims = false }, 0, function(self, read)
    self.keepdims = options.boolean(kind, "keepdims", read.keepdims)
  end)
  Pool.takes_one, Pool.only_merges_masks = true, true

  function Pool:compute_output_shape(shape)
    if #shape ~= #axes + 1 then
      self:refuse("its input has the shape %s, expected %s", options.batch_text(shape), expected)
    end
    local channels = shape[#shape]
    if not self.keepdims then return { channels } end
    return #axes == 1 and { 1, channels } or { 1, 1, channels }
  end

  function Pool:call(x, _, given)
    if x.rank ~= #axes + 2 then self:refuse("its input has the shape %s, expected %s", tostring(x.shape), expected) end
    return pool(x, { axis = axes, keepdims = self.keepdims }, given and given.mask or nil)
  end

  -- With the channels first, the axes behind them are reduced as they are.
  function Pool:call_first(x, _, given)
    if given and given.mask then return Pool.call(self, lutra.transpose(x, { 1, 3, 2 }), nil, given) end
    local later = {}
    for i, axis in ipairs(axes) do later[i] = axis + 1 end
    return pool(x, { axis = later, keepdims = self.keepdims })
  end

  -- The result has no steps that could be masked.
  function Pool:compute_mask() end
  return Pool
end

local function mean(x, how) return lutra.mean(x, how) end
local function max(x, how) return lutra.max(x, how) end

-- Masked steps do not count. As in Keras, if all are masked the mean is nan.
local function mean_of_steps(x, how, mask)
  if not mask then return lutra.mean(x, how) end
  local sum, count = masks.sums(x, mask, how)
  return sum / count
end

local steps, places = "(batch, steps, channels)", "(batch, height, width, channels)"
local GlobalAvgPool1D = define("GlobalAvgPool1D", { 2 }, steps, mean_of_steps)
GlobalAvgPool1D.call_options = { mask = true }
function GlobalAvgPool1D:mask_options(mask) return { mask = masks.first(mask) } end

return use "nn.layers.channel_order".data_format {
  GlobalAvgPool1D = GlobalAvgPool1D, GlobalMaxPool1D = define("GlobalMaxPool1D", { 2 }, steps, max),
  GlobalAvgPool2D = define("GlobalAvgPool2D", { 2, 3 }, places, mean),
  GlobalMaxPool2D = define("GlobalMaxPool2D", { 2, 3 }, places, max),
}
