-- Implements lutra.help from the annotations in _meta; loaded when it is called (src/lua/hints/help.cpp).
local lutra, core, sources, tools = ...

local annotations = load(sources["lutra.annotations"], "=[lutra.annotations]", "t", _ENV)()

-- Classes in the order of the list, and everything by its lower-case name.
local classes, known, names = {}, {}, {}
-- Entries by the last part of their path: "get_memory_info" of config.get_memory_info.
local by_last_word = {}

local function add(name, what)
  known[name:lower()] = what
  names[#names + 1] = name
end

local function source(file) return sources["lutra._meta." .. file:gsub("/", ".")] end

for _, module in ipairs(annotations.modules) do
  for _, class in ipairs(annotations.of(module, source)) do
    classes[#classes + 1] = class
    -- A class of values may have the same name as the function that makes it.
    local maker = known[class.path:lower()]
    add(class.path == "" and "lutra" or class.path, { class = class, constructor = maker and maker.entry })
    for _, field in ipairs(class.fields) do
      -- A field that is a module or a class of values has its own help.
      if not known[field.name:lower()] then
        add(class.path == "" and field.name or class.path .. "." .. field.name, { class = class, field = field })
      end
    end
    for _, entry in ipairs(class.entries) do
      add(entry.path, { class = class, entry = entry })
      if not entry.alias then
        local short = entry.name:lower()
        by_last_word[short] = by_last_word[short] or {}
        table.insert(by_last_word[short], entry)
      end
    end
  end
end
for _, class in ipairs(classes) do
  local path = class.path:lower()
  if path ~= "" then
    local what = known[path]
    known[path] = { class = class, constructor = what and (what.constructor or what.entry) }
  end
end
local ops = tools.op_list()
local groups = {}
for _, op in ipairs(ops) do
  names[#names + 1] = op.name
  if not groups[op.group] then groups[op.group] = {} end
  table.insert(groups[op.group], op)
end

-- Topics by name and synonym.
local topics, topic_of_word, topic_names = load(sources["lutra.topics"], "=[lutra.topics]", "t", _ENV)(), {}, {}
for i, topic in ipairs(topics) do
  topic_names[i] = topic[1]
  names[#names + 1] = topic[1]
  topic_of_word[topic[1]] = topic[2]
  for word in topic[3]:gmatch("%S+") do topic_of_word[word] = topic[2] end
end

local function first_sentence(text)
  return text:match("^(.-%.)%s") or text
end

local function words_of(text)
  local words = {}
  for word in text:gmatch("%S+") do words[#words + 1] = word end
  return words
end

-- Text is wrapped to 100 columns, to fewer in a narrow terminal.
local columns
local function look_at_terminal()
  local terminal = tools.terminal()
  columns = terminal.is_terminal and math.min(100, math.max((terminal.columns or 101) - 1, 30)) or 100
end

-- Wraps words: the first line starts with `head`, the others with `indent` blanks.
local function filled(head, indent, words)
  local lines, line, is_empty = {}, head, true
  for _, word in ipairs(words) do
    if not is_empty and #line + 1 + #word > columns then
      lines[#lines + 1] = line
      line, is_empty = (" "):rep(indent), true
    end
    line, is_empty = line .. (is_empty and "" or " ") .. word, false
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function listed(head, words) return filled(("  %-21s "):format(head), 24, words) end

local function item(head, text) return filled("  " .. head, 4, words_of(text)) end

local function op_lines()
  local lines, seen = {}, {}
  for _, op in ipairs(ops) do
    if not seen[op.group] then
      seen[op.group] = true
      local words = {}
      for i, each in ipairs(groups[op.group]) do words[i] = each.name end
      table.sort(words)
      lines[#lines + 1] = listed(op.group, words)
    end
  end
  return lines
end

-- The names of a class's members, or the words of its summary if it only has aliases or no names.
local function members(class)
  local words = {}
  for _, entry in ipairs(class.entries) do
    if entry.alias then return words_of(first_sentence(class.summary)) end
    if not entry.name:find("^__") then words[#words + 1] = entry.name end
  end
  for _, field in ipairs(class.fields) do
    local is_module = class.path == "" and not known[field.name:lower()].field
    if not is_module and field.name:find("^%a") then words[#words + 1] = field.name end
  end
  table.sort(words)
  return #words > 0 and words or words_of(first_sentence(class.summary))
end

local function overview()
  local modules, values = {}, {}
  for _, class in ipairs(classes) do
    local name = class.path == "" and "lutra" or class.path
    local list = name:find("^%u") and values or modules
    list[#list + 1] = listed(name, members(class))
  end
  return table.concat({
    'lutra.help(topic) describes a name ("matmul", "config.reset", "config", "tensor"), a function',
    '(lutra.tidy), a module or a tensor, another library\'s name ("np.concatenate"), or a topic.',
    "\nTopics:", listed("", topic_names),
    "\nModules:", table.concat(modules, "\n"),
    "\nValues, by their fields and methods:", table.concat(values, "\n"),
    "\nOperations, by group; those that take a tensor first are methods too:", table.concat(op_lines(), "\n"),
  }, "\n")
end

-- Replaces Markdown links by their text.
local function plain(text) return (text:gsub("%[([^%]]*)%]%([^%)]*%)", "%1")) end

local function add_notes(out, what)
  for _, note in ipairs(what.notes) do out[#out + 1] = filled("  ", 2, words_of(plain(note))) end
end

local function add_rest(out, what)
  if what.errors then out[#out + 1] = item("errors: ", what.errors) end
  if what.example then
    out[#out + 1] = "  example:"
    for _, line in ipairs(what.example) do out[#out + 1] = line == "" and "" or "    " .. line end
    while out[#out] == "" do out[#out] = nil end
  end
  if what.source then out[#out + 1] = item("source: ", what.source) end
end

local function entry_help(entry)
  if entry.alias then
    local target = known[entry.alias:lower()].entry
    return "lutra." .. entry.path .. " is lutra." .. target.path .. "\n" .. entry_help(target)
  end
  local out = { annotations.signature(entry), filled("  ", 2, words_of(plain(entry.summary))) }
  add_notes(out, entry)
  for _, param in ipairs(entry.params) do
    if entry.name:sub(1, 2) ~= "__" then out[#out + 1] = item(param.name .. ": ", annotations.about(param)) end
  end
  for _, result in ipairs(entry.returns) do out[#out + 1] = item("result: ", annotations.about(result)) end
  add_rest(out, entry)
  return table.concat(out, "\n")
end

local function class_help(class)
  local name = class.path == "" and "lutra" or "lutra." .. class.path
  local out = { name, filled("  ", 2, words_of(plain(class.summary))) }
  add_notes(out, class)
  for _, field in ipairs(class.fields) do
    if field.name:find("^%a") then out[#out + 1] = item("." .. field.name .. ": ", annotations.about(field)) end
  end
  for _, entry in ipairs(class.entries) do
    local says = entry.alias and "lutra." .. entry.alias or first_sentence(plain(entry.summary))
    out[#out + 1] = item((entry.alias and "lutra." .. entry.path or annotations.signature(entry)) .. "  -- ", says)
  end
  for _, op in ipairs(ops) do
    if class.path ~= "" and op.name:find(class.path .. ".", 1, true) == 1 then
      out[#out + 1] = item("lutra." .. op.name .. "  -- ", first_sentence(op.summary))
    end
  end
  add_rest(out, class)
  return table.concat(out, "\n")
end

local function group_help(name)
  local lines = {}
  for _, op in ipairs(groups[name]) do lines[#lines + 1] = item("lutra." .. op.name .. "  -- ", first_sentence(op.summary)) end
  table.sort(lines)
  return "Operations of the group " .. name .. ":\n" .. table.concat(lines, "\n")
end

local function ops_help()
  return "Operations, by group:\n" .. table.concat(op_lines(), "\n")
end

-- The public name of a function or module of Lutra.
local function name_of(value)
  local places = { { "tensor.", core.methods }, { "", lutra } }
  for _, class in ipairs(classes) do
    local place = lutra
    for part in class.path:gmatch("[^%.]+") do place = type(place) == "table" and rawget(place, part) or nil end
    if type(place) == "table" and class.path ~= "" then places[#places + 1] = { class.path .. ".", place } end
    if rawequal(place, value) then return class.path == "" and "lutra" or class.path end
  end
  for i = #places, 1, -1 do
    for name, each in pairs(places[i][2]) do
      if rawequal(each, value) and type(name) == "string" then return places[i][1] .. name end
    end
  end
end

-- Functions of config come before those of config.experimental, which are the same ones.
local function original(name)
  local what = name and known[name:lower()]
  return what and what.entry and what.entry.alias or name
end

local function topic_of(value)
  if type(value) == "string" then
    local topic = value:gsub("^lutra%.", ""):gsub("^lt%.", ""):gsub(":", "."):lower()
    if topic == "lt" then topic = "lutra" end
    return known[topic] and topic or known["tensor." .. topic] and "tensor." .. topic or topic
  end
  -- The metatable of a value gives its class; modules are plain tables without one.
  local kind = getmetatable(value)
  if type(kind) == "table" then kind = rawget(kind, "__name") end
  if type(kind) == "string" and type(value) ~= "string" then
    local topic = kind:gsub("^lutra%.", ""):gsub(" %(closed%)$", ""):lower()
    if topic == "devicescope" then return "device" end
    if known[topic] then return topic end
  end
  return original(name_of(value))
end

-- The help for one of Lutra's names, or nil. is_word: the user gave a name, not a value.
local function told(name, is_word)
  local what = known[name:lower()]
  if name == "ops" then return ops_help() end
  if name == "topics" then return "Topics:\n" .. listed("", topic_names) end
  if what and what.entry then return entry_help(what.entry) end
  if what and what.field then
    local owner = what.class.path == "" and "lutra" or what.class.path:lower()
    return ("%s.%s: %s"):format(owner, what.field.name, annotations.about(what.field))
  end
  if what and what.constructor then return entry_help(what.constructor) .. "\n\n" .. class_help(what.class) end
  if what then
    -- "shape" is a kind of value and a group of operations.
    local is_both = is_word and groups[name] and name ~= "random"
    return class_help(what.class) .. (is_both and "\n\n" .. group_help(name) or "")
  end
  local text = core.op_help((name:gsub("^tensor%.", "")))
  if text then return text end
  if groups[name] then return group_help(name) end
  if by_last_word[name] then
    local texts = {}
    for i, entry in ipairs(by_last_word[name]) do texts[i] = entry_help(entry) end
    return table.concat(texts, "\n\n")
  end
end

-- Help for the operation with that name.
local function op_text(name) return core.op_help(name) or core.op_help((name:gsub("^reduce_", ""))) end

-- Help for what has exactly this path in lutra: "nn.Dense" is not "nn.dense".
local function exact_text(path)
  local what = known[path:lower()]
  local is_exact = what and (what.entry and what.entry.path == path or what.class and what.class.path == path or
      what.field and what.class.path == "" and what.field.name == path)
  return is_exact and told(path) or core.op_help(path)
end

local foreign = load(sources["lutra.foreign_names"], "=[lutra.foreign_names]", "t", _ENV)()

-- Names as the tables have them: "tf.keras.layers.Dense" is "keras.layers.Dense", "F.relu" "torch.nn.functional.relu".
local kPrefixes = {
  { "^numpy%.", "np." }, { "^tensorflow%.", "tf." }, { "^tf%.compat%.v1%.", "tf." }, { "^tf%.keras%.", "keras." }, { "^F%.", "torch.nn.functional." },
  { "^torch%.Tensor%.", "torch." }, { "^np%.ndarray%.", "np." },
}
local function canonical(name)
  for _, prefix in ipairs(kPrefixes) do name = name:gsub(prefix[1], prefix[2]) end
  return name
end

-- The functions by the names in their sources. A source is a list: "numpy.absolute, tf.abs; gradient: Giles 2008". A
-- name with words behind it ("numpy.linalg.norm of vectors") comes after names without.
local function each_source(visit)
  local function read(what, text_of)
    for part in (what.source or ""):gmatch("[^,;]+") do
      local name, rest = part:match("^%s*(%a[%w_]*%.[%w_%.]+)(.*)$")
      if name then visit(canonical(name), not rest:find("^%s*[%w']"), text_of) end
    end
  end
  for _, op in ipairs(ops) do read(op, function() return core.op_help(op.name) end) end
  for _, class in ipairs(classes) do
    read(class, function() return class_help(class) end)
    for _, entry in ipairs(class.entries) do
      if not entry.alias then read(entry, function() return entry_help(entry) end) end
    end
  end
end
local by_source
local function source_text(name)
  if not by_source then
    by_source = { [true] = {}, [false] = {} }
    each_source(function(theirs, is_whole, text_of)
      local list = by_source[is_whole]
      list[theirs] = list[theirs] or text_of
    end)
  end
  local text_of = by_source[true][name] or by_source[false][name]
  return text_of and text_of()
end

-- "abs" of same.np, or "reduce_sum=sum" of same.tf: help for ours.
local function same_text(library, path)
  for word in (foreign.same[library] or ""):gmatch("%S+") do
    local theirs, ours = word:match("^([^=]+)=?(.*)$")
    if theirs == path then
      if ours ~= "" then return exact_text(ours) end
      return exact_text(path) or exact_text(path:match("[^%.]+$"))
    end
  end
end

-- What to write instead of another library's name, and help about that.
local function instead(name, words)
  local ours = words and words:match("lutra%.([%a_][%w_%.]*)")
  local text = ours and exact_text(ours)
  return words and name .. ": write " .. words .. (text and "\n\n" .. text or "")
end

-- The parts of libraries whose functions Lutra has without their part's name: "torch.linalg.inverse" is "inverse".
local followed = {}
for part in ("math nn linalg special nn.functional"):gmatch "%S+" do followed[part] = true end
-- Lutra's own modules that follow TensorFlow's, name by name.
local mirrored = {}
for part in ("config data debugging distribute image train"):gmatch "%S+" do mirrored[part] = true end

-- Help for another library's name, with the library in front.
local function library_text(name)
  name = canonical(name)
  local library, path = name:match("^(%a+)%.(.+)$")
  if not library then return end
  local container, word = path:match("^(.*)%.([^%.]*)$")
  local text = instead(name, foreign.words[name]) or library == "tf" and mirrored[path:match("^[^%.]*")] and exact_text(path) or
      same_text(library, path) or source_text(name)
  if text then return text end
  if library == "keras" then return container == "layers" and exact_text("nn." .. word) end
  if library == "tf" and not container then
    for _, part in ipairs { "math.", "linalg.", "nn." } do
      text = foreign.words["tf." .. part .. path] and instead(name, foreign.words["tf." .. part .. path]) or
          same_text("tf", part .. path) or source_text("tf." .. part .. path)
      if text then return text end
    end
  end
  if library ~= "tf" and library ~= "np" and library ~= "torch" and library ~= "scipy" then return end
  return instead(name, tools.foreign(path)) or followed[container] and instead(name, tools.foreign(word))
end

-- What the tables of all libraries that have the name write; nil if they differ.
local function agreed_words(topic)
  local words
  for name, each in pairs(foreign.words) do
    if name:match("[^%.]+$") == topic then
      if words and words ~= each then return nil end
      words = each
    end
  end
  return words
end

-- A name without its library: an operation, a word of a source, or a name of one of the libraries.
local function foreign_help(topic)
  local text = library_text(topic)
  if text then return text end
  local first = topic:match("^([%a_]+)%.")
  if foreign.same[first] or canonical(topic) ~= topic then return end
  if first then
    for _, library in ipairs { "torch", "np", "tf", "keras", "scipy" } do
      text = library_text(library .. "." .. topic)
      if text then return text end
    end
    return
  end
  local lower = topic:lower()
  text = op_text(lower)
  for _, op in ipairs(text and {} or ops) do
    if op.name:match("[^.]+$") == lower then text = text or core.op_help(op.name) end
  end
  if text then return text end
  each_source(function(theirs, is_whole, text_of)
    if is_whole and theirs:match("[^%.]+$"):lower() == lower then text = text or text_of end
  end)
  if text then return text() end
  return instead(topic, tools.foreign(topic) or tools.foreign(lower) or agreed_words(topic))
end

-- The names, summaries and topics that have the word: "??softmax".
local function search(word)
  local lines, lower = {}, word:lower()
  local function offer(name, summary, source)
    local has = (name .. " " .. summary .. " " .. (source or "")):lower():find(lower, 1, true)
    if has then lines[#lines + 1] = item(name .. "  -- ", first_sentence(plain(summary))) end
  end
  for _, op in ipairs(ops) do offer("lutra." .. op.name, op.summary, op.source) end
  for _, class in ipairs(classes) do
    if class.path ~= "" then offer("lutra." .. class.path, class.summary or "") end
    for _, entry in ipairs(class.entries) do
      if not entry.alias and not entry.name:find("^__") then offer("lutra." .. entry.path, entry.summary or "", entry.source) end
    end
  end
  for _, topic in ipairs(topics) do
    if (topic[1] .. " " .. topic[3]):find(lower, 1, true) then lines[#lines + 1] = item(topic[1] .. "  -- ", "a topic of help") end
  end
  table.sort(lines)
  if #lines == 0 then return nil end
  return ('Names with "%s":\n'):format(word) .. table.concat(lines, "\n")
end

return function(topic)
  look_at_terminal()
  if topic == nil then return overview() end
  local word_sought = type(topic) == "string" and topic:match("^%?%?%s*(.-)%s*$")
  if word_sought then return word_sought ~= "" and search(word_sought) or tools.unknown(word_sought, names) end
  local name = topic_of(topic)
  if type(topic) ~= "string" then return name and told(name) or tools.unknown(topic, names) end
  -- A name that is ours except for capitals may be an operation of another library: "nn.conv2d".
  local word = not topic:find("%u") and name:match("^nn%.([%w_]+)$")
  -- "normal" is the operation of lutra.random, "Normal" the distribution.
  local is_exact = not by_last_word[name]
  for _, entry in ipairs(by_last_word[name] or {}) do is_exact = is_exact or entry.name == topic end
  local drawn = not is_exact and not topic:find("[%u.]") and core.op_help("random." .. name)
  return drawn or word and op_text(word) or told(name, true) or topic_of_word[name] or foreign_help(topic) or
      tools.unknown(topic, names)
end
