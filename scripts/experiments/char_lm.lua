-- A language model of characters: an LSTM reads a text and continues it in its style.
--   lutra scripts/experiments/char_lm.lua [FILE [EPOCHS [UNITS]]]
-- The text is cut into as many rows as a batch has. Each batch continues where the last one ended, with the layer's state.
local nn = lt.nn
lt.random.set_seed(1)

local here = arg[0]:match "^(.*/)[^/]*$" or "./"
local path = arg[1] or here .. "../../docs/architecture.md"
local epochs, units = tonumber(arg[2]) or 30, tonumber(arg[3]) or 128
local rows, steps = 16, 32

local file = assert(io.open(path, "rb"))
local text = file:read "a"
file:close()

-- The characters that occur, as numbers from 1.
local ids, characters, numbers = {}, {}, {}
for at = 1, #text do
  local c = text:sub(at, at)
  if not ids[c] then
    characters[#characters + 1] = c
    ids[c] = #characters
  end
  numbers[at] = ids[c]
end
local kinds = #characters
local length = (#text - 1) // rows // steps * steps
assert(length > 0, ("%s has %d characters, fewer than %d"):format(path, #text, rows * steps + 1))

-- [rows, length]: the characters read, and those that follow.
local all = lt.constant(numbers)
local read = all[{ { 1, rows * length } }]:reshape { rows, length }
local next_one = all[{ { 2, rows * length + 1 } }]:reshape { rows, length }

local function new_model()
  return nn.Sequential {
    nn.Embedding(kinds, 32, {input_shape = {steps}}),
    nn.LSTM(units, {return_sequences = true, stateful = true}),
    nn.Dense(kinds),
  }
end
local model, writer = new_model(), new_model()
model:compile {
  optimizer = lt.optim.Adam {learning_rate = 0.004, global_clipnorm = 1},
  loss = nn.losses.SparseCategoricalCrossentropy {from_logits = true},
}
print(("%s: %d characters, %d kinds; %d numbers to learn"):format(path:match "[^/]*$", #text, kinds, model:count_params()))

-- Continues `start` with random characters, likelier ones more often; a lower temperature increases that preference.
local function write(start, count, temperature)
  writer:set_weights(model:get_weights())
  writer:reset_state()
  local out, logits = { start }, nil
  for c in start:gmatch "." do
    if ids[c] then logits = writer(lt.constant { { ids[c] } }) end
  end
  for _ = 1, count do
    local id = lt.random.categorical(logits:reshape { 1, kinds } / temperature, 1)
    out[#out + 1] = characters[id:item()]
    logits = writer(id)
  end
  return table.concat(out)
end

local began = lt.time()
for epoch = 1, epochs do
  model:reset_state()
  local total, batches = 0, length // steps
  for at = 1, length, steps do
    local part = { {}, { at, at + steps - 1 } }
    total = total + model:train_on_batch(read[part], next_one[part])
  end
  print(("epoch %2d  %.3f bits a character  %5.1f s"):format(epoch, total / batches / math.log(2), lt.time() - began))
  if epoch == epochs or epoch % 10 == 0 then print("    " .. write(text:sub(1, 1), 200, 0.6):gsub("\n", "\n    ")) end
end
