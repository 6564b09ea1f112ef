"""Writes tests/support/golden/functions_reference.lua: results and gradients of PyTorch, in float64, for inputs that
tests/lua/functions.lua computes alike.

    python3 tests/support/generate/make_functions_reference.py > tests/support/golden/functions_reference.lua
"""
import torch
import torch.nn.functional as F


def noise(seed, shape):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.int64)
    return (((i + 17) * (i + 31 * seed + 7) * 7919) % 65521).double().reshape(shape) / 32760.5 - 1


def numbers(x):
    return "{ " + ", ".join(f"{v:.9g}" for v in x.detach().reshape(-1).tolist()) + " }"


def sizes(x):
    return "{ " + ", ".join(map(str, x.shape)) + " }"


def case(lua, f, *shapes):
    """f gets the inputs as PyTorch has them; its result is in Lutra's order of axes."""
    xs = [noise(1 + i, shape).requires_grad_() for i, shape in enumerate(shapes)]
    y = f(*xs)
    gradients = torch.autograd.grad((y * noise(50, y.shape)).sum(), xs)
    print(f'  {{ "{lua}", {{ ' + ", ".join("{ " + ", ".join(map(str, s)) + " }" for s in shapes) + f" }}, {sizes(y)}, {numbers(y)},\n    {{ "
          + ", ".join(numbers(g) for g in gradients) + " } },")


def first(x):  # channels last to PyTorch's channels first
    return x.movedim(-1, 1)


def last(x):
    return x.movedim(1, -1)


def weights(w):  # {..., channels, out} to {out, channels, ...}
    return w.movedim((-1, -2), (0, 1))


print(f"-- Written by tests/support/generate/make_functions_reference.py with PyTorch {torch.__version__}. Do not edit.")
print("return {")
sdpa = F.scaled_dot_product_attention
q, k, v = (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)
case("scaled_dot_product_attention(a, b, c)", sdpa, q, k, v)
case("scaled_dot_product_attention(a, b, c, { scale = 0.3 })", lambda a, b, c: sdpa(a, b, c, scale=0.3), q, k, v)
case("scaled_dot_product_attention(a, b, c, { is_causal = true })", lambda a, b, c: sdpa(a, b, c, is_causal=True), q, k, v)
case("scaled_dot_product_attention(a, b, c, { mask = noise(9, { 4, 6 }):gt(-0.5) })", lambda a, b, c: sdpa(a, b, c, attn_mask=noise(9, (4, 6)) > -0.5), q, k, v)
case("scaled_dot_product_attention(a, b, c, { mask = noise(9, { 2, 1, 4, 6 }) })", lambda a, b, c: sdpa(a, b, c, attn_mask=noise(9, (2, 1, 4, 6))), q, k, v)
case("conv1d(a, b)", lambda a, b: last(F.conv1d(first(a), weights(b))), (2, 7, 3), (3, 3, 4))
case("conv1d(a, b, { stride = 2, padding = { 2 }, dilation = 2 })", lambda a, b: last(F.conv1d(first(a), weights(b), stride=2, padding=2, dilation=2)), (2, 7, 3), (3, 3, 4))
case("conv1d(a, b, { padding = 'same', groups = 2 })", lambda a, b: last(F.conv1d(first(a), weights(b), padding="same", groups=2)), (2, 7, 4), (3, 2, 6))
case("conv3d(a, b)", lambda a, b: last(F.conv3d(first(a), weights(b))), (2, 4, 3, 5, 2), (2, 3, 2, 2, 3))
case("conv3d(a, b, { stride = { 2, 1, 2 }, padding = { 1, 0, 2 }, dilation = { 1, 1, 2 } })",
     lambda a, b: last(F.conv3d(first(a), weights(b), stride=(2, 1, 2), padding=(1, 0, 2), dilation=(1, 1, 2))), (1, 4, 3, 5, 2), (2, 3, 2, 2, 3))
