-- A line fitted by gradient descent: what a tape records, and how an optimizer uses the gradients.
local x = lt.linspace(-1, 1, 101):reshape {101, 1}
local y = 3 * x + 1

-- Training changes Variables; a tape watches them automatically.
local w = lt.Variable({{0.0}}, {name = "w"})
local b = lt.Variable({0.0}, {name = "b"})

local function loss_of(prediction)
  return ((prediction - y) ^ 2):mean()
end

-- By hand: each step subtracts a small part of the gradient from the variables.
for step = 1, 100 do
  local tape <close> = lt.GradientTape()
  local loss = loss_of(lt.linear(x, w, b))
  local gradients = tape:gradient(loss, {w, b})
  w:assign_sub(0.5 * gradients[1])
  b:assign_sub(0.5 * gradients[2])
  if step == 1 then print(("loss before the first step: %.4f"):format(loss:item())) end
end
print(("by hand:  w %.3f, b %.3f"):format(w:item(), b:item()))

-- The same with an optimizer.
w:assign(0.0)
b:assign(0.0)
local adam = lt.optim.Adam {learning_rate = 0.1}
for _ = 1, 500 do
  local tape <close> = lt.GradientTape()
  local loss = loss_of(lt.linear(x, w, b))
  adam:apply(tape:gradient(loss, {w, b}), {w, b})
end
print(("with Adam: w %.3f, b %.3f, after %d steps"):format(w:item(), b:item(), adam.iterations))
