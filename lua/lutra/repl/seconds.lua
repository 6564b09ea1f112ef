-- A time as people read it: "12.3 us".
local seconds = {}

function seconds.text(value)
  if value >= 1 then return ("%.3g s"):format(value) end
  if value >= 1e-3 then return ("%.3g ms"):format(value * 1e3) end
  return ("%.3g us"):format(value * 1e6)
end

return seconds
