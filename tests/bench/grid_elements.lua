-- The part of grid.lua with functions of elements and rows that are written in Lua with ops (lua/lutra/functions).
return function(add)
  local function row(name, inputs, lutra, torch, numpy, options)
    local entry = {name = name, inputs = inputs, lutra = "r = " .. lutra, torch = torch and "r = " .. torch,
      numpy = numpy and "r = " .. numpy}
    for key, value in pairs(options or {}) do entry[key] = value end
    add(entry)
  end

  local one, two = {read = 4, write = 4}, {read = 8, write = 4}
  row("hardtanh", "x", "lt.hardtanh(x)", "F.hardtanh(x)", nil, one)
  row("hardshrink", "x", "lt.hardshrink(x)", "F.hardshrink(x)", nil, one)
  row("softshrink", "x", "lt.softshrink(x)", "F.softshrink(x)", nil, one)
  row("tanhshrink", "x", "lt.tanhshrink(x)", "F.tanhshrink(x)", nil, one)
  row("threshold", "x", "lt.threshold(x, 0.5, 2)", "F.threshold(x, 0.5, 2)", nil, one)
  row("exp2", "x", "lt.exp2(x)", "torch.exp2(x)", "np.exp2(x)", one)
  row("fmax", "x y", "lt.fmax(x, y)", "torch.fmax(x, y)", "np.fmax(x, y)", two)
  row("fmin", "x y", "lt.fmin(x, y)", "torch.fmin(x, y)", "np.fmin(x, y)", two)
  row("ldexp", "p", "lt.ldexp(p, 3)", "torch.ldexp(p, torch.tensor(3))", "np.ldexp(p, 3)", one)
  row("frexp", "p", "(lt.frexp(p))", "torch.frexp(p)[0]", "np.frexp(p)[0]", {read = 4, write = 8})
  row("gammainc", "p", "lt.gammainc(2.5, p)", "torch.special.gammainc(torch.full_like(p, 2.5), p)", nil, one)
  row("gammaincc", "p", "lt.gammaincc(2.5, p)", "torch.special.gammaincc(torch.full_like(p, 2.5), p)", nil, one)
  row("ptp", "x", "lt.ptp(x)", nil, "np.ptp(x)", {read = 4})
  row("vecdot rows", "m o", "lt.vecdot(m, o)", "torch.linalg.vecdot(m, o)", "np.vecdot(m, o)", {read = 8, tolerance = 1e-3})
  row("pairwise_distance", "m o", "lt.pairwise_distance(m, o)", "F.pairwise_distance(m, o)", nil, {read = 8})
  row("pdist", "m", "lt.pdist(m)", "F.pdist(m)", nil, {read = 4, tolerance = 1e-4})
  row("nancumsum", "x", "lt.nancumsum(x, 1)", nil, "np.nancumsum(x)", {read = 4, write = 4, tolerance = 1e-3})
  row("dstack", "m o", "lt.dstack {m, o}", "torch.dstack([m, o])", "np.dstack([m, o])", two)
  row("embedding_bag rows", "m places", "lt.embedding_bag(places, m:reshape {$C, $R})",
    "F.embedding_bag(places, m.reshape($C, $R))", nil, {read = 8, tolerance = 1e-4})
end
