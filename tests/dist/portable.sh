#!/usr/bin/env bash
# tests/dist/portable.sh BUILD STUBS: the tree of scripts/dev dist, unpacked where there is nothing but glibc: no build
# folder, no libraries of this system. STUBS has the stubs of NVIDIA's driver and cuBLASLt, and the kernels for the host.
set -euo pipefail
build=$1
stubs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

enter=(chroot)
if ((EUID != 0)); then enter=(unshare -r chroot); fi
mkdir "$work/root"
"${enter[@]}" / true 2>/dev/null || { echo "may not chroot here"; exit 77; }

archive=$(bash scripts/lib/dist.sh "$build" "$work/out")
[[ $archive == "$work"/out/lutra-*.tar.gz ]] || fail "the archive is called $archive"
[[ $(ls -A "$work/out") == "$(basename "$archive")" ]] || fail "packing leaves more than the archive: $(ls -A "$work/out")"
home="/some folder"
mkdir -p "$work/root$home" "$work/root/stubs"
tar -xzf "$archive" -C "$work/root$home" --strip-components=1
tree=$work/root$home
if grep -rqF "$build" "$tree"; then fail "the tree names the build folder: $(grep -rlF "$build" "$tree")"; fi

# The tree runs with glibc 2.28, and what cannot is refused by name.
if [[ $(uname -m) == x86_64 ]]; then
  newest=$(objdump -T "$tree/bin/lutra" "$tree"/lib/*.so* | grep -o 'GLIBC_2[0-9.]*' | sort -uV | tail -n 1)
  [[ $(printf '%s\n' "$newest" GLIBC_2.28 | sort -V | tail -n 1) == GLIBC_2.28 ]] || fail "the tree needs $newest"
  echo 'void closefrom(int); int main(void) { closefrom(100); return 0; }' >"$work/new.c"
  if cc "$work/new.c" -o "$work/new" 2>/dev/null; then
    if said=$("$build/portable/lutra" scripts/lib/glibc/old_versions.lua 2.28 "$tree/lib/liblutra_glibc.so" "$work/new" 2>&1); then
      fail "closefrom, of glibc 2.34, is let pass"
    fi
    [[ $said == *"closefrom is of GLIBC_2.34, glibc 2.28 has none"* ]] || fail "of closefrom it is said: $said"
  fi
fi

# glibc, as every system has it.
for name in ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do
  for folder in /lib64 /lib "/lib/$(uname -m)-linux-gnu"; do
    if [[ -e $folder/$name && ! -e $work/root$folder/$name ]]; then install -D "$folder/$name" "$work/root$folder/$name"; fi
  done
done

# The loader needs this part of /proc to find the program's folder.
mkdir -p "$work/root/proc/self"
ln -s "$home/bin/lutra" "$work/root/proc/self/exe"

# run WORDS...: in there, with an environment of its own.
run() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LUTRA_NUM_THREADS=2 "${extra[@]}" "${enter[@]}" "$work/root" "$home/bin/lutra" "$@" 2>&1; }
extra=(A=)

told=$(run -e 'print(lt.matmul(lt.ones{2, 3}, lt.ones{3, 2}):sum():item(), lt.range(5):sum():item())') || fail "$told"
[[ $told == $'12.0\t10' ]] || fail "a script prints: $told"
told=$(run "$home/share/lutra/guide/num_gpus.lua") || fail "$told"
[[ $told == $'Num GPUs Available: \t0' ]] || fail "the guide prints: $told"
told=$(run doctor) || fail "doctor: $told"
[[ $told == *"so ops run on the CPU"*"ok      trial CPU:0      matmul gives"*"All that is here works." ]] || fail "doctor: $told"

# With cards: the plugin and what lies beside it are found in the tree, in lib.
cp "$stubs/libcuda_stub.so" "$work/root/stubs/"
cp "$stubs/liblutra_cuda.so" "$tree/lib/"
cp "$stubs/libcublasLt.so.13" "$tree/lib/"
extra=(LUTRA_CUDA_DRIVER=/stubs/libcuda_stub.so LUTRA_CUDA_STUB=inline)
told=$(run doctor --json) || fail "doctor: $told"
for part in "\"file\": \"$home/lib/liblutra_cuda.so\"" "\"file\": \"$home/lib/libcublasLt.so.13\"" '"matmul": "GPU:0"' '"sum": "GPU:0"' '"ok": true'; do
  [[ $told == *"$part"* ]] || fail "doctor does not say $part: $told"
done

# With libraries of CUDA's, of a toolkit that has the stubs in their place: each is packed with its licence, and found.
mkdir -p "$work/build/lib" "$work/toolkit/lib64" "$work/toolkit/dist-info"
cp "$build/CMakeCache.txt" "$work/build/"
ln -s "$build/portable" "$work/build/portable"
cp "$stubs/liblutra_cuda.so" "$work/build/lib/"
cp "$stubs"/lib{cublasLt.so.13,nccl.so.2} "$work/toolkit/lib64/"
cp "$stubs/libcudnn.so.9" "$work/toolkit/lib64/libcudnn.so.9.19.0"
ln -s libcudnn.so.9.19.0 "$work/toolkit/lib64/libcudnn.so.9"
for name in cudnn_ops cudnn_engines_precompiled cudnn_adv; do echo "$name" >"$work/toolkit/lib64/lib$name.so.9"; done
echo "of CUDA" >"$work/toolkit/EULA.txt"
for name in cudnn_cu13-9.19.0 nccl_cu13-2.28.9; do
  mkdir -p "$work/toolkit/dist-info/nvidia_$name.dist-info/licenses"
  echo "of $name" >"$work/toolkit/dist-info/nvidia_$name.dist-info/licenses/License.txt"
done
packed() { CUDA_HOME=$work/toolkit bash scripts/lib/dist.sh "$work/build" "$work/out" "$@"; }
said=$(packed --with-cuda)
[[ $said == *-cuda.tar.gz ]] || fail "the archive with cuBLASLt is called $said"
listed=$(tar -tzf "$said")
[[ $listed == */lib/libcublasLt.so.13* && $listed != *libcudnn* && $listed != *libnccl* ]] || fail "--with-cuda packs $listed"
said=$(packed --with-cudnn --with-nccl)
[[ $said == *-cuda-cudnn-nccl.tar.gz ]] || fail "the archive with all of them is called $said"
rm -rf "$tree"
mkdir -p "$tree"
tar -xzf "$said" -C "$tree" --strip-components=1
for name in cublasLt.so.13 cudnn.so.9 cudnn_ops.so.9 cudnn_engines_precompiled.so.9 nccl.so.2; do
  [[ -s $tree/lib/lib$name && ! -L $tree/lib/lib$name ]] || fail "lib$name is not packed: $(ls "$tree/lib")"
