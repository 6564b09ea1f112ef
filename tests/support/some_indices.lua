-- `count` indices of 1..n, from the end now and then, with many that stand twice; the same ones every time.
return function(count, n, dtype)
  local place = lt.range(count, { dtype = "int64" }) * 7919 % n
  local from_end = place % 3
  return lt.where(from_end:eq(0), place - n, place + 1):cast(dtype or "int64")
end
