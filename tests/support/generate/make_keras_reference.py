"""Writes tests/support/golden/keras_reference.lua: results of Keras 3's layers for random inputs and weights, the losses
that they add, and the gradients of both by inputs and weights, in float64 by PyTorch's autograd.

    KERAS_BACKEND=torch python3 tests/support/generate/make_keras_reference.py > tests/support/golden/keras_reference.lua
    KERAS_BACKEND=torch python3 tests/support/generate/make_keras_reference.py more > tests/support/golden/keras_layers.lua
    KERAS_BACKEND=torch python3 tests/support/generate/make_keras_reference.py conv_lstm > tests/support/golden/keras_conv_lstm.lua
"""
import sys

import keras
import torch

keras.config.set_floatx("float64")
L = keras.layers


def noise(seed, shape, factor=1.0):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.int64)
    values = ((i * 7919 + seed * 104729) * (i + 31) % 16777213).double() / 8388606.5 - 1
    return (values * factor).reshape(tuple(shape))


def numbers(tensor):
    return "{ " + ", ".join(f"{v:.7g}" for v in tensor.detach().reshape(-1).tolist()) + " }"


def sizes(shape):
    return "{ " + ", ".join(map(str, shape)) + " }"


def case(lua, layer, *shapes, call=None, training=None, as_list=False, own_loss_last=False, **options):
    """lua: the layer in Lua; call: what the call is told, in Lua, of which `options` are Keras' form; as_list: the inputs are one
    list, as layers that join them take it."""
    xs = [noise(1 + i, shape).requires_grad_() for i, shape in enumerate(shapes)]
    layer.build(*([x.shape for x in xs],) if as_list else (x.shape for x in xs))
    # Lutra's order of weights: SpectralNormalization's vector comes after those of its layer.
    weights = sorted(layer.weights, key=lambda w: w.name == "vector_u")
    for i, weight in enumerate(weights):
        weight.assign(noise(10 + i, weight.shape, 0.5) + (1 if weight.name in ("moving_variance", "gamma") else 0))
    if training is not None:
        options["training"] = training
    y = layer(*([xs] if as_list else xs), **options)
    ys = list(y) if isinstance(y, (tuple, list)) else [y]
    added = [loss for loss in layer.losses]
    if own_loss_last:
        added = added[1:] + added[:1]
    loss = sum((each * noise(50 + i, each.shape)).sum() for i, each in enumerate(ys)) + sum(added)
    sources = xs + [w.value for w in layer.trainable_weights]
    gradients = torch.autograd.grad(loss, sources, allow_unused=True)
    print(f"  {{ make = function(nn) return {lua} end, inputs = {{ {', '.join(sizes(s) for s in shapes)} }},")
    told = ([f"training = {'true' if training else 'false'}"] if training is not None else []) + ([call] if call else [])
    if told:
        print(f"    call = function(noise) return {{ {', '.join(told)} }} end,")
    print(f"    shapes = {{ {', '.join(sizes(each.shape) for each in ys)} }}, weights = {{ "
          + ", ".join(f'"{w.name} {sizes(w.shape)}"' for w in weights) + " },")
    print("    gives = { " + ", ".join(numbers(each) for each in ys) + " },")
    if added:
        print("    losses = { " + ", ".join(f"{each.item():.7g}" for each in added) + " },")
    print("    gradients = { " + ", ".join("false" if g is None else numbers(g) for g in gradients) + " } },")


