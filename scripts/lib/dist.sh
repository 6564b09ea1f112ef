#!/usr/bin/env bash
# scripts/lib/dist.sh BUILD OUT [--with-cuda] [--with-cudnn] [--with-nccl]: packs the products of a build folder into
# OUT/lutra-VERSION-linux-MACHINE.tar.gz, a tree that runs wherever it is unpacked, and prints the archive's path. It
# builds nothing: scripts/dev dist does that first. The tree has the program, the plugin if it was built, the shared
# libraries that both need except glibc's (lib/), the Lua files, the guide, and all licences. --with-cuda adds cuBLASLt,
# so that a machine needs only NVIDIA's driver. --with-cudnn and --with-nccl each add their library, and cuBLASLt.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
most_bytes=60000000 # limit of the archive's size without CUDA's libraries
oldest_glibc=2.28   # that the tree runs with

say() { printf '%s\n' "$*" >&2; }
give_up() {
  say "lutra: dist: $*"
  exit 1
}

# Libraries that stay the system's own: glibc, which every Linux has.
of_system='^(linux-vdso|ld-linux[^.]*|libc|libm|libdl|libpthread|librt|libutil|libresolv|libmvec)\.so'

# libraries_of FILE...: the paths of the shared libraries that the files need, without duplicates.
libraries_of() {
  local line name path
  ldd "$@" | while read -r line; do
    [[ $line == *"=> not found"* ]] && give_up "${line%% *} is missing, which $* needs"
    [[ $line =~ ^([^ ]+)\ =\>\ (/[^ ]+) ]] || continue
    name=${BASH_REMATCH[1]} path=${BASH_REMATCH[2]}
    [[ $name =~ $of_system ]] || printf '%s\n' "$path"
  done | sort -u
}

# package_of FILE: the Debian package of a file. dpkg may know the path with or without its leading /usr.
package_of() {
  local real try found
  real=$(readlink -f "$1")
  for try in "$real" "${real#/usr}" "/usr$real"; do
    if found=$(dpkg-query -S "$try" 2>/dev/null); then
      found=${found%%: *}
      printf '%s\n' "${found%%:*}"
      return
    fi
  done
  give_up "no package has $1, so its licence is not known"
}

# licence PACKAGE: installs the package's copyright file and the common licences that it refers to.
licence() {
  local from=/usr/share/doc/$1/copyright name
  [[ -e $from ]] || give_up "$from is missing, and the tree must have it"
  install -Dm644 "$from" "$licences/$1"
  { grep -oE '/usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9]' "$from" || true; } | sort -u | while read -r name; do
    if [[ -e $name ]]; then install -Dm644 "$(readlink -f "$name")" "$licences/common-licenses/$(basename "$name")"; fi
  done
}

# licence_of_nvidia NAME FILE...: installs the first of the files that exists as the licence of NAME.
licence_of_nvidia() {
  local name=$1 file
  shift
  for file; do
    if [[ -e $file ]]; then
      install -Dm644 "$file" "$licences/$name"
      return
    fi
  done
  give_up "no licence of $name (looked for $*), and the tree must have it"
}

cuda_home() {
  local home nvcc
  nvcc=$(command -v nvcc || true)
  for home in "${CUDA_HOME-}" "${CUDA_PATH-}" "${nvcc:+$(dirname "$(dirname "$(readlink -f "$nvcc")")")}" /usr/local/cuda; do
    if [[ -n $home && -d $home ]]; then
      printf '%s\n' "$home"
      return
    fi
  done
  give_up "there is no CUDA toolkit here (looked for in CUDA_HOME, CUDA_PATH, by nvcc in PATH, /usr/local/cuda)"
}

# add_library NAME: copies the latest lib<NAME>.so.MAJOR of the toolkit, else of the system, under the name by which it is
# opened. Sets `major`, and `folder` to the library's folder.
add_library() {
  local name=$1 file best=""
  for folder in "$home/lib64" "$home/lib" "$home/targets/$(uname -m)-linux/lib" "/usr/lib/$(uname -m)-linux-gnu" /usr/lib64; do
    for file in "$folder/lib$name".so.*; do
      if [[ $file =~ \.so\.([0-9]+)$ && -e $file ]]; then best=$file major=${BASH_REMATCH[1]}; fi
    done
    if [[ -n $best ]]; then break; fi
  done
  [[ -n $best ]] || give_up "there is no lib$name.so in $home, nor among the system's libraries"
  install -m644 "$(readlink -f "$best")" "$tree/lib/$(basename "$best")"
}

add_cublas() { add_library cublasLt; }

# cuDNN opens its other libraries from its own folder when they are needed. libcudnn_adv, which only attention and RNNs
# need, is left out.
add_cudnn() {
  local file
  add_library cudnn
  for file in "$folder"/libcudnn_*.so."$major"; do
    if [[ -e $file && $file != */libcudnn_adv.so.* ]]; then install -m644 "$(readlink -f "$file")" "$tree/lib/$(basename "$file")"; fi
  done
  licence_of_nvidia nvidia-cudnn "$home"/dist-info/nvidia_cudnn*/licenses/License.txt /usr/share/doc/libcudnn"$major"*/copyright \
    "$home/LICENSE.cudnn"
}

