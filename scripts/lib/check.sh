#!/usr/bin/env bash
# scripts/lib/check.sh PART: one part of `scripts/dev check`. Exit status 0: passed, 1: failed, 77: skipped, with the
# reason. LUTRA_BUILD is the build folder whose products are checked (default: build/release).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
dir=${LUTRA_BUILD:-$root/build/release}
cd "$root"

skip() {
  echo "$1"
  exit 77
}

need_program() { [[ -x $dir/bin/lutra ]] || skip "no $dir/bin/lutra: scripts/dev build release"; }

check_layers() {
  command -v lua5.4 >/dev/null || skip "no lua5.4"
  lua5.4 scripts/lib/layers.lua "$root"
}

# An op family is one basename. Each family on the list must have its entry, its kernels unless its ops are composed of others,
# and its specification. No other file may be an entry, register kernels or be a specification. The calls that CMake generates
# need no check.
check_families() {
  local family file bad=0 count=0 families
  families=$(sed -n '/^set(OP_FAMILIES$/,/)$/{s/^  "[a-z]*: \([a-z0-9_ ]*\)")\{0,1\}$/\1/p}' CMakeLists.txt | tr ' ' '\n')
  for family in $families; do
    count=$((count + 1))
    for file in "src/ops/$family.cpp" "kernels/cpu/$family.cpp" "tests/ops/$family.lua"; do
      [[ $file == kernels/* ]] && grep -qsF '.compose = ' "src/ops/$family.cpp" && continue
      [[ -e $file ]] || { echo "op family $family has no $file"; bad=1; }
    done
  done
  while IFS= read -r file; do
    family=$(basename "${file%.*}")
    grep -qx "$family" <<<"$families" || { echo "$file is of no family of OP_FAMILIES (CMakeLists.txt)"; bad=1; }
  done < <(
    grep -lE '^void define_[a-z0-9_]+_ops\(' src/ops/*.cpp
    grep -lE '^void register_[a-z0-9_]+_cpu\(' kernels/cpu/*.cpp
    ls tests/ops/*.lua
  )
  ((count > 0)) || { echo "CMakeLists.txt names no op families"; bad=1; }
  echo "families: $count looked at"
  return "$bad"
}

check_fmt() {
  command -v clang-format >/dev/null || skip "no clang-format"
  local said
  said=$(find src kernels tests -type f \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    xargs -0 -r -n 100 clang-format --dry-run -Werror 2>&1) || {
    grep -oE '^[^ :]+:[0-9]+:[0-9]+: error:' <<<"$said" | sed 's/:.*/: scripts\/dev fmt would change it/' | sort -u ||
      echo "$said"
    return 1
  }
}

# Each product exports its interface and nothing else: other names could clash with those of a host or another module.
check_exports() {
  need_program
  local bad=0
  exports_of "$dir/bin/lutra" '^lua(L?_|open_(base|coroutine|table|io|os|string|utf8|math|debug|package)$)' || bad=1
  exports_of "$dir/lib/lua/lutra.so" '^luaopen_lutra$' || bad=1
  if [[ -e $dir/lib/liblutra.so ]]; then exports_of "$dir/lib/liblutra.so" '^lutra_' || bad=1; fi
  if [[ -e $dir/lib/liblutra.a ]]; then static_exports || bad=1; fi
  return "$bad"
}

# The static library's names are its interface too: lutra.hpp has classes named as those inside.
static_exports() {
  local names
  names=$(nm -g --defined-only "$dir/lib/liblutra.a" | awk 'NF == 3 {print $3}')
  if grep -Ev '^lutra_' <<<"$names"; then
    echo "liblutra.a exports these; its interface is lutra_*"
    return 1
  fi
  echo "exports: liblutra.a: $(wc -l <<<"$names")"
}

# The program also has copies of the C++ runtime's data (std::cout and its like), which the linker must export.
exports_of() {
  local names wrong
  names=$(nm -D --defined-only "$1" | awk '$2 ~ /^[TDBRiW]$/ {sub(/@.*/, "", $3); print $3}')
  wrong=$(grep -Ev "$2" <<<"$names" | grep -Ev '^(_ZT[VISs]|_ZSt|_ZNSt|_ZNKSt|_ZNSs|_ZGVNSt|_?_?(bss_start|edata|end)$|_init$|_fini$|std(in|out|err)$|environ$|__environ$|_environ$)' || true)
  if ! grep -Eq "$2" <<<"$names"; then
    echo "$1 exports nothing like $2"
    return 1
  elif [[ -n $wrong ]]; then
    printf '%s exports more than its interface:\n%s\n' "$1" "$wrong"
    return 1
  fi
  echo "exports: $(basename "$1"): $(grep -Ec "$2" <<<"$names")"
}

# Regenerates docs/reference and lua/lutra/_meta/ops.lua and compares; lists public names without docs and docs without
# names; runs every example.
check_docs() {
  need_program
  "$dir/bin/lutra" scripts/lib/docs.lua --check
}

# docs/environment.md must list exactly the LUTRA_ variables that code reads. C++ and Lua name a variable in quotes; shell
# scripts read one with a default value, unlike variables of their own.
check_variables() {
  local read listed
  read=$({
    grep -rhoE --include='*.cpp' --include='*.h' '"LUTRA_[A-Z_]+"' src kernels
    grep -rhoE --include='*.cpp' --include='*.h' 'getenv\("LUTRA_[A-Z_]+"' tests | grep -oE '"[A-Z_]+"'
    grep -rhoE --include='*.lua' 'os\.getenv\(?"LUTRA(_[A-Z_]+)?"' src lua scripts tests | grep -oE '"[A-Z_]+"'
    grep -rhoE '\$\{LUTRA_[A-Z_]+[:-]' scripts/run scripts/test scripts/dev scripts/lib
  } | grep -oE 'LUTRA(_[A-Z_]+)?' | sort -u)
  listed=$(sed -n 's/^| `\(LUTRA[A-Z_]*\)` |.*/\1/p' docs/environment.md | sort -u)
  if [[ $read != "$listed" ]]; then
    echo "docs/environment.md (>) does not list what code reads (<):"
    diff <(printf '%s\n' "$read") <(printf '%s\n' "$listed")
    return 1
  fi
  echo "variables: $(wc -l <<<"$read")"
}

check_count() {
  command -v valgrind >/dev/null || skip "no valgrind"
  need_program
  bash scripts/lib/count.sh "$dir/bin/lutra"
}

case ${1-} in
  layers | families | fmt | exports | docs | variables | count) "check_$1" ;;
  *)
    echo "usage: check.sh layers|families|fmt|exports|docs|variables|count" >&2
    exit 2
    ;;
esac
