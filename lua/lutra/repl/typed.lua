-- The variables that an entry defines before the cursor, while it is typed: their names, and what they will be where
-- that is known without running the entry.
local _, _, use = ...

local names, context = use "repl.names", use "repl.context"

local typed = {}
typed.__index = typed

-- So many definitions are followed for one answer: x = x + x, again and again, has no end of paths.
local most_followed = 50

local closes = { ["("] = ")", ["["] = "]", ["{"] = "}" }

-- The bracket that closes each bracket, by the index of its token.
local function closers_of(all)
  local open, found = {}, {}
  for i, token in ipairs(all) do
    if token.kind == "symbol" then
      if closes[token.text] then open[#open + 1] = i
      elseif (token.text == ")" or token.text == "]" or token.text == "}") and #open > 0 then
        found[table.remove(open)] = i
      end
    end
  end
  return found
end

local unary, binary = { ["-"] = true, ["not"] = true, ["#"] = true, ["~"] = true }, {}
for text in ("+ - * / % ^ .. < > <= >= == ~= & | ~ and or"):gmatch "%S+" do binary[text] = true end

-- The last token of the expression that begins at `at`. closers: of closers_of; a bracket without one goes to the end.
local function expression_end(all, closers, at)
  local last = at - 1
  while all[at] do
    while all[at] and unary[all[at].text] and all[at].kind ~= "string" do at = at + 1 end
    local token = all[at]
    if not token then return #all end
    last = token.kind == "symbol" and closes[token.text] and (closers[at] or #all) or at
    while true do
      local suffix = all[last + 1]
      if not suffix then return last end
      if suffix.kind == "string" then last = last + 1
      elseif suffix.kind == "symbol" and (suffix.text == "." or suffix.text == ":") then last = math.min(last + 2, #all)
      elseif suffix.kind == "symbol" and closes[suffix.text] then last = closers[last + 1] or #all
      else break end
    end
    local operator = all[last + 1]
    if operator.kind == "string" or not binary[operator.text] then return last end
    at = last + 2
    while all[at] and all[at].kind == "symbol" and binary[all[at].text] and not unary[all[at].text] do at = at + 1 end -- //
  end
  return #all
end

-- Reads tokens up to `last`. known: a definition by name, {first, last, before}, or false if only the name is known.
local Reader = {}
Reader.__index = Reader

function Reader:define(name, definition, is_local)
  local scope = self.scopes[#self.scopes]
  if is_local and scope and scope.saved[name] == nil then
    scope.saved[name] = { self.known[name] }
  end
  if definition then definition.before = self.known[name] end
  self.known[name] = definition
end

function Reader:open(kind) self.scopes[#self.scopes + 1] = { kind = kind, saved = {} } end

function Reader:close()
  local scope = table.remove(self.scopes)
  for name, saved in next, scope and scope.saved or {} do self.known[name] = saved[1] end
end

function Reader:is(at, text)
  local token = self.all[at]
  return token ~= nil and at <= self.last and token.text == text and token.kind ~= "string"
end

-- The names from `at` on, with commas between them; and the index behind them. Attributes are skipped.
function Reader:names(at)
  local list = {}
  while at <= self.last and self.all[at].kind == "name" do
    list[#list + 1] = self.all[at].text
    at = at + 1
    if self:is(at, "<") then at = at + 3 end
    if not self:is(at, ",") then break end
    at = at + 1
  end
  return list, at
end

function Reader:define_all(list, equals, is_local)
  local first = equals + 1
  local has_value = self:is(equals, "=")
  local last = has_value and expression_end(self.all, self.closers, first)
  -- The cursor is in the expression, where the name still means what it did.
  if last and last >= self.last and last >= #self.all then return end
  local definition = #list == 1 and has_value and first <= self.last and { first = first, last = last } or false
  for _, name in ipairs(list) do self:define(name, definition, is_local) end
end

-- `function name(a, b)` from the keyword on.
function Reader:read_function(at, is_local)
  local name = self.all[at + 1]
  local is_plain = at + 1 <= self.last and name.kind == "name" and self:is(at + 2, "(")
  if is_plain then self:define(name.text, false, is_local) end
  self:open "function"
  local open = at + 1
  while open <= self.last and (self.all[open].kind == "name" or self:is(open, ".") or self:is(open, ":")) do open = open + 1 end
  if self:is(open, "(") then
    for _, each in ipairs((self:names(open + 1))) do self:define(each, false, true) end
  end
end

-- What keywords do.
local starts = {}
starts["local"] = function(self, at)
  local list, behind = self:names(at + 1) -- none before `function`, which comes next
  self:define_all(list, behind, true)
end
starts["function"] = function(self, at) self:read_function(at, self:is(at - 1, "local")) end
starts["for"] = function(self, at)
  self:open "loop"
  for _, name in ipairs((self:names(at + 1))) do self:define(name, false, true) end
end
starts["while"] = function(self) self:open "loop" end
starts["do"] = function(self)
  local scope = self.scopes[#self.scopes]
  if scope and scope.kind == "loop" then scope.kind = "do" else self:open "do" end
end
starts["if"] = function(self) self:open "if" end
starts["repeat"] = function(self) self:open "repeat" end
starts["end"], starts["until"] = Reader.close, Reader.close
starts["else"] = function(self)
  self:close()
  self:open "if"
end
starts["elseif"] = starts["else"]

-- Whether a name begins a statement that may be an assignment.
local not_before = { ["."] = true, [":"] = true, [","] = true, ["local"] = true, ["for"] = true, ["function"] = true }
function Reader:may_assign(at)
  local scope, before = self.scopes[#self.scopes], self.all[at - 1]
  return not (scope and closes[scope.kind]) and not (before and before.kind ~= "string" and not_before[before.text])
end

function Reader:read()
  for at = 1, self.last do
    local token = self.all[at]
    local scope = self.scopes[#self.scopes]
    if token.kind == "keyword" then
      local start = starts[token.text]
      if start then start(self, at) end
    elseif token.kind == "symbol" and closes[token.text] then self:open(token.text)
    elseif token.kind == "symbol" and scope and closes[scope.kind] == token.text then self:close()
    elseif token.kind == "name" and self:may_assign(at) then
      local list, behind = self:names(at)
      if self:is(behind, "=") then self:define_all(list, behind, false) end
    end
  end
end

-- The definition of each name, as Reader.known; read when one is asked for first.
function typed:definitions()
  if not self.known then
    local reader = setmetatable({ all = self.all, last = self.last, known = {}, scopes = {}, closers = closers_of(self.all) },
      Reader)
    reader:read()
    self.known = reader.known
  end
  return self.known
end

-- Whether the name stands anywhere but before a "." or ":", where it is no definition. Most names do not: reading all
-- definitions takes longer.
local function may_define(self, name)
  local all = self.all
  for at = 1, self.last do
    local token = all[at]
    if token.text == name and token.kind == "name" then
      local after = all[at + 1]
      if not (after and after.kind == "symbol" and (after.text == "." or after.text == ":")) then return true end
    end
  end
  return false
end

function typed:defines(name) return (self.known ~= nil or may_define(self, name)) and self:definitions()[name] ~= nil end

-- What a variable of the entry will be; nil if that is not known.
function typed:value(session, name)
  local definition = self.known[name]
  if not definition or self.left == 0 then return nil end
  self.left = self.left - 1
  -- In `x = x + 1` the x on the right is the one before.
  self.known[name] = definition.before
  local path = context.expression(self.all, definition.first, definition.last)
  local value
  if path then value = names.value(session, path) end
  self.known[name] = definition
  return value
end

-- Calls f while names.variable knows what the tokens up to `last` define.
function typed.with(session, all, last, f, ...)
  session.typed = setmetatable({ all = all, last = last, left = most_followed }, typed)
  local results = table.pack(pcall(f, ...))
  session.typed = nil
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

return typed
