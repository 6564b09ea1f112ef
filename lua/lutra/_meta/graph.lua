---@meta

--- A recorded function, made by `lt.graph`. Call it like the function.
---@class lutra.Graph
---@field name string the name given to lt.graph, else where the function is defined
---@field records integer how many combinations of arguments have been recorded
---@operator call: any
local Graph = {}

--- What has been recorded: operations, memory planned and needed by the eager call, and why a function runs eagerly.
---@return string
--- Errors: none of its own.
--- Example:
---     local g = lt.graph(function(x) return x:exp() + 1 end)
---     g(lt.zeros {2})
---     print(g:summary():match("%d+ launches"))  --> 2 launches
--- Source: none
function Graph:summary() end

--- Writes the last record as a drawing for Graphviz: arguments, variables and constants, the operations with shapes,
--- devices and lines, and what flows between them.
---@param path? string the file; without it the drawing is returned
---@return string? # the drawing, if there is no path
--- Errors: FailedPrecondition if nothing is recorded, NotFound if the file cannot be written.
--- Example:
---     local g = lt.graph(function(x) return x:exp() + 1 end)
---     g(lt.zeros {2})
---     print(g:dot():match("digraph"))  --> digraph
--- Source: none
function Graph:dot(path) end

--- Forgets all records and gives back their memory; the next call records anew.
--- Errors: FailedPrecondition while the graph is recorded or replayed.
--- Example:
---     local g = lt.graph(function(x) return x + 1 end)
---     g(lt.zeros {2})
---     g:reset()
---     print(g.records)  --> 0
--- Source: none
function Graph:reset() end