def attention():
    def both(lua, call, *shapes, **told):
        more = dict(told)
        made = L.MultiHeadAttention(2, 3, attention_axes=more.pop("axes", None), value_dim=2)
        case(f"nn.MultiHeadAttention(2, 3, {{ value_dim = 2{lua} }})", made, *shapes, return_attention_scores=True,
             call=f"return_attention_scores = true{call}", **more)
    both(", attention_axes = 2", "", (2, 3, 2, 4), (2, 4, 2, 3), axes=1)
    both(", attention_axes = -2", "", (2, 2, 3, 4), (2, 2, 4, 3), axes=2)
    both(", attention_axes = { 2, 3 }", "", (2, 2, 3, 4), (2, 3, 2, 3), (2, 3, 2, 5), axes=(1, 2))
    both(", attention_axes = { 4, 2 }", "", (1, 2, 2, 3, 2), (1, 3, 2, 2, 3), axes=(3, 1))
    both("", "", (2, 2, 2, 3), (2, 3, 1, 4))
    case("nn.MultiHeadAttention(2, 3, { attention_axes = 3 })", L.MultiHeadAttention(2, 3, attention_axes=2), (2, 2, 3, 4), (2, 2, 4, 3))
    mask = (noise(60, (2, 3, 4)) > 0)
    both(", attention_axes = 3", ", attention_mask = noise(60, { 2, 3, 4 }):gt(0)", (2, 2, 3, 4), (2, 2, 4, 3), axes=2, attention_mask=mask)


def losses():
    l2, l1_l2 = 'activity_regularizer = "l2"', "activity_regularizer = nn.regularizers.L1L2 { l1 = 0.1, l2 = 0.2 }"
    both = keras.regularizers.L1L2(0.1, 0.2)
    case(f'nn.Dense(3, {{ activation = "tanh", {l1_l2}, kernel_regularizer = "l1" }})',
         L.Dense(3, activation="tanh", activity_regularizer=both, kernel_regularizer="l1"), (2, 3, 4))
    case(f"nn.Conv2D(2, 2, {{ {l2} }})", L.Conv2D(2, 2, activity_regularizer="l2"), (2, 3, 4, 2))
    for kind in "LSTM", "GRU":  # Keras' SimpleRNN takes the option and forgets it
        case(f"nn.{kind}(2, {{ return_sequences = true, return_state = true, {l2} }})",
             getattr(L, kind)(2, return_sequences=True, return_state=True, activity_regularizer="l2"), (2, 3, 3))
    case(f"nn.MultiHeadAttention(2, 2, {{ {l1_l2} }})", L.MultiHeadAttention(2, 2, activity_regularizer=both), (2, 3, 2), (2, 4, 3))
    case("nn.ActivityRegularization { l1 = 0.3, l2 = 0.2 }", L.ActivityRegularization(0.3, 0.2), (3, 4))
    case(f"nn.LayerNorm {{ {l2} }}", L.LayerNormalization(activity_regularizer="l2"), (3, 4))


def convolutions():
    for axes, shape, size in (1, (2, 7, 4), "3"), (2, (2, 5, 4, 4), "{ 2, 3 }"):
        keras_size = eval(size.replace("{", "(").replace("}", ")"))
        for lua, told in (
            ('strides = 2, padding = "same", activation = "relu"', dict(strides=2, padding="same", activation="relu")),
            ("dilation_rate = 2, use_bias = false" if axes == 1 else 'kernel_regularizer = "l2", padding = "same"',
             dict(dilation_rate=2, use_bias=False) if axes == 1 else dict(kernel_regularizer="l2", padding="same")),
            ("groups = 2", dict(groups=2)),
        ):
            case(f"nn.Conv{axes}D(4, {size}, {{ {lua} }})", getattr(L, f"Conv{axes}D")(4, keras_size, **told), shape)
        for lua, told in (('strides = 2, padding = "same"', dict(strides=2, padding="same")),
                          ('depth_multiplier = 3, activation = "tanh"', dict(depth_multiplier=3, activation="tanh"))):
            case(f"nn.DepthwiseConv{axes}D({size}, {{ {lua} }})", getattr(L, f"DepthwiseConv{axes}D")(keras_size, **told), shape)
            case(f"nn.SeparableConv{axes}D(3, {size}, {{ {lua} }})", getattr(L, f"SeparableConv{axes}D")(3, keras_size, **told), shape)
    case('nn.Conv1D(2, 3, { padding = "causal", dilation_rate = 2 })', L.Conv1D(2, 3, padding="causal", dilation_rate=2), (2, 6, 3))
    for axes, shape, size in (1, (2, 4, 3), "3"), (2, (2, 3, 2, 3), "{ 2, 3 }"):
        keras_size = eval(size.replace("{", "(").replace("}", ")"))
        for lua, told in (
            ("use_bias = false", dict(use_bias=False)),
            ('strides = 2, padding = "same", activation = "tanh"', dict(strides=2, padding="same", activation="tanh")),
            ("strides = 4", dict(strides=4)),
            ('dilation_rate = 2, kernel_regularizer = "l2"', dict(dilation_rate=2, kernel_regularizer="l2")),
            ("strides = 3, output_padding = 1", dict(strides=3, output_padding=1)),
            ('strides = 3, output_padding = 2, padding = "same"', dict(strides=3, output_padding=2, padding="same")),
        ):
            case(f"nn.Conv{axes}DTranspose(2, {size}, {{ {lua} }})", getattr(L, f"Conv{axes}DTranspose")(2, keras_size, **told), shape)
    case("nn.Conv2D(2, 2)", L.Conv2D(2, 2), (2, 3, 3, 1))
    lua, told = '{ strides = 2, output_padding = 0, padding = "same" }', dict(strides=2, output_padding=0, padding="same")
    case(f"nn.Conv1DTranspose(2, 2, {lua})", L.Conv1DTranspose(2, 2, **told), (2, 4, 3))
    case(f"nn.Conv2DTranspose(2, {{ 4, 3 }}, {lua})", L.Conv2DTranspose(2, (4, 3), **told), (1, 3, 2, 2))
    case(f"nn.Conv2DTranspose(2, {{ 3, 2 }}, {lua})", L.Conv2DTranspose(2, (3, 2), **told), (1, 2, 3, 2))


