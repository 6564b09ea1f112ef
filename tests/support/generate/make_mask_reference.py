"""Writes tests/support/golden/mask_reference.lua: results, losses and gradients of models whose rows end early, by
formulas that compute only the steps that count, row by row in float64, with gradients by PyTorch's autograd.

    python3 tests/support/generate/make_mask_reference.py > tests/support/golden/mask_reference.lua
"""
import torch

torch.set_default_dtype(torch.float64)
IDS = [[1, 4, 2, 0, 0], [3, 3, 1, 5, 2], [5, 0, 2, 0, 0]]
LABELS = [[1, 2, 3, 1, 1], [4, 1, 2, 2, 3], [2, 1, 4, 3, 3]]
WEIGHTS = [0.5, 2.0, 1.0]
STEPS, FEATURES, UNITS, CLASSES = 5, 4, 3, 4


def noise(seed, shape):
    count = 1
    for size in shape:
        count *= size
    values = [((i * 7919 + seed * 104729) * (i + 31) % 16777213) / 8388606.5 - 1 for i in range(count)]
    return torch.tensor(values).reshape(shape).requires_grad_()


def lua(tensor):
    return "{ " + ", ".join(f"{v:.9g}" for v in torch.as_tensor(tensor).detach().reshape(-1).tolist()) + " }"


def counting():
    """The places of the steps that count."""
    return [(row, step) for row, ids in enumerate(IDS) for step in range(STEPS) if ids[step] != 0]


def look_up(table, row):
    return [table[i - 1] if i else torch.zeros(FEATURES) for i in IDS[row]]


def lstm(kernel, recurrent, bias, sequence, counts):
    """The output of each step: of one that does not count, what there was before it."""
    h, c, outputs = torch.zeros(UNITS), torch.zeros(UNITS), []
    for x, here in zip(sequence, counts):
        if here:
            z = x @ kernel + h @ recurrent + bias
            i, f, g, o = (z[k * UNITS:(k + 1) * UNITS] for k in range(4))
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        outputs.append(h)
    return outputs


def tagger():
    """Embedding, LSTM, Dense with softmax; the loss is the mean over the steps that count."""
    shapes = [(5, FEATURES), (FEATURES, 4 * UNITS), (UNITS, 4 * UNITS), (4 * UNITS,), (UNITS, CLASSES), (CLASSES,)]
    w = [noise(10 + k, shape) for k, shape in enumerate(shapes)]
    gives = torch.stack([
        torch.stack(lstm(w[1], w[2], w[3], look_up(w[0], row), [i != 0 for i in IDS[row]])) for row in range(len(IDS))])
    gives = torch.softmax(gives @ w[4] + w[5], -1)
    losses = [-torch.log(gives[row, step, LABELS[row][step] - 1]) for row, step in counting()]
    right = [float(gives[row, step].argmax() == LABELS[row][step] - 1) for row, step in counting()]
    weights = [WEIGHTS[row] for row, _ in counting()]
    loss = sum(losses) / len(losses)
    weighted = sum(x * y for x, y in zip(losses, weights)) / len(losses)
    write("tagger", gives, loss, torch.autograd.grad(loss, w, retain_graph=True),
          weighted=weighted.item(), accuracy=sum(right) / len(right),
          weighted_accuracy=sum(x * y for x, y in zip(right, weights)) / sum(weights))


def attention():
    """Embedding, attention in one head, a batch norm of the rows that count, Dense; the mean square of the steps that count."""
    size = 3
    shapes = [(5, FEATURES), (FEATURES, 1, size), (1, size), (FEATURES, 1, size), (1, size), (FEATURES, 1, size), (1, size),
              (1, size, FEATURES), (FEATURES,), (FEATURES,), (FEATURES,), (FEATURES, 1), (1,)]
    w = [noise(30 + k, shape) for k, shape in enumerate(shapes)]
    rows = []
    for row, ids in enumerate(IDS):
        x = torch.stack(look_up(w[0], row))
        q, k, v = (x @ w[at][:, 0, :] + w[at + 1][0] for at in (1, 3, 5))
        known = [step for step in range(STEPS) if ids[step] != 0]
        out = []
        for step in range(STEPS):
            # Where a step that does not count looks is of no account: everywhere alike.
            if ids[step] == 0:
                out.append(v.mean(0))
            else:
                share = torch.softmax(torch.stack([q[step] @ k[s] for s in known]) / size ** 0.5, 0)
                out.append(sum(share[i] * v[s] for i, s in enumerate(known)))
        rows.append(torch.stack(out) @ w[7][0] + w[8])
    y = torch.stack(rows)
    seen = torch.stack([y[row, step] for row, step in counting()])
    mean, variance = seen.mean(0), seen.var(0, unbiased=False)
    gives = ((y - mean) / torch.sqrt(variance + 1e-3) * w[9] + w[10]) @ w[11] + w[12]
    wanted = noise(60, (len(IDS), STEPS, 1)).detach()
    losses = [((gives[row, step] - wanted[row, step]) ** 2).mean() for row, step in counting()]
    loss = sum(losses) / len(losses)
    write("attention", gives, loss, torch.autograd.grad(loss, w), moving_mean=mean * 0.01)


def write(name, gives, loss, gradients, **more):
    print(f"  {name} = {{\n    gives = {lua(gives)}, loss = {loss.item():.9g},")
    print("    gradients = {", ", ".join(lua(g) for g in gradients), "},")
    for key, value in more.items():
        print(f"    {key} = {lua(value) if isinstance(value, torch.Tensor) else f'{value:.9g}'},")
    print("  },")


print("-- Made by tests/support/generate/make_mask_reference.py: do not edit.\nreturn {")
tagger()
attention()
print("}")
