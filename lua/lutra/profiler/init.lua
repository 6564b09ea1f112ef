-- lutra.profiler: what ran when, and where the time went. Documented in _meta/profiler.lua; the recording is in
-- src/profile.
local lutra, tools, use = ...
local options = use "options"

local profiler = {}

-- What a trace holds. Its events and sums are read when they are first asked for.
local Profile = {}
Profile.__name = "lutra.Profile"
local traces = setmetatable({}, { __mode = "k" }) -- of each profile
local sums = setmetatable({}, { __mode = "k" })

local function require_profile(who, self)
  if traces[self] then return traces[self] end
  tools.fail("InvalidArgument",
    ("%s: called on %s, expected a profile: write p:%s(...)"):format(who, tools.what_is(self), who))
end

local function totals_of(self)
  if not sums[self] then sums[self] = tools.trace_totals(traces[self]) end
  return sums[self]
end

function Profile:summary(most)
  require_profile("summary", self)
  most = most == nil and 10 or options.count("summary", "n", most, 1)
  for _, line in ipairs(use "profiler.table"(totals_of(self), most)) do print(line) end
end

function Profile:totals()
  require_profile("totals", self)
  return totals_of(self)
end

-- Before anything is recorded or ended: a mistake in the name must not cost the trace.
local function require_path(who, path)
  if options.text(who, "path", path):find "%.json$" or path:find "%.html$" then return path end
  tools.fail("InvalidArgument",
    ("%s: the file is '%s', expected a name that ends in .json (for ui.perfetto.dev) or .html (a page)")
    :format(who, options.quoted(path)))
end

function Profile:save(path)
  local trace = require_profile("save", self)
  tools.trace_save("save", trace, require_path("save", path))
end

function Profile:__index(key)
  if key ~= "events" then return Profile[key] end
  local events = tools.trace_events(traces[self])
  rawset(self, "events", events)
  return events
end

function Profile:__tostring()
  local events, length_us = tools.trace_size(require_profile("tostring", self))
  return ("lutra.Profile: %d events in %s; p:summary() shows where the time went, p:save(path) writes .json or .html")
    :format(events, use "profiler.units".time(length_us))
end

local function profile_of(session, waits)
  local made = setmetatable({}, Profile)
  traces[made] = tools.trace_take(session, waits)
  return made
end

-- The profile of a session that ends. What its kernels took is kept for plans.
local function finish(session)
  local profile = profile_of(session, true)
  tools.trace_drop(session)
  use "placement.costs".model:learn_trace(tools.trace_times(traces[profile]))
  return profile
end

local function begin(who, given)
  local read = options.read(who, given, { memory = true, shapes = true, events = 1000000, path = false })
  local most = options.count(who, "events", read.events, 1)
  if read.path and who ~= "scope" then
    tools.fail("InvalidArgument", who .. ": unknown option 'path'; stop takes it")
  end
  return tools.trace_session(read.memory, read.shapes, most)
end

local running, last -- the session of start, and the profile of the last stop

function profiler.start(given)
  if running then tools.fail("FailedPrecondition", "start: a trace is running; end it with lutra.profiler.stop()") end
  running = begin("start", given)
end

function profiler.stop(path)
  if path ~= nil then require_path("stop", path) end
  if not running then
    tools.fail("FailedPrecondition", "stop: no trace is running; lutra.profiler.start() begins one")
  end
  local session = running
  running = nil
  last = finish(session)
  if path then last:save(path) end
  return last
end

function profiler.is_running() return running ~= nil end

-- A session that ends with its scope.
local Scope = { __name = "lutra.profiler.Scope" }
Scope.__index = Scope
function Scope:close()
  local session = self.session
  if not session then return self.profile end
  self.session = nil
  self.profile = finish(session)
  last = self.profile
  if self.path then self.profile:save(self.path) end
  return self.profile
end
function Scope:__close() self:close() end

function profiler.scope(given)
  local path = type(given) == "table" and given.path or nil
  if path then require_path("scope", path) end
  return setmetatable({ session = begin("scope", given), path = path }, Scope)
end

function profiler.run(f, ...)
  local meta = getmetatable(f)
  if type(f) ~= "function" and not (type(meta) == "table" and meta.__call) then
    tools.fail("InvalidArgument", ("run: f is %s, expected a function"):format(tools.what_is(f)))
  end
  local scope <close> = profiler.scope()
  local results = table.pack(f(...))
  return scope:close(), table.unpack(results, 1, results.n)
end

-- Of the trace that is running, so far, or else of the last one.
local function latest(who)
  local profile = running and profile_of(running, true) or last
  if profile then return profile end
  tools.fail("FailedPrecondition", who .. ": nothing has been traced; lutra.profiler.start() begins a trace")
end

function profiler.summary(most) latest("summary"):summary(most) end
function profiler.save(path) latest("save"):save(path) end

return profiler