def pools():
    for kind in "Max", "Average":
        case(f"nn.{kind}Pooling1D()", getattr(L, kind + "Pooling1D")(2), (2, 7, 3))
        case(f"nn.{kind}Pooling1D(3, {{ strides = 2 }})", getattr(L, kind + "Pooling1D")(3, 2), (2, 7, 3))
        case(f'nn.{kind}Pooling2D({{ 2, 3 }}, {{ strides = {{ 1, 2 }} }})', getattr(L, kind + "Pooling2D")((2, 3), (1, 2)), (2, 4, 5, 2))
    # On PyTorch, Keras' averages count padding at the edge too; on TensorFlow and JAX they do not.
    case('nn.MaxPooling1D(3, { strides = 2, padding = "same" })', L.MaxPooling1D(3, 2, "same"), (2, 6, 3))


def arranging():
    case("nn.UpSampling1D(3)", L.UpSampling1D(3), (2, 3, 2))
    case("nn.UpSampling2D({ 2, 3 })", L.UpSampling2D((2, 3)), (2, 2, 3, 2))
    case('nn.UpSampling2D({ 2, 3 }, { interpolation = "bilinear" })', L.UpSampling2D((2, 3), interpolation="bilinear"), (2, 4, 3, 2))
    case('nn.UpSampling2D { interpolation = "bilinear" }', L.UpSampling2D(interpolation="bilinear"), (1, 1, 2, 1))
    case('nn.UpSampling2D({ 3, 5 }, { interpolation = "bilinear" })', L.UpSampling2D((3, 5), interpolation="bilinear"), (1, 3, 4, 1))
    case("nn.ZeroPadding1D()", L.ZeroPadding1D(), (2, 3, 2))
    case("nn.ZeroPadding1D { 0, 2 }", L.ZeroPadding1D((0, 2)), (2, 3, 2))
    case("nn.ZeroPadding2D()", L.ZeroPadding2D(), (2, 2, 3, 2))
    case("nn.ZeroPadding2D { 2, 1 }", L.ZeroPadding2D((2, 1)), (2, 2, 3, 2))
    case("nn.ZeroPadding2D { { 0, 1 }, { 2, 0 } }", L.ZeroPadding2D(((0, 1), (2, 0))), (2, 2, 3, 2))
    case("nn.Cropping1D()", L.Cropping1D(), (2, 4, 2))
    case("nn.Cropping1D { 0, 2 }", L.Cropping1D((0, 2)), (2, 4, 2))
    case("nn.Cropping2D()", L.Cropping2D(), (2, 3, 3, 2))
    case("nn.Cropping2D { 1, 0 }", L.Cropping2D((1, 0)), (2, 3, 4, 2))
    case("nn.Cropping2D { { 0, 1 }, { 2, 0 } }", L.Cropping2D(((0, 1), (2, 0))), (2, 3, 4, 2))
    case("nn.Permute { 3, 1, 2 }", L.Permute((3, 1, 2)), (2, 3, 4, 2))
    case("nn.RepeatVector(3)", L.RepeatVector(3), (2, 4))


