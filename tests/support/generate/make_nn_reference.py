"""Writes tests/support/golden/nn_reference.lua: what PyTorch gives, in float64, for the ops of neural networks and their
gradients, on inputs that nn_cases.lua makes as well.

Run with any PyTorch from 2.0:
    python3 tests/support/generate/make_nn_reference.py > tests/support/golden/nn_reference.lua
Input number k of a case has the values of noise(k + 1, shape), times a factor, plus a shift. The loss is the sum of the
result times noise(77, its shape); gradients are the loss'. An array of up to LONGEST numbers is written in full; a longer
one as its products with noise(101), noise(102) and noise(103).
"""
import torch
import torch.nn.functional as F

LONGEST = 48


def noise(seed, shape):
    """Numbers from -1 to 1, the i-th a function of seed and i."""
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.int64)
    return (((i * 7919 + seed * 104729) * (i + 31) % 16777213).double() / 8388606.5 - 1).reshape(shape)


def lua(array):
    flat = array.detach().reshape(-1)
    if flat.numel() <= LONGEST:
        return "{ " + ", ".join(f"{v:.12g}" for v in flat.tolist()) + " }"
    sums = [(flat * noise(seed, flat.shape)).sum().item() for seed in (101, 102, 103)]
    return "{ sums = { " + ", ".join(f"{v:.14g}" for v in sums) + " } }"


def case(op, inputs, options, compute, fixed=None):
    """inputs: (shape, factor, shift) each; fixed: the Lua text of integers that stand before them."""
    tensors = [(noise(k + 1, shape) * factor + shift).requires_grad_() for k, (shape, factor, shift) in enumerate(inputs)]
    y = compute(*tensors)
    gradients = torch.autograd.grad((y * noise(77, y.shape)).sum(), tensors)
    given = ", ".join(f"{{ shape = {{ {', '.join(map(str, s))} }}, factor = {f}, shift = {h} }}" for s, f, h in inputs)
    print(f'  {{ op = "{op}", {"fixed = " + fixed + ", " if fixed else ""}options = {options},')
    print(f"    inputs = {{ {given} }},")
    print(f"    shape = {{ {', '.join(map(str, y.shape))} }}, gives = {lua(y)},")
    print(f"    gradients = {{ {', '.join(lua(g) for g in gradients)} }} }},")


