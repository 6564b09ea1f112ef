"""Writes tests/support/golden/recurrent_reference.lua: results of recurrent layers, by formulas computed gate by gate and
step by step in float64, and gradients by PyTorch's autograd.

    python3 tests/support/generate/make_recurrent_reference.py > tests/support/golden/recurrent_reference.lua
"""
import torch

torch.set_default_dtype(torch.float64)
ROWS, STEPS, FEATURES, UNITS = 2, 3, 4, 3
MASK = torch.tensor([[True, False, True], [False, True, False]])


def noise(seed, shape, factor=1.0):
    count = 1
    for size in shape:
        count *= size
    values = [((i * 7919 + seed * 104729) * (i + 31) % 16777213) / 8388606.5 - 1 for i in range(count)]
    return (torch.tensor(values) * factor).reshape(shape).requires_grad_()


FUNCTIONS = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "softsign": torch.nn.functional.softsign,
             "linear": lambda x: x}


def gate(matrix, k):
    """The k-th of the matrices that stand side by side."""
    return matrix[..., k * UNITS:(k + 1) * UNITS]


def simple_step(w, x, states, o):
    z = x @ w[0] + states[0] @ w[1]
    return [o["activation"](z + w[2] if len(w) > 2 else z)]


def lstm_step(w, x, states, o):
    h, c = states

    def at(k):
        z = x @ gate(w[0], k) + h @ gate(w[1], k)
        return z + gate(w[2], k) if len(w) > 2 else z

    i, f, out = o["recurrent_activation"](at(0)), o["recurrent_activation"](at(1)), o["recurrent_activation"](at(3))
    c = f * c + i * o["activation"](at(2))
    return [out * o["activation"](c), c]


def gru_step(w, x, states, o):
    h = states[0]
    after = o.get("reset_after", True)
    zero = torch.zeros(3 * UNITS)
    bias_x, bias_h = zero, zero
    if len(w) > 2:
        bias_x, bias_h = (w[2][0], w[2][1]) if after else (w[2], zero)

    def x_part(k):
        return x @ gate(w[0], k) + gate(bias_x, k)

    def h_part(k, h):
        return h @ gate(w[1], k) + gate(bias_h, k)

    z = o["recurrent_activation"](x_part(0) + h_part(0, h))
    r = o["recurrent_activation"](x_part(1) + h_part(1, h))
    candidate = o["activation"](x_part(2) + (r * h_part(2, h) if after else h_part(2, r * h)))
    return [z * h + (1 - z) * candidate]


KINDS = {"SimpleRNN": (simple_step, 1, 1), "LSTM": (lstm_step, 4, 2), "GRU": (gru_step, 3, 1)}


def weights_of(kind, options, seed):
    width = KINDS[kind][1] * UNITS
    made = [noise(seed, (FEATURES, width)), noise(seed + 1, (UNITS, width))]
    if options.get("use_bias", True):
        two = kind == "GRU" and options.get("reset_after", True)
        made.append(noise(seed + 2, (2, width) if two else (width,), 0.5))
    return made


def walk(kind, options, w, x, states, mask):
    step = KINDS[kind][0]
    o = dict(options)
    o["activation"] = FUNCTIONS[options.get("activation", "tanh")]
    o["recurrent_activation"] = FUNCTIONS[options.get("recurrent_activation", "sigmoid")]
    order = range(STEPS)
    if options.get("go_backwards"):
        order = reversed(order)
    y, outputs = torch.zeros(ROWS, UNITS), []
    for t in order:
        new = step(w, x[:, t], states, o)
        if mask is None:
            states, y = new, new[0]
        else:
            m = mask[:, t:t + 1]
            y = torch.where(m, new[0], torch.zeros_like(y) if options.get("zero_output_for_mask") else y)
            states = [torch.where(m, n, s) for n, s in zip(new, states)]
        outputs.append(y)
    result = [torch.stack(outputs, 1) if options.get("return_sequences") else y]
    return result + states if options.get("return_state") else result


def number(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def numbers(tensor):
    return "{ " + ", ".join(f"{v:.9g}" for v in tensor.detach().reshape(-1).tolist()) + " }"


MERGES = {"concat": lambda a, b: [torch.cat([a, b], -1)], "sum": lambda a, b: [a + b], "mul": lambda a, b: [a * b],
          "ave": lambda a, b: [(a + b) / 2], "false": lambda a, b: [a, b]}


def case(kind, merge=None, masked=False, initial=False, **options):
    x = noise(1, (ROWS, STEPS, FEATURES))
    mask = MASK if masked else None
    count = KINDS[kind][2]
    directions = 2 if merge else 1
    starts = [noise(40 + i, (ROWS, UNITS)) if initial else torch.zeros(ROWS, UNITS) for i in range(count * directions)]
    w = weights_of(kind, options, 11)
    if merge:
        both = dict(options)
        if masked and options.get("return_sequences"):
            both["zero_output_for_mask"] = True
        back = weights_of(kind, options, 21)
        a = walk(kind, both, w, x, starts[:count], mask)
        b = walk(kind, {**both, "go_backwards": True}, back, x, starts[count:], mask)
        z = torch.flip(b[0], [1]) if options.get("return_sequences") else b[0]
        results, w = MERGES[merge](a[0], z) + a[1:] + b[1:], w + back
    else:
        results = walk(kind, options, w, x, starts, mask)
    loss = sum((r * noise(50 + i, r.shape).detach()).sum() for i, r in enumerate(results))
    sources = [x] + w + (starts if initial else [])
    gradients = torch.autograd.grad(loss, sources)
    given = ", ".join(f"{k} = {number(v)}" for k, v in options.items())
    head = f'kind = "{kind}"' + (f", merge = {merge if merge == 'false' else number(merge)}" if merge else "")
    if masked:
        head += ", masked = true"
    if initial:
        head += f", initial = {len(starts)}"
    print(f"  {{ {head}, options = {{ {given} }},")
    print("    gives = { " + ", ".join(numbers(r) for r in results) + " },")
    print("    gradients = { " + ", ".join(numbers(g) for g in gradients) + " } },")


print("-- Made by tests/support/generate/make_recurrent_reference.py: do not edit.")
print("return {")
case("SimpleRNN")
case("SimpleRNN", activation="relu", use_bias=False, go_backwards=True, return_sequences=True)
case("SimpleRNN", masked=True, initial=True, return_sequences=True, return_state=True)
case("LSTM", return_sequences=True, return_state=True)
case("LSTM", initial=True, activation="softsign", recurrent_activation="softsign")
case("LSTM", masked=True, use_bias=False, return_sequences=True)
case("LSTM", masked=True, zero_output_for_mask=True, return_sequences=True, return_state=True)
case("LSTM", activation="linear", recurrent_activation="linear", go_backwards=True)
case("GRU", return_sequences=True)
case("GRU", reset_after=False, return_sequences=True)
case("GRU", use_bias=False, go_backwards=True, return_state=True)
case("GRU", reset_after=False, use_bias=False, initial=True)
case("GRU", masked=True, initial=True, return_state=True)
case("LSTM", merge="concat", return_sequences=True)
case("GRU", merge="sum")
case("SimpleRNN", merge="mul", masked=True, return_sequences=True)
case("GRU", merge="ave", return_sequences=True, return_state=True)
case("LSTM", merge="false", initial=True, return_sequences=True, return_state=True)
print("}")