def norms():
    case("nn.GroupNormalization { groups = 2 }", L.GroupNormalization(2), (2, 3, 4, 6))
    case("nn.GroupNormalization { groups = -1, epsilon = 0.1, scale = false }", L.GroupNormalization(-1, epsilon=0.1, scale=False), (2, 5, 3))
    case("nn.GroupNormalization { groups = 1, center = false }", L.GroupNormalization(1, center=False), (3, 4))


def activations():
    shape = (2, 3, 4)
    case("nn.ReLU()", L.ReLU(), shape)
    case("nn.ReLU { max_value = 0.5, negative_slope = 0.1 }", L.ReLU(0.5, 0.1), shape)
    case("nn.ReLU { threshold = 0.3, negative_slope = 0.2 }", L.ReLU(threshold=0.3, negative_slope=0.2), shape)
    case("nn.LeakyReLU()", L.LeakyReLU(), shape)
    case("nn.LeakyReLU { negative_slope = 0.1 }", L.LeakyReLU(0.1), shape)
    case("nn.PReLU()", L.PReLU(), shape)
    case("nn.PReLU { shared_axes = { 2 } }", L.PReLU(shared_axes=[1]), shape)
    case("nn.ELU { alpha = 0.5 }", L.ELU(0.5), shape)
    case("nn.Softmax()", L.Softmax(), shape)
    case("nn.Softmax { axis = 2 }", L.Softmax(1), shape)
    for ours, theirs in (("SELU", "selu"), ("GELU", "gelu"), ("SiLU", "silu"), ("Sigmoid", "sigmoid"), ("Tanh", "tanh"), ("Softplus", "softplus"),
                         ("Softsign", "softsign"), ("ReLU6", "relu6"), ("Mish", "mish"), ("HardSigmoid", "hard_sigmoid"), ("HardSwish", "hard_silu"),
                         ("LogSigmoid", "log_sigmoid"), ("CELU", "celu"), ("LogSoftmax", "log_softmax")):
        case(f"nn.{ours}()", L.Activation(theirs), shape)


def scalings():
    case("nn.Identity()", L.Identity(), (2, 3))
    case("nn.Rescaling(0.5, { offset = -1 })", L.Rescaling(0.5, -1.0), (2, 3, 4))
    case("nn.Rescaling({ 1.0, 2.0, 3.0 }, { offset = { 0.5, 0.0, -0.5 } })", L.Rescaling([1.0, 2.0, 3.0], [0.5, 0.0, -0.5]), (2, 4, 3))
    case("nn.RMSNormalization()", L.RMSNormalization(), (2, 3, 4))
    case("nn.RMSNormalization { epsilon = 0.1 }", L.RMSNormalization(epsilon=0.1), (2, 5))
    case("nn.UnitNormalization()", L.UnitNormalization(), (2, 3, 4))
    case("nn.UnitNormalization { axis = 2 }", L.UnitNormalization(1), (2, 3, 4))


