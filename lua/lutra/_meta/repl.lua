---@meta

--- The prompt inside other programs: over a socket, and in notebooks.
---
--- Loaded on first use. [prompt.md](../prompt.md#attach) and [notebook.md](../notebook.md) show both.
---@class lutra.repl
local repl = {}

--- Listens at a path for `lutra attach PATH`, which opens this prompt inside the running program.
---
--- The socket has mode 0600. A socket that a program of this user's has left behind is replaced. Entries run only while
--- the program calls listener:poll(), in a coroutine of their own. The listener ends, and the socket's file with it, by
--- listener:close(), as a <close> variable, or when it is collected.
---@param path string of the socket, at most 107 bytes
---@return lutra.repl.Listener
--- Errors: FailedPrecondition if something else is at the path, or a program that listens; NotFound if its folder does
---   not exist.
--- Example:
---     local listener <close> = lt.repl.listen "game.sock"
---     for frame = 1, 3 do
---       listener:poll() -- and draw the frame
---     end
---     print(listener:is_attached())
---     --> false
function repl.listen(path) end

--- Shows values in a notebook: a plot as a picture, a tensor as a table. Elsewhere it prints them.
---@param ... any
--- Example:
---     lt.repl.display(lt.constant {1, 2, 3})
---     --> lutra.Tensor([1 2 3], shape=(3,), dtype=int32)
function repl.display(...) end

--- What lt.repl.listen returns.
---@class lutra.repl.Listener
local Listener = {}

--- Runs the entries that have come and answers the client's questions.
---
--- An entry runs until it ends: the program waits for it. Its print, io.write, io.read, placement log and progress bars
--- are the client's; the program's stdout and stderr stay its own. Ctrl-C at the client raises "interrupted!" in the
--- entry, Ctrl-C at the program also here.
---@param seconds? number to wait for the first request (default 0)
---@return integer entries how many ran
--- Errors: FailedPrecondition if the listener is closed, or inside an entry that came by it.
--- Example:
---     local listener <close> = lt.repl.listen "game.sock"
---     print(listener:poll(), listener:poll(0.01)) -- the second waits
---     --> 0	0
function Listener:poll(seconds) end

--- Whether a client was attached at the last poll.
---@return boolean
--- Example:
---     local listener <close> = lt.repl.listen "game.sock"
---     print(listener:is_attached())
---     --> false
function Listener:is_attached() end

--- Ends the session of the client, and removes the socket's file.
--- Example:
---     local listener = lt.repl.listen "game.sock"
---     listener:close()
---     print(listener)
---     --> lutra.repl.Listener(closed)
function Listener:close() end

return repl
