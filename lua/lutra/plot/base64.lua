-- base64(bytes): RFC 4648, section 4.
local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local digit = {}
for i = 1, 64 do digit[i - 1] = digits:sub(i, i) end

return function(bytes)
  local out = {}
  for at = 1, #bytes, 3 do
    local a, b, c = bytes:byte(at, at + 2)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    out[#out + 1] = digit[bits >> 18] .. digit[bits >> 12 & 63] .. (b and digit[bits >> 6 & 63] or "=") .. (c and digit[bits & 63] or "=")
  end
  return table.concat(out)
end