def same(size, window, stride, dilation=1):
    """TensorFlow's padding: before, after."""
    out = -(-size // stride)
    total = max(0, (out - 1) * stride + (window - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def surround(x, window, stride, dilation, padding, value):
    """x (NHWC) with its padding, as NCHW."""
    if padding == "same":
        h, w = same(x.shape[1], window[0], stride[0], dilation[0]), same(x.shape[2], window[1], stride[1], dilation[1])
    else:
        h, w = (padding[0],) * 2, (padding[1],) * 2
    return F.pad(x.permute(0, 3, 1, 2), (*w, *h), value=value)


def padding_text(padding):
    return '"same"' if padding == "same" else f"{{ {padding[0]}, {padding[1]} }}"


def conv(x, w, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    def compute(a, b):
        image = surround(a, w[:2], stride, dilation, padding, 0.0)
        return F.conv2d(image, b.permute(3, 2, 0, 1), stride=stride, dilation=dilation,
                        groups=groups).permute(0, 2, 3, 1)

    options = (f"{{ stride = {{ {stride[0]}, {stride[1]} }}, padding = {padding_text(padding)}, "
               f"dilation = {{ {dilation[0]}, {dilation[1]} }}, groups = {groups} }}")
    case("conv2d", [(x, 1, 0), (w, 1, 0)], options, compute)


def pool(op, x, size, stride, padding=(0, 0)):
    def compute(a):
        if op == "max_pool2d":
            image = surround(a, size, stride, (1, 1), padding, -float("inf"))
            return F.max_pool2d(image, size, stride).permute(0, 2, 3, 1)
        image = surround(a, size, stride, (1, 1), padding, 0.0)
        real = surround(torch.ones_like(a), size, stride, (1, 1), padding, 0.0)
        return (F.avg_pool2d(image, size, stride) / F.avg_pool2d(real, size, stride)).permute(0, 2, 3, 1)

    options = f"{{ size = {{ {size[0]}, {size[1]} }}, stride = {{ {stride[0]}, {stride[1]} }}, padding = {padding_text(padding)} }}"
    case(op, [(x, 1, 0)], options, compute)


def labels(count, classes):
    return [(7 * i + 3) % classes for i in range(count)]


def cross_entropy(rows, classes):
    numbers = labels(rows, classes)
    text = "{ " + ", ".join(str(n + 1) for n in numbers) + " }"
    case("cross_entropy", [((rows, classes), 3, 0)], "{}",
         lambda x: F.cross_entropy(x, torch.tensor(numbers), reduction="none"), fixed=text)


print("-- Made by tests/support/generate/make_nn_reference.py: do not edit.")
print("return {")
conv((1, 4, 5, 1), (2, 3, 1, 2))
conv((2, 5, 4, 3), (3, 3, 3, 2), padding="same")
conv((1, 5, 6, 2), (3, 2, 2, 3), stride=(2, 1), padding="same")
conv((1, 6, 6, 2), (3, 3, 2, 2), stride=(2, 2), padding=(1, 2))
conv((1, 7, 7, 1), (2, 3, 1, 1), dilation=(2, 3))
conv((2, 6, 5, 4), (3, 3, 2, 6), padding="same", groups=2)
conv((1, 5, 5, 3), (3, 3, 1, 6), stride=(2, 2), padding="same", groups=3)
conv((1, 3, 3, 2), (1, 1, 2, 2))
conv((1, 3, 4, 2), (1, 1, 2, 3), stride=(2, 3))
conv((1, 2, 2, 1), (5, 5, 1, 1), padding=(4, 3))
conv((3, 17, 15, 8), (3, 3, 8, 24), padding="same")
conv((2, 16, 19, 12), (5, 3, 6, 16), stride=(2, 1), padding=(2, 0), groups=2)
conv((2, 23, 21, 48), (3, 3, 1, 48), stride=(2, 2), padding="same", groups=48)
conv((2, 14, 14, 32), (1, 1, 32, 40), stride=(2, 2))
conv((2, 15, 13, 16), (3, 3, 16, 10), dilation=(2, 2), padding="same")
for op in ("max_pool2d", "avg_pool2d"):
    pool(op, (1, 4, 4, 2), (2, 2), (2, 2))
    pool(op, (2, 5, 4, 1), (2, 2), (2, 2), padding="same")
    pool(op, (1, 5, 5, 2), (3, 3), (1, 1), padding="same")
    pool(op, (1, 6, 7, 1), (3, 2), (2, 3), padding=(1, 1))
    pool(op, (1, 5, 5, 1), (1, 2), (3, 2))
    pool(op, (3, 19, 33, 20), (3, 3), (2, 2), padding="same")
for shape in ((3,), (4, 3), (2, 2, 4), (33, 70)):
    n = shape[-1:]
    case("layer_norm", [(shape, 2, 1), (n, 1, 0), (n, 1, 0)], "{}",
         lambda x, s, o: F.layer_norm(x, x.shape[-1:], s, o, eps=1e-3))
    case("batch_norm", [(shape, 2, 1), (n, 1, 0), (n, 0.5, 1), (n, 1, 0), (n, 1, 0)], "{ epsilon = 0.01 }",
         lambda x, m, v, s, o: (x - m) / torch.sqrt(v + 0.01) * s + o)
    case("softmax", [(shape, 4, 0)], "{}", lambda x: F.softmax(x, -1))
    case("log_softmax", [(shape, 4, 0)], "{}", lambda x: F.log_softmax(x, -1))
    case("softmax", [(shape, 4, 0)], "{ axis = 1 }", lambda x: F.softmax(x, 0))
    case("log_softmax", [(shape, 4, 0)], "{ axis = 1 }", lambda x: F.log_softmax(x, 0))
    case("softmax_cross_entropy", [(shape, 0.4, 0.5), (shape, 3, 0)], "{}",
         lambda p, x: (-p * F.log_softmax(x, -1)).sum(-1))
    case("mse", [(shape, 1, 0), (shape, 1, 0)], "{}", lambda a, b: ((b - a) ** 2).mean(-1))
    case("mae", [(shape, 1, 0), (shape, 1, 0)], "{}", lambda a, b: (b - a).abs().mean(-1))
    case("bias_add", [(shape, 1, 0), (n, 1, 0)], "{}", lambda x, b: x + b)
    case("linear", [(shape, 1, 0), ((n[0], 5), 1, 0), ((5,), 1, 0)], "{}", lambda x, w, b: x @ w + b)
cross_entropy(4, 3)
cross_entropy(40, 60)
case("embedding", [((5, 3), 1, 0)], "{}", lambda t: F.embedding(torch.tensor([4, 0, 4, 2]), t),
     fixed="{ 5, 1, 5, 3 }")
print("}")
