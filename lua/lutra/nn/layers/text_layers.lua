-- What turns strings into numbers: lookups, vocabularies, hashes. They are called with a string or a table of strings,
-- which no tensor holds, so they stand before a model: in a dataset's map. Loaded when one is named.
local lutra, tools, use = ...
local class, options = use "class", use "options"

local made = {}

-- Ids are those of Keras with a mask: 0 is padding, 1 any unknown token, the vocabulary begins at 2.
local kPadding, kUnknown, kFirst = 0, 1, 2

-- Rows are made in Lua.
local kMostLength = 1 << 24

local modes = { int = true, multi_hot = true, count = true, one_hot = true, tf_idf = true }

local function define(kind)
  local Made = class("nn." .. kind)
  Made.kind, Made.remembers = kind, true
  -- It has neither weights nor state that a call changes, so that other interpreters may have a copy (data/workers.lua).
  Made.can_be_sent = true
  function Made:__tostring() return ("<lutra.nn.%s>"):format(kind) end
  made[kind] = Made
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

-- Tokens in the order of ids, most frequent first; ties as Keras has them, in descending order.
local function by_frequency(counts)
  local tokens = {}
  for token in pairs(counts) do tokens[#tokens + 1] = token end
  table.sort(tokens, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a > b
  end)
  return tokens
end

-- How many tokens max_tokens allows: ids also have padding, rows only the unknown one.
local function most_tokens(self)
  if not self.max_tokens then return math.huge end
  return self.max_tokens - (self.output_mode == "int" and kFirst or 1)
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
  self.tokens, self.ids = list, ids
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

local function common(Made)
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

-- Strings to ids, or with invert ids to strings.
local StringLookup = define "StringLookup"
function StringLookup:init(given)
  local read = options.read("StringLookup", given,
    { vocabulary = false, max_tokens = false, output_mode = "int", invert = false, name = false })
  self.max_tokens = read_most("StringLookup", read.max_tokens)
  self.output_mode = options.word("StringLookup", "output_mode", read.output_mode,
    { int = "int", one_hot = "one_hot", multi_hot = "multi_hot", count = "count" })
  self.invert = options.boolean("StringLookup", "invert", read.invert)
  if self.invert and not read.vocabulary then refuse(self, "invert needs a vocabulary") end
  self.tokens, self.ids = {}, {}
  if read.vocabulary then set_vocabulary(self, read.vocabulary) end
end
function StringLookup:adapt(text)
  local counts = {}
  each_text(self, text, function(token)
    if token ~= "" then counts[token] = (counts[token] or 0) + 1 end
  end)
  local tokens = by_frequency(counts)
  for i = #tokens, most_tokens(self) + 1, -1 do tokens[i] = nil end
  set_vocabulary(self, tokens)
  return self
end
local function id_of(self, token) return token == "" and kPadding or self.ids[token] or kUnknown end
function StringLookup:__call(value)
  if self.invert then
    local function back(id)
      if type(id) == "table" then
        local list = {}
        for i, each in ipairs(id) do list[i] = back(each) end
        return list
      end
      return id == kPadding and "" or self.tokens[id - kFirst + 1] or "[UNK]"
    end
    if tools.is_tensor(value) then value = value.rank == 0 and value:item() or value:totable() end
    if type(value) ~= "table" and math.type(value) ~= "integer" then
      refuse(self, "it is given %s, expected ids", tools.what_is(value))
    end
    return back(value)
  end
  local ids = nested(self, value, function(token) return id_of(self, token) end)
  if self.output_mode == "int" then return lutra.constant(ids, { dtype = "int64" }) end
  if type(ids) ~= "table" then ids = { ids } end
  local rows = {}
  if self.output_mode == "one_hot" then
    for i, id in ipairs(ids) do rows[i] = row_of(self, { id }, "multi_hot") end
    return lutra.constant(rows, { dtype = "float32" })
  end
  if type(ids[1]) ~= "table" then return lutra.constant(row_of(self, ids, self.output_mode), { dtype = "float32" }) end
  for i, each in ipairs(ids) do rows[i] = row_of(self, each, self.output_mode) end
  return lutra.constant(rows, { dtype = "float32" })
end
common(StringLookup)

-- Texts to ids of their tokens, padded to the longest row, or to rows of the vocabulary's size.
local TextVectorization = define "TextVectorization"
local standards = {
  lower_and_strip_punctuation = function(text) return (text:lower():gsub("[!-/:-@%[-`{-~]", "")) end,
  lower = string.lower,
  strip_punctuation = function(text) return (text:gsub("[!-/:-@%[-`{-~]", "")) end,
}
local splits = {
  whitespace = function(text)
    local list = {}
    for word in text:gmatch "%S+" do list[#list + 1] = word end
    return list
  end,
  character = function(text)
    local list = {}
    for _, code in utf8.codes(text, true) do list[#list + 1] = utf8.char(code) end
    return list
  end,
}
function TextVectorization:init(given)
  local who = "TextVectorization"
  local read = options.read(who, given, {
    max_tokens = false, standardize = "lower_and_strip_punctuation", split = "whitespace", ngrams = false,
    output_mode = "int", output_sequence_length = false, vocabulary = false, idf_weights = false, name = false,
  })
  self.max_tokens = read_most(who, read.max_tokens)
  self.standardize = read.standardize and options.resolve_callable(who, "standardize", read.standardize, standards,
    "a name or a function") or nil
  self.split = read.split and options.resolve_callable(who, "split", read.split, splits, "a name or a function") or nil
  if read.ngrams then self.ngrams = options.count(who, "ngrams", read.ngrams, 1) end
  options.word(who, "output_mode", read.output_mode, modes)
  if read.output_mode == "one_hot" then refuse(self, "output_mode is \"one_hot\", expected int, multi_hot, count or tf_idf") end
  self.output_mode = read.output_mode
  if read.output_sequence_length then
    self.length = options.count(who, "output_sequence_length", read.output_sequence_length, 1, kMostLength)
    if self.output_mode ~= "int" then refuse(self, "output_sequence_length is for output_mode = \"int\"") end
  end
  self.tokens, self.ids = {}, {}
  if read.vocabulary then
    self:set_vocabulary(read.vocabulary, read.idf_weights or nil)
  elseif read.idf_weights then
    refuse(self, "idf_weights need a vocabulary: a weight for each of its tokens")
  end
end

local function tokens_of(self, text)
  if self.standardize then text = self.standardize(text) end
  if type(text) ~= "string" then refuse(self, "standardize gives %s, expected a string", tools.what_is(text)) end
  local words = self.split and self.split(text) or { text }
  if type(words) ~= "table" then refuse(self, "split gives %s, expected a list of strings", tools.what_is(words)) end
  if not self.ngrams then return words end
  local list = {}
  for size = 1, self.ngrams do
    for i = 1, #words - size + 1 do list[#list + 1] = table.concat(words, " ", i, i + size - 1) end
  end
  return list
end

-- Weights of the vocabulary's tokens; an unknown token has their mean.
local function set_weights(self, weights)
  self.weights = { [1] = 0.0 }
  local sum = 0.0
  for i, weight in ipairs(weights) do
    self.weights[i + kFirst] = weight
    sum = sum + weight
  end
  self.weights[kUnknown + 1] = #weights > 0 and sum / #weights or 0.0
end

-- adapt(texts): a table of strings, or a dataset of strings or of batches of them.
function TextVectorization:adapt(text)
  local counts, texts, count = {}, {}, 0
  each_text(self, text, function(each)
    local seen = {}
    count = count + 1
    for _, token in ipairs(tokens_of(self, each)) do
      if not seen[token] then texts[token] = (texts[token] or 0) + 1 end
      seen[token], counts[token] = true, (counts[token] or 0) + 1
    end
  end)
  local tokens = by_frequency(counts)
  for i = #tokens, most_tokens(self) + 1, -1 do tokens[i] = nil end
  set_vocabulary(self, tokens)
  -- log(1 + texts / (1 + texts with the token)); an unknown token has the mean of the others.
  local weights = {}
  for i, token in ipairs(tokens) do weights[i] = math.log(1 + count / (1 + texts[token])) end
  set_weights(self, weights)
  return self
end

function TextVectorization:__call(text)
  local is_single = type(text) == "string"
  local rows, longest = {}, 0
  local list = is_single and { text } or text
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    refuse(self, "it is given %s, expected a string or a table of strings", tools.what_is(text))
  end
  for i = 1, #list do
    if type(list[i]) ~= "string" then refuse(self, "text %d is %s, expected a string", i, tools.what_is(list[i])) end
    local ids = {}
    for k, token in ipairs(tokens_of(self, list[i])) do ids[k] = id_of(self, token) end
    if self.output_mode == "int" then
      for k = #ids, (self.length or math.huge) + 1, -1 do ids[k] = nil end
      longest = math.max(longest, #ids)
    else
      ids = row_of(self, ids, self.output_mode)
    end
    rows[i] = ids
  end
  if self.output_mode ~= "int" then
    local y = lutra.constant(rows, { dtype = "float32" })
    return is_single and y[1] or y
  end
  longest = self.length or longest
  for _, ids in ipairs(rows) do
    for k = #ids + 1, longest do ids[k] = kPadding end
  end
  if longest == 0 or #rows == 0 then
    return lutra.zeros(is_single and { 0 } or { #rows, longest }, { dtype = "int64" })
  end
  local y = lutra.constant(rows, { dtype = "int64" })
  return is_single and y[1] or y
end
common(TextVectorization)

-- set_vocabulary(tokens or path[, idf_weights]): for "tf_idf" with a weight for each token that is not special.
function TextVectorization:set_vocabulary(tokens, weights)
  if weights == nil and self.output_mode == "tf_idf" then
    refuse(self, "output_mode = \"tf_idf\" needs idf_weights, or adapt, which counts the texts")
  end
  set_vocabulary(self, tokens)
  if weights == nil then return end
  if tools.is_tensor(weights) then weights = weights.rank == 1 and weights:totable() or {} end
  if type(weights) ~= "table" or #weights ~= #self.tokens then
    refuse(self, "idf_weights are %s, expected %d numbers, one for each token of the vocabulary",
      type(weights) == "table" and #weights .. " numbers" or tools.what_is(weights), #self.tokens)
  end
  for i, weight in ipairs(weights) do options.number(self.kind, ("idf_weights[%d]"):format(i), weight) end
  set_weights(self, weights)
end
-- Those weights, as set_vocabulary takes them.
function TextVectorization:get_idf_weights()
  if not self.weights then refuse(self, "it has no weights: they are learnt by adapt, or given") end
  return { table.unpack(self.weights, kFirst + 1) }
end

-- Strings and whole numbers to one of num_bins ids from 1, by FNV-1a (Fowler, Noll and Vo).
local Hashing = define "Hashing"
function Hashing:init(num_bins, given)
  local read = options.read("Hashing", given, { salt = 0, name = false })
  self.num_bins = options.count("Hashing", "num_bins", num_bins, 1)
  self.salt = options.whole("Hashing", "salt", read.salt)
end
local function hashed(text, salt)
  local hash = 0xcbf29ce484222325 ~ salt
  for i = 1, #text do hash = (hash ~ text:byte(i)) * 0x100000001b3 end
  -- The low bits of a short text differ little.
  hash = (hash ~ (hash >> 32)) * 0x9E3779B97F4A7C15
  return hash ~ (hash >> 29)
end
function Hashing:__call(value)
  if tools.is_tensor(value) then
    if value.dtype:find "float" or value.dtype == "bool" then refuse(self, "it is given %s, expected whole numbers or strings", value.dtype) end
    value = value.rank == 0 and value:item() or value:totable()
  end
  local function id(each)
    if type(each) == "table" then
      local list = {}
      for i = 1, #each do list[i] = id(each[i]) end
      return list
    end
    if math.type(each) ~= "integer" and type(each) ~= "string" then
      refuse(self, "it is given %s, expected whole numbers or strings", tools.what_is(each))
    end
    return (hashed(tostring(each), self.salt) & math.maxinteger) % self.num_bins + 1
  end
  return lutra.constant(id(value), { dtype = "int64" })
end

return made
