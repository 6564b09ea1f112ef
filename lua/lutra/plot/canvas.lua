-- A grid of dots in characters: braille has 2 by 4 dots in each, ASCII 1 by 2. Dots count from 0, from the upper left.
local Canvas = {}
Canvas.__index = Canvas

local braille = { [0] = { 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 } }
local ascii = { [0] = { 1, 2 } }
local ascii_text = { "'", ".", ":" }

local function new(columns, rows, is_ascii)
  return setmetatable({
    columns = columns, rows = rows, is_ascii = is_ascii,
    across = is_ascii and 1 or 2, down = is_ascii and 2 or 4, dots = is_ascii and ascii or braille,
    bits = {}, owners = {}, marks = {},
  }, Canvas)
end

function Canvas:width() return self.columns * self.across end
function Canvas:height() return self.rows * self.down end

-- Sets a dot of a series. pen: {owner[, mark, every, offset, seen]}; a mark is drawn in place of dots in every so many
-- columns, once in each; without `every` in place of every dot.
function Canvas:dot(x, y, pen)
  local column, row = x // self.across, y // self.down
  local cell = row * self.columns + column
  self.bits[cell] = (self.bits[cell] or 0) | self.dots[x % self.across][y % self.down + 1]
  self.owners[cell] = pen.owner
  if not pen.mark then return end
  if not pen.every then
    self.marks[cell] = pen.mark
  elseif not pen.is_placed or (column + pen.offset) % pen.every == 0 and not pen.seen[column] then
    self.marks[cell], pen.seen[column], pen.is_placed = pen.mark, true, true
  end
end

function Canvas:line(x, y, to_x, to_y, pen)
  local across, down = to_x - x, to_y - y
  local steps = math.max(math.abs(across), math.abs(down))
  if steps == 0 then return self:dot(x, y, pen) end
  for i = 0, steps do
    self:dot(math.floor(x + across * i / steps + 0.5), math.floor(y + down * i / steps + 0.5), pen)
  end
end

-- A row of the canvas as text, without blanks at its end. paint(owner, text) colours what belongs to one series.
function Canvas:text(row, paint)
  local out, run, owner, blanks = {}, {}, nil, 0
  local function flush()
    if #run > 0 then out[#out + 1] = paint(owner, table.concat(run)) end
    run = {}
  end
  for column = 0, self.columns - 1 do
    local cell = row * self.columns + column
    local bits = self.bits[cell]
    if not bits then
      blanks = blanks + 1
    else
      if self.owners[cell] ~= owner or blanks > 0 then
        flush()
        out[#out + 1] = (" "):rep(blanks)
        owner, blanks = self.owners[cell], 0
      end
      run[#run + 1] = self.marks[cell] or self.is_ascii and ascii_text[bits] or utf8.char(0x2800 + bits)
    end
  end
  flush()
  return table.concat(out)
end

return new
