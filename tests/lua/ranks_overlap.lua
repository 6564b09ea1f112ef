-- Sums of gradients that begin during the backward pass: the same bits as afterwards, and errors that leave no rank behind.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

-- A model of 4 MB, whose gradients are several buckets; `sum_of` makes one line of a tensor's bits.
local model = [==[
  local nn, d = lt.nn, lt.distribute
  lt.random.set_seed(3)
  local function bits(tensor)
    local sum = 0
    for byte in tensor:to("/CPU:0"):bytes():gmatch "." do sum = (sum * 31 + byte:byte()) % 0x7fffffffffff end
    return ("%d bytes, %x"):format(tensor.nbytes, sum)
  end
  local function layers(...)
    return nn.Sequential { nn.Dense(600, { activation = "tanh", input_shape = { 500 } }), ..., nn.Dense(600, { activation = "relu" }),
      nn.Dense(500), nn.Dense(1) }
  end
]==]

case("the weights have the same bits as without, also where ranks have no rows", function()
  local program = model .. [==[
    local how = ...
    local strategy = how == "mirrored" and d.MirroredStrategy() or d.MultiWorkerMirroredStrategy(nil, { overlap = how == "overlap" })
    local model = strategy:scope(function() return layers(nn.Dropout(0.2)):compile { optimizer = "adam", loss = "mse" } end)
    local x = lt.random.normal({ 13, 500 }, { seed = 1 })
    local history = model:fit(x, x:sum(2, { keepdims = true }), { batch_size = 6, epochs = 2, verbose = 0 }).history
    for _, weight in ipairs(model:get_weights()) do print("weight", bits(weight)) end
    print("loss", ("%.12f"):format(history.loss[2]))
  ]==]
  local function lines(text, prefix)
    local list = {}
    for line in text:gmatch "[^\n]+" do
      if line:find("^" .. prefix .. "weight") or line:find("^" .. prefix .. "loss") then list[#list + 1] = line:match "[wl][eo].*" end
    end
    return table.concat(list, "\n")
  end
  local status, alone = ranks.alone("--sim-gpus 3", program, nil, "mirrored")
  equal(status, 0, alone)
  local wanted = lines(alone, "")
  assert(wanted:find "weight\t1200000 bytes" and wanted:find "loss", alone)
  for _, how in ipairs { "overlap", "after" } do
    local text
    status, text = ranks.launch("-n 3", program, nil, how)
    equal(status, 0, text)
    for rank = 0, 2 do equal(lines(text, rank == 0 and "" or ("%%[%d%%] "):format(rank)), wanted, how .. " on rank " .. rank) end
  end
end)

-- A layer that only passes its input on, and whose gradient function calls `backwards`.
local passing = [==[
  local Passing = nn.Layer:extend "Passing"
  local backwards = function() end
  function Passing:call(x)
    return lt.custom_gradient(function(v)
      return v * 1, function(dy)
        backwards()
        return dy
      end
    end)(x)
  end
]==]

case("a gradient that some ranks lack, and one that the first step lacked", function()
  local program = model .. [==[
    local strategy = d.MultiWorkerMirroredStrategy(nil, { overlap = ... == "overlap" })
    local Late = nn.Layer:extend "Late"
    local step = 0
    function Late:build() self.weight = self:add_weight { shape = { 600 }, initializer = "ones", name = "late" } end
    -- Used by all ranks from the third step on, and by rank 1 alone before.
    function Late:call(x)
      if step > 2 or step == 2 and d.rank() == 1 then return x * self.weight end
      return x
    end
    local model = strategy:scope(function() return layers(Late()):compile { optimizer = "adam", loss = "mse" } end)
    local x = lt.random.normal({ 6, 500 }, { seed = 1 })
    for i = 1, 5 do
      step = i
      print("loss", ("%.12f"):format(model:train_on_batch(x, x:sum(2, { keepdims = true }))))
    end
    for _, weight in ipairs(model:get_weights()) do print("weight", bits(weight)) end
  ]==]
  local status, wanted = ranks.launch("-n 2", program, nil, "after")
  equal(status, 0, wanted)
  local got
  status, got = ranks.launch("-n 2", program, nil, "overlap")
  equal(status, 0, got)
  for _, prefix in ipairs { "\n", "\n%[1%] " } do
    local function lines(text)
      local list = {}
      for line in ("\n" .. text):gmatch(prefix .. "([wl][eo][^\n]*)") do list[#list + 1] = line end
      return table.concat(list, "\n")
    end
    assert(#lines(wanted) > 100, wanted)
    equal(lines(got), lines(wanted))
  end
end)

case("sums are under way while the first layer's gradient is computed", function()
  local status, text = ranks.launch("-n 2", model .. passing .. [==[
    local strategy = d.MultiWorkerMirroredStrategy()
    local model = strategy:scope(function()
      return nn.Sequential { nn.Dense(5, { input_shape = { 500 } }), Passing(), nn.Dense(600), nn.Dense(600), nn.Dense(600), nn.Dense(1) }:compile {
        loss = "mse" }
    end)
    local x = lt.random.normal({ 6, 500 }, { seed = 1 })
    local y = x:sum(2, { keepdims = true })
    model:train_on_batch(x, y)
    backwards = d.barrier
    local ok, err = pcall(model.train_on_batch, model, x, y)
    print(ok, err.code, err.message)
    -- All ranks had the same error, and go on.
    backwards = function() end
    model:train_on_batch(x, y)
    d.barrier()
    print "on"
  ]==])
  equal(status, 0, text)
  local _, count = text:gsub("false\tFailedPrecondition\t[^\n]*barrier: the sums of a step's gradients are under way", "")
  equal(count, 2, text)
  has(text, "{overlap = false}")
  has(text, "[1] on")
end)

case("an error in one rank's backward pass reaches the others, with both lines", function()
  local status, text = ranks.launch("-n 2", model .. passing .. [==[
    local strategy = d.MultiWorkerMirroredStrategy()
    local model = strategy:scope(function() return layers(Passing()):compile { loss = "mse" } end)
    local x = lt.random.normal({ 6, 500 }, { seed = 1 })
    local y = x:sum(2, { keepdims = true })
    model:train_on_batch(x, y)
    if d.rank() == 1 then backwards = function() error "the gradient is on fire" end end
    local ok, err = pcall(model.train_on_batch, model, x, y)
    print("first", ok, err)
    if d.rank() == 1 then d.barrier() end
  ]==])
  has(text, "[1] first\tfalse\t")
  has(text, "the gradient is on fire")
  has(text, "first\tfalse\t")
  has(text, "ranks differ: rank 0 calls a step of the optimizer")
  has(text, "and rank 1 calls barrier (")
  equal(status, 1)
end)

case("ranks with other rows are told so", function()
  local status, text = ranks.launch("-n 2", model .. [==[
    local strategy = d.MultiWorkerMirroredStrategy()
    local model = strategy:scope(function() return layers(nn.Dropout(0.1)):compile { loss = "mse" } end)
    local x = lt.random.normal({ 6, 500 }, { seed = 1 })
    local y = x:sum(2, { keepdims = true })
    model:train_on_batch(x, y)
    local rows = d.rank() + 4
    model:train_on_batch(x[{ { 1, rows } }], y[{ { 1, rows } }])
  ]==])
  equal(status, 1, text)
  has(text, "ranks differ: rank 0 calls a step of the optimizer")
  has(text, "on 4 rows")
  has(text, "on 5 rows")
end)

case("Ctrl-C ends a step whose sums wait for a rank that does not come", function()
  local sign = os.tmpname()
  os.remove(sign)
  local status, text = ranks.command("sh -c " .. ranks.quoted(([[
    OMPI_MCA_odls_base_sigkill_timeout=3 LUTRA_NUM_THREADS=1 %s launch -n 2 %s %s & launcher=$!
    while ! test -e %s; do sleep 0.05; done
    sleep 1
    kill -INT $launcher
    wait $launcher
  ]]):format(ranks.lutra, ranks.file(model .. [==[
    local sign = ...
    local strategy = d.MultiWorkerMirroredStrategy()
    local model = strategy:scope(function() return layers(nn.Dropout(0.1)):compile { loss = "mse" } end)
    local x = lt.random.normal({ 6, 500 }, { seed = 1 })
    local y = x:sum(2, { keepdims = true })
    model:train_on_batch(x, y)
    if d.rank() == 1 then
      while true do end
    end
    io.open(sign, "w"):close()
    model:train_on_batch(x, y)
  ]==]), sign, sign)))
  os.remove(sign)
  has(text, "interrupted!")
  has(text, "waited in a step of the optimizer")
  assert(status ~= 0 and status ~= 124, status)
end)

case("overlap has to be a boolean", function()
  local status, text = ranks.alone("", "lt.distribute.MultiWorkerMirroredStrategy(nil, { overlap = 1 })")
  equal(status, 1)
  has(text, "overlap is 1, expected true or false")
end)

expect.end_of_cases()
