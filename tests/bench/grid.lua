-- The workloads of `scripts/dev bench grid`: every op that PyTorch or NumPy has too, at the sizes below, in float32.
-- An entry {name, inputs, lutra, numpy, torch, onnx, ...}: the names of its inputs, and the code that leaves its result in r.
--   setup    {lutra, numpy, torch}: runs before, once
--   check    {lutra, numpy, torch}: an expression, made once: what is compared of r, from 0 on where r counts from 1
--   read, write   bytes that an element costs at least: the machine's bandwidth beside the result
--   onednn   a product of matrices as grid_product.cpp reads it: what oneDNN reaches by itself
--   flops    operations of one run: the machine's peak beside the result
--   tolerance     of the comparison, relative; 1e-5 by default
--   random   {mean, variance} that the result must have; "shuffled": only sums are compared
--   class    "shapes", "conv" or "factorisations": measured once, not at every size
-- In code $N is the number of elements, $R x $C a matrix of as many, $D an eighth of $C, $S x $S a square one, $IMAGE
-- four axes. An input's code may name those before it; PyTorch gets NumPy's.
-- Inputs are the same bits everywhere: remainders scaled by powers of two.
local grid = {entries = {}}

grid.sizes = {
  {name = "1e3", N = 1000, R = 25, C = 40, D = 5, S = 31, IMAGE = "1, 8, 8, 16"},
  {name = "1e5", N = 100000, R = 250, C = 400, D = 50, S = 316, IMAGE = "2, 56, 56, 16"},
  {name = "1e7", N = 10000000, R = 2500, C = 4000, D = 500, S = 3162, IMAGE = "8, 140, 140, 64"},
}

-- {name, Lutra's code, NumPy's code}
grid.inputs = {
  {"h", "(lt.range($N, {dtype = 'int64'}) * 7368787 % 16777213) ^ 2 % 16777213",
    "(np.arange($N, dtype=np.int64) * 7368787 % 16777213) ** 2 % 16777213"},
  {"g", "(lt.range($N, {dtype = 'int64'}) * 9875321 % 16777213) ^ 2 % 16777213",
    "(np.arange($N, dtype=np.int64) * 9875321 % 16777213) ** 2 % 16777213"},
  {"x", "h:float32() * 2.0^-22 - 2", "h.astype(np.float32) * np.float32(2.0**-22) - np.float32(2)"},
  {"y", "g:float32() * 2.0^-22 - 2", "g.astype(np.float32) * np.float32(2.0**-22) - np.float32(2)"},
  {"p", "(h + 1):float32() * 2.0^-22", "(h + 1).astype(np.float32) * np.float32(2.0**-22)"},
  {"q", "(g + 1):float32() * 2.0^-22", "(g + 1).astype(np.float32) * np.float32(2.0**-22)"},
  {"chance", "(h + 1):float32() * 2.0^-24", "(h + 1).astype(np.float32) * np.float32(2.0**-24)"},
  {"unit", "h:float32() * 2.0^-23 - 1", "h.astype(np.float32) * np.float32(2.0**-23) - np.float32(1)"},
  {"wide", "x * 64", "x * np.float32(64)"},
  {"near1", "x * 2.0^-12 + 1", "x * np.float32(2.0**-12) + np.float32(1)"},
  {"b", "x:gt(0)", "x > 0"},
  {"c", "y:gt(0)", "y > 0"},
  {"never", "x:gt(9)", "x > 9"},
  {"always", "x:lt(9)", "x < 9"},
  {"i", "h % 1000 - 500", "h % 1000 - 500"},
  {"j", "g % 1000 + 1", "g % 1000 + 1"},
  {"few", "g % 8", "g % 8"},
  {"ten", "g[{{1, $N // 10}}] % 10 + 1", "g[:$N // 10] % 10"},
  {"at", "g % $N + 1", "g % $N"},
  {"m", "x:reshape {$R, $C}", "x.reshape($R, $C)"},
  {"o", "y:reshape {$R, $C}", "y.reshape($R, $C)"},
  {"pm", "p:reshape {$R, $C}", "p.reshape($R, $C)"},
  {"share", "pm / pm:sum(2, {keepdims = true})", "pm / pm.sum(1, keepdims=True)"},
  {"cube", "x:reshape {$R, $D, 8}", "x.reshape($R, $D, 8)"},
  {"row", "y[{{1, $C}}]", "y[:$C].copy()"},
  {"column", "y[{{1, $R}}]:reshape {$R, 1}", "y[:$R].reshape($R, 1).copy()"},
  {"left", "y[{{1, $R}}]", "y[:$R].copy()"},
  {"scale", "p[{{1, $C}}]", "p[:$C].copy()"},
  {"rows", "g[{{1, $R}}] % $R + 1", "g[:$R] % $R"},
  {"classes", "g[{{1, $R}}] % $C + 1", "g[:$R] % $C"},
  {"places", "(g % $C + 1):reshape {$R, $C}", "(g % $C).reshape($R, $C)"},
  {"pairs", "lt.stack({h % $R + 1, g % $C + 1}, 2)", "np.stack([h % $R, g % $C], 1)"},
  {"ordered", "lt.sort(x)", "np.sort(x)"},
  {"diagonal", "x[{{1, $S}}]", "x[:$S].copy()"},
  {"square", "x[{{1, $S * $S}}]:reshape {$S, $S}", "x[:$S * $S].reshape($S, $S).copy()"},
  {"image", "lt.tile(x, 2)[{{1, lt.zeros({$IMAGE}).size}}]:reshape {$IMAGE}",
    "np.tile(x, 2)[:np.prod(($IMAGE,))].reshape($IMAGE)"},
}