def dots():
    case("nn.Dot(2)", L.Dot(1), (2, 3), (2, 3), as_list=True)
    case("nn.Dot(2)", L.Dot(1), (2, 3, 4), (2, 3, 5), as_list=True)
    case("nn.Dot({ 3, 2 })", L.Dot((2, 1)), (2, 3, 4), (2, 4, 5), as_list=True)
    case("nn.Dot(2, { normalize = true })", L.Dot(1, normalize=True), (2, 3), (2, 3), as_list=True)
    case("nn.Dot(-1)", L.Dot(-1), (2, 3, 4), (2, 4), as_list=True)
    case("nn.Attention()", L.Attention(), (2, 3, 4), (2, 5, 4), as_list=True)
    case("nn.Attention { use_scale = true }", L.Attention(use_scale=True), (2, 3, 4), (2, 5, 4), (2, 5, 4), as_list=True)
    case('nn.Attention { score_mode = "concat", use_scale = true }', L.Attention(score_mode="concat", use_scale=True), (2, 3, 4), (2, 5, 4), as_list=True)
    case("nn.Attention()", L.Attention(), (2, 4, 3), (2, 4, 3), as_list=True, call="use_causal_mask = true", use_causal_mask=True)
    case("nn.AdditiveAttention()", L.AdditiveAttention(), (2, 3, 4), (2, 5, 4), as_list=True)
    case("nn.AdditiveAttention { use_scale = false }", L.AdditiveAttention(use_scale=False), (2, 3, 4), (2, 5, 4), as_list=True)


PARTS = {"attention": attention, "losses": losses, "convolutions": convolutions, "pools": pools, "arranging": arranging, "norms": norms}
def volumes():
    shape = (2, 4, 3, 5, 2)
    case("nn.Conv3D(3, 2)", L.Conv3D(3, 2), shape)
    case('nn.Conv3D(4, { 1, 3, 2 }, { padding = "same", strides = { 2, 1, 2 }, groups = 2, activation = "tanh" })',
         L.Conv3D(4, (1, 3, 2), padding="same", strides=(2, 1, 2), groups=2, activation="tanh"), (2, 4, 4, 4, 4))
    case("nn.Conv3D(2, 2, { dilation_rate = 2, use_bias = false })", L.Conv3D(2, 2, dilation_rate=2, use_bias=False), (1, 4, 3, 4, 2))
    for ours, theirs in (("MaxPool3D", L.MaxPooling3D), ("AvgPool3D", L.AveragePooling3D)):
        case(f"nn.{ours}()", theirs(2), shape[:2] + (4, 4, 2))
        # Keras' means count padding with PyTorch below, and not with TensorFlow.
        padding = "same" if ours == "MaxPool3D" else "valid"
        case(f'nn.{ours}({{ 2, 1, 3 }}, {{ strides = 1, padding = "{padding}" }})', theirs((2, 1, 3), strides=1, padding=padding), shape)
    case("nn.GlobalAvgPool3D()", L.GlobalAveragePooling3D(), shape)
    case("nn.GlobalMaxPool3D { keepdims = true }", L.GlobalMaxPooling3D(keepdims=True), shape)
    case("nn.UpSampling3D()", L.UpSampling3D(), (1, 2, 2, 3, 2))
    case("nn.UpSampling3D { 1, 2, 3 }", L.UpSampling3D((1, 2, 3)), (1, 2, 2, 2, 2))
    case("nn.ZeroPadding3D()", L.ZeroPadding3D(), (1, 2, 2, 2, 2))
    case("nn.ZeroPadding3D { { 0, 1 }, { 2, 0 }, { 1, 1 } }", L.ZeroPadding3D(((0, 1), (2, 0), (1, 1))), (1, 2, 2, 2, 2))
    case("nn.Cropping3D()", L.Cropping3D(), (1, 3, 4, 3, 2))
    case("nn.Cropping3D { { 0, 1 }, { 2, 0 }, { 1, 1 } }", L.Cropping3D(((0, 1), (2, 0), (1, 1))), (1, 3, 4, 3, 2))


def cells():
    shape = (2, 4, 3)
    for kind in ("SimpleRNN", "LSTM", "GRU"):
        cell = getattr(L, kind + "Cell")
        case(f"nn.RNN(nn.{kind}Cell(2))", L.RNN(cell(2)), shape)
        case(f"nn.RNN(nn.{kind}Cell(3), {{ return_sequences = true, return_state = true, go_backwards = true }})",
             L.RNN(cell(3), return_sequences=True, return_state=True, go_backwards=True), shape)
    case("nn.RNN({ nn.LSTMCell(2), nn.GRUCell(3), nn.SimpleRNNCell(2) }, { return_sequences = true })",
         L.RNN([L.LSTMCell(2), L.GRUCell(3), L.SimpleRNNCell(2)], return_sequences=True), shape)
    case("nn.Bidirectional(nn.RNN(nn.GRUCell(2), { return_sequences = true }))", L.Bidirectional(L.RNN(L.GRUCell(2), return_sequences=True)), shape)


