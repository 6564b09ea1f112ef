-- What the cursor is in: the path before it, the string, the call. Reads text, runs nothing.
local _, _, use = ...

local tokens = use "repl.tokens"

local context = {}

-- So many bytes before the cursor are looked at: a keystroke must be answered at once in a long entry, too. They begin
-- at the same place for many keys, so that their tokens stay.
local most_bytes, step = 4000, 512

function context.before(text, cursor)
  if cursor - 1 <= most_bytes then return text:sub(1, cursor - 1), 0 end
  local earliest = cursor - most_bytes
  earliest = earliest + -earliest % step
  local first = text:find("\n", earliest, true) or earliest
  if first >= cursor then first = earliest end
  return text:sub(first, cursor - 1), first - 1
end

local opens = { [")"] = "(", ["]"] = "[", ["}"] = "{" }

-- The index of the bracket that the one at `at` closes.
local function opener_of(all, at)
  local depth = 0
  for i = at, 1, -1 do
    local token = all[i]
    if token.kind == "symbol" then
      if opens[token.text] then depth = depth + 1 end
      if token.text == "(" or token.text == "[" or token.text == "{" then depth = depth - 1 end
      if depth == 0 then return i end
    end
  end
end

-- depth: how many brackets around expressions were entered before.
local path_ending_at, base_ending_at

-- The path of the value that ends at token `at`, and the index of its first token; nil if nothing is known of it.
local function value_ending_at(all, at, depth)
  local path, first = path_ending_at(all, at, depth)
  if path then return path, first end
  local base, begin = base_ending_at(all, at, depth)
  if base then return { { name = "", base = base } }, begin end
end

-- The literal between brackets, as a key of a table.
local function key_between(all, open, close)
  local token = close == open + 2 and all[open + 1] or nil
  if token and token.kind == "number" then return math.tointeger(token.text) end
  return token and token.kind == "string" and token.text:match('^["\']([^\\]*)["\']$') or nil
end

-- The value that ends at token `at`, where it is no name; nil if nothing is known of it. {text = true}; {call = path}:
-- what a call gives; {index = path, key}: an element; {operands = paths}: a sum, a product and their like; {value =
-- path}. Returns the index of its first token, too.
function base_ending_at(all, at, depth)
  local token = all[at]
  if token and token.kind == "string" then
    local path, first = path_ending_at(all, at - 1, depth)
    if path then return { call = path }, first end -- f "text"
    return { text = true }, at
  end
  if not token or token.kind ~= "symbol" or not opens[token.text] then return nil end
  local open = opener_of(all, at)
  if not open then return nil end
  if token.text == "]" then
    local path, first = value_ending_at(all, open - 1, depth)
    return path and { index = path, key = key_between(all, open, at) } or nil, first
  end
  local path, first = path_ending_at(all, open - 1, depth)
  if path then return { call = path }, first end
  -- In brackets: ("text"), (f()), (x + 1).
  if token.text == ")" and open < at - 1 then
    path = context.expression(all, open + 1, at - 1, depth + 1)
    if path then return { value = path }, open end
  end
end

local arithmetic = {}
for symbol in ("+ - * / % ^"):gmatch "%S" do arithmetic[symbol] = true end

