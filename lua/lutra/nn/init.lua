-- lutra.nn: layers, models and their training. Documented in _meta/nn.lua and, for the files below, in files of the
-- same names in _meta/nn.
local lutra, tools, use = ...

local nn = {
  Layer = use "nn.layers.layer".Layer, Dense = use "nn.layers.dense", Embedding = use "nn.layers.embedding",
  Model = use "nn.models.model", Sequential = use "nn.models.sequential", Input = use "nn.models.graph".input,
  load_model = use "nn.files.saving".load_model, callbacks = use "nn.callbacks.callbacks",
  initializers = use "nn.layers.initializers".public, regularizers = use "nn.layers.regularizers".public,
  losses = use "nn.training.losses".public, metrics = use "nn.training.metrics".public,
}
for _, file in ipairs {
  "layers.plain_layers", "layers.joining_layers", "layers.arranging_layers", "layers.convolutions", "layers.pools",
  "layers.global_pools", "layers.normalise", "layers.recurrent_layers", "layers.wrappers", "layers.attention",
  "replicas.replica_losses",
} do
  for name, made in pairs(use("nn." .. file)) do nn[name] = made end
end
-- Keras's other names for the same layers.
nn.MaxPooling1D, nn.AveragePooling1D = nn.MaxPool1D, nn.AvgPool1D
nn.MaxPooling2D, nn.AveragePooling2D = nn.MaxPool2D, nn.AvgPool2D
nn.GlobalAveragePooling1D, nn.GlobalMaxPooling1D = nn.GlobalAvgPool1D, nn.GlobalMaxPool1D
nn.GlobalAveragePooling2D, nn.GlobalMaxPooling2D = nn.GlobalAvgPool2D, nn.GlobalMaxPool2D
nn.BatchNormalization, nn.LayerNormalization, nn.GroupNormalization = nn.BatchNorm, nn.LayerNorm, nn.GroupNorm
use "nn.training.added_losses".has_our_layers = true

-- Layers of files that are loaded on use.
local late = {}
for file, names in pairs {
  activation_layers = "ReLU LeakyReLU PReLU ELU CELU GELU SELU SiLU Sigmoid Tanh Softmax LogSoftmax Softplus Softsign ReLU6 Mish "
    .. "HardSigmoid HardSwish LogSigmoid",
  noise_layers = "GaussianNoise GaussianDropout AlphaDropout SpatialDropout1D SpatialDropout2D SpatialDropout3D",
  scaling_layers = "Identity Rescaling Normalization RMSNormalization UnitNormalization",
  image_layers = "Resizing CenterCrop RandomCrop RandomFlip RandomRotation RandomTranslation RandomZoom RandomBrightness "
    .. "RandomContrast",
  volumes = "Conv3D Conv3DTranspose MaxPool3D MaxPooling3D AvgPool3D AveragePooling3D GlobalAvgPool3D "
    .. "GlobalAveragePooling3D GlobalMaxPool3D GlobalMaxPooling3D UpSampling3D ZeroPadding3D Cropping3D",
  text_layers = "TextVectorization Hashing", lookup_layers = "StringLookup IntegerLookup", category_layers = "CategoryEncoding Discretization",
  recurrent_cells = "RNN SimpleRNNCell LSTMCell GRUCell StackedRNNCells",
  conv_lstm = "ConvLSTM1D ConvLSTM2D ConvLSTM3D",
  dot_layers = "Dot Attention AdditiveAttention", einsum_dense = "EinsumDense",
  group_query_attention = "GroupQueryAttention", spectral_normalization = "SpectralNormalization",
} do
  for name in names:gmatch "%S+" do late[name] = "nn.layers." .. file end
end
late.constraints = "nn.layers.constraints"
return use "late".fields(nn, late)