def first():
    f = "channels_first"
    shape = (2, 3, 4, 5)
    case(f'nn.Conv2D(2, 3, {{ data_format = "{f}", padding = "same", strides = 2 }})', L.Conv2D(2, 3, data_format=f, padding="same", strides=2), shape)
    case(f'nn.Conv1D(2, 3, {{ data_format = "{f}" }})', L.Conv1D(2, 3, data_format=f), (2, 3, 6))
    case(f'nn.DepthwiseConv2D(2, {{ data_format = "{f}" }})', L.DepthwiseConv2D(2, data_format=f), shape)
    case(f'nn.Conv2DTranspose(2, 3, {{ data_format = "{f}", strides = 2 }})', L.Conv2DTranspose(2, 3, data_format=f, strides=2), (1, 2, 3, 3))
    case(f'nn.MaxPool2D(2, {{ data_format = "{f}" }})', L.MaxPooling2D(2, data_format=f), shape)
    case(f'nn.AvgPool1D(2, {{ data_format = "{f}" }})', L.AveragePooling1D(2, data_format=f), (2, 3, 6))
    case(f'nn.GlobalAvgPool2D {{ data_format = "{f}" }}', L.GlobalAveragePooling2D(data_format=f), shape)
    case(f'nn.GlobalMaxPool2D {{ data_format = "{f}", keepdims = true }}', L.GlobalMaxPooling2D(data_format=f, keepdims=True), shape)
    case("nn.BatchNorm { axis = 2 }", L.BatchNormalization(axis=1), shape, training=False)
    case("nn.BatchNorm { axis = 2 }", L.BatchNormalization(axis=1), shape, training=True)
    case("nn.GroupNorm { axis = 2, groups = 3 }", L.GroupNormalization(3, axis=1), (2, 6, 4, 2))


def einsums():
    E, shape = L.EinsumDense, (2, 3, 4)
    case('nn.EinsumDense("ab,bc->ac", 5, { bias_axes = "c", activation = "relu" })', E("ab,bc->ac", 5, bias_axes="c", activation="relu"), (3, 4))
    case('nn.EinsumDense("abc,cd->abd", { -1, 5 }, { bias_axes = "d", kernel_regularizer = "l2" })',
         E("abc,cd->abd", (None, 5), bias_axes="d", kernel_regularizer="l2"), shape)
    case('nn.EinsumDense("abc,cd->abd", { 3, 5 }, { bias_axes = "bd", bias_regularizer = "l1" })',
         E("abc,cd->abd", (3, 5), bias_axes="bd", bias_regularizer="l1"), shape)
    case('nn.EinsumDense("abc,cd->abd", { 3, 5 }, { bias_axes = "b" })', E("abc,cd->abd", (3, 5), bias_axes="b"), shape)
    case('nn.EinsumDense("...x,xy->...y", 5, { bias_axes = "y" })', E("...x,xy->...y", 5, bias_axes="y"), (2, 3, 2, 4))
    case('nn.EinsumDense("...x,xy->...y", 5)', E("...x,xy->...y", 5), (3, 4))
    case('nn.EinsumDense("...bx,xy->...by", { 3, 5 }, { bias_axes = "y" })', E("...bx,xy->...by", (3, 5), bias_axes="y"), shape)
    case('nn.EinsumDense("ab...,bc->ac...", 5, { bias_axes = "c" })', E("ab...,bc->ac...", 5, bias_axes="c"), (2, 3, 2, 2))
    case('nn.EinsumDense("abc,chd->abhd", { -1, 2, 5 }, { bias_axes = "hd" })', E("abc,chd->abhd", (None, 2, 5), bias_axes="hd"), shape)
    case('nn.EinsumDense("abhd,hdc->abc", { -1, 5 })', E("abhd,hdc->abc", (None, 5)), (2, 3, 2, 4))
    case('nn.EinsumDense("abc,bcd->abd", { 3, 2 }, { bias_axes = "d" })', E("abc,bcd->abd", (3, 2), bias_axes="d"), shape)


