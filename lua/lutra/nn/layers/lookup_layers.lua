-- Layers that make ids of whole strings and of whole numbers, by a vocabulary. Loaded when one is named.
local lutra, tools, use = ...
local class, options, vocabularies = use "class", use "options", use "nn.layers.vocabularies"
local refuse, mapped, kPadding, kFirst = vocabularies.refuse, vocabularies.mapped, vocabularies.kPadding, vocabularies.kFirst
local row_of, id_of, nested = vocabularies.row_of, vocabularies.id_of, vocabularies.nested

-- Strings to ids, or with invert ids to strings.
local StringLookup = vocabularies.define("StringLookup", true)
function StringLookup:init(given)
  local read = self:read_options(given, { vocabulary = false, max_tokens = false, output_mode = "int", invert = false })
  self.max_tokens = vocabularies.read_most("StringLookup", read.max_tokens)
  self.output_mode = options.word("StringLookup", "output_mode", read.output_mode,
    { int = "int", one_hot = "one_hot", multi_hot = "multi_hot", count = "count" })
  self.invert = options.boolean("StringLookup", "invert", read.invert)
  if self.invert and not read.vocabulary then refuse(self, "invert needs a vocabulary") end
  if self.invert then self.takes_texts = false end
  vocabularies.set(self, read.vocabulary and vocabularies.first(self, read.vocabulary) or {})
end
function StringLookup:compute_output_shape(shape)
  if self.invert then self:refuse("with invert it gives strings, which no layer takes: call it with the model's results") end
  local out = { table.unpack(shape) }
  if self.output_mode == "int" then return out end
  if self.output_mode ~= "one_hot" and #out == 0 then
    self:refuse("output_mode = \"%s\" adds up a row of strings, and its rows are one string each: give rows such as {\"a\", \"b\"}, or "
      .. "use \"one_hot\"", self.output_mode)
  end
  if self.output_mode ~= "one_hot" or out[#out] == 1 then out[#out] = nil end
  out[#out + 1] = vocabularies.width_of(self)
  return out
end
function StringLookup:adapt(text, is_before)
  local counts = {}
  vocabularies.each_text(self, text, function(token)
    if token ~= "" then counts[token] = (counts[token] or 0) + 1 end
  end)
  vocabularies.set(self, vocabularies.by_frequency(self, counts, is_before))
  return self
end
function StringLookup:call(value)
  if self.invert then
    local function back(id)
      if type(id) == "table" then return mapped(id, back) end
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
  -- Rows of ids become rows of numbers. "one_hot": each id does, and a last axis of size 1 is dropped.
  local function rows_of(list)
    if self.output_mode == "one_hot" then
      if type(list) ~= "table" then return row_of(self, { list }, "multi_hot") end
      if type(list[1]) == "table" and #list[1] == 1 and type(list[1][1]) ~= "table" then
        list = mapped(list, function(each) return each[1] end)
      end
    elseif type(list[1]) ~= "table" then
      return row_of(self, list, self.output_mode)
    end
    return mapped(list, rows_of)
  end
  return lutra.constant(rows_of(ids), { dtype = "float32" })
end
vocabularies.common(StringLookup)

-- The same for whole numbers, whose tokens are their digits. Without a mask_token id 0 is free.
local IntegerLookup = class("nn.IntegerLookup", StringLookup)
IntegerLookup.kind, IntegerLookup.takes_texts = "IntegerLookup", false
local function digits(self, value)
  if tools.is_tensor(value) then
    if not value.dtype:find "int" then refuse(self, "it is given %s, expected whole numbers", value.dtype) end
    value = value.rank == 0 and value:item() or value:totable()
  end
  if type(value) == "table" and getmetatable(value) == nil then
    return mapped(value, function(each) return digits(self, each) end)
  end
  if math.type(value) ~= "integer" then refuse(self, "it is given %s, expected whole numbers", tools.what_is(value)) end
  return value == self.mask_token and "" or tostring(value)
end
function IntegerLookup:init(given)
  local more = {}
  for key, value in pairs(type(given) == "table" and given or {}) do more[key] = value end
  self.mask_token = more.mask_token and options.whole("IntegerLookup", "mask_token", more.mask_token) or nil
  more.mask_token = nil
  if more.vocabulary then more.vocabulary = digits(self, more.vocabulary) end
  StringLookup.init(self, more)
end
function IntegerLookup:adapt(data)
  local list = {}
  if options.is_dataset(data) then
    for value in data:iterate() do list[#list + 1] = digits(self, value) end
  else
    list[1] = digits(self, data)
  end
  return StringLookup.adapt(self, list, function(a, b) return math.tointeger(a) > math.tointeger(b) end)
end
function IntegerLookup:get_vocabulary()
  local tokens = mapped(self.tokens, math.tointeger)
  table.insert(tokens, 1, -1)
  if self.mask_token then table.insert(tokens, 1, self.mask_token) end
  return tokens
end
function IntegerLookup:set_vocabulary(tokens) vocabularies.set(self, digits(self, tokens)) end
function IntegerLookup:call(value)
  if not self.invert then return (StringLookup.call(self, digits(self, value))) end
  local function number(token)
    if type(token) == "table" then return mapped(token, number) end
    return math.tointeger(token) or token == "" and self.mask_token or -1
  end
  return (lutra.constant(number(StringLookup.call(self, value)), { dtype = "int64" }))
end

return { StringLookup = StringLookup, IntegerLookup = IntegerLookup }
