-- Checks that op(args..., options) depends on the seed alone: neither on earlier calls nor on the shape, element by
-- element.
return function(t, op, ...)
  local args = table.pack(...)
  local function call(shape, options)
    return op(shape, table.unpack(args, 1, args.n)), op(shape, table.unpack(table.move({ options }, 1, 1, args.n + 1, table.move(args, 1, args.n, 1, {}))))
  end
  local _, long = call({ 9000 }, { seed = 7 })
  local _, short = call({ 3, 7 }, { seed = 7 })
  t.equal(short, long[{ { 1, 21 } }]:reshape { 3, 7 })
  local _, odd = call({ 4103 }, { seed = 7 })
  t.equal(odd[{ { 4000, 4103 } }], long[{ { 4000, 4103 } }])
  lt.random.set_seed(3)
  local first, second = op({ 300 }, table.unpack(args, 1, args.n)), op({ 300 }, table.unpack(args, 1, args.n))
  lt.random.set_seed(3)
  t.equal(op({ 300 }, table.unpack(args, 1, args.n)), first)
  t.equal(op({ 300 }, table.unpack(args, 1, args.n)), second)
  local a, b, same = first:totable(), second:totable(), true
  for i = 1, 300 do same = same and a[i] == b[i] end
  t.ok(not same, "two calls give different numbers")
end
