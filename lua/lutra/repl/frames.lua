-- The frames of an error, for :up, :down and :locals. Values are kept as text: kept tensors would hold memory.
local _, _, use = ...

local frames = {}
local most_frames, most_locals = 30, 30

-- Called by the message handler: level 1 is describe, 2 note_frames, 3 the handler, 4 what raised the error.
local first_level = 4

-- A list of {where, line, locals = {{name, text}...}}; origin: {is_chunk, defined} of the innermost frame of an entry.
function frames.describe(session, getinfo, getlocal)
  local brief = use "repl.listing".brief
  local list = {}
  for level = first_level, first_level + 200 do
    local info = getinfo(level, "Slnf")
    if not info or #list >= most_frames then break end
    local is_own = info.source:find("^=%[lutra") ~= nil
    if info.what ~= "C" and not is_own then
      local frame = { locals = {}, where = info.short_src, line = info.currentline }
      frame.name = info.what == "main" and "main chunk" or info.name and ("function '%s'"):format(info.name)
        or ("function <%s:%d>"):format(info.short_src, info.linedefined)
      for i = 1, most_locals do
        local name, value = getlocal(level, i)
        if not name then break end
        if not name:find("^%(") then frame.locals[#frame.locals + 1] = { name, brief(session, value) } end
      end
      if info.short_src == "stdin" and not list.origin then
        list.origin = { is_chunk = info.what == "main", defined = info.linedefined }
      end
      list[#list + 1] = frame
    end
  end
  return list
end

-- Shows frame `at` with its locals.
function frames.show(session, at)
  local list = session.frames
  local frame = list[at]
  session:print(("%d of %d: %s:%d: in %s"):format(at, #list, frame.where, frame.line, frame.name))
  if #frame.locals == 0 then session:print "  no locals" end
  for _, each in ipairs(frame.locals) do session:print(("  %s = %s"):format(each[1], each[2])) end
end

-- Moves by `step` frames, outwards if positive.
function frames.move(session, step)
  local list = session.frames
  if not list or #list == 0 then return session:fail "there is no error to look at" end
  local at = (session.frame or 1) + step
  if at < 1 then return session:fail "this is the innermost frame" end
  if at > #list then return session:fail "this is the outermost frame" end
  session.frame = at
  frames.show(session, at)
end

return frames
