-- Splits Lua text into tokens, also text that is not complete, for the prompt: which locals an entry has at its top
-- level, and what the cursor is in. Calls no code but the string library.
local find, sub, match = string.find, string.sub, string.match

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true
  until while]]):gmatch("%a+") do keywords[word] = true end

local tokens = { keywords = keywords }

-- The end of a quoted string that begins at `at`; nil if it has none on its line.
local function quoted_end(text, at)
  local quote, i = sub(text, at, at), at + 1
  while i <= #text do
    local c = sub(text, i, i)
    if c == quote then return i end
    if c == "\n" then return nil end
    i = i + (c == "\\" and 2 or 1)
  end
end

-- Adds the tokens from byte `at` on.
local function split_from(text, list, at)
  local function add(kind, last, is_open)
    last = last or #text
    list[#list + 1] = { kind = kind, first = at, last = last, text = sub(text, at, last), is_open = is_open }
    if is_open and not list.first_open then list.first_open = #list end
    at = last + 1
  end
  while true do
    at = find(text, "%S", at)
    if not at then return list end
    local c = sub(text, at, at)
    local equals = match(text, "^%[(=*)%[", at)
    if find(c, "[%a_]") then
      local word = match(text, "^[%w_]+", at)
      add(keywords[word] and "keyword" or "name", at + #word - 1)
    elseif find(text, "^%.?%d", at) then
      local number = match(text, "^0[xX][%x%.]*[pP][%+%-]?%d*", at) or match(text, "^0[xX][%x%.]*", at)
        or match(text, "^[%d%.]+[eE][%+%-]?%d*", at) or match(text, "^[%d%.]+", at)
      add("number", at + #number - 1)
    elseif equals then
      local _, last = find(text, "]" .. equals .. "]", at, true)
      add("string", last, not last)
    elseif c == '"' or c == "'" then
      local last = quoted_end(text, at)
      add("string", last or (find(text, "\n", at, true) or #text + 1) - 1, not last)
    elseif find(text, "^%-%-", at) then
      local long = match(text, "^%-%-%[(=*)%[", at)
      local last
      if long then last = select(2, find(text, "]" .. long .. "]", at, true)) else last = find(text, "\n", at, true) end
      add("comment", last, long and not last)
    else
      local symbol = match(text, "^%.%.%.?", at) or match(text, "^::", at) or match(text, "^[=~<>]=", at) or c
      add("symbol", at + #symbol - 1)
    end
  end
end

-- {kind, first, last, text} for each token: kind is "name", "keyword", "number", "string", "comment" or "symbol".
-- is_open: a string or a comment that has no end. first_open of the list: the index of the first of these.
function tokens.split(text) return split_from(text, {}, 1) end

-- How many bytes two texts begin with in common.
local function common_size(a, b)
  local low, high = 0, math.min(#a, #b)
  while low < high do
    local middle = (low + high + 1) // 2
    if sub(a, low + 1, middle) == sub(b, low + 1, middle) then low = middle else high = middle - 1 end
  end
  return low
end

-- Which token a text begins with is decided by so many bytes behind it at most; only "[===" needs more.
local lookahead = 4

-- As split, faster where the text begins as that of the last call did: an entry while it is typed.
local last_text, last_list = "", {}
function tokens.split_again(text)
  local common = common_size(last_text, text)
  local low, high = 0, #last_list
  if sub(text, common - lookahead + 1, common) == ("="):rep(lookahead) then high = 0 end
  while low < high do
    local middle = (low + high + 1) // 2
    if last_list[middle].last + lookahead <= common then low = middle else high = middle - 1 end
  end
  -- A quoted string without an end may get one.
  if last_list.first_open then low = math.min(low, last_list.first_open - 1) end
  local list = table.move(last_list, 1, low, 1, {})
  last_text, last_list = text, split_from(text, list, low > 0 and list[low].last + 1 or 1)
  return last_list
end

local opens = { ["do"] = 1, ["if"] = 1, ["function"] = 1, ["repeat"] = 1, ["end"] = -1, ["until"] = -1 }

-- The labels at the very end of the text, as a set. A goto to one of them may skip locals, which have no value then.
local function last_labels(all)
  local labels, i = {}, #all
  while i > 0 do
    local token = all[i]
    if token.kind == "comment" or token.text == ";" then
      i = i - 1
    elseif token.text == "::" and all[i - 2] and all[i - 2].text == "::" then
      labels[all[i - 1].text] = true
      i = i - 3
    else
      break
    end
  end
  return labels
end

-- The locals that the chunk has at its top level: a list of {name, attrib, first, last}; first to last is the attribute
-- with its brackets. may_be_skipped: a goto may jump over it.
function tokens.top_locals(text)
  local list, depth, all = {}, 0, tokens.split(text)
  local labels, is_skipped = find(text, "goto", 1, true) and last_labels(all) or {}, false
  local i = 1
  while i <= #all do
    local token = all[i]
    if token.text == "goto" and all[i + 1] and labels[all[i + 1].text] then is_skipped = true end
    if token.kind == "keyword" and token.text == "local" and depth == 0 then
      local after = all[i + 1]
      if after and after.text == "function" then
        if all[i + 2] then list[#list + 1] = { name = all[i + 2].text, may_be_skipped = is_skipped } end
      else
        local at = i + 1
        while all[at] and all[at].kind == "name" do
          local each = { name = all[at].text, may_be_skipped = is_skipped }
          list[#list + 1] = each
          if all[at + 1] and all[at + 1].text == "<" and all[at + 2] and all[at + 3] and all[at + 3].text == ">" then
            each.attrib, each.first, each.last = all[at + 2].text, all[at + 1].first, all[at + 3].last
            at = at + 3
          end
          if not (all[at + 1] and all[at + 1].text == ",") then break end
          at = at + 2
        end
      end
    elseif token.kind == "keyword" and opens[token.text] then
      depth = depth + opens[token.text]
    end
    i = i + 1
  end
  return list
end

-- The text without the ";" that it ends with, which a comment may follow; nil if it ends otherwise or has nothing more.
function tokens.silenced(text)
  if not find(text, ";%s*$") and not find(text, ";%s*%-%-[^\n]*%s*$") then return nil end
  local list = tokens.split(text)
  for i = #list, 1, -1 do
    local token = list[i]
    if token.kind ~= "comment" then
      return token.text == ";" and i > 1 and sub(text, 1, token.first - 1) .. " " .. sub(text, token.last + 1) or nil
    end
  end
end

-- Where the chunk's last statement is a `return`; or nil, and whether a block of it has a return of the chunk.
function tokens.last_return(text)
  if not find(text, "return", 1, true) then return nil, false end
  local blocks, at, is_inside, in_functions = {}, nil, false, 0
  for _, token in ipairs(tokens.split(text)) do
    local step = token.kind == "keyword" and opens[token.text] or 0
    if step > 0 then
      blocks[#blocks + 1] = token.text
      if token.text == "function" then in_functions = in_functions + 1 end
    elseif step < 0 and #blocks > 0 then
      if table.remove(blocks) == "function" then in_functions = in_functions - 1 end
    elseif token.kind == "keyword" and token.text == "return" and in_functions == 0 then
      if #blocks == 0 then at = token.first else is_inside = true end
    end
  end
  return not is_inside and at or nil, is_inside
end

-- Whether the text mentions a variable of that name.
function tokens.mentions(text, name)
  if not find(text, name, 1, true) then return false end
  local before = ""
  for _, token in ipairs(tokens.split(text)) do
    if token.kind == "name" and token.text == name and before ~= "." and before ~= ":" then return true end
    if token.kind ~= "comment" then before = token.text end
  end
  return false
end

return tokens
