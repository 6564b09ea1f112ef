-- Event files, which TensorBoard reads: records of TensorFlow's TFRecord format, each a protocol buffer Event. A record
-- is its length, a checksum of that, the bytes, and a checksum of those (CRC-32C, RFC 3720, masked).
local lutra, tools, use = ...

local crc_table

local function checksum(bytes)
  if not crc_table then
    crc_table = {}
    for i = 0, 255 do
      local crc = i
      for _ = 1, 8 do crc = crc & 1 == 1 and (crc >> 1) ~ 0x82F63B78 or crc >> 1 end
      crc_table[i] = crc
    end
  end
  local crc = 0xFFFFFFFF
  for i = 1, #bytes do crc = crc_table[(crc ~ bytes:byte(i)) & 0xFF] ~ (crc >> 8) end
  crc = crc ~ 0xFFFFFFFF
  return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
end

local function record(bytes)
  local length = ("<I8"):pack(#bytes)
  return length .. ("<I4"):pack(checksum(length)) .. bytes .. ("<I4"):pack(checksum(bytes))
end

-- Fields of protocol buffers.
local function varint(n)
  local out = {}
  repeat
    local low = n & 0x7F
    n = n >> 7
    out[#out + 1] = string.char(n ~= 0 and low | 0x80 or low)
  until n == 0
  return table.concat(out)
end
local function double(field, value) return varint(field << 3 | 1) .. ("<d"):pack(value) end
local function float(field, value) return varint(field << 3 | 5) .. ("<f"):pack(value) end
local function integer(field, value) return varint(field << 3) .. varint(value) end
local function bytes_of(field, value) return varint(field << 3 | 2) .. varint(#value) .. value end
local function doubles(field, list)
  local out = {}
  for i, value in ipairs(list) do out[i] = ("<d"):pack(value) end
  return bytes_of(field, table.concat(out))
end

local events = {}

-- The first record of each file.
function events.version(seconds) return record(double(1, seconds) .. bytes_of(3, "brain.Event:2")) end

local function event(seconds, step, tag, value)
  return record(double(1, seconds) .. integer(2, step) .. bytes_of(5, bytes_of(1, bytes_of(1, tag) .. value)))
end

-- Event.summary.value.simple_value
function events.scalar(seconds, step, tag, value) return event(seconds, step, tag, float(2, value)) end

-- Event.summary.value.histo: counts of the elements that are numbers, in `bins` equal intervals.
function events.histogram(seconds, step, tag, tensor, bins)
  local x = lutra.cast(lutra.flatten(tensor), "float64")
  x = x[lutra.isfinite(x)]
  local least, most, sum, squares, limits, counts = 0.0, 0.0, 0.0, 0.0, {}, {}
  if #x > 0 then
    least, most = x:min():item(), x:max():item()
    sum, squares = x:sum():item(), (x * x):sum():item()
    local width = (most - least) / bins
    if not (width > 0) then bins, width = 1, 1.0 end
    local place = lutra.clip(lutra.cast(lutra.floor((x - least) / width), "int64") + 1, 1, bins)
    counts = lutra.scatter_add(lutra.zeros({ bins }, { dtype = "float64" }), place, lutra.ones_like(x)):totable()
    for i = 1, bins do limits[i] = i == bins and math.max(most, least + width * i) or least + width * i end
  end
  return event(seconds, step, tag, bytes_of(5, double(1, least) .. double(2, most) .. double(3, #x) .. double(4, sum)
    .. double(5, squares) .. doubles(6, limits) .. doubles(7, counts)))
end

return events
