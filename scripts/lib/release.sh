#!/usr/bin/env bash
# scripts/lib/release.sh BUILD OUT SOURCE [--gzip]: packs a release into OUT from a build folder whose targets, lutra_portable
# included, are built, and from the archive of its source: the tree of scripts/dev dist, Debian packages, a rockspec and
# a source rock, a list of what is linked (SPDX), and SHA256SUMS. Prints their paths. --gzip compresses the packages
# less and faster.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$(cd "$1" && pwd -P)
mkdir -p "$2"
out=$(cd "$2" && pwd -P)
source=$3
compression=xz
if [[ ${4-} == --gzip ]]; then compression=gzip; fi

say() { printf '%s\n' "$*" >&2; }
give_up() {
  say "lutra: release: $*"
  exit 1
}

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
work=$(mktemp -d "$out/.packing.XXXXXX")
trap 'rm -rf "$work"' EXIT
[[ $(basename "$source") == "lutra-$version.tar.gz" ]] || give_up "the archive of the source is $source, expected lutra-$version.tar.gz"
cp "$source" "$work/"

bash "$root/scripts/lib/dist.sh" "$build" "$work" >/dev/null
if [[ -e $build/lib/liblutra_cuda.so ]]; then bash "$root/scripts/lib/dist.sh" "$build" "$work" --with-cuda >/dev/null; fi

say "lutra: release: packing Debian packages"
command -v dpkg-shlibdeps >/dev/null || give_up "dpkg-shlibdeps is missing (Debian: dpkg-dev)"
command -v file >/dev/null || give_up "file is missing (Debian: file)"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/debs" -D CPACK_DEBIAN_COMPRESSION_TYPE=$compression >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; give_up "cpack failed"; }
mv "$work"/debs/*.deb "$work/"

rockspec=$work/lutra-$version-1.rockspec
sed -e '1,2d' -e "s/^version = .*/version = \"$version-1\"/" \
  -e "s|^source = .*|source = { url = \"file://lutra-$version.tar.gz\", dir = \"lutra-$version\" }|" \
  "$root/lutra-dev-1.rockspec" >"$rockspec"
(cd "$work" && cmake -E tar cf "lutra-$version-1.src.rock" --format=zip "lutra-$version-1.rockspec" "lutra-$version.tar.gz")

linked=("$build/portable/lutra" "$build/lib/lua/lutra.so" "$build/lib/liblutra.so")
if [[ -e $build/bin/lutra-kernel ]]; then linked+=("$build/bin/lutra-kernel"); fi
cuda=""
if [[ -e $build/lib/liblutra_cuda.so ]]; then
  linked+=("$build/lib/liblutra_cuda.so")
  nvcc=$(sed -n 's/^NVCC:FILEPATH=//p' "$build/CMakeCache.txt")
  cuda=$("$nvcc" --version | sed -n 's/^.*release [0-9.]*, V\([0-9.]*\).*$/\1/p')
  [[ -n $cuda ]] || give_up "$nvcc does not tell its version"
fi
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
"$build/portable/lutra" "$root/scripts/lib/sbom.lua" "$version" "$date" "$work/lutra-$version.spdx.json" "$cuda" "${linked[@]}"

rm -rf "$work/debs" "$work/log"
(cd "$work" && sha256sum -- * >SHA256SUMS)
for file in "$work"/*; do
  mv -f "$file" "$out/"
  printf '%s\n' "$out/$(basename "$file")"
done
