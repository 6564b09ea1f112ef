-- Jacobians, and other uses of a tape between recording and asking for gradients.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)

local function new_tape(watched, options)
  local tape = lt.GradientTape(options)
  tape:watch(watched)
  return tape
end

-- Element by element: of x^2 by x, and of A x by A and by x.
for _, device in ipairs { "/CPU:0", "/GPU:0" } do
  local scope <close> = lt.device(device)
  local x = lt.constant { 1.0, 2.0 }
  local tape <close> = new_tape(x)
  local j = tape:jacobian(x ^ 2, x)
  expect.equal({ j:totable(), j.device }, { { { 2, 0 }, { 0, 4 } }, x.device })

  local a = lt.constant { { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } }
  local v = lt.constant { 7.0, 8.0, 9.0 }
  local other <close> = new_tape { a, v }
  local found = other:jacobian(a:matmul(v), { a = a, v = v, idle = x })
  expect.equal(found.v:totable(), a:totable())
  expect.equal(found.a:totable(), { { { 7, 8, 9 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 7, 8, 9 } } })
  expect.equal(found.idle, false)
  expect.equal({ #found.a.shape, found.a.shape[1], found.a.shape[2], found.a.shape[3] }, { 3, 2, 2, 3 })
end

-- A scalar's is its gradient; a list gives a list; what is not connected; nothing of nothing.
do
  local x, w, idle = lt.constant { 1.0, 2.0 }, lt.Variable(3.0), lt.Variable { 1.0 }
  local tape <close> = new_tape(x, { persistent = true })
  local y = (x * x * w):sum()
  local list = tape:jacobian(y, { x, w, idle })
  expect.equal({ list[1]:totable(), list[2]:item(), list[3] }, { { 6, 12 }, 5, false })
  assert(tape:jacobian(y, idle) == nil)
  local none = tape:jacobian(x * w, { idle, w }, { unconnected_gradients = "zero" })
  expect.equal({ none[1]:totable(), none[2]:totable() }, { { { 0 }, { 0 } }, { 1, 2 } })
  local empty = x[{ { 2, 1 } }] * w
  expect.equal({ table.unpack(tape:jacobian(empty, x).shape) }, { 0, 2 })
  assert(tape:jacobian(empty, idle) == nil)
  -- A persistent tape records on.
  expect.equal(tape:gradient(x * w, w):item(), 3)
end

-- By rows: each row of the target depends on its row of the source alone.
do
  local x = lt.constant { { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } }
  local w = lt.constant { { 1.0, -1.0 }, { 2.0, 0.5 }, { 0.0, 3.0 } }
  local tape <close> = new_tape(x, { persistent = true })
  local y = (x ^ 2):matmul(w)
  local whole, rows = tape:jacobian(y, x), tape:batch_jacobian(y, x)
  expect.equal({ table.unpack(rows.shape) }, { 2, 2, 3 })
  for b = 1, 2 do expect.equal(rows[b]:totable(), whole[{ b, {}, b }]:totable(), "row " .. b) end
  expect.equal(tape:batch_jacobian(x * 2, x[{ {}, {} }]), nil)
  expect.equal(tape:batch_jacobian((x ^ 2):sum(2), x):totable(), (2 * x):totable())
  local idle = lt.ones { 2, 4 }
  tape:watch(idle)
  assert(tape:batch_jacobian(y, idle) == nil)
  expect.equal({ table.unpack(tape:batch_jacobian(y, idle, { unconnected_gradients = "zero" }).shape) }, { 2, 2, 4 })
  expect.raises("InvalidArgument", "batch_jacobian: target (2, 2) and source (3, 2) do not match", tape.batch_jacobian, tape, y, w)
  expect.raises("InvalidArgument", "batch_jacobian: target () and source (2, 3) do not match", tape.batch_jacobian, tape, y:sum(), x)
  expect.raises("InvalidArgument", "batch_jacobian: source is a table, expected a tensor", tape.batch_jacobian, tape, y, { x })
end

-- A Jacobian is recorded by the tapes around: the third derivatives of x1^2 x2^2.
do
  local x = lt.constant { 2.0, 3.0 }
  local third <close> = new_tape(x)
  local second <close> = new_tape(x)
  local first <close> = new_tape(x)
  local slope = first:gradient((x ^ 2):prod(), x)
  local hessian = second:jacobian(slope, x)
  expect.equal(hessian:totable(), { { 18, 24 }, { 24, 8 } })
  expect.equal(third:jacobian(hessian, x):totable(), { { { 0, 12 }, { 12, 8 } }, { { 12, 8 }, { 8, 0 } } })
end

-- A tape that is not persistent is asked once, whatever for; a mistake in what is asked also counts.
do
  local x = lt.constant { 1.0, 2.0 }
  local tape <close> = new_tape(x)
  local y = x * x
  expect.raises("InvalidArgument", "jacobian: target is 3, expected a tensor", tape.jacobian, tape, 3, x)
  expect.raises("InvalidArgument", "unknown option 'unconnected'", tape.jacobian, tape, y, x, { unconnected = "zero" })
  expect.raises("InvalidArgument", 'unconnected_gradients is "nought"', tape.jacobian, tape, y, x, { unconnected_gradients = "nought" })
  expect.equal(tape:jacobian(y, x):totable(), { { 2, 0 }, { 0, 4 } })
  expect.raises("FailedPrecondition", "jacobian: a tape that is not persistent can compute gradients only once", tape.jacobian, tape, y, x)
  expect.raises("FailedPrecondition", "gradient: a tape that is not persistent can compute gradients only once", tape.gradient, tape, y, x)
  expect.raises("InvalidArgument", "expected a GradientTape", tape.jacobian, 3, y, x)
  expect.raises("InvalidArgument", "jacobian: 6 arguments given", tape.jacobian, tape, y, x, {}, 1, 2)
  expect.raises("InvalidArgument", "batch_jacobian: 5 arguments given", tape.batch_jacobian, tape, y, x, {}, 1)
  local integers <close> = new_tape(x)
  expect.raises("InvalidArgument", "target is int32, expected a float or complex dtype", integers.jacobian, integers, lt.constant { 1 }, x)
end

-- stop_recording: what the function computes is not seen by this tape, on every way out.
do
  local x = lt.constant(3.0)
  local outer <close> = new_tape(x)
  local tape <close> = new_tape(x, { persistent = true })
  local y, word = tape:stop_recording(function(v) return v * v, "done" end, x)
  expect.equal({ y:item(), word }, { 9, "done" })
  assert(tape:gradient(y, x) == nil)
  expect.equal(outer:gradient(y, x):item(), 6, "another tape sees it")
  assert(not pcall(tape.stop_recording, tape, error))
  expect.equal(tape:gradient(x * x, x):item(), 6, "it records again")
  tape:stop_recording(function()
    tape:stop_recording(function() end)
    assert(tape:gradient(x * x, x) == nil, "one in the other")
  end)
  expect.raises("InvalidArgument", "stop_recording: f is nil, expected a function", tape.stop_recording, tape)
  expect.raises("InvalidArgument", "stop_recording: tape is 3, expected a GradientTape", tape.stop_recording, 3, print)
  expect.raises("FailedPrecondition", "stop_recording: the tape has stopped recording", outer.stop_recording, outer, print)
  -- One that is closed inside leaves the next tape alone.
  tape:stop_recording(function() tape:close() end)
  local next_one <close> = new_tape(x)
  expect.equal(next_one:gradient(x * x, x):item(), 6)
end

-- reset: what was recorded is forgotten, also what was watched.
do
  local x, w = lt.constant(3.0), lt.Variable(2.0)
  local tape <close> = new_tape(x, { persistent = true })
  local y = x * x * w
  tape:reset()
  expect.equal(tape:gradient(y, { x, w }), { false, false })
  expect.equal(#tape:watched_variables(), 0)
  tape:watch(x)
  expect.equal(tape:gradient(x * x * w, { x, w })[2]:item(), 9)
  local once <close> = new_tape(x)
  once:gradient(x * 2, x)
  expect.raises("FailedPrecondition", "reset: the tape has stopped recording", once.reset, once)
  local closed = lt.GradientTape()
  closed:close()
  expect.raises("FailedPrecondition", "reset: the tape is closed", closed.reset, closed)
end

-- watched_variables: variables that were used or watched, in the order of their creation.
do
  local a, b, c, fixed = lt.Variable(1.0), lt.Variable(2.0), lt.Variable(3.0), lt.Variable(4.0, { trainable = false })
  local tape <close> = lt.GradientTape()
  local _ = c * a * fixed
  local watched = tape:watched_variables()
  assert(#watched == 2 and rawequal(watched[1], a) and rawequal(watched[2], c))
  tape:watch(fixed)
  assert(#tape:watched_variables() == 3 and rawequal(tape:watched_variables()[3], fixed))
  local shy <close> = lt.GradientTape { watch_accessed_variables = false }
  shy:watch(b)
  local _ = a * b
  assert(#shy:watched_variables() == 1 and rawequal(shy:watched_variables()[1], b))
  expect.equal(#tape:gradient(a * b, tape:watched_variables()), 4)
  expect.raises("FailedPrecondition", "watched_variables: the tape has computed gradients and is closed", tape.watched_variables, tape)
end

-- In a replica they are the replica's own, by the names that the program has for them.
do
  local strategy = lt.distribute.MirroredStrategy({ "GPU:0", "CPU:0" })
  local w = strategy:scope(function() return lt.Variable { 1.0, 2.0 } end)
  strategy:run(function()
    local tape <close> = lt.GradientTape()
    local block = lt.recompute_grad(function(x) return lt.tanh(x * w) end)
    local x = lt.constant { 0.0, 0.0 }
    tape:watch(x)
    local y = block(x)
    local watched = tape:watched_variables()
    assert(#watched == 1 and rawequal(watched[1], w))
    expect.equal(tape:gradient(y, x):totable(), { 1, 2 })
  end)
end

-- Seeds and what is not connected, of `gradient` itself.
do
  local x, idle = lt.constant { 1.0, 2.0 }, lt.Variable { 5.0 }
  local tape <close> = new_tape(x)
  local found = tape:gradient(x ^ 2, { x, idle }, { output_gradients = lt.constant { 10.0, 100.0 }, unconnected_gradients = "zero" })
  expect.equal({ found[1]:totable(), found[2]:totable() }, { { 20, 400 }, { 0 } })
  expect.raises("InvalidArgument", "it has gradient, jacobian, batch_jacobian", function() return tape.jacobain end)
end
print "ok"
