-- What fit returns: {history = {loss = {one number per epoch}, ...}, epoch = {1, 2, ...}, model, params}.
local lutra, tools, use = ...
local options = use "options"

local History = {}
History.__index, History.__name = History, "lutra.nn.History"

local function require_history(who, self)
  if type(self) ~= "table" or getmetatable(self) ~= History then
    tools.fail("InvalidArgument",
      ("history:%s: called on %s, expected what fit returns: write history:%s()"):format(who,
      tools.what_is(self), who))
  end
end

function History:plot(given)
  require_history("plot", self)
  return use "plot.methods".plot_history(self, given)
end

-- The numbers of the last epoch.
function History:__tostring()
  local words, count = {}, #self.epoch
  for i, name in ipairs(options.sorted_names(self.history)) do
    local list = self.history[name]
    words[i] = ("%s=%.4g"):format(name, list[#list] or 0 / 0)
  end
  return ("lutra.nn.History(%d %s%s%s)"):format(count, count == 1 and "epoch" or "epochs", #words > 0 and ": " or "",
    table.concat(words, ", "))
end

return History
