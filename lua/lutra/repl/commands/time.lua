local lutra, _, use = ...
return {
  usage = "time EXPR",
  help = "run Lua and tell how long it took, with the devices' queued work",
  prepare = function(session, argument)
    if argument == "" then
      session:fail "write what to time: :time x:matmul(x)"
      return "failed"
    end
    local chunk, has_locals = session:prepare_lua(argument)
    if chunk == "failed" then return "failed" end
    return function()
      lutra.synchronize()
      local begin = lutra.time()
      local results = table.pack(chunk())
      local queued = lutra.time()
      lutra.synchronize()
      local took = lutra.time() - begin
      local text = use "repl.seconds".text
      session:note(("took %s%s"):format(text(took),
        took - (queued - begin) > 1e-4 and (", %s until the call returned"):format(text(queued - begin)) or ""))
      return table.unpack(results, 1, results.n)
    end, has_locals
  end,
}