local function add(entry) table.insert(grid.entries, entry) end

-- name: as Lutra calls it; code for the others where theirs is another.
local function unary(name, input, torch, numpy, options)
  local entry = {
    name = name, inputs = input, read = 4, write = 4, lutra = ("r = lt.%s(%s)"):format(name, input),
    torch = "r = " .. (torch or ("torch.%s(%s)"):format(name, input)),
    numpy = numpy ~= false and "r = " .. (numpy or ("np.%s(%s)"):format(name, input)) or nil,
  }
  for key, value in pairs(options or {}) do entry[key] = value end
  add(entry)
end

local function binary(name, inputs, torch, numpy, options)
  local a, b = inputs:match("(%S+) (%S+)")
  local entry = {
    name = name, inputs = inputs, read = 8, write = 4, lutra = ("r = lt.%s(%s, %s)"):format(name, a, b),
    torch = "r = " .. (torch or ("torch.%s(%s, %s)"):format(name, a, b)),
    numpy = "r = " .. (numpy or ("np.%s(%s, %s)"):format(name, a, b)),
  }
  for key, value in pairs(options or {}) do entry[key] = value end
  add(entry)
end

-- Create ----------------------------------------------------------------------------------------------------------

local function create(name, lutra, torch, numpy, options)
  local entry = {
    name = name, lutra = "r = " .. lutra, torch = torch and "r = " .. torch, numpy = numpy and "r = " .. numpy,
  }
  for key, value in pairs(options or {}) do entry[key] = value end
  add(entry)
end

create("zeros", "lt.zeros {$N}", "torch.zeros($N)", "np.zeros($N, np.float32)", {write = 4})
create("ones", "lt.ones {$N}", "torch.ones($N)", "np.ones($N, np.float32)", {write = 4})
create("fill", "lt.fill({$N}, 1.5)", "torch.full(($N,), 1.5)", "np.full($N, 1.5, np.float32)", {write = 4})
create("zeros_like", "lt.zeros_like(x)", "torch.zeros_like(x)", "np.zeros_like(x)", {write = 4, inputs = "x"})
create("ones_like", "lt.ones_like(x)", "torch.ones_like(x)", "np.ones_like(x)", {write = 4, inputs = "x"})
create("eye", "lt.eye($S)", "torch.eye($S)", "np.eye($S, dtype=np.float32)", {write = 4})
create("range", "lt.range($N)", "torch.arange($N, dtype=torch.int32)", "np.arange($N, dtype=np.int32)", {write = 4})
create("linspace", "lt.linspace(-1, 1, $N)", "torch.linspace(-1, 1, $N)", "np.linspace(-1, 1, $N, dtype=np.float32)",
  {write = 4})
create("one_hot", "lt.one_hot(ten, 10)", "F.one_hot(ten, 10)", nil, {write = 4, inputs = "ten"})

