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
end
