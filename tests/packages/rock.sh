#!/usr/bin/env bash
# tests/packages/rock.sh BUILD: installs the rock by luarocks from the module of a build folder, and runs a user's test
# file against it in stock lua5.4, by busted where that is installed.
set -euo pipefail
command -v luarocks >/dev/null || { echo "no luarocks"; exit 77; }
command -v lua5.4 >/dev/null || { echo "no lua5.4"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

export HOME=$work LUTRA_BUILD=$1
rocks() { luarocks --lua-version 5.4 --tree "$work/tree" "$@"; }
rocks make lutra-dev-1.rockspec >"$work/log" 2>&1 || { cat "$work/log"; fail "luarocks make"; }
[[ $(rocks list --porcelain) == *lutra*dev-1*installed* ]] || fail "luarocks lists: $(rocks list --porcelain)"
eval "$(rocks path)"
unset LUTRA_BUILD
cd "$work"  # so that nothing of the source tree is found
said=$(lua5.4 -e 'local lt = require "lutra" print(package.searchpath("lutra", package.cpath)) print(lt.ones {3}:sum():item())')
[[ $said == "$work/tree/lib/lua/5.4/lutra.so"$'\n'3.0 ]] || fail "stock lua5.4 prints: $said"
if command -v busted >/dev/null; then
  said=$(lua5.4 "$(command -v busted)" --output=TAP "$OLDPWD/tests/packages/user_spec.lua" 2>&1) || fail "busted: $said"
  [[ $said == *"1..4"* && $said != *"not ok"* ]] || fail "busted: $said"
  echo "rock passed, with busted"
else
  echo "rock passed; busted is not here (Debian: lua-busted)"
fi
rocks remove lutra >"$work/log" 2>&1 || fail "luarocks remove: $(cat "$work/log")"
[[ ! -e $work/tree/lib/lua/5.4/lutra.so ]] || fail "luarocks remove leaves lutra.so"
