#!/usr/bin/env bash
# scripts/lib/neon.sh: checks that the CPU's code compiles for 64-bit ARM, whose vectors are NEON. Compiles, but does
# not run, all files of kernels/cpu, core and ops that need no library but the C++ one. Exit status 77: skipped, with
# the reason.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$root"
compiler=aarch64-linux-gnu-g++
if ! command -v "$compiler" >/dev/null; then
  echo "no $compiler (Debian: g++-aarch64-linux-gnu)"
  exit 77
fi

files=() foreign=0
while IFS= read -r file; do
  # The installed headers of other libraries are for this machine's processor.
  if grep -Eq '#include [<"]oneapi/' "$file"; then
    foreign=$((foreign + 1))
  else
    files+=("$file")
  fi
done < <(find kernels/cpu src/core src/ops -name '*.cpp' | sort)

printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" \
  "$compiler" -std=c++20 -Wall -Wextra -Werror -Wno-psabi -ffp-contract=off -fsyntax-only -Isrc -I.
echo "neon: ${#files[@]} files compile for 64-bit ARM, $foreign need other libraries; not run"
