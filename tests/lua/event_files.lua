-- Files of events, as lt.train.SummaryWriter and the TensorBoard callback write them: read record by record here, and by
-- TensorBoard itself by scripts/lib/tensorboard.sh (scripts/dev check --all).
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local folder = dofile("tests/support/folder.lua")
local nn = lt.nn

-- CRC-32C bit by bit, from RFC 3720's definition.
local function crc32c(bytes)
  local crc = 0xFFFFFFFF
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i)
    for _ = 1, 8 do crc = (crc >> 1) ~ (0x82F63B78 & -(crc & 1)) end
  end
  return crc ~ 0xFFFFFFFF
end
expect.equal(crc32c("123456789"), 0xE3069283)
local function masked(bytes)
  local crc = crc32c(bytes)
  return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
end

-- The fields of a protocol buffer: a list of {number, value}.
local function fields(bytes)
  local at, list = 1, {}
  local function varint()
    local value, shift = 0, 0
    repeat
      local byte = bytes:byte(at)
      value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
    until byte < 0x80
    return value
  end
  while at <= #bytes do
    local key, value = varint(), nil
    local kind = key & 7
    if kind == 0 then value = varint()
    elseif kind == 1 then value, at = ("<d"):unpack(bytes, at)
    elseif kind == 5 then value, at = ("<f"):unpack(bytes, at)
    else
      local length = varint()
      value, at = bytes:sub(at, at + length - 1), at + length
    end
    list[#list + 1] = { key >> 3, value }
    list[key >> 3] = list[key >> 3] or value
  end
  return list
end
local function field(list, number)
  for _, entry in ipairs(list) do
    if type(entry) == "table" and entry[1] == number then return entry[2] end
  end
end

-- {step, tag, number or histogram} of a file.
local function read(path)
  local bytes, at, events = folder.read(path), 1, {}
  while at <= #bytes do
    local length, check = ("<I8I4"):unpack(bytes, at)
    expect.equal(check, masked(bytes:sub(at, at + 7)), "the length's checksum")
    local data = bytes:sub(at + 12, at + 11 + length)
    expect.equal(("<I4"):unpack(bytes, at + 12 + length), masked(data), "the data's checksum")
    at = at + 16 + length
    local event = fields(data)
    local summary = field(event, 5)
    if summary then
      local value = fields(field(fields(summary), 1))
      events[#events + 1] = { field(event, 2), field(value, 1), field(value, 2), field(value, 5) }
    else
      expect.equal(field(event, 3), "brain.Event:2")
    end
  end
  return events
end
local function find(where)
  local pipe <close> = io.popen("ls '" .. where .. "'")
  return where .. "/" .. pipe:read "l"
end

expect.case("a loop's numbers", function()
  local writer = lt.train.SummaryWriter(folder.at "a/b")
  writer:add_scalar("loss", 0.5, 300)
  writer:add_scalar("acc", lt.constant { 0.25 })
  writer:add_histogram("w", { 1, 2, 2, 0 / 0, 5 }, 7, { bins = 4 })
  writer:add_histogram("none", lt.zeros { 0 }, 8)
  writer:close()
  local events = read(writer.path)
  expect.equal({ events[1], events[2] }, { { 300, "loss", 0.5 }, { 0, "acc", 0.25 } })
  local histogram = fields(events[3][4])
  for number, wanted in ipairs { 1, 5, 4, 10, 34 } do expect.equal(field(histogram, number), wanted) end
  expect.equal({ ("<dddd"):unpack(field(histogram, 6)) }, { 2, 3, 4, 5, 33 })
  expect.equal({ ("<dddd"):unpack(field(histogram, 7)) }, { 1, 2, 0, 1, 33 })
  expect.raises("FailedPrecondition", "is closed", writer.add_scalar, writer, "loss", 1)
end)

expect.case("a fit's numbers", function()
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 2 } }) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.25 }, loss = "mse", metrics = { "mae" } }
  local x, y = lt.ones { 8, 2 }, lt.ones { 8, 1 }
  local history = model:fit(x, y, { epochs = 2, batch_size = 4, verbose = 0, validation_data = { x, y },
    callbacks = { nn.callbacks.TensorBoard(folder.at "logs", { histogram_freq = 2, update_freq = 2 }) } }).history
  local seen = {}
  for _, run in ipairs { "train", "validation" } do
    for _, event in ipairs(read(find(folder.at("logs/" .. run)))) do
      seen[("%s %s %d"):format(run, event[2], event[1])] = event[3] or "histogram"
    end
  end
  local function close(name, value) expect.close(seen[name], value, 1e-6, name) end
  for epoch = 1, 2 do
    close("train epoch_loss " .. epoch, history.loss[epoch])
    close("validation epoch_loss " .. epoch, history.val_loss[epoch])
    close("train epoch_learning_rate " .. epoch, 0.25)
  end
  close("train batch_loss 4", history.loss[2])
  expect.equal({ seen["train layers/1/kernel 2"], seen["train layers/1/kernel 1"] }, { "histogram" })
end)

expect.case("functions as a callback", function()
  local calls = {}
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 2 } }) }
  model:compile { optimizer = "sgd", loss = "mse" }
  local lambda = nn.callbacks.LambdaCallback {
    on_epoch_begin = function(epoch) calls[#calls + 1] = "begin " .. epoch end,
    on_epoch_end = function(epoch, logs, of) calls[#calls + 1] = ("end %d %s %s"):format(epoch, math.type(logs.loss), of == model) end,
    on_train_batch_end = function(batch) calls[#calls + 1] = "batch " .. batch end,
  }
  model:fit(lt.ones { 4, 2 }, lt.ones { 4, 1 }, { batch_size = 2, verbose = 0, callbacks = { lambda } })
  expect.equal(calls, { "begin 1", "batch 1", "batch 2", "end 1 float true" })
  expect.raises("InvalidArgument", "unknown option 'on_epoch' (did you mean 'on_epoch_begin'?)", nn.callbacks.LambdaCallback, { on_epoch = print })
  expect.raises("InvalidArgument", "callbacks.LambdaCallback: on_epoch_end is 3, expected a function", nn.callbacks.LambdaCallback,
    { on_epoch_end = 3 })
  expect.raises("InvalidArgument", "TensorBoard: update_freq is \"day\"", nn.callbacks.TensorBoard, "logs", { update_freq = "day" })
  expect.raises("InvalidArgument", "TensorBoard: log_dir is 3, expected a string", nn.callbacks.TensorBoard, 3)
  expect.raises("InvalidArgument", "SummaryWriter: folder is nil", lt.train.SummaryWriter)
  for _, suffix in ipairs { "a\0b", "/../x" } do
    expect.raises("InvalidArgument", "SummaryWriter: filename_suffix is ", lt.train.SummaryWriter, folder.at "c", { filename_suffix = suffix })
  end
  local writer <close> = lt.train.SummaryWriter(folder.at "c")
  expect.raises("InvalidArgument", "add_scalar: tag is not text in UTF-8", writer.add_scalar, writer, "a\255", 1)
  expect.raises("InvalidArgument", "add_histogram: tag is not text in UTF-8", writer.add_histogram, writer, "a\255", { 1 })
  writer:close()
  expect.raises("FailedPrecondition", "is closed", writer.add_scalar, writer, "é", 1)
end)

folder.remove()
expect.end_of_cases()
