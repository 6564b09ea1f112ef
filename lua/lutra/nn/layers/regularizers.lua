-- Penalties on large weights, added to the loss: functions from a weight to a scalar, with Keras 3's names and
-- defaults.
local lutra, tools, use = ...
local options, class = use "options", use "class"

local regularizers, by_name = {}, {}

local kModes = { rows = true, columns = true }

local function define(name, words, defaults, cost)
  local Regularizer = class("nn.regularizers." .. name)
  Regularizer.remembers = true
  function Regularizer:init(given)
    for key, value in pairs(options.read("regularizers." .. name, given, defaults)) do
      if key == "mode" then
        options.word("regularizers." .. name, key, value, kModes)
      else
        options.number("regularizers." .. name, key, value, 0)
      end
      self[key] = value
    end
  end
  function Regularizer:__call(weight) return cost(self, weight) end
  regularizers[name] = Regularizer
  for _, word in ipairs(words) do by_name[word] = Regularizer end
end

define("L1", { "l1" }, { l1 = 0.01 }, function(self, weight) return lutra.abs(weight):sum() * self.l1 end)
define("L2", { "l2" }, { l2 = 0.01 }, function(self, weight) return lutra.square(weight):sum() * self.l2 end)
define("L1L2", { "l1_l2" }, { l1 = 0.0, l2 = 0.0 }, function(self, weight)
  return lutra.abs(weight):sum() * self.l1 + lutra.square(weight):sum() * self.l2
end)

-- The mean of |cos| between rows, or columns, times the factor: 0 where they are orthogonal.
define("OrthogonalRegularizer", { "orthogonal_regularizer" }, { factor = 0.01, mode = "rows" }, function(self, weight)
  if weight.rank ~= 2 then
    tools.fail("InvalidArgument", ("regularizers.OrthogonalRegularizer: the weight has the shape %s, expected two axes"):format(
      tostring(weight.shape)))
  end
  local by_rows = self.mode == "rows"
  local rows = lutra.l2_normalize(by_rows and weight or lutra.transpose(weight), 2)
  local n = rows.shape[1]
  local products = lutra.matmul(rows, rows, { transpose_b = true }) * (1 - lutra.eye(n, { dtype = rows.dtype }))
  return lutra.abs(products):sum() * (self.factor / math.max(n * (n - 1), 1))
end)

-- Internal: resolves a layer's option; nil if there is none.
local function get(who, what, value)
  if not value then return nil end
  local found = options.resolve_callable(who, what, value, by_name, "a name, a regularizer or a function of the weight")
  return type(value) == "string" and found() or found
end

return { public = regularizers, get = get }
