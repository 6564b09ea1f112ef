-- lutra.graph: replays give what eager calls give, bit for bit, and draw, assign and fail as they do.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function bits(value)
  if type(value) ~= "table" then return type(value) == "userdata" and value:bytes() or value end
  local out = {}
  for k, v in pairs(value) do out[k] = bits(v) end
  return out
end

-- Calls f and its graph on the same arguments, several times.
local function same_as_eager(f, arguments, what)
  local g = lt.graph(f)
  for call, args in ipairs(arguments) do
    local wanted = table.pack(f(table.unpack(args)))
    local got = table.pack(g(table.unpack(args)))
    expect.equal(got.n, wanted.n, what .. ": results")
    for i = 1, wanted.n do expect.equal(bits(got[i]), bits(wanted[i]), ("%s: call %d, result %d"):format(what, call, i)) end
  end
  return g
end

local function normal(shape, seed) return lt.random.normal(shape, { seed = seed }) end

do -- results, from arguments of one signature
  local args = {}
  for i = 1, 5 do args[i] = { normal({ 3, 4 }, i), normal({ 4 }, 10 + i) } end
  local g = same_as_eager(function(x, y) return (x * y + 1):tanh():sum(1), x:matmul(y:reshape { 4, 1 }) end, args, "two results")
  expect.equal(g.records, 1, "records")
  -- Against numbers computed by hand.
  local h = lt.graph(function(x) return x * 2 + 1 end)
  expect.equal(h(lt.constant { 1.0, 2.0 }):totable(), { 3.0, 5.0 }, "recorded")
  expect.equal(h(lt.constant { 3.0, 4.0 }):totable(), { 7.0, 9.0 }, "replayed")
  expect.equal(h(lt.constant { -3.0, 0.5 }):totable(), { -5.0, 2.0 }, "replayed again")
end

do -- each signature has its record: shapes, dtypes, plain values, tables
  local g = lt.graph(function(x, how, more)
    local y = how == "double" and x * 2 or x + (more and more.by or 1)
    return { y, named = { sum = y:sum(), "text", 7 } }
  end)
  local x = lt.constant { 1.0, 2.0, 3.0 }
  expect.equal(g(x, "double")[1]:totable(), { 2.0, 4.0, 6.0 }, "double")
  expect.equal(g(x, "add")[1]:totable(), { 2.0, 3.0, 4.0 }, "add")
  expect.equal(g(x, "add", { by = 10.0 })[1]:totable(), { 11.0, 12.0, 13.0 }, "add 10")
  expect.equal(g(x, "add", { by = 20.0 })[1]:totable(), { 21.0, 22.0, 23.0 }, "add 20")
  expect.equal(g.records, 4, "records")
  local r = g(x * 10, "add", { by = 20.0 })
  expect.equal(r[1]:totable(), { 30.0, 40.0, 50.0 }, "add 20 to others")
  expect.equal(r.named.sum:item(), 120.0, "a result in a table")
  expect.equal({ r.named[1], r.named[2] }, { "text", 7 }, "plain values in a table")
  g(lt.constant { 1, 2 }, "add")
  expect.equal(g.records, 5, "another dtype and shape")
  expect.equal(g(lt.constant { 5, 6 }, "add")[1]:totable(), { 6, 7 }, "the other record")
  -- A tensor by its place in a nested table.
  local h = lt.graph(function(t) return t.a[1] - t.a[2] * t.b end)
  local function call(a, b, c) return h({ a = { lt.constant(a), lt.constant(b) }, b = lt.constant(c) }):item() end
  expect.equal({ call(5.0, 2.0, 3.0), call(1.0, 10.0, 2.0), call(0.0, 1.0, 1.0) }, { -1.0, -19.0, -1.0 }, "tables of tensors")
  expect.equal(h.records, 1, "records of tables")
end

do -- the same tensor as two arguments is not two tensors
  local g = lt.graph(function(x, y) return x * 10 + y end)
  local a, b = lt.constant { 1.0 }, lt.constant { 2.0 }
  expect.equal(g(a, a):item(), 11.0, "a, a")
  expect.equal(g(a, b):item(), 12.0, "a, b")
  expect.equal(g(b, b):item(), 22.0, "b, b")
  expect.equal(g(b, a):item(), 21.0, "b, a")
end

