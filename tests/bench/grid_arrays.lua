-- The part of grid.lua about where elements are and about networks: shape, index, linear algebra, nn.
return function(add)
  -- One expression each for r.
  local function op(name, inputs, lutra, torch, numpy, options)
    local entry = {
      name = name, inputs = inputs, lutra = "r = " .. lutra, torch = torch and "r = " .. torch,
      numpy = numpy and "r = " .. numpy,
    }
    for key, value in pairs(options or {}) do entry[key] = value end
    add(entry)
  end
  local moved = {read = 4, write = 4}
  local doubled = {read = 4, write = 8}

  -- Shape. What the others return as a view and Lutra as a tensor of its own is copied there too.
  op("reshape", "x", "lt.reshape(x, {$R, $C})", "torch.reshape(x, ($R, $C))", "np.reshape(x, ($R, $C))")
  op("flatten", "m", "lt.flatten(m)", "torch.flatten(m)", "m.reshape(-1)")
  op("squeeze", "column", "lt.squeeze(column)", "torch.squeeze(column)", "np.squeeze(column)")
  op("expand_dims", "x", "lt.expand_dims(x, 1)", "torch.unsqueeze(x, 0)", "np.expand_dims(x, 0)")
  op("broadcast_to row", "row", "lt.broadcast_to(row, {$R, $C})", "torch.broadcast_to(row, ($R, $C)).contiguous()",
    "np.broadcast_to(row, ($R, $C)).copy()", {write = 4})
  op("broadcast_to column", "column", "lt.broadcast_to(column, {$R, $C})",
    "torch.broadcast_to(column, ($R, $C)).contiguous()", "np.broadcast_to(column, ($R, $C)).copy()", {write = 4})
  op("transpose", "m", "lt.transpose(m)", "m.t().contiguous()", "np.ascontiguousarray(m.T)", moved)
  op("transpose 213", "cube", "lt.transpose(cube, {2, 1, 3})", "cube.permute(1, 0, 2).contiguous()",
    "np.ascontiguousarray(cube.transpose(1, 0, 2))", moved)
  op("transpose 132", "cube", "lt.transpose(cube, {1, 3, 2})", "cube.permute(0, 2, 1).contiguous()",
    "np.ascontiguousarray(cube.transpose(0, 2, 1))", moved)
  op("transpose 312", "cube", "lt.transpose(cube, {3, 1, 2})", "cube.permute(2, 0, 1).contiguous()",
    "np.ascontiguousarray(cube.transpose(2, 0, 1))", moved)
  op("concat", "m o", "lt.concat({m, o})", "torch.cat((m, o))", "np.concatenate((m, o))", {read = 8, write = 8})
  op("concat columns", "m o", "lt.concat({m, o}, 2)", "torch.cat((m, o), 1)", "np.concatenate((m, o), 1)",
    {read = 8, write = 8})
  op("stack", "m o", "lt.stack {m, o}", "torch.stack((m, o))", "np.stack((m, o))", {read = 8, write = 8})
  op("stack last", "x y", "lt.stack({x, y}, 2)", "torch.stack((x, y), 1)", "np.stack((x, y), 1)", {read = 8, write = 8})
  op("split", "m", "lt.split(m, 5)", "torch.chunk(m, 5)", "np.split(m, 5)",
    {check = {lutra = "lt.concat(r)", torch = "torch.cat(r)", numpy = "np.concatenate(r)"}})
  op("split columns", "m", "lt.split(m, 4, 2)", "[part.contiguous() for part in torch.chunk(m, 4, 1)]",
    "[part.copy() for part in np.split(m, 4, 1)]", {read = 4, write = 4,
    check = {lutra = "lt.concat(r)", torch = "torch.cat(r)", numpy = "np.concatenate(r)"}})
  op("unstack", "m", "lt.unstack(m)", "torch.unbind(m)", "list(m)",
    {check = {lutra = "lt.stack(r)", torch = "torch.stack(r)", numpy = "np.stack(r)"}})
  op("tile", "m", "lt.tile(m, {2, 1})", "torch.tile(m, (2, 1))", "np.tile(m, (2, 1))", doubled)
  op("tile columns", "m", "lt.tile(m, {1, 2})", "torch.tile(m, (1, 2))", "np.tile(m, (1, 2))", doubled)
  op("repeat_interleave", "x", "lt.repeat_interleave(x, 2)", "torch.repeat_interleave(x, 2)", "np.repeat(x, 2)",
    doubled)
  op("repeat_interleave rows", "m", "lt.repeat_interleave(m, 2, 1)", "torch.repeat_interleave(m, 2, 0)",
    "np.repeat(m, 2, 0)", doubled)
  op("pad", "m", "lt.pad(m, {{1, 1}, {1, 1}})", "F.pad(m, (1, 1, 1, 1))", "np.pad(m, 1)", moved)
  op("flip", "x", "lt.flip(x)", "torch.flip(x, (0,))", "np.flip(x).copy()", moved)
  op("flip rows", "m", "lt.flip(m, 1)", "torch.flip(m, (0,))", "np.flip(m, 0).copy()", moved)
  op("roll", "x", "lt.roll(x, 7)", "torch.roll(x, 7)", "np.roll(x, 7)", moved)
  op("roll columns", "m", "lt.roll(m, 3, 2)", "torch.roll(m, 3, 1)", "np.roll(m, 3, 1)", moved)

  -- Index.
  local zero = {lutra = "r - 1"}
  op("gather", "x at", "lt.gather(x, at)", "torch.index_select(x, 0, spots)", "np.take(x, at)",
    {read = 12, write = 4, setup = {torch = "spots = at"}})
  op("gather rows", "m rows", "lt.gather(m, rows)", "torch.index_select(m, 0, rows)", "np.take(m, rows, 0)", moved)
  op("gather_nd", "m pairs", "lt.gather_nd(m, pairs)", "m[pairs[:, 0], pairs[:, 1]]", "m[pairs[:, 0], pairs[:, 1]]",
    {read = 20, write = 4})
  op("scatter_add", "x at y", "lt.scatter_add(x, at, y)", "torch.index_add(x, 0, at, y)", nil,
    {read = 16, write = 4, tolerance = 1e-4})
  op("scatter_add rows", "m rows o", "lt.scatter_add(m, rows, o)", "torch.index_add(m, 0, rows, o)", nil,
    {read = 8, write = 4, tolerance = 1e-4})
  op("take_along_axis", "m places", "lt.take_along_axis(m, places, 2)", "torch.gather(m, 1, places)",
    "np.take_along_axis(m, places, 1)", {read = 12, write = 4})
  op("sort", "x", "lt.sort(x)", "torch.sort(x)", "np.sort(x)", {check = {torch = "r[0]"}})
  op("sort rows", "m", "lt.sort(m)", "torch.sort(m)", "np.sort(m)", {check = {torch = "r[0]"}})
  op("argsort", "x", "lt.argsort(x)", "torch.argsort(x, stable=True)", "np.argsort(x, stable=True)", {check = zero})
  op("argsort rows", "m", "lt.argsort(m)", "torch.argsort(m, stable=True)", "np.argsort(m, stable=True)",
    {check = zero})
  op("top_k", "x", "lt.top_k(x, 10)", "torch.topk(x, 10)", "np.sort(np.partition(x, -10)[-10:])[::-1]",
    {read = 4, check = {torch = "r[0]"}})
  op("top_k rows", "m", "lt.top_k(m, 10)", "torch.topk(m, 10)", nil, {read = 4, check = {torch = "r[0]"}})
  op("unique", "i", "lt.unique(i)", "torch.unique(i, return_inverse=True, return_counts=True)",
    "np.unique(i, return_inverse=True, return_counts=True)", {check = {torch = "r[0]", numpy = "r[0]"}})
  op("nonzero", "b", "lt.nonzero(b)", "torch.nonzero(b)", "np.argwhere(b)", {read = 1, write = 4, check = zero})
  op("searchsorted", "ordered y", "lt.searchsorted(ordered, y)", "torch.searchsorted(ordered, y)",
    "np.searchsorted(ordered, y)", {check = zero})
  op("bincount", "j", "lt.bincount(j)", "torch.bincount(j)", "np.bincount(j)",
    {read = 8, check = {torch = "r[1:]", numpy = "r[1:]"}})

  -- Linear algebra that moves memory; matmul and the like are in grid_shapes.lua.
  op("dot", "p q", "lt.dot(p, q)", "torch.dot(p, q)", "np.dot(p, q)", {read = 8, tolerance = 1e-3})  -- as norm
  op("outer", "left row", "lt.outer(left, row)", "torch.outer(left, row)", "np.outer(left, row)", {write = 4})
  op("matmul vector", "pm scale", "lt.matmul(pm, scale)", "torch.matmul(pm, scale)", "np.matmul(pm, scale)", {read = 4})
  op("einsum", "pm scale", "lt.einsum('ij,j->i', pm, scale)", "torch.einsum('ij,j->i', pm, scale)",
    "np.einsum('ij,j->i', pm, scale)", {read = 4})
  op("diag", "diagonal", "lt.diag(diagonal)", "torch.diag(diagonal)", "np.diag(diagonal)", {write = 4})
  op("trace", "square", "lt.trace(square)", "torch.trace(square)", "np.trace(square)")
  op("triu", "m", "lt.triu(m)", "torch.triu(m)", "np.triu(m)", moved)
  op("tril", "m", "lt.tril(m)", "torch.tril(m)", "np.tril(m)", moved)

  -- Networks. PyTorch's images have the same order in memory as Lutra's (channels last).
  op("softmax", "m", "lt.softmax(m)", "torch.softmax(m, 1)", nil, moved)
  op("softmax columns", "m", "lt.softmax(m, 1)", "torch.softmax(m, 0)", nil, moved)
  op("log_softmax", "m", "lt.log_softmax(m)", "torch.log_softmax(m, 1)", nil, moved)
  op("cross_entropy", "classes m", "lt.cross_entropy(classes, m)", "F.cross_entropy(m, classes, reduction='none')", nil,
    {read = 4})
  op("softmax_cross_entropy", "share m", "lt.softmax_cross_entropy(share, m)",
    "F.cross_entropy(m, share, reduction='none')", nil, {read = 8})
  op("mse", "m o", "lt.mse(m, o)", "F.mse_loss(o, m, reduction='none').mean(1)", "np.square(o - m).mean(1)", {read = 8})
  op("mae", "m o", "lt.mae(m, o)", "F.l1_loss(o, m, reduction='none').mean(1)", "np.abs(o - m).mean(1)", {read = 8})
  op("bias_add", "m row", "lt.bias_add(m, row)", "m + row", "m + row", moved)
  op("batch_norm", "m row scale", "lt.batch_norm(m, row, scale, scale, row)",
    "F.batch_norm(m, row, scale, scale, row, False, 0.1, 1e-3)", nil, moved)
  op("layer_norm", "m row scale", "lt.layer_norm(m, scale, row)", "F.layer_norm(m, ($C,), scale, row, 1e-3)", nil,
    moved)
  op("dropout", "x", "lt.dropout(one, 0.3)", "F.dropout(one, 0.3)", nil, {read = 4, write = 4, random = {1, 3 / 7},
    setup = {lutra = "local one = lt.ones {$N}", torch = "one = torch.ones($N)"}})
  op("embedding", "m rows", "lt.embedding(m, rows)", "F.embedding(rows, m)", "m[rows]", moved)
  local planes = {torch = "planes = image.permute(0, 3, 1, 2)"}
  local back = {torch = "r.permute(0, 2, 3, 1)"}
  op("max_pool2d", "image", "lt.max_pool2d(image, 2)", "F.max_pool2d(planes, 2)", nil,
    {setup = planes, check = back, read = 4, write = 1})
  op("avg_pool2d", "image", "lt.avg_pool2d(image, 2)", "F.avg_pool2d(planes, 2)", nil,
    {setup = planes, check = back, read = 4, write = 1})
end
