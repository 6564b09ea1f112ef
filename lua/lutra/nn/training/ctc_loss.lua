-- The loss of sequences whose labels have no places (Graves et al., ICML 2006), as keras.losses.CTC. Loaded when named.
local lutra, tools, use = ...
local losses = use "nn.training.losses"

-- Class numbers count from 1, and class 1 is the blank, as in lutra.ctc_loss; labels 0 and 1 at a row's end are padding.
local kBlank = 1

losses.define("CTC", { "ctc" }, {}, function(_, y_true, y_pred)
  if y_true.rank ~= 2 or y_pred.rank ~= 3 then
    tools.fail("InvalidArgument", ("ctc: labels %s and predictions %s do not match: expected (rows, most labels) and (rows, steps, "
      .. "classes)"):format(tostring(y_true.shape), tostring(y_pred.shape)))
  end
  local labels = lutra.cast(y_true, "int64")
  local steps = lutra.fill({ y_pred.shape[1] }, y_pred.shape[2], { dtype = "int64" })
  return lutra.ctc_loss(labels, y_pred, lutra.cast(labels:gt(kBlank), "int64"):sum(2), steps, { blank_index = kBlank })
end)
-- ctc_loss reads lengths, which a recorded step cannot.
losses.public.CTC.never_replayed = true

return losses.public