do -- arguments that are returned are the caller's tensors
  local g = lt.graph(function(x, y) return x, y:reshape { 2, 1 }, x end)
  local x, y = lt.constant { 1.0 }, normal({ 2 }, 1)
  for _ = 1, 3 do
    local a, b, c = g(x, y)
    assert(rawequal(a, x) and rawequal(c, x), "the argument itself")
    expect.equal(b:totable(), y:reshape({ 2, 1 }):totable(), "a view of an argument")
  end
end

do -- results outlive the next replay
  local g = lt.graph(function(x) return x + 1, (x * 2):sum() end)
  local kept = {}
  for i = 1, 6 do kept[i] = { g(lt.fill({ 100 }, i, { dtype = "float32" })) } end
  for i = 1, 6 do
    expect.equal(kept[i][1]:min():item(), i + 1.0, "kept result")
    expect.equal(kept[i][1]:max():item(), i + 1.0, "kept result")
    expect.equal(kept[i][2]:item(), i * 200.0, "kept small result")
  end
end

do -- variables: read, assigned, and read before they are assigned
  for _, size in ipairs { 3, 500 } do
    local function make()
      local v, w = lt.Variable(lt.fill({ size }, 1.0)), lt.Variable(lt.fill({ size }, 2.0))
      return v, w, function(x)
        local before = v:value()
        v:assign_add(x)
        w:assign(v * 2)
        local between = w:value()
        w:assign_sub(before)
        v[{ { 1, 2 } }] = 7.0
        return before, between, v + w
      end
    end
    local v1, w1, f = make()
    local v2, w2, f2 = make()
    local g = lt.graph(f2)
    local kept = {}
    for i = 1, 6 do
      local x = normal({ size }, i)
      local wanted, got = table.pack(f(x)), table.pack(g(x))
      for k = 1, 3 do expect.equal(got[k]:bytes(), wanted[k]:bytes(), ("size %d, call %d, result %d"):format(size, i, k)) end
      expect.equal(v2:value():bytes(), v1:value():bytes(), "v")
      expect.equal(w2:value():bytes(), w1:value():bytes(), "w")
      -- What was read from a variable stays as it was.
      kept[i] = { got[1], wanted[1]:bytes(), v2:value(), v1:value():bytes() }
      if i == 4 then -- assigned between calls
        v1:assign(w1); v2:assign(w2)
      end
    end
    for i = 1, 6 do
      expect.equal(kept[i][1]:bytes(), kept[i][2], "a value kept")
      expect.equal(kept[i][3]:bytes(), kept[i][4], "a value read outside")
    end
  end
end

do -- a variable as an argument is known by identity
  local a, b = lt.Variable { 1.0, 2.0 }, lt.Variable { 10.0, 20.0 }
  local g = lt.graph(function(v, x) v:assign_add(x) return v * 1 end)
  local x = lt.constant { 1.0, 1.0 }
  for i = 1, 3 do
    expect.equal(g(a, x):totable(), { 1.0 + i, 2.0 + i }, "a")
    expect.equal(g(b, x):totable(), { 10.0 + i, 20.0 + i }, "b")
  end
end

do -- the gradient of a shuffle puts back the order that the same replay drew
  local x = lt.range(1, 101):float32()
  local function f(t)
    local tape <close> = lt.GradientTape()
    tape:watch(t)
    return tape:gradient((lt.random.shuffle(t) * lt.range(1, 101):float32()):sum(), t)
  end
  local function run(call)
    lt.random.set_seed(21)
    local out = {}
    for i = 1, 4 do out[i] = call(x):bytes() end
    return out
  end
  local wanted, g = run(f), lt.graph(f)
  expect.equal(run(g), wanted, "gradients")
  expect.equal(run(g), wanted, "gradients, all replayed")
end

