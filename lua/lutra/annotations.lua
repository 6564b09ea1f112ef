-- Reads the hand-written annotations in lua/lutra/_meta. help prints them; scripts/lib/docs.lua makes the reference
-- pages from them. They are LuaCATS, which editors know, with three additional keys in the text:
--   --- Errors: codes and when
--   --- Example:
--   ---     code, indented by four; its output follows `-->`
--   --- Source: TensorFlow's function that this one ports
-- A line indented by two continues the line above it.

local annotations = {}

-- In the order of help and the reference. Each has a file of its name in _meta.
annotations.modules = {
  "lutra", "config", "debugging", "tensor", "autograd", "graph", "nn", "layer", "model", "initializers",
  "regularizers", "constraints", "losses", "metrics", "callbacks", "optim", "train", "data", "image", "distributions", "sparse", "distribute",
  "placement", "plot", "profiler", "repl", "error",
}

-- Some are split into several files: _meta/nn/pools.lua describes lua/lutra/nn/layers/pools.lua.
local parts = {
  lutra = { "functions", "numbers", "arrays", "random", "fft" },
  data = { "mixing" },
  nn = {
    "plain_layers", "convolutions", "pools", "global_pools", "arranging_layers", "normalise", "recurrent_layers", "wrappers",
    "attention", "joining_layers", "replica_losses", "activation_layers", "noise_layers", "scaling_layers", "image_layers",
    "dot_layers", "einsum_dense", "group_query_attention", "volumes", "text_layers", "category_layers", "recurrent_cells",
    "conv_lstm",
  },
}

-- All files of a module, without extension: "nn", "nn/plain_layers" ...
function annotations.files(module)
  local files = { module }
  for i, part in ipairs(parts[module] or {}) do files[i + 1] = module .. "/" .. part end
  return files
end

-- "lutra" is the module itself, "lutra.config" its field config, "lutra.Tensor" a kind of value.
local function path_of(class)
  return class == "lutra" and "" or class:gsub("^lutra%.", "")
end

local function trimmed(text)
  return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

-- A type ends at the first blank outside brackets and quotes, but for those of the results of "fun(...): a, b".
local function split_type(text)
  local depth, quoted = 0, false
  for at = 1, #text do
    local c = text:sub(at, at)
    if c == '"' then
      quoted = not quoted
    elseif c:find("[%(%[{<]") then
      depth = depth + 1
    elseif c:find("[%)%]}>]") then
      depth = depth - 1
    elseif c == " " and depth == 0 and not quoted and not text:sub(1, at - 1):find("%):$") and
        not text:sub(1, at - 1):find("%): .*,$") then
      return text:sub(1, at - 1), trimmed(text:sub(at))
    end
  end
  return text, ""
end

local function new_block()
  return { paragraphs = {}, params = {}, returns = {} }
end

