-- Grids of coordinates, and places of triangles.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local grids = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

local function vector(who, what, value)
  local x = tensor(who, what, value)
  if x.rank == 0 then x = x:reshape { 1 } end
  if x.rank ~= 1 then fail("%s: %s %s has %d axes, expected a vector", who, what, tostring(x.shape), x.rank) end
  return x
end

-- The arguments without a table of options at the end, and that table. A list of numbers is an argument.
local function with_options(args)
  local last = args[args.n]
  if type(last) == "table" and getmetatable(last) == nil and next(last) ~= nil and #last == 0 then
    args[args.n], args.n = nil, args.n - 1
    return last
  end
end

function grids.meshgrid(...)
  local args = table.pack(...)
  local read = options.read("meshgrid", with_options(args), { indexing = "xy" })
  options.word("meshgrid", "indexing", read.indexing, { xy = true, ij = true })
  if args.n > 8 then fail("meshgrid: %d arguments given, at most 8 vectors make a grid", args.n) end
  local vectors, shape = {}, {}
  for i = 1, args.n do
    vectors[i] = vector("meshgrid", i == 1 and "x" or "argument " .. i, args[i])
    shape[i] = vectors[i].shape[1]
  end
  local order = {}
  for i = 1, args.n do order[i] = i end
  if read.indexing == "xy" and args.n > 1 then order[1], order[2] = 2, 1 end
  local sizes = {}
  for i = 1, args.n do sizes[order[i]] = shape[i] end
  for i, x in ipairs(vectors) do
    local along = {}
    for axis = 1, args.n do along[axis] = 1 end
    along[order[i]] = shape[i]
    vectors[i] = x:reshape(along):broadcast_to(sizes)
  end
  return table.unpack(vectors)
end

-- The places of a triangle's elements, by `cut`, lutra.tril or lutra.triu.
local function triangle(who, cut, n, given)
  local read = options.read(who, given, { k = 0, m = false })
  n = options.count(who, "n", n, 0)
  local m = read.m and options.count(who, "m", read.m, 0) or n
  return lutra.nonzero(cut(lutra.ones({ n, m }, { dtype = "int8" }), options.whole(who, "k", read.k)))
end
function grids.tril_indices(n, given) return (triangle("tril_indices", lutra.tril, n, given)) end
function grids.triu_indices(n, given) return (triangle("triu_indices", lutra.triu, n, given)) end

grids.meshgrid = options.bounded("meshgrid", math.huge, grids.meshgrid, true)
for name, count in pairs { tril_indices = 2, triu_indices = 2 } do
  grids[name] = options.bounded(name, count, grids[name], true)
end

return grids
