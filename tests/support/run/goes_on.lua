-- lutra --sim-gpus 2 tests/support/run/goes_on.lua: for refused_memory.lua. A part that is refused memory once fails
-- once, reports it, and succeeds from then on.
local folder = dofile("tests/support/folder.lua")

local parts = {}

function parts.products()
  local a = lt.reshape(lt.range(70 * 60, { dtype = "float32" }), { 70, 60 }) / 1000
  local b = lt.device("/CPU:0", function() return a:matmul(a, { transpose_b = true }) end)
  local c = lt.device("/GPU:1", function() return a:matmul(a, { transpose_b = true }) end)
  assert((b - c):abs():max():item() == 0)
  local large = lt.device("/CPU:0", function() return lt.ones { 300, 300 }:matmul(lt.ones { 300, 300 }) end)
  assert(large:max():item() == 300 and large:min():item() == 300)
end

function parts.copies()
  for _ = 1, 3 do
    local x = lt.device("/CPU:0", lt.ones, { 40 })
    local y = lt.device("/GPU:0", function() return x + lt.device("/GPU:1", function() return x * 2 end) end)
    local z = lt.device("/GPU:1", function() return y + lt.device("/CPU:0", lt.constant, { 3.0 }) end)
    assert(z:sum():item() == 240)
  end
end

function parts.wrong_calls()
  local x = lt.ones { 2, 3 }
  for _, wrong in ipairs {
    function() return x:matmul(x) end,
    function() return lt.ones({ 2 }, { dtipe = 1 }) end,
    function() return lt.device("/GPU:7", lt.ones, { 2 }) end,
    function() return lt.constant { { 1 }, { 1, 2 } } end,
    function() return x:gather { 7 }:totable() end,
    function() return x.nothing_like_it end,
  } do
    local ok, err = pcall(wrong)
    assert(not ok and #tostring(err) > 0)
  end
end

function parts.log()
  local heard = 0
  lt.debugging.set_log_handler(function(event) heard = heard + #event.copies + 1 end)
  local x = lt.device("/GPU:1", function() return lt.ones { 20 } + 1 end)
  lt.debugging.set_log_handler(nil)
  assert(heard >= 2 and tostring(lt.debugging.explain(x)):find "GPU:1")
end

function parts.scopes()
  local done = 0
  for i = 1, 4 do
    local step = coroutine.wrap(function()
      local scope <close> = lt.device("/GPU:" .. i % 2)
      coroutine.yield(lt.ones { 30 } + i)
      done = done + 1
    end)
    step()
    step()
  end
  assert(done == 4)
  assert(lt.tidy(function() return { lt.ones { 50 } + 1 } end)[1][1]:item() == 2)
end

function parts.training()
  local nn = lt.nn
  local model = nn.Sequential { nn.Dense(8, { activation = "relu" }), nn.Dense(1) }
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.01 }, loss = "mse" }
  local history = model:fit(lt.ones { 16, 4 }, lt.zeros { 16, 1 }, { epochs = 2, batch_size = 8, verbose = 0 })
  assert(#history.history.loss == 2)
end

function parts.convolution()
  local w = lt.Variable(lt.ones { 3, 3, 2, 4 })
  local tape <close> = lt.GradientTape()
  local y = lt.conv2d(lt.ones { 2, 12, 12, 2 }, w:value(), { padding = "same" })
  assert(y:max():item() == 18)
end

function parts.gradients()
  local w = lt.Variable({ 1, 2 }, { dtype = "float32" })
  local tape <close> = lt.GradientTape()
  local loss = lt.device("/GPU:1", function() return (w * w):sum() end)
  assert(tape:gradient(loss, w)[2]:item() == 4)
  w:assign_add { 1, 1 }
  assert(w[2]:item() == 3)
end

function parts.files()
  local path = folder.at "x.npz"
  lt.save(path, { a = lt.ones { 50, 3 }, b = lt.constant { 1, 2 } })
  assert(lt.load(path).a:sum():item() == 150)
  assert(lt.load("tests/data/stored.npz").w.shape[2] == 3)
end

-- Kernels that take memory of their own, on a thread that is nobody's call.
function parts.late()
  local x = lt.range(3000, { dtype = "float32" })
  local sorted, norm, normal, factor = lt.device("/GPU:1", function()
    local y = lt.sort(-x)
    return y * 2, lt.norm(x), lt.layer_norm(x:reshape { 300, 10 }, lt.ones { 10 }, lt.zeros { 10 }), lt.cholesky(lt.eye(40) * 4)
  end)
  assert(sorted[1]:item() == -5998 and sorted[3000]:item() == 0)
  assert(math.abs(norm:item() - 94845.3) < 1 and math.abs(normal:sum():item()) < 0.1 and factor[40][40]:item() == 2)
end

function parts.rows()
  local seen = 0
  local rows = lt.data.Dataset.from_tensor_slices(lt.range(64)):shuffle(16):batch(8):prefetch(2)
  for batch in rows:iterate() do seen = seen + batch.shape[1] end
  assert(seen == 64)
end

function parts.text()
  local x = lt.ones { 30, 30 }
  assert(#tostring(x) > 100 and #lt.help "matmul" > 100)
  local values, places = lt.unique { 3, 1, 3 }
  assert(values.shape[1] == 2 and lt.sort(lt.range(100))[1]:item() == 0)
end

local names = {}
for name in pairs(parts) do names[#names + 1] = name end
table.sort(names)
io.write("started\n")
local failures = 0
for _ = 1, 2 do
  for _, name in ipairs(names) do
    local ok, err = pcall(parts[name])
    if not ok then
      lt.debugging.set_log_handler(nil)
      err = tostring(err)
      failures = failures + 1
      local is_expected = err:find("memory") or err:find("no thread") or err:find("stack overflow")
      if failures > 1 or not is_expected then error(name .. ": " .. err, 0) end
      parts[name]()
    end
  end
end
folder.remove()
io.write("went on\n")