-- Random ----------------------------------------------------------------------------------------------------------

create("random.normal", "lt.random.normal {$N}", "torch.randn($N)", "rng.standard_normal($N, np.float32)",
  {write = 4, random = {0, 1}})
create("random.uniform", "lt.random.uniform {$N}", "torch.rand($N)", "rng.random($N, np.float32)",
  {write = 4, random = {0.5, 1 / 12}})
create("random.truncated_normal", "lt.random.truncated_normal {$N}",
  "torch.nn.init.trunc_normal_(torch.empty($N), 0, 1, -2, 2)", nil, {write = 4, random = {0, 0.7737}})
create("random.bernoulli", "lt.random.bernoulli({$N}, 0.3)", "torch.empty($N).bernoulli_(0.3)", nil,
  {write = 4, random = {0.3, 0.21}})
create("random.randint", "lt.random.randint({$N}, 1, 6)", "torch.randint(1, 7, ($N,))", "rng.integers(1, 7, $N)",
  {write = 8, random = {3.5, 35 / 12}})
create("random.permutation", "lt.random.permutation($N)", "torch.randperm($N)", "rng.permutation($N)",
  {check = {lutra = "r - 1"}, random = "shuffled"})
create("random.shuffle", "lt.random.shuffle(m)", "m[torch.randperm($R)]", "rng.permutation(m)",
  {inputs = "m", read = 4, write = 4, random = "shuffled"})
create("random.categorical", "lt.random.categorical(even, $N)", "torch.multinomial(even, $N, replacement=True)",
  "rng.choice(10, $N)", {random = {4.5, 8.25}, check = {lutra = "r - 1"},
  setup = {lutra = "local even = lt.zeros {10}", torch = "even = torch.ones(10)"}})

-- Unary -----------------------------------------------------------------------------------------------------------

for name in ("abs sign square exp expm1 sin cos tan sinh cosh tanh floor ceil trunc"):gmatch("%S+") do
  unary(name, name:find("floor") and "wide" or name:find("ceil") and "wide" or name == "trunc" and "wide" or "x")
end
unary("neg", "x", nil, "-x")
unary("round", "wide", nil, "np.rint(wide)")
for name in ("sqrt log log1p reciprocal"):gmatch("%S+") do unary(name, "p") end
unary("rsqrt", "p", nil, false)
unary("asin", "unit", nil, "np.arcsin(unit)")
unary("acos", "unit", nil, "np.arccos(unit)")
unary("atan", "x", nil, "np.arctan(x)")
unary("erf", "x", nil, false)
unary("sigmoid", "x", nil, false)
unary("relu", "x", nil, "np.maximum(x, 0)")
unary("relu6", "wide", "F.relu6(wide)", "np.clip(wide, 0, 6)")
unary("leaky_relu", "x", "F.leaky_relu(x, 0.2)", false)
unary("log_sigmoid", "x", "F.logsigmoid(x)", false)
unary("hardswish", "wide", "F.hardswish(wide)", false)
unary("hardsigmoid", "wide", "F.hardsigmoid(wide)", false)
for name in ("elu selu gelu silu softplus softsign mish celu"):gmatch("%S+") do
  unary(name, "x", ("F.%s(x)"):format(name), false)
end
for name in ("isnan isinf isfinite"):gmatch("%S+") do unary(name, "x", nil, nil, {write = 1}) end
unary("logical_not", "b", nil, nil, {read = 1, write = 1})
unary("bitwise_not", "i", nil, nil, {read = 8, write = 8})

-- Binary ----------------------------------------------------------------------------------------------------------

for name in ("add sub mul maximum minimum"):gmatch("%S+") do
  local long = {sub = "subtract", mul = "multiply"}
  binary(name, "x y", nil, ("np.%s(x, y)"):format(long[name] or name))
end
binary("div", "x q", nil, "np.divide(x, q)")
binary("floordiv", "x q", "torch.floor_divide(x, q)", "np.floor_divide(x, q)")
binary("mod", "x q", "torch.remainder(x, q)", "np.mod(x, q)", {tolerance = 1e-4})
binary("pow", "p y", nil, "np.power(p, y)")
binary("atan2", "x y", nil, "np.arctan2(x, y)")
binary("xlogy", "x p", "torch.special.xlogy(x, p)", "x * np.log(p)")
binary("squared_difference", "x y", "F.mse_loss(x, y, reduction='none')", "np.square(x - y)")
for short, long in ("eq:equal ne:not_equal lt:less le:less_equal gt:greater ge:greater_equal"):gmatch("(%w+):(%S+)") do
  binary(short, "x y", nil, ("np.%s(x, y)"):format(long), {write = 1})