def groups():
    def one(lua, call, *shapes, scores=True, **told):
        made = {k: told.pop(k) for k in list(told) if k in ("use_bias", "use_gate", "sliding_window", "activity_regularizer")}
        if scores:
            call, told = "return_attention_scores = true" + (", " + call if call else ""), dict(told, return_attention_scores=True)
        case(f"nn.GroupQueryAttention(3, 4, 2{lua})", L.GroupQueryAttention(3, 4, 2, **made), *shapes, call=call or None, **told)
    one("", "", (2, 3, 4), (2, 4, 3))
    one("", "", (2, 3, 4), (2, 4, 3), scores=False)
    one(", { use_bias = false }", "", (2, 3, 4), (2, 5, 3), (2, 5, 2), use_bias=False)
    one("", "use_causal_mask = true", (2, 4, 3), (2, 4, 3), use_causal_mask=True)
    one(", { use_gate = true }", "", (2, 3, 4), (2, 4, 3), use_gate=True)
    one(", { sliding_window = 2 }", "use_causal_mask = true", (2, 4, 3), (2, 4, 3), sliding_window=2, use_causal_mask=True)
    mask = noise(60, (2, 3, 4)) > -0.5
    one("", "attention_mask = noise(60, { 2, 3, 4 }):gt(-0.5)", (2, 3, 4), (2, 4, 3), attention_mask=mask)
    mask = noise(61, (2, 4)) > -0.5
    one("", "value_mask = noise(61, { 2, 4 }):gt(-0.5)", (2, 3, 4), (2, 4, 3), value_mask=mask)
    case('nn.GroupQueryAttention(2, 3, 1, { activity_regularizer = "l2" })', L.GroupQueryAttention(2, 3, 1, activity_regularizer="l2"), (2, 3, 4), (2, 4, 3),
         own_loss_last=True)
    case("nn.GroupQueryAttention(2, 2, 2)", L.GroupQueryAttention(2, 2, 2), (2, 3, 4), (2, 4, 3))


def spectral(training=False):
    S = L.SpectralNormalization
    case("nn.SpectralNormalization(nn.Dense(3))", S(L.Dense(3)), (2, 4), training=training)
    case("nn.SpectralNormalization(nn.Conv2D(3, 2), { power_iterations = 3 })", S(L.Conv2D(3, 2), 3), (2, 4, 3, 2), training=training)
    case('nn.SpectralNormalization(nn.EinsumDense("abc,cd->abd", { -1, 5 }))', S(L.EinsumDense("abc,cd->abd", (None, 5))), (2, 3, 4), training=training)


def spectral_training():  # calls change the weights
    spectral(True)


def penalties():
    for mode in "rows", "columns":
        case(f'nn.Dense(3, {{ kernel_regularizer = nn.regularizers.OrthogonalRegularizer {{ factor = 0.3, mode = "{mode}" }} }})',
             L.Dense(3, kernel_regularizer=keras.regularizers.OrthogonalRegularizer(0.3, mode)), (2, 4))


class WithStates:
    """A recurrent layer that is called with its sequence and its states, as Lutra's are with a list of them."""

    def __init__(self, layer):
        self.layer = layer

    def __getattr__(self, name):
        return getattr(self.layer, name)

    def build(self, sequence, *states):
        self.layer.build(sequence)

    def __call__(self, sequence, *states):
        return self.layer(sequence, initial_state=list(states))