local function add_text(block, text)
  local key, rest = text:match("^(%u%l+):%s*(.*)$")
  if key == "Errors" or key == "Source" then
    block[key:lower()] = rest
    block.last, block.field = block, key:lower()
  elseif key == "Example" then
    block.example = {}
    block.last = nil
  elseif block.example and not block.source and (text == "" or text:sub(1, 4) == "    ") then
    block.example[#block.example + 1] = text:sub(5)
  elseif text:sub(1, 2) == "  " and block.last then
    block.last[block.field] = trimmed(block.last[block.field] .. " " .. trimmed(text))
  elseif text == "" then
    block.last = nil
  elseif block.last and block.field == 1 then
    block.last[1] = block.last[1] .. " " .. text
  else
    block.last, block.field = { text }, 1
    block.paragraphs[#block.paragraphs + 1] = block.last
  end
end

local function add_tag(block, tag, text)
  if tag == "param" or tag == "field" then
    local name, optional, rest = text:match("^([^%s%?]+)(%??)%s+(.*)$")
    local type, about = split_type(rest)
    if tag == "field" and optional == "?" then type = type .. "|nil" end
    local item = { name = name, optional = optional == "?", type = type, text = about }
    local list = tag == "param" and block.params or block.fields
    list[#list + 1] = item
    block.last, block.field = item, "text"
  elseif tag == "return" then
    local type, about = split_type(text)
    local item = { type = type, text = trimmed((about:gsub("^.-#%s*", ""))) }
    block.returns[#block.returns + 1] = item
    block.last, block.field = item, "text"
  end
end

-- Copies a comment block into an entry or class: summary, notes (the other paragraphs), errors, example, source.
local function finish(block, into)
  for i, paragraph in ipairs(block.paragraphs) do
    if i == 1 then into.summary = paragraph[1] else into.notes[#into.notes + 1] = paragraph[1] end
  end
  into.errors, into.example, into.source = block.errors, block.example, block.source
  into.params, into.returns = block.params, block.returns
  return into
end

-- Adds the classes of one file, in order, to `classes`: {path, summary, notes, fields, entries}. An entry is {path,
-- name, class, arguments, is_method, params, returns, summary, notes, errors, example, source}, or {..., alias = path
-- of the original}.
local function parse(text, classes, by_path)
  local named, current = {}, nil
  local block = new_block()
  local function add_entry(class, entry)
    entry.class, entry.notes = class.path, {}
    entry.path = class.path == "" and entry.name or class.path .. "." .. entry.name
    class.entries[#class.entries + 1] = finish(block, entry)
    block = new_block()
  end
  for line in text:gmatch("([^\n]*)\n") do
    local tag, rest = line:match("^%-%-%-@(%w+)%s*(.*)$")
    local comment = line:match("^%-%-%- ?(.*)$")
    local variable, mark, name, arguments = line:match("^function ([%w_%.]+)([%.:])([%w_]+)%((.-)%) end$")
    local object, is = line:match("^([%w_%.]+) = ([%w_%.]+)$")
    local declared = line:match("^local ([%w_]+) = {}$") or line:match("^([%w_%.]+) = {}$")
    if tag == "class" then
      local path = path_of(rest:match("^[%w_%.]+"))
      current = by_path[path]
      if not current then
        current = finish(block, { path = path, notes = {}, fields = {}, entries = {} })
        classes[#classes + 1], by_path[path] = current, current
      end
      block = new_block()
      block.fields = current.fields
    elseif tag then
      add_tag(block, tag, rest)
    elseif comment then
      add_text(block, comment)
    elseif variable then
      local list = {}
      for word in arguments:gmatch("[^,%s]+") do list[#list + 1] = word end
      add_entry(named[variable], { name = name, arguments = list, is_method = mark == ":" })
    elseif object then
      local of, field = object:match("^(.*)%.([%w_]+)$")
      local from, target = is:match("^(.*)%.([%w_]+)$")
      local path = named[from].path
      add_entry(named[of], { name = field, alias = path == "" and target or path .. "." .. target })
    else
      if declared then named[declared] = current end
      block = new_block()
    end
  end
end

-- The classes of a module; read(file) returns a file's text. A class may continue in other files.
function annotations.of(module, read)
  local classes, by_path = {}, {}
  for _, file in ipairs(annotations.files(module)) do parse(read(file), classes, by_path) end
  return classes
end

local special = {
  __index = "tensor[key]", __newindex = "tensor[key] = value", __len = "#tensor", __concat = "a .. b",
  __pairs = "pairs(tensor)", __tostring = "tostring(tensor)", __close = "local t <close> = tensor", __lt = "a < b",
  __le = "a <= b",
}

-- How a program writes an entry.
function annotations.signature(entry)
  if special[entry.name] then return (special[entry.name]:gsub("tensor", entry.class:lower())) end
  local optional, words = {}, {}
  for _, param in ipairs(entry.params or {}) do optional[param.name] = param.optional end
  for i, name in ipairs(entry.arguments or {}) do words[i] = optional[name] and "[" .. name .. "]" or name end
  local call = entry.name .. "(" .. table.concat(words, ", ") .. ")"
  if entry.is_method then return entry.class:match("%w+$"):lower() .. ":" .. call end
  return "lutra." .. (entry.class == "" and "" or entry.class .. ".") .. call
end

-- The type of a param, return or field, followed by its text.
function annotations.about(item)
  local type = item.type:gsub("lutra%.", ""):gsub("|", " or ")
  return item.text == "" and type or type .. "; " .. item.text
end

return annotations
