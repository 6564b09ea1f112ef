-- docs/cuda.md must list every op without a GPU kernel, with the reason: the ops without a G in
-- docs/reference/support.md, which is generated from the op table.
local wanted, all = {}, 0
for line in io.lines("docs/reference/support.md") do
  local op, kinds = line:match("^| ([%w_.]+) |(.*)|[^|]*|$")
  if op and op ~= "op" then
    all = all + 1
    if not kinds:find("G", 1, true) then wanted[op] = true end
  end
end
assert(all > 150 and next(wanted), "docs/reference/support.md does not read as it did")

local told, is_inside = {}, false
for line in io.lines("docs/cuda.md") do
  if line == "| ops | why |" then is_inside = true
  elseif not line:find("^|") then is_inside = false end
  local ops, why = line:match("^| ([%w_., ]+) | (.+) |$")
  if is_inside and ops and ops ~= "ops" then
    assert(#why > 40, "no reason: " .. line)
    for op in ops:gmatch("[%w_.]+") do told[op] = true end
  end
end

for op in pairs(wanted) do assert(told[op], op .. " runs on no card, and docs/cuda.md does not say why") end
for op in pairs(told) do assert(wanted[op], op .. " stands in docs/cuda.md among the ops for the CPU, and is none of them") end
print("cpu_only_ops passed")
