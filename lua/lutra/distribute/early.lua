-- Sums of gradients over ranks that begin during the backward pass (src/distribute/early_sums.h). The first step of an
-- optimizer notes the order in which gradients become ready on rank 0; later ones sum in buckets of that order.
local lutra, tools, use = ...
local ranks, sums = use "distribute.ranks", use "distribute.sums"

local early = {}

-- By optimizer: `sums`, for the variables `built_for`; `order`, once it is known; `is_off`, if there is too little to sum.
local known = setmetatable({}, { __mode = "k" })

-- Less than two buckets are not worth a thread.
local kLeastBytes = 2 << 20

local function state_of(optimizer, variables)
  local state = known[optimizer]
  if state and state.built_for == optimizer.built_for then return state end
  local bytes = 0
  for _, variable in ipairs(variables) do bytes = bytes + variable.nbytes end
  state = { built_for = optimizer.built_for, is_off = bytes < kLeastBytes }
  if not state.is_off then state.sums = tools.early_sums() end
  known[optimizer] = state
  return state
end

local Pass = {}
Pass.__index = Pass
function Pass:__close(err) tools.stop_sums(self.state.sums, lutra.iserror(err, "Cancelled")) end

-- To be called before tape:gradient. Returns what totals() is called with after it, to be closed; nil if all sums begin
-- after the backward pass, as they do on all ranks then.
function early.begin(strategy, optimizer, variables, tape, what, equal)
  local far = strategy.ranks
  if not (far and far.overlaps) or strategy.sums_in_gradients or optimizer.gradient_accumulation_steps then return nil end
  local state = state_of(optimizer, variables)
  if state.is_off then return nil end
  local buckets = tools.begin_sums(state.sums, tape, variables, state.order or {}, far.firsts, what, equal, ranks.limit,
    optimizer.shard and optimizer.shard.owners)
  if state.order and buckets == 0 then
    state.is_off = true
    return nil
  end
  return setmetatable({ state = state, what = what, equal = equal, owners = optimizer.shard and optimizer.shard.owners }, Pass)
end

-- All ranks take rank 0's order. It has none if it had no rows.
local function share_order(state)
  local text = ranks.of_chief("the order of gradients", table.concat(tools.order_of_sums(state.sums), " "))
  if text == "" then return end
  local order = {}
  for word in text:gmatch "%d+" do order[#order + 1] = math.tointeger(word) end
  state.order = order
end

-- After the backward pass: the sums of the gradients over all ranks, as sums.totals gives them.
function early.totals(pass, strategy, gradients)
  local state = pass.state
  if not state.order then
    local totals = sums.totals(strategy, gradients, "sum", pass.what, pass.equal, pass.owners)
    share_order(state)
    return totals
  end
  local list = gradients[1]
  local places, rest, owners = {}, {}, pass.owners and {}
  local totals = tools.finish_sums(state.sums, #list, places)
  for i, k in ipairs(places) do
    rest[i] = list[k]
    if owners then owners[i] = pass.owners[k] end
  end
  if #places > 0 then
    local others = sums.totals(strategy, { rest }, "sum", pass.what, pass.equal, owners)[1]
    for i, k in ipairs(places) do totals[k] = others[i] end
  end
  return { totals }
end

return early