def conv_lstms():
    def one(axes, size, shape, lua="", told=None, call=None, **given):
        keras_size = eval(size.replace("{", "(").replace("}", ")"))
        more = f", {{ {lua} }}" if lua else ""
        case(f"nn.ConvLSTM{axes}D(2, {size}{more})", getattr(L, f"ConvLSTM{axes}D")(2, keras_size, **(told or {})), shape, call=call, **given)
    both = "return_sequences = true, return_state = true"
    results = dict(return_sequences=True, return_state=True)
    one(1, "3", (2, 3, 5, 2))
    one(1, "2", (2, 3, 6, 1), f'strides = 2, padding = "same", {both}', dict(strides=2, padding="same", **results))
    one(1, "3", (1, 2, 7, 2), "dilation_rate = 2, use_bias = false, go_backwards = true", dict(dilation_rate=2, use_bias=False, go_backwards=True))
    one(2, "{ 2, 3 }", (2, 3, 3, 4, 2), f"{both}", results)
    one(2, "3", (1, 3, 4, 3, 1), 'padding = "same", activation = "relu", recurrent_activation = "hard_sigmoid", return_sequences = true',
        dict(padding="same", activation="relu", recurrent_activation="hard_sigmoid", return_sequences=True))
    one(2, "2", (1, 2, 5, 4, 1), 'strides = { 2, 1 }, kernel_regularizer = "l2", recurrent_regularizer = "l1", go_backwards = true, return_sequences = true',
        dict(strides=(2, 1), kernel_regularizer="l2", recurrent_regularizer="l1", go_backwards=True, return_sequences=True))
    one(2, "2", (2, 2, 2, 3, 4), f'data_format = "channels_first", {both}', dict(data_format="channels_first", **results))
    one(2, "{ 3, 2 }", (1, 2, 1, 3, 4), 'data_format = "channels_first", padding = "same", strides = { 1, 2 }',
        dict(data_format="channels_first", padding="same", strides=(1, 2)))
    mask = torch.tensor([[True, False, True], [False, True, False]])
    lua_mask = "mask = lt.constant { { true, false, true }, { false, true, false } }"
    one(2, "2", (2, 3, 2, 3, 1), f"{both}", results, call=lua_mask, mask=mask)
    one(1, "2", (2, 3, 3, 1), "return_sequences = true, zero_output_for_mask = true", dict(return_sequences=True, zero_output_for_mask=True),
        call=lua_mask, mask=mask)
    case("nn.ConvLSTM2D(2, 2, { return_state = true })", WithStates(L.ConvLSTM2D(2, 2, return_state=True)),
         (2, 2, 3, 3, 1), (2, 2, 2, 2), (2, 2, 2, 2))
    case('nn.ConvLSTM1D(2, 2, { data_format = "channels_first", return_sequences = true })',
         WithStates(L.ConvLSTM1D(2, 2, data_format="channels_first", return_sequences=True)), (2, 2, 1, 3), (2, 2, 2), (2, 2, 2))
    one(3, "2", (1, 2, 2, 3, 2, 1), f"{both}", results)
    one(3, "{ 1, 2, 3 }", (1, 2, 1, 2, 2, 2), 'padding = "same", data_format = "channels_first", use_bias = false',
        dict(padding="same", data_format="channels_first", use_bias=False))
    case('nn.Bidirectional(nn.ConvLSTM2D(1, 2, { return_sequences = true }))', L.Bidirectional(L.ConvLSTM2D(1, 2, return_sequences=True)), (2, 2, 3, 3, 1))
    case('nn.Bidirectional(nn.ConvLSTM1D(2, 2, { padding = "same", return_state = true }), { merge_mode = "sum" })',
         L.Bidirectional(L.ConvLSTM1D(2, 2, padding="same", return_state=True), merge_mode="sum"), (2, 3, 3, 1))


MORE = {"activations": activations, "scalings": scalings, "dots": dots, "volumes": volumes, "cells": cells, "first": first,
        "einsums": einsums, "groups": groups, "spectral": spectral,
        "spectral_training": spectral_training, "penalties": penalties}

print("-- Made by tests/support/generate/make_keras_reference.py: do not edit.")
print("return {")
FILES = {"more": MORE, "conv_lstm": {"conv_lstms": conv_lstms}}
for part, write in (FILES[sys.argv[1]] if sys.argv[1:] else PARTS).items():
    print(f"  {part} = {{")
    write()
    print("  },")
print("}")
