-- Layers that make ids of the words of texts, and of strings by their hashes. They are called with a string or a table of
-- strings, which no tensor holds, so they are the first layers of a model, or stand before it: in a dataset's map. Loaded
-- when one is named.
local lutra, tools, use = ...
local options, vocabularies = use "options", use "nn.layers.vocabularies"
local refuse, kPadding, kFirst = vocabularies.refuse, vocabularies.kPadding, vocabularies.kFirst

-- Rows are made in Lua.
local kMostLength = 1 << 24

local modes = { int = true, multi_hot = true, count = true, one_hot = true, tf_idf = true }

-- Texts to ids of their tokens, padded to the longest row, or to rows of the vocabulary's size.
local TextVectorization = vocabularies.define("TextVectorization", true)
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
  local read = self:read_options(given, {
    max_tokens = false, standardize = "lower_and_strip_punctuation", split = "whitespace", ngrams = false,
    output_mode = "int", output_sequence_length = false, vocabulary = false, idf_weights = false,
  })
  self.max_tokens = vocabularies.read_most(who, read.max_tokens)
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
  vocabularies.set(self, {})
  if read.vocabulary then
    self:set_vocabulary(vocabularies.first(self, read.vocabulary), read.idf_weights or nil)
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
  rawset(self, "weights", { [1] = 0.0 })
  local sum = 0.0
  for i, weight in ipairs(weights) do
    self.weights[i + kFirst] = weight
    sum = sum + weight
  end
  self.weights[vocabularies.kUnknown + 1] = #weights > 0 and sum / #weights or 0.0
end

-- adapt(texts): a table of strings, or a dataset of strings or of batches of them.
function TextVectorization:adapt(text)
  local counts, texts, count = {}, {}, 0
  vocabularies.each_text(self, text, function(each)
    local seen = {}
    count = count + 1
    for _, token in ipairs(tokens_of(self, each)) do
      if not seen[token] then texts[token] = (texts[token] or 0) + 1 end
      seen[token], counts[token] = true, (counts[token] or 0) + 1
    end
  end)
  local tokens = vocabularies.by_frequency(self, counts)
  vocabularies.set(self, tokens)
  -- log(1 + texts / (1 + texts with the token)); an unknown token has the mean of the others.
  local weights = {}
  for i, token in ipairs(tokens) do weights[i] = math.log(1 + count / (1 + texts[token])) end
  set_weights(self, weights)
  return self
end

function TextVectorization:compute_output_shape(shape)
  if #shape > 1 or shape[1] and shape[1] ~= 1 then
    self:refuse("its rows have the shape %s, expected one text each", options.shape_text(shape))
  end
  return { self.output_mode ~= "int" and vocabularies.width_of(self) or self.length or -1 }
end

-- A row's text: a string, or a list of it.
local function text_of(self, row, i)
  if type(row) == "table" and #row == 1 then row = row[1] end
  if type(row) ~= "string" then refuse(self, "text %d is %s, expected a string", i, tools.what_is(row)) end
  return row
end

function TextVectorization:call(text)
  local is_single = type(text) == "string"
  local rows, longest = {}, 0
  local list = is_single and { text } or text
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    refuse(self, "it is given %s, expected a string or a table of strings", tools.what_is(text))
  end
  for i = 1, #list do
    local ids = {}
    for k, token in ipairs(tokens_of(self, text_of(self, list[i], i))) do ids[k] = vocabularies.id_of(self, token) end
    if self.output_mode == "int" then
      for k = #ids, (self.length or math.huge) + 1, -1 do ids[k] = nil end
      longest = math.max(longest, #ids)
    else
      ids = vocabularies.row_of(self, ids, self.output_mode)
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
vocabularies.common(TextVectorization)

-- set_vocabulary(tokens or path[, idf_weights]): for "tf_idf" with a weight for each token that is not special.
function TextVectorization:set_vocabulary(tokens, weights)
  if weights == nil and self.output_mode == "tf_idf" then
    refuse(self, "output_mode = \"tf_idf\" needs idf_weights, or adapt, which counts the texts")
  end
  vocabularies.set(self, tokens)
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
local Hashing = vocabularies.define("Hashing", "too")
function Hashing:init(num_bins, given)
  local read = self:read_options(given, { salt = 0 })
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
function Hashing:compute_output_shape(shape) return shape end
function Hashing:call(value)
  if tools.is_tensor(value) then
    if value.dtype:find "float" or value.dtype == "bool" then refuse(self, "it is given %s, expected whole numbers or strings", value.dtype) end
    value = value.rank == 0 and value:item() or value:totable()
  end
  local function id(each)
    if type(each) == "table" then return vocabularies.mapped(each, id) end
    if math.type(each) ~= "integer" and type(each) ~= "string" then
      refuse(self, "it is given %s, expected whole numbers or strings", tools.what_is(each))
    end
    return (hashed(tostring(each), self.salt) & math.maxinteger) % self.num_bins + 1
  end
  return lutra.constant(id(value), { dtype = "int64" })
end

return { TextVectorization = TextVectorization, Hashing = Hashing }
