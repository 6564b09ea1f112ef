local spec = require "spec"

spec "unravel_index" {
  gpu = false,
  example = { { 1, 6 }, { 2, 3 }, gives = { { 1, 1 }, { 2, 3 } }, dtype = "int64" },
  examples = {
    { 5, { 2, 3 }, gives = { 2, 2 } },
    { { { 1 }, { 4 } }, { 4 }, gives = { { { 1 } }, { { 4 } } } },
    { int8 { 120 }, { 2, 3, 4, 5 }, gives = { { 2, 3, 4, 5 } } },
    { lt.zeros({ 0 }, { dtype = "int64" }), { 0, 3 }, shape = { 0, 2 } },
  },
  rejects = {
    { args = { { 1, 7 }, { 2, 3 } }, says = "unravel_index: position 7 is not there: there are 6 elements", code = "OutOfRange" },
    { args = { { 0 }, { 2, 3 } }, says = "unravel_index: position 0; positions count from 1" },
    { args = { { -1 }, { 2, 3 } }, says = "unravel_index: position -1 is not there", code = "OutOfRange" },
    { args = { { 1 }, {} }, says = "unravel_index: shape" },
    { args = { { 1.5 }, { 2 } }, says = "unravel_index: indices is float32" },
    { args = { { 1 } }, says = "unravel_index: 1 argument given" },
  },
  check = function(t)
    local x = lt.range(2 * 3 * 4):reshape { 2, 3, 4 }
    local places = lt.unravel_index(lt.range(1, 25), { 2, 3, 4 })
    t.equal(x:gather_nd(places), lt.range(24))
    t.equal(lt.unravel_index(x:ge(0):flatten():nonzero():flatten(), { 2, 3, 4 }), x:ge(0):nonzero())
  end,
}
