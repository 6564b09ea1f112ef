-- What lookups of strings share: vocabularies, from texts, lists and files; ids and rows of them; what a model's file keeps.
local lutra, tools, use = ...
local class, options, Layer = use "class", use "options", use "nn.layers.layer".Layer

-- Ids are those of Keras with a mask: 0 is padding, 1 any unknown token, the vocabulary begins at 2.
local kPadding, kUnknown, kFirst = 0, 1, 2

-- takes_texts: true, or "too" for a layer that also takes numbers.
local function define(kind, takes_texts)
  local Made = class("nn." .. kind, Layer)
  Made.kind, Made.takes_texts, Made.takes_one = kind, takes_texts, true
  -- It has neither weights nor state that a call changes, so that other interpreters may have a copy (data/workers.lua).
  Made.can_be_sent, Made.never_replayed = true, true
  function Made:__call(value, training)
    local is_symbol = type(value) == "table" and (value.is_symbol or type(value[1]) == "table" and value[1].is_symbol)
    if is_symbol then return Layer.__call(self, value, training) end
    return self:call(value)
  end
  return Made
end

local function refuse(self, ...)
  tools.fail("InvalidArgument", ("%s: "):format(self.kind) .. string.format(...))
end

-- Calls f for each string of `text`: a string, a table of them, or a dataset of either.
local function each_text(self, text, f)
  if type(text) == "string" then
    f(text)
  elseif options.is_dataset(text) then
    for value in text:iterate() do each_text(self, value, f) end
  elseif type(text) == "table" and getmetatable(text) == nil then
    for _, each in ipairs(text) do each_text(self, each, f) end
  else
    refuse(self, "it is given %s, expected a string or a table of strings", tools.what_is(text))
  end
end

-- How many tokens max_tokens allows: ids also have padding, rows only the unknown one.
local function most_tokens(self)
  if not self.max_tokens then return math.huge end
  return self.max_tokens - (self.output_mode == "int" and kFirst or 1)
end

