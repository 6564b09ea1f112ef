-- Topics of lutra.help for rules that belong to no single function: {name, text of at most 96 columns, synonyms}.
return {
  { "arguments", [[
Every operation is a function, lt.sum(x, 1). If its first argument is a tensor, it is also a
method, x:sum(1). Required arguments are positional; options go into one table at the end:
    lt.sum(x, 2, {keepdims = true})
    lt.random.normal({2, 3}, {stddev = 0.1, seed = 7})
A single argument that is a table or a string needs no parentheses: lt.zeros{2, 3}. Options are
always a separate table: lt.zeros({2, 3}, {dtype = "int32"}).]], "options calls methods" },
  { "axes", [[
Axes count from 1, and -1 is the last: NumPy's axis=0 is 1 here. Pass an axis as an argument or
as an option: x:sum(1), x:sum{1, 2} for two axes, lt.sum(x, {axis = 1}). Without an axis the
operation covers all elements. There are at most 8 axes. x.shape[-1] is the size of the last axis,
#x of the first.]], "axis dim dims indices" },
  { "broadcasting", [[
As in NumPy: shapes are compared from the last axis backwards; sizes must be equal or 1, and a
missing axis counts as 1. (3, 1) and (4,) give (3, 4). Only add_n does not broadcast.]], "broadcast" },
  { "devices", [[
Operations run on the first GPU that has a kernel for them, else on the CPU; a scope overrides this:
    local y = lt.device("/GPU:1", lt.matmul, a, b)
    do local _ <close> = lt.device("/CPU:0") ... end
lt.config.list_logical_devices() lists the devices, x.device is where a tensor is, x:to("CPU:0")
copies it, lt.debugging.set_log_device_placement(true) prints each choice. lutra --sim-gpus 2
simulates two GPUs on any machine. More: help("device"), help("config"), docs/placement.md.]], "gpu gpus cpu placement cuda" },
  { "dtypes", [[
float32 float64 float16 bfloat16 int8 uint8 int16 int32 int64 bool, as strings: x.dtype,
lt.zeros({2}, {dtype = "int64"}), x:cast("float64") or x:float64(). lt.int64 is the string "int64".
A table of integers gives int32 (int64 when one does not fit), any float in it float32, booleans
bool. Two dtypes promote to the wider one: bool < integers < floats. A Lua number takes the tensor's
dtype, but a float with an integer tensor gives float32. / gives float32 for integers, // floors.]], "dtype casting promotion types" },
  { "errors", [[
Lutra's errors are objects: err.code ("InvalidArgument", "NotFound", ...), err.message,
err.traceback; tostring(err) begins with the script line.
    local ok, err = pcall(lt.matmul, a, b)
    if lt.iserror(err, "InvalidArgument") then print(err.message) end]], "exceptions pcall" },
  { "files", [[
lt.save(path, x) and lt.load(path) choose the format by the extension: .npy .csv .png .idx hold one
tensor, .npz and .safetensors tensors by name: lt.save("w.npz", {w = x, b = y}). For a csv whose
first line names the columns: lt.load(path, {header = true}). More: docs/files.md.]], "npy npz safetensors io" },
  { "gradients", [[
    local w = lt.Variable(lt.random.normal {3, 1})
    local tape <close> = lt.GradientTape()
    local loss = (x:matmul(w) - y):square():mean()
    w:assign_sub(0.1 * tape:gradient(loss, w))
Variables are watched automatically, tensors with tape:watch(x). More: help("GradientTape"),
docs/gradients.md.]], "autograd backpropagation backward differentiation" },
  { "indexing", [[
Indices count from 1, and -1 is the last.
    x[1]  x[-1]               drops the first axis: always a tensor; x[1]:item() is a number
    x[{2, 3}]                 one element of a matrix, as a scalar tensor
    x[{ {1, 2}, {}, -1 }]     {first, last[, step]} keeps a range, both ends included; {} keeps all
    x[mask]  x[indices]       bool or integer tensors, along the first axis
    x[{ {{3, 1}}, "..." }]    entries: lists of indices, index tensors, masks, lt.newaxis, "..."
Tensors never change; v[{...}] = y assigns a part of a Variable, index_put(x, {...}, y) gives a new
tensor, where(mask, a, b) selects. More: docs/indexing.md.]], "slicing slice slices index masks mask" },
  { "printing", [[
print(x) shows a tensor as NumPy does, with shape and dtype, abbreviated above 1000 elements
(lt.set_print_options). x:item() is the number in a one-element tensor, x:totable() gives nested
tables. Lists of tensors are plain tables, so print shows only their address; the prompt shows their
entries, as does for i, t in ipairs(list) do print(i, t) end.]], "print" },
  { "training", [[
    local model = lt.nn.Sequential { lt.nn.Dense(16, {activation = "relu"}), lt.nn.Dense(1) }
    model:compile { optimizer = "adam", loss = "mse" }
    model:fit(x, y, {epochs = 10, batch_size = 32})
Names and defaults are Keras 3's. More: help("nn"), help("optim"), docs/training.md.]], "keras fit models" },
}
