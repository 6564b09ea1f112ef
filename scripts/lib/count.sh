#!/usr/bin/env bash
# scripts/lib/count.sh LUTRA [--accept]: counts the instructions of one op beyond those of an empty loop, by callgrind.
# Unlike times, counts are reproducible. Each tests/bench/count/X.lua runs its op `arg[1]` times; the difference of two
# runs is the op and its loop, and empty_loop.lua is the loop without the op. Fails when a count is more than 3% above
# the stored figure, or above the limit. tests/bench/README.md says what counts as the op's and how much of it is Lua's
# own.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
lutra=$1
accept=${2-}
folder="$root/tests/bench/count"
baseline="$folder/baseline.txt"
few=2000
many=102000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sums callgrind's output: all instructions, and those of the program's C functions. These are Lua's, since ours are C++.
totals='
  /^c?(ob|fn)=/ {
    match($0, /\([0-9]+\)/)
    key = substr($0, RSTART, RLENGTH)
    name = substr($0, RSTART + RLENGTH + 1)
    if (name != "") { if (/^c?ob/) objects[key] = name; else names[key] = name }
    if (/^fn/) function_ = key
    if (/^ob/) object = key
  }
  /^calls=/ { getline; next }
  /^[0-9+*-]/ { all += $2; cost[object, function_] += $2 }
  END {
    for (key in cost) {
      split(key, part, SUBSEP)
      if (objects[part[1]] == program && names[part[2]] !~ /::/) lua += cost[key]
    }
    if (all == 0) exit 1
    print all, lua + 0
  }'

# instructions FILE N
instructions() {
  env -u LUA_INIT -u LUA_INIT_5_4 -u LUTRA_LOG_PLACEMENT -u LUTRA_SIM_GPUS LUTRA_NUM_THREADS=1 \
    valgrind --tool=callgrind --callgrind-out-file="$work/out" "$lutra" "$1" "$2" >"$work/said" 2>&1 || {
    cat "$work/said" >&2
    return 1
  }
  awk -v program="$(realpath "$lutra")" "$totals" "$work/out"
}

# each FILE: instructions of one iteration of its loop: all, and Lua's.
each() {
  local low high
  low=$(instructions "$1" "$few") || return
  high=$(instructions "$1" "$many") || return
  awk -v turns="$((many - few))" '{ printf "%d %d\n", ($3 - $1) / turns, ($4 - $2) / turns }' <<<"$low $high"
}

loop=$(each "$folder/empty_loop.lua")
status=0
while read -r name stored limit; do
  if [[ -z $name || $name == \#* ]]; then
    printf '%s\n' "$name${stored:+ $stored}${limit:+ $limit}" >>"$work/new"
    continue
  fi
  turn=$(each "$folder/$name.lua")
  now=$((${turn% *} - ${loop% *}))
  printf '%s %s %s\n' "$name" "$now" "$limit" >>"$work/new"
  printf 'count: %s: %d instructions above an empty loop (%d of them Lua'\''s own), stored %s, limit %s\n' \
    "$name" "$now" "$((${turn#* } - ${loop#* }))" "$stored" "$limit"
  if ((now <= 0)); then
    echo "count: $name: the op costs nothing, so it was not run"
    status=1
  fi
  if [[ $limit != - ]] && ((now > limit)); then
    echo "count: $name is over its limit"
    status=1
  fi
  if [[ $accept == --accept ]]; then continue; fi
  if [[ $stored == - ]]; then
    echo "count: $name has no stored figure: scripts/dev count --accept"
    status=1
  elif ((now * 100 > stored * 103)); then
    echo "count: $name grew by more than 3%: find out why; scripts/dev count --accept stores it, the commit says why"
    status=1
  fi
done <"$baseline"
if [[ $accept == --accept ]]; then cp "$work/new" "$baseline"; fi
exit "$status"
