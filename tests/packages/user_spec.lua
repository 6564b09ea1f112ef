-- A test file as a user of stock lua5.4 and busted writes it.
local lt = require "lutra"

describe("a model of my program", function()
  local weights

  before_each(function() weights = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 } } end)

  it("multiplies", function()
    assert.are.same({ { 7.0, 10.0 }, { 15.0, 22.0 } }, lt.matmul(weights, weights):totable())
    assert.are.equal(10, weights:sum():item())
  end)

  it("says which shapes do not match", function()
    assert.has_error.matches(function() lt.matmul(weights, lt.ones { 3, 3 }) end, "do not match")
    local ok, err = pcall(lt.matmul, weights, lt.ones { 3, 3 })
    assert.is_false(ok)
    assert.is_true(lt.iserror(err, "InvalidArgument"))
  end)

  it("learns", function()
    local model = lt.nn.Sequential { lt.nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "mse" }
    local history = model:fit({ { 0.0 }, { 1.0 } }, { { 1.0 }, { 2.0 } }, { epochs = 5, verbose = 0 }).history
    assert.is_true(history.loss[5] < history.loss[1])
  end)

  it("has gradients inside coroutines", function()
    local gradient = coroutine.wrap(function()
      local x = lt.Variable(lt.constant(3.0))
      local tape <close> = lt.GradientTape()
      local y = x * x
      return tape:gradient(y, x):item()
    end)()
    assert.are.equal(6, gradient)
  end)
end)
