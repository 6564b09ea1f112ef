#!/usr/bin/env bash
# tests/packages/outside.sh PREFIX CMAKE|PKG-CONFIG VERSION: builds the project of outside/ against the tree installed at
# PREFIX, from outside this tree, and runs it: with the shared library and with the static one.
set -euo pipefail
prefix=$1 how=$2 version=$3
sources=$PWD/tests/packages/outside
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

# An installed tree can be moved: this one has another path than that of its installation. Hard links need no space, but
# fail when the two are on different mounts, after cp has made the directories.
cp -al "$prefix" "$work/moved" 2>/dev/null || { rm -rf "$work/moved" && cp -a "$prefix" "$work/moved"; }
[[ -e $work/moved/include/lutra.h ]] || fail "no include/lutra.h in $prefix"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name liblutra.so | head -n 1)")
[[ -d $libdir ]] || fail "no liblutra.so in $1"
programs=$work/build
mkdir "$programs"
flags="-Wall -Wextra -Werror"

case $how in
  cmake)
    cmake -S "$sources" -B "$programs" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 &&
      cmake --build "$programs" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the CMake project does not build"; }
    ;;
  pkg-config)
    command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }
    export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
    [[ $(pkg-config --modversion lutra) == "$version" ]] || fail "pkg-config says version $(pkg-config --modversion lutra)"
    # shellcheck disable=SC2046,SC2086
    {
      cc $flags "$sources/host.c" -o "$programs/c_lutra" $(pkg-config --cflags --libs lutra)
      cc $flags "$sources/host.c" -o "$programs/c_static" $(pkg-config --cflags --libs lutra-static)
      c++ -std=c++17 $flags "$sources/host.cpp" -o "$programs/cpp_lutra" $(pkg-config --cflags --libs lutra)
      c++ -std=c++17 $flags "$sources/host.cpp" -o "$programs/cpp_static" $(pkg-config --cflags --libs lutra-static)
    } || fail "the pkg-config project does not build"
    ;;
  *) fail "$how is neither cmake nor pkg-config" ;;
esac

for kind in lutra static; do
  needed=$(objdump -p "$programs/c_$kind" | awk '$1 == "NEEDED" {print $2}')
  if [[ $kind == static ]]; then
    [[ $needed != *liblutra* ]] || fail "the static program needs liblutra"
  else
    [[ $needed == *liblutra.so.[0-9]* ]] || fail "the program needs $needed, without the ABI's number"
  fi
  said=$("$programs/c_$kind") || fail "c_$kind ended with status $?"
  [[ $said == "90000 by $version" ]] || fail "c_$kind prints: $said"
  said=$("$programs/cpp_$kind") || fail "cpp_$kind ended with status $?"
  [[ $said == 25 ]] || fail "cpp_$kind prints: $said"
done
echo "outside projects passed ($how)"
