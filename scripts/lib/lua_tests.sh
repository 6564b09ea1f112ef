#!/usr/bin/env bash
# scripts/lib/lua_tests.sh LUTRA [FOLDER]: runs the portable part of Lua's own test suite (5.4) with lua5.4 and with
# LUTRA: the whole as all.lua runs it, then file by file. Fails where lua5.4 passes and LUTRA does not. FOLDER holds
# all.lua. Without it the suite is fetched: PyPI's source package of lupa has it, of the Lua that Debian has.
set -euo pipefail
lutra=$(realpath "$1")
folder=${2-}
package=lupa==2.0
stock=lua5.4
command -v "$stock" >/dev/null || { echo "lua-tests: $stock is missing (Debian: lua5.4)" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ -z $folder ]]; then
  python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$work" "$package" >"$work/said" 2>&1 || {
    cat "$work/said" >&2
    echo "lua-tests: cannot fetch $package; give the folder of Lua's tests: scripts/dev lua-tests FOLDER" >&2
    exit 77
  }
  tar -xzf "$work"/lupa-*.tar.gz -C "$work" --wildcards '*/lua54/testes/*'
  folder=$(dirname "$(find "$work" -name all.lua -path '*/lua54/*')")
fi
[[ -e $folder/all.lua ]] || { echo "lua-tests: $folder has no all.lua" >&2; exit 1; }
cp -r "$folder" "$work/tests"
cd "$work/tests"

# passes PROGRAM FILE [STATEMENT]: within 4 GB and two minutes, in an environment of its own.
passes() {
  (
    ulimit -v 4194304
    env -u LUA_INIT -u LUA_INIT_5_4 -u LUA_PATH -u LUA_PATH_5_4 -u LUA_CPATH -u LUA_CPATH_5_4 LUTRA_NUM_THREADS=1 \
      timeout 120 "$1" ${3+-e "$3"} "$2" >"$work/said" 2>&1 </dev/null
  )
}

failures=0 alike=0
# compare FILE STATEMENT
compare() {
  local wanted=passed got=passed
  passes "$stock" "$1" "$2" || wanted=failed
  passes "$lutra" "$1" "$2" || got=failed
  if [[ $wanted == passed && $got == failed ]]; then
    failures=$((failures + 1))
    echo "lua-tests: $1 passes with $stock and fails with lutra:"
    tail -n 5 "$work/said"
  else
    alike=$((alike + 1))
    if [[ $wanted == failed ]]; then echo "lua-tests: $1 fails with $stock; with lutra it $got"; fi
  fi
}

compare all.lua "_U = true"
for file in *.lua; do
  # heavy.lua takes all memory there is.
  case $file in all.lua | heavy.lua) continue ;; esac
  compare "$file" "_soft, _port, _nomsg = true, true, true"
done
echo "lua-tests: $alike runs alike, $failures worse"
((failures == 0))