end
for name in ("and or xor"):gmatch("%S+") do
  binary("logical_" .. name, "b c", nil, nil, {read = 2, write = 1})
  binary("bitwise_" .. name, "i j", nil, nil, {read = 16, write = 8})
end
binary("left_shift", "i few", "torch.bitwise_left_shift(i, few)", nil, {read = 16, write = 8})
binary("right_shift", "i few", "torch.bitwise_right_shift(i, few)", nil, {read = 16, write = 8})
create("add number", "x + 1.5", "x + 1.5", "x + 1.5", {inputs = "x", read = 4, write = 4})
create("pow number", "x ^ 2", "x ** 2", "x ** 2", {inputs = "x", read = 4, write = 4})
create("add row", "m + row", "m + row", "m + row", {inputs = "m row", read = 4, write = 4})
create("add column", "m + column", "m + column", "m + column", {inputs = "m column", read = 4, write = 4})
create("mul row", "m * row", "m * row", "m * row", {inputs = "m row", read = 4, write = 4})
create("mul column", "m * column", "m * column", "m * column", {inputs = "m column", read = 4, write = 4})

-- Select ----------------------------------------------------------------------------------------------------------

create("where", "lt.where(b, x, y)", "torch.where(b, x, y)", "np.where(b, x, y)",
  {inputs = "b x y", read = 9, write = 4})
create("clip", "lt.clip(x, -1, 1)", "torch.clamp(x, -1, 1)", "np.clip(x, -1, 1)", {inputs = "x", read = 4, write = 4})
create("cast int32", "lt.cast(wide, 'int32')", "wide.to(torch.int32)", "wide.astype(np.int32)",
  {inputs = "wide", read = 4, write = 4})
create("cast float64", "lt.cast(x, 'float64')", "x.to(torch.float64)", "x.astype(np.float64)",
  {inputs = "x", read = 4, write = 8})
create("cast bfloat16", "lt.cast(x, 'bfloat16')", "x.to(torch.bfloat16)", nil,
  {inputs = "x", read = 4, write = 2, check = {torch = "r.float()"}})
create("cast bool float32", "lt.cast(b, 'float32')", "b.to(torch.float32)", "b.astype(np.float32)",
  {inputs = "b", read = 1, write = 4})
create("add_n", "lt.add_n {x, y, p}", "x + y + p", "x + y + p", {inputs = "x y p", read = 12, write = 4})
create("identity", "lt.identity(x)", "x.view_as(x)", "x.view()", {inputs = "x"})

-- Reduce ----------------------------------------------------------------------------------------------------------

-- Over all elements, over each row, over each column. In the peers' code X is the input and A the axis.
local function reduce(name, all, matrix, torch, numpy, options)
  for _, way in ipairs {{"", all, "", ""}, {" rows", matrix, ", 2", ", 1"}, {" columns", matrix, ", 1", ", 0"}} do
    local title, input, ours, theirs = table.unpack(way)
    local entry = {
      name = name .. title, inputs = input, lutra = ("r = lt.%s(%s%s)"):format(name, input, ours),
      torch = "r = " .. torch:gsub("X", input):gsub("A", theirs), read = 4,
      numpy = "r = " .. numpy:gsub("X", input):gsub("A", theirs),
    }
    for key, value in pairs(options or {}) do entry[key] = value end
    add(entry)
  end
end

reduce("sum", "p", "pm", "torch.sum(XA)", "np.sum(XA)")
reduce("mean", "p", "pm", "torch.mean(XA)", "np.mean(XA)")
reduce("max", "x", "m", "torch.amax(XA)", "np.max(XA)")
reduce("min", "x", "m", "torch.amin(XA)", "np.min(XA)")
reduce("argmax", "x", "m", "torch.argmax(XA)", "np.argmax(XA)", {check = {lutra = "r - 1"}})
reduce("argmin", "x", "m", "torch.argmin(XA)", "np.argmin(XA)", {check = {lutra = "r - 1"}})
local near1_as_matrix = {
  lutra = "local a = near1:reshape {$R, $C}", torch = "a = near1.reshape($R, $C)", numpy = "a = near1.reshape($R, $C)",
}
add {name = "prod", inputs = "near1", lutra = "r = lt.prod(near1)", torch = "r = torch.prod(near1)",
  numpy = "r = np.prod(near1)", read = 4, tolerance = 1e-2}
