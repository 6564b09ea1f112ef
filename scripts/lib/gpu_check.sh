#!/usr/bin/env bash
# scripts/lib/gpu_check.sh [--peers=VENV] [--steps=STEP,...] [--trial]: the first thing to run on a machine with a card.
# Takes up to 8 minutes:
#   doctor      lutra doctor
#   tests       the tests labelled gpu: specifications, the guide's programs, memory, mistakes, two programs, two cards
#   sanitizer   some of them under compute-sanitizer's memcheck, racecheck and synccheck, where it is installed
#   libraries   calls that cuBLASLt and cuDNN refuse, from their own logs
#   bench       scripts/dev gpu-bench, compared with PyTorch of VENV
# A failed step does not stop the others. The output of each is in build/gpu-check/; the last output is a table of the
# steps in the form that docs/cuda.md has. Nothing is built: LUTRA_BUILD is the build folder or the unpacked tree of
# scripts/dev dist. --steps runs only these steps. --trial runs a few tests of each kind, to see that the script works.
# Exit status 0: all passed, 1: not all, 77: no card.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$root" || exit 1
export LUTRA=${LUTRA_BUILD:-build/release}/bin/lutra
[[ $LUTRA == /* ]] || LUTRA=$root/$LUTRA
peers=() trial=no steps="doctor tests sanitizer libraries bench"
for word; do
  case $word in
    --peers | --peers=*) peers=("$word") ;;
    --trial) trial=yes ;;
    --steps=*) steps=${word#*=} steps=${steps//,/ } ;;
    *) echo "lutra: scripts/dev gpu-check has no option '$word'" >&2; exit 2 ;;
  esac
done
for step in $steps; do
  [[ " doctor tests sanitizer libraries bench " == *" $step "* ]] || { echo "lutra: gpu-check has no step '$step'" >&2; exit 2; }
done
[[ -x $LUTRA ]] || { echo "lutra: gpu-check: there is no $LUTRA" >&2; exit 2; }

card=$("$LUTRA" --no-init -e 'local gpu = lt.config.list_physical_devices("GPU")[1]
  if not gpu then os.exit(77) end
  local told = lt.config.get_device_details(gpu)
  print(told.device_name .. ", compute capability " .. told.compute_capability)') || { echo "no GPU here: lutra doctor says why"; exit 77; }

if [[ $trial == yes ]]; then
  logs=$(mktemp -d)
else
  logs=$root/build/gpu-check
  rm -rf "$logs"
  mkdir -p "$logs"
fi

# Prints a line for each test labelled gpu: its name, and the program's arguments.
list_tests() {
  local file name
  for file in tests/ops/*.lua; do
    name=$(basename "$file" .lua)
    # A family without kernels of its own is composed of others.
    if [[ -e kernels/cuda/$name.cu || ! -e kernels/cpu/$name.cpp ]]; then
      echo "$name tests/support/run/on_card.lua tests/support/run/run_spec.lua $file"
    fi
  done
  for file in tests/cuda/on_card/*.lua; do
    echo "$(basename "$file" .lua) tests/support/run/on_card.lua $file"
  done
  for name in tests/guide/*.golden; do
    name=$(basename "$name" .golden)
    echo "guide_$name tests/support/run/run_guide.lua $name --cards"
  done
}

# run_all SECONDS STEP [WRAPPER ...]: runs the tests of standard input: first the specifications, four at a time and
# with memory growth, then the others one after the other. Each may take SECONDS; its output goes to STEP.NAME.log. A
# test that runs out of time under a wrapper is unfinished, not failed. A trial has no time limit: on the stub
# everything is slow, and more so on a busy machine.
run_all() {
  local seconds=$1 step=$2 all
  shift 2
  if [[ $trial == yes ]]; then seconds=0; fi
  all=$(cat)
  grep run_spec <<<"$all" | LUTRA_FORCE_GPU_ALLOW_GROWTH=true run_each 4 "$@" >"$logs/$step.verdicts"
  grep -v run_spec <<<"$all" | run_each 1 "$@" >>"$logs/$step.verdicts"
  grep -E '^(FAILED|unfinished)' "$logs/$step.verdicts" | sort
  echo "$(verdicts passed) passed, $(verdicts FAILED) failed, $(verdicts skipped) skipped, $(verdicts unfinished) unfinished"
  (($(verdicts FAILED) == 0 && $(verdicts passed) > 0))
}
verdicts() { grep -c "^$1" "$logs/$step.verdicts"; }

# run_each AT_ONCE [WRAPPER ...]
# shellcheck disable=SC2016
run_each() {
  local at_once=$1
  shift
  wrapper=$* seconds=$seconds step=$step logs=$logs xargs -r -d '\n' -P "$at_once" -I{} bash -c '
    read -r name words <<<"$1"
    log=$logs/$step.$name.log
    timeout "$seconds" $wrapper "$LUTRA" $words >"$log" 2>&1 </dev/null
    status=$?
    case $status in 0) verdict=passed ;; 77) verdict=skipped ;; 124) verdict=${wrapper:+unfinished} ;; *) verdict=FAILED ;; esac
    echo "${verdict:-FAILED} $name"' run {}
}

# only NAME...: the lines of the list with these names.
only() { grep -E "^($(IFS='|'; echo "$*")) "; }

step_doctor() { "$LUTRA" doctor; }

step_tests() {
  if [[ $trial == yes ]]; then list_tests | only count card guide_memory_limit | run_all 120 tests
  else list_tests | run_all 120 tests; fi
}

step_sanitizer() {
  local tool names=(softmax losses normalise scan sort matmul scatter many_lines) bad=0
  command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer in PATH: it comes with the toolkit"; return 77; }
  if [[ $trial == yes ]]; then names=(count); fi
  for tool in memcheck racecheck synccheck; do
    echo "$tool:"
    list_tests | only "${names[@]}" | run_all 20 "sanitizer-$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 || bad=1
  done
  return "$bad"
}

# Counts refusals in the libraries' own logs. Results were already checked by step_tests.
step_libraries() {
  local names=(matmul layers einsum conv) count
  if [[ $trial == yes ]]; then names=(matmul); fi
  CUBLASLT_LOG_LEVEL=2 CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGDEST_DBG=stderr run_all 60 libraries < <(list_tests | only "${names[@]}") || return 1
  count=$(cat "$logs"/libraries.*.log | grep -icE 'error|not.supported')
  echo "$count lines of the libraries' logs tell of refusals (${logs#"$root/"}/libraries.*.log)"
}

step_bench() {
  if [[ $trial == yes ]]; then
    LUTRA_BUILD=${LUTRA_BUILD:-build/release} "$LUTRA" scripts/lib/gpu_bench.lua --trial
  else
    LUTRA_BUILD=${LUTRA_BUILD:-build/release} timeout 180 "$LUTRA" scripts/lib/gpu_bench.lua --rounds=3 "${peers[@]}"
  fi
}

table="| step | $(date -u '+%Y-%m-%d %H:%M UTC'), $card |"$'\n|---|---|'
failed=0
for step in $steps; do
  echo "lutra: gpu-check: $step" >&2
  started=$SECONDS
  "step_$step" >"$logs/$step.log" 2>&1
  status=$?
  cat "$logs/$step.log"
  case $status in
    0) verdict=ok ;;
    77) verdict="**not run**" ;;
    *) verdict="FAILED (${logs#"$root/"}/$step.log)" failed=1 ;;
  esac
  last=$(grep -v '^$' "$logs/$step.log" | tail -n 1)
  table+=$'\n'"| $step | $verdict in $((SECONDS - started)) s: ${last//|//} |"
done
printf '\n%s\n' "$table" | tee "$logs/table.md"
if [[ $trial == yes ]]; then rm -r "$logs"; fi
exit "$failed"
