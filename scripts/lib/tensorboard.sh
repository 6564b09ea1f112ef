#!/usr/bin/env bash
# scripts/lib/tensorboard.sh: TensorBoard, from PyPI, reads the files that the callback of its name writes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet tensorboard; } >"$work/said" 2>&1 || {
  cat "$work/said" >&2
  echo "tensorboard: cannot fetch TensorBoard" >&2
  exit 77
}
build/release/bin/lutra tests/support/run/writes_events.lua "$work/logs" >"$work/wrote"
"$work/venv/bin/python" tests/support/generate/read_events.py "$work/logs" >"$work/read"
diff "$work/wrote" "$work/read"
