-- Looks up a row of a table for each id, 1 .. input_dim.
local lutra, tools, use = ...
local options, define = use "options", use "nn.layers.define_layer"

local Embedding = define("Embedding", {
  embeddings_initializer = "random_uniform", embeddings_regularizer = false, mask_zero = false,
  embeddings_constraint = false,
}, 2, function(self, read, input_dim, output_dim)
  self.input_dim = options.count("Embedding", "input_dim", input_dim, 1)
  self.output_dim = options.count("Embedding", "output_dim", output_dim, 1)
  self.mask_zero = options.boolean("Embedding", "mask_zero", read.mask_zero)
  self.only_merges_masks = not self.mask_zero
  self.read = read
end)
Embedding.takes_one = true
-- Casting after the lookup casts fewer elements.
Embedding.needs_float32 = true

function Embedding:build()
  self.embeddings = self:add_weight {
    name = "embeddings", shape = { self.input_dim, self.output_dim }, initializer = self.read.embeddings_initializer,
    regularizer = self.read.embeddings_regularizer, constraint = self.read.embeddings_constraint,
  }
end

function Embedding:compute_output_shape(shape)
  local out = { table.unpack(shape) }
  out[#out + 1] = self.output_dim
  return out
end

-- With mask_zero, id 0 marks steps past the end of a sequence: they give zeros and are masked.
function Embedding:compute_mask(ids) return self.mask_zero and lutra.ne(ids, 0) or nil end

function Embedding:call(ids)
  if not self.mask_zero then return lutra.embedding(self.embeddings, ids) end
  local ended = lutra.eq(ids, 0)
  local rows = lutra.embedding(self.embeddings, lutra.where(ended, 1, ids))
  return lutra.where(lutra.expand_dims(ended, -1), 0.0, rows)
end

return Embedding