do -- random numbers: the sequence goes on as in eager calls
  local function f(x)
    local noise = lt.random.normal({ 5 })
    local drop = lt.dropout(x, 0.5)
    return noise + lt.random.uniform { 5 }, drop, lt.random.normal({ 2 }, { seed = 3 }), lt.random.permutation(6), lt.random.shuffle(x)
  end
  local x = lt.range(1, 21):float32()
  local function run(call)
    lt.random.set_seed(11)
    local out = {}
    for i = 1, 5 do
      for _, t in ipairs { call(x) } do out[#out + 1] = t:bytes() end
      out[#out + 1] = lt.random.uniform({ 3 }):bytes() -- and outside
      if i == 3 then lt.random.set_seed(5) end
    end
    return out
  end
  local wanted, g = run(f), lt.graph(f)
  expect.equal(run(g), wanted, "draws")
  expect.equal(run(g), wanted, "draws, all replayed")
  expect.equal(g.records, 1, "records")
  -- The gradient of a dropout drops what the dropout dropped.
  local ones = lt.ones { 400 }
  local h = lt.graph(function(z)
    local tape <close> = lt.GradientTape()
    tape:watch(z)
    local y = lt.dropout(z, 0.5)
    return y, tape:gradient(y, z)
  end)
  local before
  for _ = 1, 4 do
    local y, dz = h(ones)
    expect.equal(dz:bytes(), y:bytes(), "the gradient's mask")
    assert(y:bytes() ~= before, "a new mask")
    before = y:bytes()
  end
  -- A seed set inside.
  local function seeded()
    local a = lt.random.uniform { 2 }
    lt.random.set_seed(9)
    return a, lt.random.uniform { 2 }
  end
  local function both(call)
    lt.random.set_seed(1)
    local out = {}
    for _ = 1, 4 do
      local a, b = call()
      out[#out + 1], out[#out + 2], out[#out + 3] = a:bytes(), b:bytes(), lt.random.uniform({ 2 }):bytes()
    end
    return out
  end
  expect.equal(both(lt.graph(seeded)), both(seeded), "a seed set inside")
end

do -- tensors from outside are constants, numbers are those of the recording
  local scale, number = normal({ 200 }, 4), 3
  local g = lt.graph(function(x) return x * scale + number end)
  local x = normal({ 200 }, 5)
  local wanted = (x * scale + 3):bytes()
  expect.equal(g(x):bytes(), wanted, "recorded")
  number, scale = 100, normal({ 200 }, 6)
  collectgarbage()
  expect.equal(g(x):bytes(), wanted, "what the function saw when it was recorded")
  g:reset()
  expect.equal(g.records, 0, "records after reset")
  expect.equal(g(x):bytes(), (x * scale + 100):bytes(), "recorded again")
end

do -- reading a value is refused, with the line
  local x = lt.constant { 2.0 }
  for _, read in ipairs {
    function(t) return t:item() end, tostring, function(t) return t:totable() end, function(t) return t:bytes() end,
    function(t) if t:gt(1):item() then return t end return -t end,
  } do
    local err = expect.raises("FailedPrecondition", "is recording the function", lt.graph(function(t) return read(t * 2) end), x)
    assert(tostring(err):find("graph.lua:%d+"), tostring(err))
  end
  -- The tensors are as usable as before, and the next recording works.
  expect.equal(x:item(), 2.0, "read outside")
  expect.equal(lt.graph(function(t) return t * 2 end)(x):item(), 4.0, "recorded after an error")
end

do -- an error while recording leaves nothing behind
  local v = lt.Variable { 1.0 }
  local g = lt.graph(function(x) v:assign_add(x) if v.size == 1 then error("mine", 0) end end)
  for i = 1, 2 do
    local ok, err = pcall(g, lt.constant { 1.0 })
    assert(not ok and err == "mine", tostring(err))
    expect.equal(v:value():item(), 1.0 + i, "eager up to the error")
  end
  expect.raises("InvalidArgument", "expected a function", lt.graph, 3)
  expect.raises("InvalidArgument", "nmae", lt.graph, function() end, { nmae = "x" })
end

do -- an error in a replay names op and line, and takes effect up to there
  local v = lt.Variable { 0.0 }
  local g = lt.graph(function(x, i)
    v:assign_add(1.0)
    local y = x:gather(i)
    v:assign_add(10.0)
    return y
  end)
  local x = lt.constant { 1.0, 2.0, 3.0 }
  expect.equal(g(x, lt.constant { 3, 1 }):totable(), { 3.0, 1.0 }, "recorded")
  local err = expect.raises("OutOfRange", "index 9", g, x, lt.constant { 9, 1 })
  assert(err.message:find("gather", 1, true) and err.message:find("graph.lua:%d+"), err.message)
  expect.equal(v:value():item(), 12.0, "up to the failing op")
  expect.equal(g(x, lt.constant { 2, 2 }):totable(), { 2.0, 2.0 }, "after an error")
  expect.equal(v:value():item(), 23.0, "after an error")
end

do -- under a tape outside it is differentiated like the function
  local w = lt.Variable { 2.0, 3.0 }
  local g = lt.graph(function(x) return (x * w * w):sum() end)
  local x = lt.constant { 5.0, 7.0 }
  for _ = 1, 3 do
    g(x)
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local y = g(x) * 2
    local dw, dx = table.unpack(tape:gradient(y, { w, x }))
    expect.equal(dw:totable(), { 40.0, 84.0 }, "gradient by the variable")
    expect.equal(dx:totable(), { 8.0, 18.0 }, "gradient by the argument")
  end
  -- A tape inside is part of what is recorded.
  local h = lt.graph(function(z)
    local tape <close> = lt.GradientTape()
    tape:watch(z)
    local y = (z ^ 3 * w):sum()
    return tape:gradient(y, { z, w })
  end)
  for i = 1, 3 do
    local dz, dw = table.unpack(h(lt.constant { 1.0 * i, 2.0 }))
    expect.equal(dz:totable(), { 6.0 * i * i, 36.0 }, "gradient inside")
    expect.equal(dw:totable(), { 1.0 * i ^ 3, 8.0 }, "gradient inside")
  end
end

do -- graphs in graphs, and several at once
  local inner = lt.graph(function(x) return x * x end)
  local outer = lt.graph(function(x) return inner(x) + inner(x + 1) end)
  for i = 1, 4 do
    expect.equal(inner(lt.constant(i * 1.0)):item(), 1.0 * i * i, "inner")
    expect.equal(outer(lt.constant(i * 1.0)):item(), 1.0 * i * i + (i + 1.0) ^ 2, "outer")
  end
  expect.equal({ inner.records, outer.records }, { 1, 1 }, "records")
end

do -- a function that makes variables at its first call is recorded at its second
  local built
  local g = lt.graph(function(x)
    built = built or lt.Variable(lt.zeros_like(x))
    built:assign_add(x)
    return built * 1
  end)
  local x = lt.constant { 1.0, 2.0 }
  for i = 1, 4 do expect.equal(g(x):totable(), { 1.0 * i, 2.0 * i }, "call " .. i) end
  local h = lt.graph(function(y) return lt.Variable(y) * 2 end)
  expect.equal(h(x):totable(), { 2.0, 4.0 }, "first call")
  expect.raises("FailedPrecondition", "makes one at each call", h, x)
end

do -- what cannot be replayed runs eagerly, and the summary says why
  local g = lt.graph(function(x) return x:nonzero() end)
  expect.equal(#g(lt.constant { 0, 1, 1 }), 2, "two")
  expect.equal(#g(lt.constant { 1, 1, 1 }), 3, "three")
  assert(g:summary():find("depend on values", 1, true), g:summary())
  -- A file may have changed when it is read again.
  local path = os.tmpname() .. ".npy"
  lt.save(path, lt.constant { 1.0, 2.0 })
  local h = lt.graph(function(x) return x + lt.load(path) end)
  expect.equal(h(lt.constant { 1.0, 1.0 }):totable(), { 2.0, 3.0 }, "the file")
  lt.save(path, lt.constant { 5.0, 6.0 })
  expect.equal(h(lt.constant { 1.0, 1.0 }):totable(), { 6.0, 7.0 }, "the changed file")
  assert(h:summary():find("runs eagerly: it reads a file", 1, true), h:summary())
  os.remove(path)
end

do -- tables of numbers are part of the signature, also with nan
  local g = lt.graph(function(t) return lt.constant(t) + 1 end)
  for _ = 1, 2 do
    expect.equal(g({ 1.0, 0 / 0 })[1]:item(), 2.0, "with nan")
    expect.equal(g({ 3.0, 4.0 }):totable(), { 4.0, 5.0 }, "other numbers")
  end
  expect.equal(g.records, 2, "records")
end

do -- a table that the function changes
  local g = lt.graph(function(t) t.y = t.x * 2 end)
  expect.raises("FailedPrecondition", "changes the table", g, { x = lt.constant { 1.0 } })
end

do -- views, casts, and constants from tables
  local args = {}
  for i = 1, 4 do args[i] = { lt.random.randint({ 4, 6 }, -5, 6, { seed = i }) } end
  same_as_eager(function(x)
    local rows = x[{ { 2, 3 } }]
    local y = rows:float64() / 3 + x[1]
    return y, rows:reshape { -1 }, lt.where(x:gt(0), x, { -1 }), (x:int64() * 2.5):round(), x:mean(), lt.concat({ x, x }, 2)[2]
  end, args, "views and casts")
  -- float32 results that are computed in float64, and small dtypes.
  local wide = {}
  for i = 1, 3 do wide[i] = { lt.constant({ { 16777217 + i, 3 }, { 5, 7 * i } }) } end
  same_as_eager(function(x) return x / 7, x:float16():tanh(), x:bool(), x:sqrt(), x:mean(1) end, wide, "wide integers")
end

do -- what people see
  local g = lt.graph(function(x) return (x * 2):relu():sum() end, { name = "mine" })
  assert(tostring(g):find("mine", 1, true) and g.name == "mine")
  assert(g:summary():find("nothing is recorded", 1, true))
  expect.raises("FailedPrecondition", "call the graph first", g.dot, g)
  g(normal({ 1000 }, 1))
  g(normal({ 1000 }, 1))
  local text = g:summary()
  for _, words in ipairs { "mine", "3 launches", "Relu", "eager at its peak", "replayed 1 time" } do
    assert(text:find(words, 1, true), words .. " is not in:\n" .. text)
  end
  local path = os.tmpname()
  g:dot(path)
  local file <close> = assert(io.open(path))
  local drawing = file:read "a"
  os.remove(path)
  assert(drawing:find("^digraph") and drawing:find("Relu", 1, true) and drawing:find("graph.lua:", 1, true), drawing)
  local _, opens = drawing:gsub("{", "")
  local _, closes = drawing:gsub("}", "")
  assert(opens == closes)
  expect.raises("InvalidArgument", "no field or method", function() return g.sumary end)
  expect.raises("NotFound", "cannot be written", g.dot, g, "/nowhere/at/all.dot")
  local function unknown() return g.nothing end
  expect.raises("InvalidArgument", "records", unknown)
end

do -- a placement log sees every op, also of a graph
  local ops = {}
  local g = lt.graph(function(x) return x + 1 end)
  local x = lt.constant { 1.0 }
  g(x)
  g(x)
  lt.debugging.set_log_handler(function(event) ops[#ops + 1] = event.op end)
  g(x)
  lt.debugging.set_log_handler(nil)
  expect.equal(ops, { "AddV2" }, "logged ops")
end

do -- memory: a graph and its records are collected
  local function count() collectgarbage() collectgarbage() return lt.config.get_memory_info("CPU:0").current end
  local before = count()
  do
    local g = lt.graph(function(x) return (x * 2):exp():sum() end)
    for _ = 1, 3 do g(normal({ 20000 }, 1)) end
  end
  local after = count()
  assert(after <= before, ("%d bytes before, %d after"):format(before, after))
end

-- An op that fails while it is recorded leaves nothing that a later op would take for its own.
do
  local x = lt.random.normal({ 4, 1 }, { seed = 5 }):gt(0)
  local g = lt.graph(function(x)
    pcall(function() return x ^ -2 end)
    local _, root = pcall(function() return x ^ 0.5 end)
    return root
  end)
  for _ = 1, 3 do expect.equal(g(x):totable(), (x ^ 0.5):totable(), "after an op that failed") end
end

-- An object that holds a tensor is made anew at each call: the function runs eagerly.
do
  local s = lt.sparse.coo { indices = { { 1, 1 } }, values = { 1.0 }, shape = { 2, 2 } }
  local g = lt.graph(function(v) return s:with_values(v) * 2 end)
  for i = 1, 4 do expect.equal(g(lt.constant { i + 0.0 }).values:totable(), { 2.0 * i }, "values of a sparse matrix") end
  assert(g:summary():find("an object that holds a tensor", 1, true), g:summary())
end
do
  -- A gradient whose eager ops depend on values, regular matrices and singular ones: what is recorded serves both.
  local function slope(m)
    local v = lt.Variable(m)
    local tape <close> = lt.GradientTape()
    return tape:gradient(lt.det(v), v)
  end
  local regular, singular = { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 2, 4 } }
  for _, first in ipairs { regular, singular } do
    local function step(m)
      local tape <close> = lt.GradientTape()
      tape:watch(m)
      return tape:gradient(lt.det(m), m)
    end
    local g = lt.graph(step)
    for _ = 1, 2 do g(lt.constant(first, { dtype = "float64" })) end
    for _, m in ipairs { regular, singular } do
      assert(lt.allclose(g(lt.constant(m, { dtype = "float64" })), slope(lt.constant(m, { dtype = "float64" })), { atol = 1e-12 }))
    end
    local plan = lt.placement.optimize(step, { lt.constant(first, { dtype = "float64" }) })
    for _, m in ipairs { regular, singular } do
      assert(lt.allclose(plan:run(lt.constant(m, { dtype = "float64" })), slope(lt.constant(m, { dtype = "float64" })), { atol = 1e-12 }))
    end
  end
end
print "graph: ok"
