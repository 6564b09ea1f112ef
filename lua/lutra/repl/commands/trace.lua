local lutra, tools, use = ...

local function harmless(session, argument) return use "terminal_text".harmless(argument) end

-- The trace that `:trace on` or `:trace FILE` began: {session, exit, path}.
local running

-- The trace ends with its session: a client of `lutra attach` must not leave it on.
local function end_with(session)
  local mine = running
  mine.session = session
  function session.end_trace()
    session.end_trace = nil
    if running ~= mine then return end
    running = nil
    if mine.exit then pcall(tools.trace_end, mine.exit)
    elseif lutra.profiler.is_running() then lutra.profiler.stop() end
  end
end

local function begin(session, path)
  if path then
    local ok, made = pcall(tools.trace_to_exit, path)
    if not ok then return session:fail(tostring(made)) end
    running = { exit = made, path = path }
    end_with(session)
    session:print(("tracing; :trace off writes %s, and so does the end of the session"):format(harmless(session, path)))
  else
    lutra.profiler.start()
    running = {}
    end_with(session)
    session:print "tracing; :trace off shows where the time went, :trace FILE saves the trace as .json or .html"
  end
end

local function finish(session)
  local ended = running
  running, ended.session.end_trace = nil, nil
  if ended.exit then
    local ok, problem = pcall(tools.trace_end, ended.exit)
    if not ok then return session:fail(tostring(problem)) end
    return session:print("wrote " .. harmless(session, ended.path))
  end
  if lutra.profiler.is_running() then lutra.profiler.stop() end
  lutra.profiler.summary()
end

return {
  usage = "trace on|off|FILE",
  help = "record what runs where and how long; off shows it, FILE (.json, .html) keeps it",
  more = "  FILE while a trace is on: what was recorded so far is written there, and the trace goes on.",
  run = function(session, argument)
    if running and not running.exit and not lutra.profiler.is_running() then running = nil end -- a script stopped it
    if argument == "" then
      return session:print(not running and "no trace is on" or running.exit
        and "tracing to " .. harmless(session, running.path)
        or "a trace is on")
    end
    if argument == "off" then
      if not running then return session:fail "no trace is on" end
      return finish(session)
    end
    if argument == "on" then
      if running or lutra.profiler.is_running() then return session:fail "a trace is on already" end
      return begin(session)
    end
    if not argument:find "%.json$" and not argument:find "%.html$" then
      local nearest = use "repl.command".nearest(argument, { "on", "off" })
      return session:fail(("'%s' is none of on, off and a file that ends in .json or .html%s; nothing changed")
        :format(harmless(session, argument), nearest and (" (did you mean '%s'?)"):format(nearest) or ""))
    end
    if not running then return begin(session, argument) end
    if running.exit then
      return session:fail("a trace is on, to " .. harmless(session, running.path) .. "; :trace off ends it")
    end
    local ok, problem = pcall(lutra.profiler.save, argument)
    if not ok then return session:fail(tostring(problem)) end
    session:print("wrote " .. harmless(session, argument))
  end,
}
