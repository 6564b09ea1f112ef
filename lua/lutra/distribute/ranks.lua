-- The processes of a launch, which are called ranks and count from 0. Each collective here waits until all ranks are in
-- it; ranks that are in different ones get an error that names both (src/hosts).
local lutra, tools, use = ...
local options = use "options"

-- limit: the most seconds to wait in a collective; 0: as long as it takes.
local ranks = { limit = 0 }

local started, own_rank, count, hosts = false, 0, 1, nil

-- This process' rank, the number of ranks, and a list of their hosts; 0, 1 and nil without a launcher. The first call
-- starts MPI if a launcher started this process.
function ranks.start()
  if not started then
    local rank, size, list = tools.ranks_start()
    own_rank, count, hosts, started = rank or 0, size or 1, list, true
  end
  return own_rank, count, hosts
end

function ranks.rank() return (ranks.start()) end
-- The same if it is known, and 0 before start().
function ranks.known_rank() return own_rank end
function ranks.size() return (select(2, ranks.start())) end

-- Whether this process should print and write files for a model: not if another rank does.
function ranks.is_chief(model)
  local strategy = rawget(model, "strategy")
  return not (strategy and strategy.ranks) or own_rank == 0
end

-- A collective without data. `equal` is a text that must be the same on all ranks. Returns rank 0's note (an integer), and
-- whether is_complete is true on all ranks.
function ranks.meet(what, equal, is_complete, note, seconds)
  return tools.ranks_meet(what, equal or "", is_complete ~= false, note or 0, seconds or ranks.limit)
end

-- The strings that the ranks pass, in their order.
function ranks.gather(what, bytes, equal)
  ranks.meet(what, equal)
  return tools.ranks_gather(bytes)
end

-- barrier([seconds])
function ranks.barrier(seconds)
  if seconds ~= nil then
    seconds = options.number("barrier", "seconds", seconds, 0)
    if seconds == 0 then tools.fail("InvalidArgument", "barrier: seconds is 0, expected a number above 0") end
  end
  if ranks.size() > 1 then ranks.meet("barrier", "", true, 0, seconds) end
end

-- Numbers as text without loss.
local function packed(numbers)
  local words = {}
  for i, number in ipairs(numbers) do words[i] = number ~= number and "nan" or ("%q"):format(number) end
  return table.concat(words, " ")
end
local function unpacked(text, list)
  for word in text:gmatch "%S+" do list[#list + 1] = word == "nan" and 0 / 0 or tonumber(word) end
  return list
end

-- The numbers of all ranks: one list per rank.
function ranks.gather_numbers(what, numbers, equal)
  local lists = {}
  for r, text in ipairs(ranks.gather(what, packed(numbers), equal)) do lists[r] = unpacked(text, {}) end
  return lists
end

-- The tensors of all ranks in order, on this rank's `device`, without those of ranks that pass nil.
function ranks.gather_tensors(what, tensor, device)
  local bytes = ""
  if tensor then
    local sizes = { table.unpack(tensor.shape) }
    bytes = string.pack("<s1 s1", tensor.dtype, table.concat(sizes, " ")) .. tensor:to("/CPU:0"):bytes()
  end
  local list = {}
  for _, text in ipairs(ranks.gather(what, bytes)) do
    if text ~= "" then
      local dtype, sizes, at = string.unpack("<s1 s1", text)
      list[#list + 1] = lutra.device(device, lutra.from_bytes, text:sub(at), dtype, unpacked(sizes, {}))
    end
  end
  return list
end

-- Rank 0's bytes, on all ranks.
function ranks.of_chief(what, bytes, equal) return ranks.gather(what, own_rank == 0 and bytes or "", equal)[1] end

local kPiece = 64 << 20

-- Rank 0's file as a file of this rank: nil if rank 0 has none. Other ranks get a temporary one; the second result tells
-- whether it is one. It is sent in pieces, so that memory does not hold all of it.
function ranks.share_file(what, path)
  local file = own_rank == 0 and io.open(path, "rb") or nil
  local size = file and file:seek "end" or -1
  size = ranks.meet(what, path, true, size)
  if size < 0 then return nil end
  if file then file:seek "set" end
  local copy = own_rank > 0 and os.tmpname() or nil
  local out = copy and assert(io.open(copy, "wb"))
  local problem
  for at = 0, size - 1, kPiece do
    local piece = ranks.of_chief(what, file and (file:read(math.min(kPiece, size - at)) or ""))
    if out and not problem then
      local ok, why = out:write(piece)
      problem = not ok and why
    end
  end
  if file then file:close() end
  if out then out:close() end
  if not copy then return path, false end
  -- save and load tell formats by the name's end.
  local named = copy .. (path:match "%.%w+$" or "")
  os.rename(copy, named)
  if problem then
    os.remove(named)
    tools.fail("ResourceExhausted", ("%s: rank %d cannot write rank 0's file %s to %s: %s"):format(what, own_rank, path, named, problem))
  end
  return named, true
end

return ranks
