-- data.list_files: which files match, and in which order.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local folder = expect.path ""
assert(os.execute(("mkdir -p '%s/b/deep' '%s/c.txt'"):format(folder, folder)))
for _, name in ipairs { "a1.txt", "a2.txt", "a-3.txt", "z.csv", "b/a1.txt", "b/deep/a1.txt" } do
  io.open(folder .. "/" .. name, "w"):close()
end

local function paths(ds)
  local list = {}
  for path in ds:iterate() do list[#list + 1] = path:sub(#folder + 2) end
  return list
end
local function found(pattern, more)
  local ds = lt.data.list_files(folder .. "/" .. pattern, { shuffle = false })
  expect.equal(ds:cardinality(), #paths(ds))
  return paths(ds)
end

expect.case("patterns", function()
  expect.equal(found "*.txt", { "a-3.txt", "a1.txt", "a2.txt" }, "no folders")
  expect.equal(found "a?.txt", { "a1.txt", "a2.txt" })
  expect.equal(found "a[2-9].txt", { "a2.txt" })
  expect.equal(found "a[!1].txt", { "a2.txt" })
  expect.equal(found "a-3.t*", { "a-3.txt" }, "other characters stand for themselves")
  expect.equal(found "*/a1.txt", { "b/a1.txt" })
  expect.equal(found "*/*/a1.txt", { "b/deep/a1.txt" })
  expect.equal(found "z.csv", { "z.csv" })
  local both = lt.data.list_files({ folder .. "/z*", folder .. "/a1*" }, { shuffle = false })
  expect.equal(paths(both), { "a1.txt", "z.csv" })
end)

expect.case("shuffled", function()
  local function orders()
    local ds = lt.data.list_files(folder .. "/*", { seed = 5 })
    local first, second = paths(ds), paths(ds)
    return first, second
  end
  local first, second = orders()
  local again, twice = orders()
  expect.equal({ first, second }, { again, twice }, "a seed gives the same orders")
  table.sort(first)
  expect.equal(first, { "a-3.txt", "a1.txt", "a2.txt", "z.csv" })
  local seen = {}
  for path in lt.data.list_files(folder .. "/a*"):iterate() do seen[path:sub(#folder + 2)] = true end
  expect.equal(seen, { ["a-3.txt"] = true, ["a1.txt"] = true, ["a2.txt"] = true })
end)

expect.case("refused", function()
  expect.raises("NotFound", "list_files: no file matches " .. folder .. "/*.png", lt.data.list_files, folder .. "/*.png")
  expect.raises("NotFound", "list_files: no file matches", lt.data.list_files, folder .. "/none/*")
  expect.raises("InvalidArgument", "list_files: pattern is 1, expected a pattern of paths", lt.data.list_files, 1)
  expect.raises("InvalidArgument", "list_files: pattern is an empty list", lt.data.list_files, {})
  expect.raises("InvalidArgument", "list_files: pattern is empty", lt.data.list_files, "")
  expect.raises("InvalidArgument", "list_files: unknown option 'order'", lt.data.list_files, "*", { order = 1 })
end)

os.execute(("rm -r '%s'"):format(folder))
expect.end_of_cases()
