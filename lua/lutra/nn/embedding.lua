-- A row of a table for each id, 1 .. input_dim.
local lutra, tools, use = ...
local options, Layer = use "options", use "nn.layer".Layer

local Embedding = Layer:extend "Embedding"
Embedding.takes_one = true
-- Looking up and then casting casts less than the reverse.
Embedding.needs_float32 = true

function Embedding:init(input_dim, output_dim, given)
  local read = options.read("Embedding", given,
    { embeddings_initializer = "random_uniform", embeddings_regularizer = false, name = false, input_shape = false, trainable = true })
  self:named(read.name)
  self.input_dim = options.count("Embedding", "input_dim", input_dim, 1)
  self.output_dim = options.count("Embedding", "output_dim", output_dim, 1)
  self.read, self.trainable = read, read.trainable
  self.input_shape = read.input_shape and options.shape("Embedding", "input_shape", read.input_shape)
end

function Embedding:build()
  self.embeddings = self:add_weight {
    name = "embeddings", shape = { self.input_dim, self.output_dim }, initializer = self.read.embeddings_initializer,
    regularizer = self.read.embeddings_regularizer,
  }
end

function Embedding:compute_output_shape(shape)
  local out = { table.unpack(shape) }
  out[#out + 1] = self.output_dim
  return out
end

function Embedding:call(ids) return lutra.embedding(self.embeddings, ids) end

return Embedding
