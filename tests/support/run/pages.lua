-- Pages of Markdown with blocks that can be run: finding blocks, files for a page's commands, running a block, and writing new output into a page.
local golden = require "run.golden"

local pages = {}

-- {info, first, last} of every fenced block; its text is lines[first .. last].
function pages.blocks_of(lines)
  local blocks, open = {}, nil
  for number, line in ipairs(lines) do
    if open then
      if line:match("^```%s*$") then
        open.last = number - 1
        blocks[#blocks + 1], open = open, nil
      end
    else
      local info = line:match("^```(.*)$")
      if info then open = { info = info, first = number + 1 } end
    end
  end
  if open then error(("line %d: the block is never closed"):format(open.first - 1), 0) end
  return blocks
end

local function write(path, lines)
  local file <close> = assert(io.open(path, "wb"))
  file:write(table.concat(lines, "\n"), "\n")
end

-- Stdout and stderr in order, as lines, with a last one for an exit status that is not 0.
local function printed(output, status)
  local lines = golden.lines(output)
  if status ~= 0 then lines[#lines + 1] = "exit status " .. status end
  return lines
end

-- Runs a program of Lua; `words` are settings of the environment and then options of lutra.
function pages.run_program(code, words)
  local environment, options = {}, words
  while options:match("^[%w_]+=") do
    environment[#environment + 1], options = options:match("^(%S+)%s*(.*)$")
  end
  local name = os.tmpname()
  write(name, code)
  local output, status = golden.run(options .. " " .. golden.quote(name), environment)
  os.remove(name)
  -- A reader does not see the temporary file's name.
  return printed(output:gsub(name:gsub("%p", "%%%0"), "example.lua"), status)
end

local function shell_line(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read("l")
end

-- The folder in which a page's commands run. It begins empty and has the page's files; removed when it is closed.
local Folder = {}
Folder.__index = Folder
function Folder:__close()
  if self.path then os.execute("rm -rf " .. golden.quote(self.path)) end
end

function pages.folder() return setmetatable({}, Folder) end

function Folder:at(name)
  self.path = self.path or assert(shell_line("mktemp -d"))
  return self.path .. "/" .. name
end

function Folder:write(name, lines)
  if not name:match("^[%w_.-]+$") or name:sub(1, 1) == "." then error("'" .. name .. "' is no name for a file of a page", 0) end
  write(self:at(name), lines)
end

-- What commands may need, by name: a function of the page's folder, the tree's root and the build's folder of libraries that
-- gives a line for the shell, or nil if it is not here. Any other name is a program's.
local needs = {}

local function is_here(condition) return (os.execute("{ " .. condition .. "; } > /dev/null")) end

-- liblutra.so beside the program, as `cmake --install` would put it, found by pkg-config. Built with sanitizers, it is for
-- programs of that kind only.
function needs.liblutra(folder, root, lib)
  if not is_here(("cd %s && test -e liblutra.so -a -e ../generated/embed/lutra_ops.hpp && ! ldd liblutra.so | grep 'lib[at]san'")
      :format(golden.quote(lib))) or not is_here("command -v cc && command -v c++ && command -v pkg-config") then
    return nil
  end
  folder:write("lutra.pc", {
    "Name: lutra", "Description: Lutra", "Version: 0",
    ("Cflags: -I%s/src/embed -I%s/../generated/embed"):format(root, lib), ("Libs: -L%s -llutra"):format(lib),
  })
  return ("export PKG_CONFIG_PATH=%s LD_LIBRARY_PATH=%s"):format(golden.quote(folder.path), golden.quote(lib))
end

-- The module for stock lua5.4.
function needs.module(_, _, lib)
  if not is_here(("cd %s && test -e lua/lutra.so && ! ldd lua/lutra.so | grep 'lib[at]san'"):format(golden.quote(lib))) then return nil end
  return ("export LUA_CPATH=%s"):format(golden.quote(lib .. "/lua/?.so;;"))
end

-- Open MPI, in the program and in this machine.
function needs.launch()
  return is_here(("timeout 60 %s launch -n 1 /dev/null 2>&1"):format(golden.quote(golden.program()))) and ":"
end

-- Runs commands by bash in the page's folder; `scripts/run` is the program under test there. Nil if something is not here
-- that they need: words of `wanted`.
function pages.run_commands(folder, commands, wanted)
  local root = shell_line("pwd -P")
  local program = shell_line("realpath " .. golden.quote(golden.program()))
  local lib = shell_line(("realpath -m %s/../../lib"):format(golden.quote(program)))
  local lines = {
    'lutra() { "$LUTRA" "$@"; }', 'scripts/run() { "$LUTRA" "$@"; }',
    "ln -sfn " .. golden.quote(root .. "/scripts") .. " scripts", "export XDG_STATE_HOME=$PWD COLUMNS=80",
  }
  folder:at("")
  for name in wanted:gmatch("%S+") do
    local line
    if needs[name] then
      line = needs[name](folder, root, lib)
    else
      line = is_here("command -v " .. golden.quote(name)) and ":"
    end
    if not line then return nil end
    lines[#lines + 1] = line
  end
  write(folder:at(".commands"), table.move(commands, 1, #commands, #lines + 1, lines))
  local output, status =
    golden.run_command(("cd %s && bash .commands"):format(golden.quote(folder.path)), { "LUTRA=" .. program })
  return printed(output:gsub(folder.path:gsub("%p", "%%%0") .. "/", ""):gsub("%.commands: line %d+: ", ""), status)
end

-- Why a diff is outdated, or nil.
function pages.outdated(diff)
  local path, hunks = nil, {}
  for _, line in ipairs(diff) do
    local mark, rest = line:sub(1, 1), line:sub(2)
    if line:match("^%+%+%+ b/") then
      path = line:match("^%+%+%+ b/(.*)$")
    elseif mark == "@" then
      hunks[#hunks + 1] = {}
    elseif path and (mark == "+" or mark == " ") then
      table.insert(hunks[#hunks], rest)
    end
  end
  if not path or #hunks == 0 then return "a diff without a file or a hunk" end
  local text = "\n" .. golden.read(path) .. "\n"
  for i, hunk in ipairs(hunks) do
    local wanted = "\n" .. table.concat(hunk, "\n") .. "\n"
    if not text:find(wanted, 1, true) then return ("hunk %d does not stand in %s (any more)"):format(i, path) end
  end
end

-- Writes a page with the lines of {first, last, lines} in place of those from first to last, for each replacement.
function pages.rewrite(path, lines, replacements)
  for i = #replacements, 1, -1 do
    local new = replacements[i]
    local rest = table.move(lines, new.last + 1, #lines, 1, {})
    for at = #lines, new.first, -1 do lines[at] = nil end
    table.move(new.lines, 1, #new.lines, #lines + 1, lines)
    table.move(rest, 1, #rest, #lines + 1, lines)
  end
  write(path, lines)
  print(path .. " rewritten")
end

return pages
