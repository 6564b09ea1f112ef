-- The batches of one measurement: a batch doubles until it takes `batch` seconds; then come batches to warm up, for `warm`
-- seconds, and those that count: at least `fewest` of them and `seconds` in all, at most `most` of them or `longest` seconds.
local function median(times)
  table.sort(times)
  return times[(#times + 1) // 2]
end

-- Returns report(seconds): takes how long the last batch took, nothing at the start, and says how many runs the next one
-- has; nil ends the measurement. Then measured.ns is the median, per run, and measured.runs the number of runs that
-- counted. limits.warmed, if given, is called after each batch that warms up.
return function(limits, measured)
  local n, warm, total, times, warming = nil, 0, 0, {}, false
  return function(seconds)
    if not seconds then
      n = 1
    elseif seconds < limits.batch and not warming then
      n = n * 2
    elseif warm < limits.warm then
      warming, warm = true, warm + seconds
      if limits.warmed then limits.warmed() end
    else
      times[#times + 1] = seconds / n * 1e9
      total = total + seconds
      local has_enough = #times >= limits.fewest and total >= limits.seconds
      if has_enough or #times >= (limits.most or math.huge) or total >= (limits.longest or math.huge) then
        measured.ns, measured.runs = median(times), #times * n
        return nil
      end
    end
    return n
  end
end
