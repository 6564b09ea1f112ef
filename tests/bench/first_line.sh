#!/usr/bin/env bash
# first_line.sh COMMAND...: what the command prints, then `us` and the microseconds from its start to its first line.
set -euo pipefail
export LC_ALL=C
start=$EPOCHREALTIME
exec 3< <(exec "$@")
read -r line <&3
end=$EPOCHREALTIME
printf '%s\n' "$line"
cat <&3
echo "us $((${end/./} - ${start/./}))"
