# Building and counting tests, for scripts/test and scripts/dev. Expects common.sh.
# shellcheck shell=bash disable=SC2154

passed=0
failed=0
test_wrapper=()  # a command that ctest runs under

# Tests compare CPU levels with each other, and valgrind runs no AVX-512: this machine's level and the one below are built.
# The sanitizers' builds have the lowest level alone.
test_options=(-DLUTRA_BUILD_TESTS=ON -DLUTRA_CPU_LEVELS=two)

# build_tests PRESET
build_tests() {
  say "lutra: building with tests ($1)"
  configure "$1" "${test_options[@]}" || return
  build "$1"
}

# run_tests PRESET [options of ctest]: prints one line per test and the output of failed ones on stderr; adds to `passed`
# and `failed`.
run_tests() {
  local preset=$1 dir results status=0 total bad skipped
  shift
  dir=$(build_dir "$preset")
  results="$dir/test-results.xml"
  rm -f "$results"
  say "lutra: testing ($preset)"
  "${test_wrapper[@]}" ctest --test-dir "$dir" --parallel "$(nproc)" --output-on-failure \
    --output-junit "$results" "$@" </dev/null >&2 || status=$?
  if [[ ! -e $results ]]; then
    # With a pattern that matches no test, ctest succeeds and writes no results. Otherwise ctest itself failed.
    if ((status)); then failed=$((failed + 1)); fi
    return 0
  fi
  total=$(junit_count tests "$results")
  bad=$(junit_count failures "$results")
  skipped=$(($(junit_count skipped "$results") + $(junit_count disabled "$results")))
  if ((status && !bad)); then bad=1; fi
  passed=$((passed + total - bad - skipped))
  failed=$((failed + bad))
}

# junit_count ATTRIBUTE FILE: a number from the head of <testsuite ...>.
junit_count() {
  local count
  count=$(sed -n "1,12s/^.*[[:space:]]$1=\"\([0-9]*\)\".*\$/\1/p" "$2" | head -n 1)
  printf '%s' "${count:-0}"
}

# Prints the last line and exits: with status 1 when a test failed or none ran.
report() {
  trap - EXIT INT TERM HUP
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0 && passed > 0)) || exit 1
  exit 0
}

# From here on the script always ends with that line. If it ends before `report`, that counts as a failure.
always_report() {
  trap 'failed=$((failed + 1)); report' EXIT
  trap 'say "lutra: interrupted"; exit 1' INT TERM HUP
}