-- The path of the expression from token `first` to `last`: a value, or values joined by arithmetic. nil for others,
-- and where it is too long or too deep to be read at each key.
local most_depth, most_operands = 10, 20
function context.expression(all, first, last, depth)
  depth = depth or 0
  if depth == most_depth then return nil end
  local operands, at, count = {}, last, 0
  while at >= first do
    if count == most_operands then return nil end
    local path, begin = value_ending_at(all, at, depth)
    if not path then
      local token = all[at]
      begin = token.kind == "number" and at or token.text == "}" and opener_of(all, at) or nil
    end
    if not begin or begin < first then return nil end
    operands[#operands + 1] = path
    if begin == first and count == 0 then return path end
    at, count = begin - 1, count + 1
    local operator = at
    while at >= first and all[at].kind == "symbol" and arithmetic[all[at].text] do at = at - 1 end
    if at == operator and at >= first then return nil end
  end
  return { { name = "", base = { operands = operands } } }
end

-- The path that ends at token `at`: a list of names and the separator before each. If it hangs on a value that is no
-- name, as in f().x or ("x"):upper, that is the first of the list: {name = "", base = ...}. nil if nothing is known of
-- the value. Returns the list and the index of its first token.
function path_ending_at(all, at, depth)
  local path = {}
  while all[at] and all[at].kind == "name" do
    table.insert(path, 1, { name = all[at].text })
    local separator = all[at - 1]
    local goes_on = separator and separator.kind == "symbol" and (separator.text == "." or separator.text == ":")
    if not goes_on then return path, at end
    path[1].separator = separator.text
    at = at - 2
    if not all[at] then return nil end
  end
  if #path == 0 then return nil end
  local base, first = base_ending_at(all, at, depth)
  if not base then return nil end
  table.insert(path, 1, { name = "", base = base })
  return path, first
end
function context.path_ending_at(all, at) return path_ending_at(all, at, 0) end

-- The call whose arguments are open at the end of the tokens: {path, in_table, first}. first: its bracket. in_table:
-- the innermost open bracket is a table that is one of its arguments, or its only one.
function context.open_call(all, last)
  local depth, table_at = 0, nil
  for i = last, 1, -1 do
    local token = all[i]
    if token.kind == "symbol" then
      if token.text == ")" or token.text == "]" or token.text == "}" then
        depth = depth + 1
      elseif token.text == "(" or token.text == "[" or token.text == "{" then
        if depth > 0 then
          depth = depth - 1
        elseif token.text == "[" then
          return nil
        elseif token.text == "{" then
          local path = context.path_ending_at(all, i - 1)
          if path then return { path = path, in_table = i, first = i } end
          if table_at then return nil end -- a table in a table
          table_at = i
        else
          local path = context.path_ending_at(all, i - 1)
          if not path then return nil end
          return { path = path, in_table = table_at, first = i }
        end
      end
    end
  end
end

-- {kind = "string", first, text, call} or {kind = "path", path, first, prefix} or {kind = "none"} for the text before
-- the cursor. first: the first byte of what is to be replaced.
function context.at(text, cursor)
  local before, skipped = context.before(text, cursor)
  local found = context.at_end(before)
  if found.first then found.first = found.first + skipped end
  return found
end

function context.at_end(before)
  local all = tokens.split_again(before)
  local last = all[#all]
  if last and last.is_open and last.last == #before then
    if last.kind == "comment" then return { kind = "none" } end
    local quote = last.text:match("^%[=*%[") or last.text:sub(1, 1)
    local opener = all[#all - 1]
    local at = #all - 1
    if opener and opener.text == "(" then at = at - 1 end
    return { kind = "string", first = last.first + #quote, text = last.text:sub(#quote + 1), all = all,
      callee = context.path_ending_at(all, at), call = context.open_call(all, #all - 1) }
  end
  if last and last.kind == "comment" then return { kind = "none" } end
  local touches = last and last.last == #before
  if touches and (last.kind == "name" or last.kind == "keyword") then
    local path, first_token = context.path_ending_at(all, #all)
    if last.kind == "keyword" then path, first_token = { { name = last.text } }, #all end
    if not path then return { kind = "none" } end
    return { kind = "path", path = path, first = last.first, prefix = last.text, all = all, first_token = first_token }
  end
  if touches and last.kind == "symbol" and (last.text == "." or last.text == ":") then
    local path, first_token = context.path_ending_at(all, #all - 1)
    if not path then
      local base, begin = base_ending_at(all, #all - 1, 0)
      if not base then return { kind = "none" } end
      path, first_token = { { name = "", base = base } }, begin
    end
    path[#path + 1] = { name = "", separator = last.text }
    return { kind = "path", path = path, first = #before + 1, prefix = "", all = all, first_token = first_token }
  end
  if touches and last.kind == "number" then return { kind = "none" } end
  local path = { { name = "" } }
  return { kind = "path", path = path, first = #before + 1, prefix = "", all = all, first_token = #all + 1 }
end

return context
