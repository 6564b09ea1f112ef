-- `count` indices of 1..n, some of them counted from the end, with many duplicates; always the same ones.
return function(count, n, dtype)
  local place = lt.range(count, { dtype = "int64" }) * 7919 % n
  local from_end = place % 3
  return lt.where(from_end:eq(0), place - n, place + 1):cast(dtype or "int64")
end
