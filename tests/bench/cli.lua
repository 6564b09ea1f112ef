-- Shared by the command lines of scripts/lib's benchmarks.
local cli = {}

-- Ends the program with a sentence.
function cli.stop(...)
  io.stderr:write("lutra: ", table.concat({...}), "\n")
  os.exit(2)
end

-- A word for a shell.
function cli.quoted(word) return "'" .. word:gsub("'", [['\'']]) .. "'" end

-- The Python that has the peers: of the virtual environment that --peers names, else LUTRA_PEERS_PYTHON's, else python3.
function cli.python_of(peers)
  return peers and peers ~= "" and peers .. "/bin/python" or os.getenv("LUTRA_PEERS_PYTHON") or "python3"
end

return cli