case("conv3d(a, b, { padding = 'same', groups = 2 })", lambda a, b: last(F.conv3d(first(a), weights(b), padding="same", groups=2)), (1, 3, 3, 4, 4), (3, 3, 3, 2, 2))
case("max_pool1d(a, 2)", lambda a: last(F.max_pool1d(first(a), 2)), (2, 7, 3))
case("max_pool1d(a, 3, { stride = 2, padding = { 1 } })", lambda a: last(F.max_pool1d(first(a), 3, 2, 1)), (2, 7, 3))
case("avg_pool1d(a, 3, { stride = 2, padding = { 1 } })", lambda a: last(F.avg_pool1d(first(a), 3, 2, 1, count_include_pad=False)), (2, 7, 3))
case("max_pool3d(a, { 2, 2, 3 })", lambda a: last(F.max_pool3d(first(a), (2, 2, 3))), (2, 4, 5, 6, 2))
case("max_pool3d(a, 3, { stride = { 1, 2, 2 }, padding = { 1, 1, 0 } })", lambda a: last(F.max_pool3d(first(a), 3, (1, 2, 2), (1, 1, 0))), (2, 4, 5, 6, 2))
case("avg_pool3d(a, 3, { stride = { 1, 2, 2 }, padding = { 1, 1, 0 } })",
     lambda a: last(F.avg_pool3d(first(a), 3, (1, 2, 2), (1, 1, 0), count_include_pad=False)), (2, 4, 5, 6, 2))
for size in (2, 3, 7):
    case(f"adaptive_avg_pool1d(a, {size})", lambda a: last(F.adaptive_avg_pool1d(first(a), size)), (2, 7, 3))
    case(f"adaptive_max_pool1d(a, {size})", lambda a: last(F.adaptive_max_pool1d(first(a), size)), (2, 7, 3))
case("adaptive_avg_pool2d(a, { 2, 3 })", lambda a: last(F.adaptive_avg_pool2d(first(a), (2, 3))), (2, 5, 6, 2))
case("adaptive_max_pool2d(a, { 3, 4 })", lambda a: last(F.adaptive_max_pool2d(first(a), (3, 4))), (2, 5, 6, 2))
case("adaptive_avg_pool3d(a, 2)", lambda a: last(F.adaptive_avg_pool3d(first(a), 2)), (1, 3, 4, 5, 2))
case("adaptive_max_pool3d(a, 2)", lambda a: last(F.adaptive_max_pool3d(first(a), 2)), (1, 3, 4, 5, 2))
case("pixel_shuffle(a, 2)", lambda a: last(F.pixel_shuffle(first(a), 2)), (2, 2, 3, 8))
case("pixel_unshuffle(a, 2)", lambda a: last(F.pixel_unshuffle(first(a), 2)), (2, 4, 6, 2))


FIRST = "data_format = 'channels_first'"
case(f"conv1d(a, b, {{ stride = 2, {FIRST} }})", lambda a, b: F.conv1d(a, weights(b), stride=2), (2, 3, 7), (3, 3, 4))
case(f"conv2d(a, b, {{ {FIRST} }})", lambda a, b: F.conv2d(a, weights(b)), (2, 3, 5, 6), (2, 3, 3, 4))
case(f"conv2d(a, b, {{ stride = 2, padding = {{ 1, 1 }}, groups = 2, {FIRST} }})", lambda a, b: F.conv2d(a, weights(b), stride=2, padding=1, groups=2), (2, 4, 5, 6), (3, 3, 2, 4))
case(f"conv2d(a, b, {{ {FIRST}, padding = 'same' }})", lambda a, b: F.conv2d(a, weights(b)), (2, 3, 4, 5), (1, 1, 3, 4))
case(f"conv2d(a, b, {{ {FIRST}, stride = {{ 2, 1 }} }})", lambda a, b: F.conv2d(a, weights(b), stride=(2, 1)), (2, 3, 4, 5), (1, 1, 3, 4))
case(f"conv2d_transpose(a, b, {{ stride = 2, {FIRST} }})", lambda a, b: F.conv_transpose2d(a, b.movedim((-1, -2), (0, 1)), stride=2), (2, 3, 4, 5), (2, 3, 4, 3))
case(f"conv3d(a, b, {{ {FIRST} }})", lambda a, b: F.conv3d(a, weights(b)), (2, 2, 4, 3, 5), (2, 3, 2, 2, 3))
case(f"max_pool2d(a, 2, {{ {FIRST} }})", lambda a: F.max_pool2d(a, 2), (2, 3, 5, 6))
case(f"avg_pool2d(a, {{ 2, 3 }}, {{ stride = 1, {FIRST} }})", lambda a: F.avg_pool2d(a, (2, 3), 1), (2, 3, 5, 6))
case(f"max_pool1d(a, 2, {{ {FIRST} }})", lambda a: F.max_pool1d(a, 2), (2, 3, 7))
case(f"avg_pool3d(a, 2, {{ {FIRST} }})", lambda a: F.avg_pool3d(a, 2), (2, 2, 4, 5, 6))
case(f"adaptive_avg_pool2d(a, {{ 2, 3 }}, {{ {FIRST} }})", lambda a: F.adaptive_avg_pool2d(a, (2, 3)), (2, 2, 5, 6))


