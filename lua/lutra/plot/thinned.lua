-- thinned(points, width): of neighbouring points whose x lies in the same column of that width, keeps the first, the
-- last, the lowest and the highest. A line through them looks the same, and a million points cost no more to draw.
-- points: {x1, y1, x2, y2, ...}.
return function(points, width)
  local out, at = {}, 1
  while at <= #points do
    local column, first = points[at] // width, at
    local low, high = at, at
    while at <= #points and points[at] // width == column do
      if points[at + 1] < points[low + 1] then low = at end
      if points[at + 1] > points[high + 1] then high = at end
      at = at + 2
    end
    local last = -1
    for _, kept in ipairs { first, math.min(low, high), math.max(low, high), at - 2 } do
      if kept > last then
        out[#out + 1], out[#out + 2], last = points[kept], points[kept + 1], kept
      end
    end
  end
  return out
end
