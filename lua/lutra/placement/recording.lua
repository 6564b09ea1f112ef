-- record(who, f, args, prepared, device): runs f once and returns what ran, as finish_recording of src/lua/bindings gives it,
-- and f's results, packed. `prepared`: a plan that places the ops meanwhile, or nil;
-- `device`: where they run instead, or nil.
local lutra, tools = ...

-- Every tensor among f's results, also in tables.
local function each_tensor(value, visit, depth)
  if type(value) == "userdata" then
    if tools.is_tensor(value) then visit(value) end
  elseif type(value) == "table" and depth < 4 then
    for _, entry in next, value do each_tensor(entry, visit, depth + 1) end
  end
end

return function(who, f, args, prepared, device)
  lutra.synchronize()
  local recording <close> = tools.begin_recording(prepared, device)
  local results = table.pack(f(table.unpack(args, 1, args.n or #args)))
  local recorded = tools.finish_recording(recording)
  recorded.results, recorded.arguments = {}, {}
  each_tensor(results, function(tensor)
    local made_by = tools.maker(recording, tensor)
    if made_by and made_by > 0 then recorded.results[made_by] = true end
  end, 0)
  each_tensor(args, function(tensor)
    local outside = tools.maker(recording, tensor)
    if outside and outside < 0 then recorded.arguments[-outside] = true end
  end, 0)
  if #recorded.ops == 0 then
    tools.fail("InvalidArgument", who .. ": the function runs no op, so there is nothing to place")
  end
  return recorded, results
end
