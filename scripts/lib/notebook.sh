#!/usr/bin/env bash
# scripts/lib/notebook.sh: runs the guide's notebook by nbclient from PyPI, and compares what its cells show with the file.
# With --accept it writes their outputs into the file.
set -euo pipefail
kernel=build/release/bin/lutra-kernel
[[ -x $kernel ]] || { echo "notebook: $kernel is not built: no xeus (Debian: xeus-dev)" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet nbclient nbformat; } >"$work/said" 2>&1 || {
  cat "$work/said" >&2
  echo "notebook: cannot fetch nbclient" >&2
  exit 77
}
"$work/venv/bin/python" tests/notebook/guide_notebook.py "$kernel" "$@"
