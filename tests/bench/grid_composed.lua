-- The part of grid.lua with ops that are composed of others. Torch's median of an even number is the lower of the middle
-- two: quantile gives their mean.
return function(add)
  local function row(name, inputs, lutra, torch, numpy, options)
    local entry = {name = name, inputs = inputs, lutra = "r = " .. lutra, torch = torch and "r = " .. torch,
      numpy = numpy and "r = " .. numpy}
    for key, value in pairs(options or {}) do entry[key] = value end
    add(entry)
  end

  local one, two = {read = 4, write = 4}, {read = 8, write = 4}
  row("hypot", "x y", "lt.hypot(x, y)", "torch.hypot(x, y)", "np.hypot(x, y)", two)
  row("logaddexp", "x y", "lt.logaddexp(x, y)", "torch.logaddexp(x, y)", "np.logaddexp(x, y)", two)
  row("isclose", "x y", "lt.isclose(x, y)", "torch.isclose(x, y)", "np.isclose(x, y)", {read = 8, write = 1})
  row("logit", "chance", "lt.logit(chance)", "torch.logit(chance)", nil, one)
  row("nan_to_num", "x", "lt.nan_to_num(x)", "torch.nan_to_num(x)", "np.nan_to_num(x)", one)
  row("diff", "m", "lt.diff(m)", "torch.diff(m)", "np.diff(m)", one)
  row("l2_normalize rows", "m", "lt.l2_normalize(m, 2)", "F.normalize(m, dim=1)", nil, one)
  row("cosine_similarity rows", "m o", "lt.cosine_similarity(m, o, 2)", "F.cosine_similarity(m, o, dim=1)", nil, {read = 8})
  row("nansum", "p", "lt.nansum(p)", "torch.nansum(p)", "np.nansum(p)", {read = 4})
  row("nanmean rows", "m", "lt.nanmean(m, 2)", "torch.nanmean(m, 1)", "np.nanmean(m, 1)", {read = 4})
  row("nanstd rows", "m", "lt.nanstd(m, 2)", nil, "np.nanstd(m, 1)", {read = 4})
  row("median", "x", "lt.median(x)", nil, "np.median(x)", {read = 4})
  row("median rows", "m", "lt.median(m, 2)", "torch.quantile(m, 0.5, dim=1)", "np.median(m, 1)", {read = 4})

  row("erfc", "x", "lt.erfc(x)", "torch.erfc(x)", nil, one)
  row("erfinv", "chance", "lt.erfinv(chance)", "torch.erfinv(chance)", nil, one)
  row("lgamma", "p", "lt.lgamma(p)", "torch.lgamma(p)", nil, one)
  row("digamma", "p", "lt.digamma(p)", "torch.digamma(p)", nil, {read = 4, write = 4, tolerance = 1e-4})
  row("polygamma 1", "p", "lt.polygamma(1, p)", "torch.polygamma(1, p)", nil, {read = 4, write = 4, tolerance = 1e-4})
  row("gradient", "m", "lt.gradient(m)", "torch.gradient(m, dim=1)[0]", "np.gradient(m, axis=1)", one)
  row("convolve with 9", "x y", "lt.convolve(x, y[{{1, 9}}])",
    "F.conv1d(x.view(1, 1, -1), y[:9].flip(0).view(1, 1, -1), padding=8).view(-1)", "np.convolve(x, y[:9])",
    {read = 4, write = 4, tolerance = 1e-4})
  row("cummax rows", "m", "lt.cummax(m, 2)", "torch.cummax(m, 1)[0]", "np.maximum.accumulate(m, 1)", one)
  row("cummax columns", "m", "lt.cummax(m, 1)", "torch.cummax(m, 0)[0]", "np.maximum.accumulate(m, 0)", one)
  row("kthvalue rows", "m", "lt.kthvalue(m, 3, 2)", "torch.kthvalue(m, 3, 1)[0]", "np.partition(m, 2, 1)[:, 2]", {read = 4})
  row("mode rows", "places", "lt.mode(places, 2)", "torch.mode(places, 1)[0]", nil, {read = 8, check = {lutra = "r - 1"}})
  row("bincount with weights", "j p", "lt.bincount(j, p)", "torch.bincount(j, p)[1:]", "np.bincount(j, p)[1:]",
    {read = 12, tolerance = 1e-3})
  row("random.exponential", nil, "lt.random.exponential {$N}", "torch.empty($N).exponential_()",
    "rng.standard_exponential($N, np.float32)", {write = 4, random = {1, 1}})
  row("random.gamma", nil, "lt.random.gamma({$N}, 2.5)", "torch._standard_gamma(torch.full(($N,), 2.5))",
    "rng.standard_gamma(2.5, $N, np.float32)", {write = 4, random = {2.5, 2.5}})
  row("random.poisson", nil, "lt.random.poisson({$N}, 20.0)", "torch.poisson(torch.full(($N,), 20.0))", "rng.poisson(20, $N)",
    {write = 8, random = {20, 20}})
end