def unfolded(a, k, out, **o):  # PyTorch: {rows, channels places, windows}
    y = F.unfold(first(a), k, **o)
    n, _, l = y.shape
    return y.reshape(n, a.shape[-1], k[0] * k[1], *out).permute(0, 3, 4, 2, 1).reshape(n, *out, -1)


def folded(p, size, k, **o):
    n, rows, columns, e = p.shape
    c = e // (k[0] * k[1])
    y = p.reshape(n, rows * columns, k[0] * k[1], c).permute(0, 3, 2, 1).reshape(n, e, rows * columns)
    return last(F.fold(y, size, k, **o))


case("unfold(a, { 2, 3 })", lambda a: unfolded(a, (2, 3), (3, 3)), (2, 4, 5, 2))
case("unfold(a, 2, { stride = 2, padding = { 1, 0 }, dilation = 2 })", lambda a: unfolded(a, (2, 2), (2, 2), stride=2, padding=(1, 0), dilation=2), (2, 4, 5, 2))
case("fold(a, { 4, 5 }, { 2, 3 })", lambda a: folded(a, (4, 5), (2, 3)), (2, 3, 3, 12))
case("fold(a, { 4, 5 }, 2, { stride = 2, padding = { 1, 0 }, dilation = 2 })", lambda a: folded(a, (4, 5), (2, 2), stride=2, padding=(1, 0), dilation=2), (2, 2, 2, 8))
case("glu(a)", F.glu, (2, 3, 4))
case("glu(a, 1)", lambda a: F.glu(a, 0), (4, 3))
case("rms_norm(a, b)", lambda a, b: F.rms_norm(a, (5,), b, 1e-6), (2, 3, 5), (5,))
case("rms_norm(a, nil, { epsilon = 0.1 })", lambda a: F.rms_norm(a, (5,), None, 0.1), (2, 3, 5))
case("instance_norm(a, b, c)", lambda a, b, c: last(F.instance_norm(first(a), weight=b, bias=c)), (2, 3, 4, 5), (5,), (5,))
case("instance_norm(a)", lambda a: last(F.instance_norm(first(a))), (2, 6, 5))
case("group_norm(a, 2, b, c)", lambda a, b, c: last(F.group_norm(first(a), 2, b, c)), (2, 3, 4, 6), (6,), (6,))
case("kl_div(lt.log_softmax(a), lt.softmax(b))", lambda a, b: F.kl_div(F.log_softmax(a, -1), F.softmax(b, -1), reduction="mean"), (4, 5), (4, 5))
for reduction in ("batchmean", "sum", "none"):
    case(f"kl_div(lt.log_softmax(a), lt.log_softmax(b), {{ reduction = '{reduction}', log_target = true }})",
         lambda a, b: F.kl_div(F.log_softmax(a, -1), F.log_softmax(b, -1), reduction=reduction, log_target=True), (4, 5), (4, 5))
target = torch.tensor([2, 0, 4, 1])
case("nll_loss(a, lt.constant { 3, 1, 5, 2 })", lambda a: F.nll_loss(a, target), (4, 5))
case("nll_loss(a, lt.constant { 3, 1, 5, 2 }, { weight = { 1.0, 2.0, 0.5, 3.0, 1.5 }, ignore_index = 1 })",
     lambda a: F.nll_loss(a, target, torch.tensor([1.0, 2.0, 0.5, 3.0, 1.5], dtype=torch.float64), ignore_index=0), (4, 5))
case("nll_loss(a, lt.constant { 3, 1, 5, 2 }, { reduction = 'none' })", lambda a: F.nll_loss(a, target, reduction="none"), (4, 5))
labels = torch.tensor([[1, 2, 2], [3, 0, 0], [2, 1, 3]])
case("ctc_loss({ { 2, 3, 3 }, { 4, 1, 1 }, { 3, 2, 4 } }, a * 3, { 3, 1, 3 }, { 8, 5, 7 })",
     lambda a: F.ctc_loss(F.log_softmax(a * 3, -1).transpose(0, 1), labels, torch.tensor([8, 5, 7]), torch.tensor([3, 1, 3]), reduction="none"), (3, 8, 4))
labels4 = torch.tensor([[0, 1, 1], [2, 0, 0]])
case("ctc_loss({ { 1, 2, 2 }, { 3, 1, 1 } }, a, { 3, 2 }, { 6, 6 }, { blank_index = 4 })",
     lambda a: F.ctc_loss(F.log_softmax(a, -1).transpose(0, 1), labels4, torch.tensor([6, 6]), torch.tensor([3, 2]), blank=3, reduction="none"), (2, 6, 4))