-- As many tokens as there is room for, in the order of ids: most frequent first; ties as Keras has them, in descending order.
local function by_frequency(self, counts, is_before)
  local tokens = {}
  for token in pairs(counts) do tokens[#tokens + 1] = token end
  table.sort(tokens, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    if is_before then return is_before(a, b) end
    return a > b
  end)
  for i = #tokens, most_tokens(self) + 1, -1 do tokens[i] = nil end
  return tokens
end

-- The tokens of a file, one a line.
local function read_vocabulary(self, path)
  local file, problem = io.open(path, "rb")
  if not file then tools.fail("NotFound", ("%s: vocabulary: %s"):format(self.kind, problem)) end
  local tokens, line, why = {}, file:read "l"
  while line do
    tokens[#tokens + 1] = (line:gsub("\r$", ""))
    line, why = file:read "l"
  end
  file:close()
  -- The byte order mark that some programs put before UTF-8.
  if tokens[1] then tokens[1] = tokens[1]:gsub("^\xef\xbb\xbf", "") end
  -- A folder can be opened, but not read.
  if why then tools.fail("FailedPrecondition", ("%s: vocabulary: %s: %s"):format(self.kind, path, why)) end
  for i = 3, #tokens do
    if tokens[i] == "" then refuse(self, "vocabulary: line %d of %s is empty, expected a token on each line", i, path) end
  end
  return tokens
end

local function set_vocabulary(self, tokens)
  if type(tokens) == "string" then tokens = read_vocabulary(self, tokens) end
  if type(tokens) ~= "table" or getmetatable(tokens) ~= nil then
    refuse(self, "vocabulary is %s, expected a list of strings, or the path of a file of lines", tools.what_is(tokens))
  end
  local ids, list = {}, {}
  for i, token in ipairs(tokens) do
    if type(token) ~= "string" then refuse(self, "vocabulary[%d] is %s, expected a string", i, tools.what_is(token)) end
    -- The first two of get_vocabulary.
    local is_special = i <= 2 and (token == "" or token == "[UNK]")
    if not is_special then
      if ids[token] then refuse(self, "vocabulary has \"%s\" twice", options.quoted(token)) end
      list[#list + 1], ids[token] = token, #list + kFirst
    end
  end
  local most = most_tokens(self)
  if #list > most then refuse(self, "vocabulary has %d tokens, and max_tokens leaves room for %d", #list, most) end
  -- Set raw: layers look for weights in their tables.
  rawset(self, "tokens", list)
  rawset(self, "ids", ids)
end

-- The options' vocabulary. A file's is kept with the constructor's arguments as a list: a saved model must not need the file.
local function first_vocabulary(self, vocabulary)
  if type(vocabulary) ~= "string" then return vocabulary end
  local tokens = read_vocabulary(self, vocabulary)
  self.made_with[1].vocabulary = tokens
  return tokens
end

-- JSON is UTF-8, and tokens are any bytes: with is_bytes each byte is written as a character.
local function byte_wise(token) return (token:gsub("[\128-\255]", function(byte) return utf8.char(byte:byte()) end)) end
local function from_bytes(token)
  if type(token) ~= "string" then return token end
  local bytes = {}
  for _, code in utf8.codes(token) do bytes[#bytes + 1] = string.char(code & 255) end
  return table.concat(bytes)
end
local function mapped(list, f)
  local out = {}
  for i, value in ipairs(list) do out[i] = f(value) end
  return out
end

-- Counts in a row of the vocabulary's size: column id + 1 stands for an id.
local function row_of(self, ids, mode)
  local row = {}
  for column = 1, #self.tokens + kFirst do row[column] = 0.0 end
  for _, id in ipairs(ids) do
    if id ~= kPadding then row[id + 1] = mode == "multi_hot" and 1.0 or row[id + 1] + 1 end
  end
  if mode == "tf_idf" then
    for column = 1, #row do row[column] = row[column] * (self.weights[column] or 0) end
  end
  -- Padding has no column, as in Keras.
  table.remove(row, 1)
  return row
end

-- The width of rows made of the vocabulary.
local function width_of(self)
  if #self.tokens == 0 then
    self:refuse("it has no vocabulary yet, which the model's shapes depend on: call adapt(texts) or set_vocabulary first")
  end
  return #self.tokens + 1
end

local function common(Made)
  -- What a model's file keeps (files/saving.lua): the vocabulary and its weights.
  function Made:saved_state()
    if #self.tokens == 0 then return nil end
    local is_bytes = false
    for _, token in ipairs(self.tokens) do is_bytes = is_bytes or not utf8.len(token) end
    local weights = rawget(self, "weights")
    return {
      tokens = is_bytes and mapped(self.tokens, byte_wise) or self.tokens, is_bytes = is_bytes,
      weights = weights and table.move(weights, kFirst + 1, #weights, 1, {}) or nil,
    }
  end
  function Made:restore_state(state)
    local tokens = state.tokens
    set_vocabulary(self, state.is_bytes and type(tokens) == "table" and mapped(tokens, from_bytes) or tokens)
    if state.weights then self:set_vocabulary(self.tokens, state.weights) end
  end
  -- {"", "[UNK]", ...}: token i has the id i - 1.
  function Made:get_vocabulary() return table.move(self.tokens, 1, #self.tokens, kFirst + 1, { "", "[UNK]" }) end
  function Made:vocabulary_size() return #self.tokens + kFirst end
  function Made:set_vocabulary(tokens) set_vocabulary(self, tokens) end
  -- One token a line, padding and the unknown one too, as in Keras' assets.
  function Made:save_vocabulary(path)
    options.text(self.kind, "path", path)
    local tokens = self:get_vocabulary()
    for i, token in ipairs(tokens) do
      if token:find "[\r\n]" then refuse(self, "token %d, \"%s\", has a line break, and a file has one token a line", i, options.quoted(token)) end
    end
    local file, problem = io.open(path, "wb")
    if not file then tools.fail("NotFound", ("%s: save_vocabulary: %s"):format(self.kind, problem)) end
    local written, why = file:write(table.concat(tokens, "\n"), "\n")
    local closed, late = file:close()
    if not (written and closed) then
      tools.fail("FailedPrecondition", ("%s: save_vocabulary: %s"):format(self.kind, tostring(why or late)))
    end
  end
  use "colon"(Made, "layer", "layer", "get_vocabulary vocabulary_size set_vocabulary save_vocabulary adapt")
end

local function read_most(who, most)
  return most and options.count(who, "max_tokens", most, kFirst + 1) or false
end

local function nested(self, value, f)
  if type(value) == "string" then return f(value) end
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    refuse(self, "it is given %s, expected a string or a table of strings", tools.what_is(value))
  end
  local list = {}
  for i = 1, #value do list[i] = nested(self, value[i], f) end
  return list
end

local function id_of(self, token) return token == "" and kPadding or self.ids[token] or kUnknown end

return {
  define = define, refuse = refuse, each_text = each_text, by_frequency = by_frequency,
  set = set_vocabulary, first = first_vocabulary, mapped = mapped, row_of = row_of, width_of = width_of, id_of = id_of,
  common = common, read_most = read_most, nested = nested, kPadding = kPadding, kUnknown = kUnknown, kFirst = kFirst,
}
