#!/usr/bin/env bash
# scripts/lib/fuzz.sh [NAME] [SECONDS]: runs tests/fuzz/NAME_fuzz.cpp (default: all of them) under clang's libFuzzer with the
# address and undefined-behaviour sanitizers, in build/fuzz. Inputs that reach new code are kept in build/fuzz/corpus/NAME,
# inputs that fail in build/fuzz/failures. Exit status 77: skipped, with the reason.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
cd "$root"
name=${1-}
seconds=${2:-10}
dir=$root/build/fuzz

skip() {
  echo "$1"
  exit 77
}

names=()
for source in tests/fuzz/*_fuzz.cpp; do
  word=$(basename "$source" _fuzz.cpp)
  if [[ -z $name || $name == "$word" ]]; then names+=("$word"); fi
done
if ((${#names[@]} == 0)); then
  say "lutra: there is no tests/fuzz/${name}_fuzz.cpp"
  exit 2
fi
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  say "lutra: $seconds is no number of seconds"
  exit 2
fi
command -v clang++ >/dev/null || skip "no clang++ (Debian: clang libclang-rt-14-dev)"
# clang++ can be installed without libFuzzer's library.
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$probe/probe.cpp"
clang++ -fsanitize=fuzzer,address "$probe/probe.cpp" -o "$probe/probe" 2>/dev/null ||
  skip "clang++ has no libFuzzer (Debian: libclang-rt-14-dev)"

prepare() {
  quietly "configuring fuzz" cmake -S "$root" -B "$dir" -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_CXX_COMPILER=clang++ \
    -DLUTRA_SANITIZE=address,undefined,fuzzer-no-link -DLUTRA_LIBFUZZER=ON -DLUTRA_BUILD_TESTS=ON || return
  quietly "building fuzz" cmake --build "$dir" --parallel "$(nproc)" --target "${names[@]/#/fuzz_}"
}
locked prepare

mkdir -p "$dir/failures"
status=0
for word in "${names[@]}"; do
  mkdir -p "$dir/corpus/$word"
  if LUTRA_NUM_THREADS=2 quietly "fuzzing $word" "$dir/bin/fuzz_$word" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 \
    -artifact_prefix="$dir/failures/$word-" "$dir/corpus/$word"; then
    echo "fuzz: $word: $seconds s, $(find "$dir/corpus/$word" -type f | wc -l) inputs kept"
  else
    status=1
  fi
done
exit "$status"