x = (3, 4)
case("hardtanh(a * 2)", lambda a: F.hardtanh(a * 2), x)
case("hardtanh(a * 3, { min = -0.5, max = 2 })", lambda a: F.hardtanh(a * 3, -0.5, 2), x)
case("hardshrink(a)", F.hardshrink, x)
case("hardshrink(a, 0.2)", lambda a: F.hardshrink(a, 0.2), x)
case("softshrink(a)", F.softshrink, x)
case("softshrink(a, { threshold = 0.2 })", lambda a: F.softshrink(a, 0.2), x)
case("tanhshrink(a * 2)", lambda a: F.tanhshrink(a * 2), x)
case("threshold(a, 0.1, -2)", lambda a: F.threshold(a, 0.1, -2), x)
case("squareplus(a)", lambda a: (a + torch.sqrt(a * a + 4)) / 2, x)
case("squareplus(a, 1)", lambda a: (a + torch.sqrt(a * a + 1)) / 2, x)
case("sparse_plus(a * 3)", lambda a: torch.where(a * 3 <= -1, 0 * a, torch.where(a * 3 < 1, (a * 3 + 1) ** 2 / 4, a * 3)), x)
case("sparse_sigmoid(a * 2)", lambda a: (torch.clamp(a * 2, -1, 1) + 1) / 2, x)


def sparsemax(a):  # by bisection for the shift, and its gradient by the rows of those that are kept
    low, high = a.max(-1, keepdim=True).values - 1, a.max(-1, keepdim=True).values
    for _ in range(80):
        middle = (low + high) / 2
        is_low = torch.clamp(a - middle, min=0).sum(-1, keepdim=True) > 1
        low, high = torch.where(is_low, middle, low), torch.where(is_low, high, middle)
    mask = (a > high.detach()).double()
    return mask * (a - ((a * mask).sum(-1, keepdim=True) - 1) / mask.sum(-1, keepdim=True))


case("sparsemax(a * 2)", lambda a: sparsemax(a * 2), (4, 5))
case("sparsemax(a * 2, 1)", lambda a: sparsemax(a.T * 2).T, (4, 5))
case("triplet_margin_loss(a, b, c)", F.triplet_margin_loss, x, x, x)
for reduction in ("sum", "none"):
    case(f"triplet_margin_loss(a, b, c, {{ margin = 0.3, p = 1, swap = true, reduction = '{reduction}' }})",
         lambda a, b, c: F.triplet_margin_loss(a, b, c, margin=0.3, p=1, swap=True, reduction=reduction), x, x, x)
sign = torch.tensor([1, -1, -1])
case("cosine_embedding_loss(a, b, lt.constant { 1, -1, -1 })", lambda a, b: F.cosine_embedding_loss(a, b, sign), x, x)
case("cosine_embedding_loss(a, b, lt.constant { 1, -1, -1 }, { margin = -0.9, reduction = 'none' })",
     lambda a, b: F.cosine_embedding_loss(a, b, sign, margin=-0.9, reduction="none"), x, x)
wide = "lt.constant { { 1 }, { -1 }, { -1 } }"
case(f"margin_ranking_loss(a, b, {wide}, {{ margin = 0.2 }})", lambda a, b: F.margin_ranking_loss(a, b, sign[:, None], margin=0.2), x, x)
case(f"hinge_embedding_loss(a, {wide})", lambda a: F.hinge_embedding_loss(a, sign[:, None].expand(3, 4)), x)
case(f"soft_margin_loss(a, {wide})", lambda a: F.soft_margin_loss(a, sign[:, None].expand(3, 4).double()), x)
case("gaussian_nll_loss(a, b, lt.abs(c))", lambda a, b, c: F.gaussian_nll_loss(a, b, c.abs()), x, x, x)
case("gaussian_nll_loss(a, b, lt.abs(c), { full = true, eps = 0.4, reduction = 'none' })",
     lambda a, b, c: F.gaussian_nll_loss(a, b, c.abs(), full=True, eps=0.4, reduction="none"), x, x, x)
case("poisson_nll_loss(a, lt.abs(b) * 4)", lambda a, b: F.poisson_nll_loss(a, b.abs() * 4), x, x)
case("poisson_nll_loss(lt.abs(a), lt.abs(b) * 4, { log_input = false, full = true })",
     lambda a, b: F.poisson_nll_loss(a.abs(), b.abs() * 4, log_input=False, full=True), x, x)
print("}")
