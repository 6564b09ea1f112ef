-- Replicas: runs a function once per device of a strategy, as coroutines on one thread. At a collective, where replicas
-- wait for each other, all of them yield; their arguments are merged, and they resume. GPU work is only queued here, so
-- one thread keeps all devices busy.
local lutra, tools, use = ...
local mirrored = use "distribute.mirrored"

local replicas = {
  current = nil, -- the running replica; nil in cross-replica context
  running = nil, -- the strategy whose replicas are running
  scopes = {},   -- strategies with open scopes, innermost last
}

-- The strategy in force, or nil.
function replicas.strategy() return replicas.running or replicas.scopes[#replicas.scopes] end

-- Marks a yield at a collective. The collective's name, merge function and arguments follow it.
local kMeets = {}

-- "replica 2 (GPU:1)", for error texts.
function replicas.name(replica)
  return ("replica %d (%s)"):format(replica.id, replica.device:match("device:(.*)$") or replica.device)
end

-- Adds the replica's name to its error.
function replicas.named(err, replica)
  local name = replicas.name(replica)
  if lutra.iserror(err) then
    err.message, err.replica = name .. ": " .. err.message, replica.id
  elseif type(err) == "string" then
    err = name .. ": " .. err
  end
  return err
end

local function enter(replica, f, ...)
  mirrored.place(replica.strategy, replica.id)
  replicas.current = replica
  tools.graphs_off(1)
  return f(...)
end

local function leave(replica)
  replicas.current = nil
  tools.graphs_off(-1)
  mirrored.place(replica.strategy, 1)
end

-- Calls f(...), a coroutine function, with the replica's components in place of the mirrored variables.
local function inside(replica, f, ...) return table.pack(tools.finally(leave, replica, enter, replica, f, ...)) end

local function start(strategy, id, f, arguments)
  local replica = { id = id, device = strategy.devices[id], strategy = strategy, deferred = {} }
  replica.thread = coroutine.create(function()
    local scope <close> = lutra.device(replica.device)
    return f(table.unpack(arguments, 1, arguments.n))
  end)
  if strategy.timeout then tools.heed_deadline(replica.thread) end
  return replica
end

-- Waits for the work that the previous run queued on the devices, at most for the timeout: the error for a hanging card
-- names its replica, and at most two runs are queued ahead.
local function check_progress(strategy)
  for id, number in ipairs(strategy.queued or {}) do
    local device = strategy.devices[id]
    if not tools.finishes(device, number, strategy.timeout) then
      strategy.queued = nil
      tools.fail("DeadlineExceeded",
        ("%s: its device has not finished the work of the previous run within %g seconds"):format(
        replicas.name { id = id, device = device }, strategy.timeout))
    end
  end
  strategy.queued = {}
  for id, device in ipairs(strategy.devices) do strategy.queued[id] = tools.queued(device) end
end

-- Runs the replica to its next collective or its end. A replica that reaches neither within the strategy's timeout is
-- stopped, even inside coroutines that it has made.
local function resume(replica, answer)
  replica.waits = nil
  local limit = replica.strategy.timeout
  if limit then tools.set_deadline(limit) end
  local results = inside(replica, coroutine.resume, replica.thread, table.unpack(answer, 1, answer.n))
  if limit then tools.set_deadline() end
  if not results[1] then error(replicas.named(results[2], replica), 0) end
  if coroutine.status(replica.thread) == "dead" then
    replica.results = table.pack(table.unpack(results, 2, results.n))
  elseif results[2] == kMeets then
    replica.waits = { name = results[3], merge = results[4], arguments = results[5] }
  else
    tools.fail("FailedPrecondition",
      replicas.name(replica) .. " yields: the function that a strategy runs may yield only "
      .. "inside coroutines of its own")
  end
end

-- The collective that all replicas wait in; nil if all have ended. Fails if they differ.
local function meeting(list)
  local first = list[1]
  for _, replica in ipairs(list) do
    if (replica.waits and replica.waits.name) ~= (first.waits and first.waits.name) then
      local function does(one)
        return replicas.name(one) .. (one.waits and " waits in " .. one.waits.name or " has ended")
      end
      tools.fail("FailedPrecondition",
        ("run: %s, and %s: all replicas must take the same collectives in the same order"):format(
        does(first), does(replica)))
    end
  end
  return first.waits
end

local function run_all(strategy, list)
  replicas.running = strategy
  for _, replica in ipairs(list) do resume(replica, { n = 0 }) end
  while true do
    local collective = meeting(list)
    if not collective then break end
    local brought = {}
    for i, replica in ipairs(list) do brought[i] = replica.waits.arguments end
    local answers = collective.merge(strategy, brought, list)
    for i, replica in ipairs(list) do resume(replica, answers[i]) end
  end
  -- Deferred merges (replicas.defer).
  for k, deferred in ipairs(list[1].deferred) do
    local brought = {}
    for i, replica in ipairs(list) do brought[i] = (replica.deferred[k] or {}).arguments end
    deferred.merge(strategy, brought, list)
  end
  if strategy.timeout then check_progress(strategy) end
end

-- Closes all coroutines: some have not ended, and one that failed still has variables to close.
local function finish(list)
  if list[1].strategy.timeout then tools.set_deadline() end
  for _, replica in ipairs(list) do inside(replica, coroutine.close, replica.thread) end
  replicas.running = nil
  tools.draw_part()
end

-- Runs f for the replicas `ids` (default: all), with arguments[i] (packed). Returns their packed results. On an error
-- all replicas are ended first.
function replicas.run(strategy, f, arguments, ids)
  if replicas.running then
    tools.fail("FailedPrecondition",
      "run: replicas of a strategy run already; collectives and replicas cannot start others")
  end
  mirrored.catch_up(strategy)
  local list = {}
  for i = 1, ids and #ids or #strategy.devices do list[i] = start(strategy, ids and ids[i] or i, f, arguments[i]) end
  tools.finally(finish, list, run_all, strategy, list)
  local results = {}
  for i, replica in ipairs(list) do results[i] = replica.results end
  return results
end

-- The error for two replicas that pass different values, described by these texts, to one collective.
function replicas.disagree(who, first, one, replica, other)
  tools.fail("FailedPrecondition", ("%s: %s passes %s, and %s %s: all replicas must pass the same"):format(who,
    replicas.name(first), one, replicas.name(replica), other))
end

-- Fails unless argument k of the collective is the same object in all replicas. text(object) describes it in the error.
function replicas.agree(who, brought, list, k, text)
  local first = brought[1][k]
  for i = 2, #list do
    local other = brought[i][k]
    if not rawequal(first, other) then
      local one, another = (text or tostring)(first), (text or tostring)(other)
      replicas.disagree(who, list[1], one, list[i], one == another and "another one like it" or another)
    end
  end
end

-- In a replica: a collective. Waits until all replicas reach it, and returns this replica's results of merge(strategy,
-- brought, list). brought[i] holds the packed arguments of replica list[i]; merge returns one packed list per replica.
function replicas.meet(name, merge, ...)
  local replica = replicas.current
  if coroutine.running() ~= replica.thread then
    tools.fail("FailedPrecondition", ("%s: %s calls it in another coroutine than the one it runs in"):format(name,
      replicas.name(replica)))
  end
  return coroutine.yield(kMeets, name, merge, table.pack(...))
end

-- In a replica: calls merge(strategy, brought, list) when all replicas have ended, before others start.
function replicas.defer(merge, ...)
  table.insert(replicas.current.deferred, { merge = merge, arguments = table.pack(...) })
end

-- The results of a merge that returns nothing.
function replicas.no_answers(list)
  local answers = {}
  for i = 1, #list do answers[i] = { n = 0 } end
  return answers
end

return replicas
