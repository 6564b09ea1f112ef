-- Translates sequences with attention: dates as people write them become dates as numbers.
--   lutra scripts/experiments/seq2seq.lua [DATES [EPOCHS]]
-- An encoder reads "7 march 2031", a decoder writes "2031-03-07" and looks back by attention (Luong et al., 2015).
local nn = lt.nn
lt.random.set_seed(1)
math.randomseed(1)

local count, epochs = tonumber(arg[1]) or 2000, tonumber(arg[2]) or 15
local months = { "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december" }
local read_length, written_length = 17, 10

-- A character's number: 0 is the end of a text, 1 the beginning of what is written.
local ids, characters = {}, {}
for c in ("^ -0123456789abcdefghijklmnopqrstuvwxyz"):gmatch "." do
  characters[#characters + 1] = c
  ids[c] = #characters
end
local kinds = #characters + 1

local function numbers_of(text, length)
  local list = {}
  for k = 1, length do list[k] = ids[text:sub(k, k)] or 0 end
  return list
end
local function random_date()
  local day, month, year = math.random(28), math.random(12), math.random(2000, 2099)
  local forms = { "%d %s %d", "%s %d %d" }
  local form = math.random(2)
  local text = form == 1 and forms[1]:format(day, months[month], year) or forms[2]:format(months[month], day, year)
  return text, ("%d-%02d-%02d"):format(year, month, day)
end
local function dates(n)
  local texts, read, written = {}, {}, {}
  for i = 1, n do
    local text, date = random_date()
    texts[i], read[i], written[i] = { text, date }, numbers_of(text, read_length), numbers_of(date, written_length)
  end
  return texts, lt.constant(read), lt.constant(written)
end

-- Embedding's ids count from 1.
local embedding, encoder = nn.Embedding(kinds, 32), nn.Bidirectional(nn.GRU(48, { return_sequences = true }))
local first_state = nn.Dense(96, { activation = "tanh" })
local decoder = nn.GRU(96, { return_sequences = true, return_state = true })
local attention, mixed, output = nn.Attention(), nn.Dense(96, { activation = "tanh" }), nn.Dense(kinds)
local layers = { embedding, encoder, first_state, decoder, attention, mixed, output }

local function encode(read)
  local memory = encoder(embedding(read + 1))
  return memory, first_state(memory:mean(2))
end
-- Logits of the characters behind those that are written already, and the decoder's new state.
local function decode(written, memory, state)
  local steps, last = table.unpack(decoder(embedding(written + 1), { initial_state = state }))
  local seen = attention { steps, memory }
  return output(mixed(lt.concat({ steps, seen }, 3))), last
end

local function variables()
  local list = {}
  for _, layer in ipairs(layers) do
    local own = layer:trainable_variables()
    table.move(own, 1, #own, #list + 1, list)
  end
  return list
end

local begin = ids["^"]
local optimizer = lt.optim.Adam { learning_rate = 0.003, global_clipnorm = 1 }
local function step(read, written)
  local before = lt.concat({ lt.fill({ #read, 1 }, begin):cast(written.dtype), written[{ {}, { 1, written_length - 1 } }] }, 2)
  local tape <close> = lt.GradientTape()
  local memory, state = encode(read)
  local logits = decode(before, memory, state)
  local loss = lt.cross_entropy(written:reshape { -1 } + 1, logits:reshape { -1, kinds }):mean()
  local list = variables()
  optimizer:apply(tape:gradient(loss, list), list)
  return loss:item()
end

-- Writes the likeliest character, one after another.
local function translate(read)
  local memory, state = encode(read)
  local written, list = lt.fill({ #read, 1 }, begin):int32(), {}
  for k = 1, written_length do
    local logits
    logits, state = decode(written, memory, state)
    written = logits:argmax(-1):int32() - 1
    list[k] = written
  end
  return lt.concat(list, 2)
end

local _, read, written = dates(count)
local data = lt.data.from_tensor_slices(read, written):shuffle(count, { seed = 1 }):batch(50)
for epoch = 1, epochs do
  local sum, steps = 0, 0
  for a, b in data:iterate() do sum, steps = sum + step(a, b), steps + 1 end
  if epoch % 5 == 0 or epoch == 1 then print(("epoch %2d: loss %.4f"):format(epoch, sum / steps)) end
end

local texts, others, wanted = dates(200)
local got = translate(others)
print(("right: %.1f%% of 200 other dates"):format(100 * lt.all(got:eq(wanted), 2):float32():mean():item()))
for i = 1, 3 do
  local out = {}
  for _, id in ipairs(got[i]:totable()) do out[#out + 1] = characters[id] or "" end
  print(("%-18s %s"):format(texts[i][1], table.concat(out)))
end