add_nccl() {
  add_library nccl
  licence_of_nvidia nvidia-nccl "$home"/dist-info/nvidia_nccl*/licenses/License.txt /usr/share/doc/libnccl2/copyright \
    "$home/LICENSE.nccl"
}

build=$1
out=$2
with_cuda=no with_cudnn=no with_nccl=no
for word in "${@:3}"; do
  case $word in
    --with-cuda) ;;
    --with-cudnn) with_cudnn=yes ;;
    --with-nccl) with_nccl=yes ;;
    *) give_up "'$word' is no option of it: --with-cuda, --with-cudnn, --with-nccl" ;;
  esac
  with_cuda=yes
done
program=$build/portable/lutra # looks for its libraries in ../lib
[[ -x $program ]] || give_up "there is no $program: build lutra_portable"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=lutra-$version-linux-$(uname -m)
if [[ $with_cuda == yes ]]; then name+=-cuda; fi
if [[ $with_cudnn == yes ]]; then name+=-cudnn; fi
if [[ $with_nccl == yes ]]; then name+=-nccl; fi
mkdir -p "$out"
work=$(mktemp -d "$out/.packing.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/$name
licences=$tree/share/doc/lutra/licences

mkdir -p "$tree/bin" "$tree/lib" "$tree/share/lua/5.4" "$licences"
install -m755 "$program" "$tree/bin/lutra"
strip "$tree/bin/lutra"
plugin=$build/lib/liblutra_cuda.so
if [[ -e $plugin ]]; then
  install -m755 "$plugin" "$tree/lib/"
elif [[ $with_cuda == yes ]]; then
  give_up "there is no $plugin for cuBLASLt to serve: it is built where nvcc 12 or later is"
else
  plugin=""
  say "lutra: dist: without the CUDA plugin, which is built where nvcc 12 or later is"
fi

packages=(liblua5.4-dev nlohmann-json3-dev) # in the program itself
libraries=$(libraries_of "$program" ${plugin:+"$plugin"})
while IFS= read -r library; do
  if [[ $library == */liblutra_glibc.so ]]; then
    install -m644 "$library" "$tree/lib/"
    strip --strip-unneeded "$tree/lib/liblutra_glibc.so"
    continue
  fi
  package=$(package_of "$library")
  install -m644 "$(readlink -f "$library")" "$tree/lib/$(basename "$library")"
  packages+=("$package")
done <<<"$libraries"
for package in "${packages[@]}"; do licence "$package"; done

# newest_glibc FILE...: the latest version of glibc that the files need.
newest_glibc() { objdump -p "$@" | grep -o '\bGLIBC_2[0-9.]*' | sort -uV | tail -n 1 | cut -d_ -f2; }

# The libraries are this system's, and need its glibc.
files=("$tree/bin/lutra" "$tree"/lib/*.so*)
if [[ -e $tree/lib/liblutra_glibc.so ]]; then
  "$program" "$root/scripts/lib/glibc/old_versions.lua" "$oldest_glibc" "$tree/lib/liblutra_glibc.so" "${files[@]}"
  newest=$(newest_glibc "${files[@]}")
  [[ $(printf '%s\n' "$newest" "$oldest_glibc" | sort -V | tail -n 1) == "$oldest_glibc" ]] ||
    give_up "the tree needs glibc $newest; $oldest_glibc is the latest that it may need"
fi

if [[ -n $plugin ]]; then
  home=$(cuda_home)
  licence_of_nvidia nvidia-cuda "$home/EULA.txt" "$home"/dist-info/nvidia_cublas-*/licenses/License.txt \
    /usr/share/doc/cuda*/copyright /usr/share/doc/libcublas*/copyright /usr/share/doc/nvidia-cuda-toolkit/copyright
  if [[ $with_cuda == yes ]]; then add_cublas; fi
  if [[ $with_cudnn == yes ]]; then add_cudnn; fi
  if [[ $with_nccl == yes ]]; then add_nccl; fi
fi

cp -r "$root/lua/lutra" "$tree/share/lua/5.4/"
mkdir -p "$tree/share/lutra"
cp -r "$root/scripts/guide" "$tree/share/lutra/"
cp "$root/LICENSE" "$root/README.md" "$root/CHANGELOG.md" "$root/docs/cuda.md" "$tree/share/doc/lutra/"

# The same build gives the same archive: names are sorted, and times are the last commit's.
date=@${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1577836800)}
archive=$out/$name.tar.gz
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" -C "$work" -cf - "$name" | gzip -n >"$work/archive"
bytes=$(stat -c %s "$work/archive")
if [[ $with_cuda == no ]] && ((bytes > most_bytes)); then
  give_up "the archive has $bytes bytes; without CUDA's libraries $most_bytes are the most"
fi
mv -f "$work/archive" "$archive"
say "lutra: dist: $((bytes / 1000000)) MB, $(find "$tree" -type f | wc -l) files, glibc $(newest_glibc "${files[@]}") or later"
printf '%s\n' "$archive"