done
[[ ! -e $tree/lib/libcudnn_adv.so.9 ]] || fail "what no convolution needs is packed"
for name in "cuda:of CUDA" "cudnn:of cudnn_cu13-9.19.0" "nccl:of nccl_cu13-2.28.9"; do
  grep -qxF "${name#*:}" "$tree/share/doc/lutra/licences/nvidia-${name%%:*}" || fail "no licence of nvidia-${name%%:*}"
done
extra=(LUTRA_CUDA_DRIVER=/stubs/libcuda_stub.so "LUTRA_CUDA_STUB=inline,cards:2")
told=$(run doctor) || fail "doctor: $told"
for part in "$home/lib/libcudnn.so.9 is version 9, for convolutions" "$home/lib/libnccl.so.2 is version 2, for sums over cards" \
  "ok      trial GPU:1 "; do
  [[ $told == *"$part"* ]] || fail "doctor does not say $part: $told"
done
rm "$work/toolkit/dist-info/nvidia_nccl_cu13-2.28.9.dist-info/licenses/License.txt"
if [[ ! -e /usr/share/doc/libnccl2/copyright ]]; then
  if said=$(packed --with-nccl 2>&1); then fail "packs a library without its licence"; fi
  [[ $said == *"no licence of nvidia-nccl"* ]] || fail "without a licence: $said"
fi
if said=$(packed --with-cufft 2>&1); then fail "takes an option that it does not know"; fi

# A licence for each library, and for what is in the program itself.
for name in libdnnl2 zlib1g libpng16-16 libgomp1 liblua5.4-dev nlohmann-json3-dev; do
  [[ -s $tree/share/doc/lutra/licences/$name ]] || fail "no licence of $name"
done
[[ -s $tree/share/doc/lutra/LICENSE ]] || fail "no licence of Lutra's own"
echo "dist passed"
