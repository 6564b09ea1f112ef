#!/usr/bin/env bash
# scripts/lib/rock.sh build: builds the module for lua5.4, for luarocks. LUTRA_BUILD names another build folder, which is
# not rebuilt.
# scripts/lib/rock.sh install FOLDER: copies lutra.so there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
dir=${LUTRA_BUILD:-$root/build/rock}

case ${1-} in
  build)
    [[ -z ${LUTRA_BUILD-} ]] || exit 0
    generator=()
    if command -v ninja >/dev/null; then generator=(-G Ninja); fi
    cmake -S "$root" -B "$dir" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DLUTRA_CPU_LEVELS=native \
      -DLUTRA_BUILD_TESTS=OFF -DLUTRA_CUDA=OFF -DLUTRA_NOTEBOOK=OFF
    cmake --build "$dir" --parallel "$(nproc)" --target lutra_module
    ;;
  install) install -D -m755 "$dir/lib/lua/lutra.so" "$2/lutra.so" ;;
  *)
    echo "usage: rock.sh build | install FOLDER" >&2
    exit 2
    ;;
esac
