-- A check that all ranks have the same weights: a script may have assigned those of one rank alone (set_weights, assign,
-- load), and from then on all ranks would compute something else.
local lutra, tools, use = ...
local ranks, mirrored, below = use "distribute.ranks", use "distribute.mirrored", use "nn.layers.below"

local kMostNamed = 4

-- "rank 1 (host b), rank 3 and 2 more".
local function words_of(list, hosts)
  local words = {}
  for i = 1, math.min(#list, kMostNamed) do
    words[i] = "rank " .. list[i]
    for _, host in ipairs(hosts) do
      if host ~= hosts[1] then
        words[i] = ("rank %d (host %s)"):format(list[i], hosts[list[i] + 1])
        break
      end
    end
  end
  return table.concat(words, ", ") .. (#list > kMostNamed and (" and %d more"):format(#list - kMostNamed) or "")
end

-- Splits the ranks by their checksums of weight k: those that have what most have (of as many: rank 0's), and the others.
local function split(sums, k)
  local lists, most = {}, nil
  for r, text in ipairs(sums) do
    local sum = text:sub(8 * k - 7, 8 * k)
    lists[sum] = lists[sum] or {}
    table.insert(lists[sum], r - 1)
  end
  for r = 1, #sums do
    local list = lists[sums[r]:sub(8 * k - 7, 8 * k)]
    if not most or #list > #most then most = list end
  end
  local is_usual, others = {}, {}
  for _, r in ipairs(most) do is_usual[r] = true end
  for r = 0, #sums - 1 do
    if not is_usual[r] then others[#others + 1] = r end
  end
  return most, others
end

-- A collective, which fails on all ranks if a weight differs. is_cheap: it compares only if a rank has assigned one since
-- the last time.
return function(who, model, is_cheap)
  local variables, paths = below.weights_with_paths(model)
  local names, is_as_before = {}, is_cheap
  for i, variable in ipairs(variables) do
    names[i] = ("%s %s %s"):format(paths[i], variable.dtype, tostring(variable.shape))
    is_as_before = is_as_before and not mirrored.of(variable).is_assigned
  end
  if select(2, ranks.meet("a comparison of the weights before " .. who, table.concat(names, "\n"), is_as_before)) then return end
  local sums, first, count = tools.ranks_gather(tools.checksums(variables)), nil, 0
  for k = 1, #variables do
    for r = 2, #sums do
      if sums[r]:sub(8 * k - 7, 8 * k) ~= sums[1]:sub(8 * k - 7, 8 * k) then
        first, count = first or k, count + 1
        break
      end
    end
  end
  if first then
    local most, others = split(sums, first)
    local _, _, hosts = ranks.start()
    tools.fail("InvalidArgument", ("%s: ranks have different weights: %s %s other values of '%s'%s than %s: set_weights, assign and load "
      .. "must be called with the same values on all ranks"):format(who, words_of(others, hosts), #others == 1 and "has" or "have",
      paths[first], count > 1 and (" and %d other %s"):format(count - 1, count == 2 and "weight" or "weights") or "", words_of(most, hosts)))
  end
  for _, variable in ipairs(variables) do mirrored.of(variable).is_assigned = nil end
end