add {name = "prod rows", inputs = "near1", lutra = "r = lt.prod(a, 2)", torch = "r = torch.prod(a, 1)",
  numpy = "r = np.prod(a, 1)", read = 4, tolerance = 1e-3,
  setup = near1_as_matrix}
create("any", "lt.any(never)", "torch.any(never)", "np.any(never)", {inputs = "never", read = 1})
create("all", "lt.all(always)", "torch.all(always)", "np.all(always)", {inputs = "always", read = 1})
add {name = "logsumexp", inputs = "x", lutra = "r = lt.logsumexp(x)", torch = "r = torch.logsumexp(x, 0)", read = 4}
add {name = "logsumexp rows", inputs = "m", lutra = "r = lt.logsumexp(m, 2)", torch = "r = torch.logsumexp(m, 1)",
  read = 4}
add {name = "var", inputs = "x", lutra = "r = lt.var(x)", torch = "r = torch.var(x, correction=0)",
  numpy = "r = np.var(x)", read = 4}
add {name = "var rows", inputs = "m", lutra = "r = lt.var(m, 2)", torch = "r = torch.var(m, 1, correction=0)",
  numpy = "r = np.var(m, 1)", read = 4}
add {name = "std", inputs = "x", lutra = "r = lt.std(x)", torch = "r = torch.std(x, correction=0)",
  numpy = "r = np.std(x)", read = 4}
add {name = "std columns", inputs = "m", lutra = "r = lt.std(m, 1)", torch = "r = torch.std(m, 0, correction=0)",
  numpy = "r = np.std(m, 0)", read = 4}
-- Of 1e7 elements, exactly 3651.76453426: Lutra gives the nearest float32, the others, which add in float32, are
-- 2.4e-4 and 3.2e-5 off. So is a dot of as many: 40000060.575, of which they miss 7.9e-5 and 2.2e-5.
add {name = "norm", inputs = "x", lutra = "r = lt.norm(x)", torch = "r = torch.linalg.vector_norm(x)",
  numpy = "r = np.linalg.norm(x)", read = 4, tolerance = 1e-3}
add {name = "norm rows", inputs = "m", lutra = "r = lt.norm(m, 2)", torch = "r = torch.linalg.vector_norm(m, dim=1)",
  numpy = "r = np.linalg.norm(m, axis=1)", read = 4}
for _, name in ipairs {"cumsum", "cumprod"} do
  local flat, matrix = name == "cumsum" and "x" or "near1", name == "cumsum" and "m" or "a"
  local setup = name == "cumprod" and near1_as_matrix or nil
  local from = name == "cumsum" and "m" or "near1"
  add {name = name, inputs = flat, lutra = ("r = lt.%s(%s)"):format(name, flat), read = 4, write = 4, tolerance = 1e-2,
    torch = ("r = torch.%s(%s, 0)"):format(name, flat), numpy = ("r = np.%s(%s)"):format(name, flat)}
  for _, way in ipairs {{" rows", 2, 1}, {" columns", 1, 0}} do
    add {name = name .. way[1], inputs = from, setup = setup, read = 4, write = 4, tolerance = 1e-3,
      lutra = ("r = lt.%s(%s, %d)"):format(name, matrix, way[2]),
      torch = ("r = torch.%s(%s, %d)"):format(name, matrix, way[3]),
      numpy = ("r = np.%s(%s, %d)"):format(name, matrix, way[3])}
  end
end

dofile("tests/bench/grid_arrays.lua")(add)
dofile("tests/bench/grid_composed.lua")(add)
dofile("tests/bench/grid_shapes.lua")(add)
dofile("tests/bench/grid_conv.lua")(add)
dofile("tests/bench/grid_functions.lua")(add)
dofile("tests/bench/grid_elements.lua")(add)
dofile("tests/bench/grid_transforms.lua")(add)
return grid
