-- lutra.nn: layers, models, and what training them takes. What users read about it stands in _meta/nn.lua and, for the parts
-- below, in a file of the part's name in _meta/nn.
local lutra, tools, use = ...

local nn = {
  Layer = use "nn.layer".Layer, Model = use "nn.model", Sequential = use "nn.sequential", Input = use "nn.graph".input,
  load_model = use "nn.saving".load_model,
  Dense = use "nn.dense", Embedding = use "nn.embedding", initializers = use "nn.initializers".public,
  regularizers = use "nn.regularizers".public, losses = use "nn.losses".public,
  metrics = use "nn.metrics".public, callbacks = use "nn.callbacks",
}
for _, part in ipairs {
  "nn.plain_layers", "nn.joining_layers", "nn.arranging_layers", "nn.convolutions", "nn.pools", "nn.global_pools", "nn.normalise",
  "nn.recurrent_layers", "nn.wrappers", "nn.attention", "nn.replica_losses",
} do
  for name, made in pairs(use(part)) do nn[name] = made end
end
-- Keras' own names for what it also calls by these.
nn.MaxPooling1D, nn.AveragePooling1D = nn.MaxPool1D, nn.AvgPool1D
nn.MaxPooling2D, nn.AveragePooling2D = nn.MaxPool2D, nn.AvgPool2D
nn.GlobalAveragePooling1D, nn.GlobalMaxPooling1D = nn.GlobalAvgPool1D, nn.GlobalMaxPool1D
nn.GlobalAveragePooling2D, nn.GlobalMaxPooling2D = nn.GlobalAvgPool2D, nn.GlobalMaxPool2D
nn.BatchNormalization, nn.LayerNormalization, nn.GroupNormalization = nn.BatchNorm, nn.LayerNorm, nn.GroupNorm
use "nn.added_losses".has_our_layers = true

return nn
