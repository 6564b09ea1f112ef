#!/usr/bin/env bash
# tests/packages/release.sh BUILD VERSION: what scripts/dev release packs, from this build: Debian packages that lintian
# accepts and against which outside projects build, a rock, a list of what is linked, sums.
set -euo pipefail
build=$1 version=$2
for tool in dpkg-deb dpkg-shlibdeps cpack; do
  command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

mkdir "$work/lutra-$version"
cp -r CMakeLists.txt CMakePresets.json LICENSE README.md CHANGELOG.md lutra-dev-1.rockspec docs kernels lua scripts src "$work/lutra-$version/"
tar -C "$work" -czf "$work/lutra-$version.tar.gz" "lutra-$version"
export SOURCE_DATE_EPOCH=1700000000
bash scripts/lib/release.sh "$build" "$work/out" "$work/lutra-$version.tar.gz" --gzip >"$work/listed" 2>"$work/log" ||
  { cat "$work/log"; fail "scripts/lib/release.sh"; }
cd "$work/out"
[[ $(sort "$work/listed") == "$(find "$PWD" -mindepth 1 | sort)" ]] || fail "it names $(cat "$work/listed"), and packs $(ls -A)"
machine=$(dpkg --print-architecture)
for file in "lutra-$version.tar.gz" "lutra-$version-linux-$(uname -m).tar.gz" "lutra_$version-1_$machine.deb" \
  "liblutra0_$version-1_$machine.deb" "liblutra-dev_$version-1_$machine.deb" "lutra-$version-1.rockspec" \
  "lutra-$version-1.src.rock" "lutra-$version.spdx.json" SHA256SUMS; do
  [[ -s $file ]] || fail "no $file: $(ls)"
  [[ $file == SHA256SUMS ]] || grep -qF " $file" SHA256SUMS || fail "no sum of $file"
done
sha256sum --quiet -c SHA256SUMS || fail "SHA256SUMS"

# The packages' fields and files.
field() { dpkg-deb -f "$1"_*.deb "$2"; }
for name in lutra liblutra0 liblutra-dev; do
  [[ $(field $name Version) == "$version-1" && $(field $name Source) == lutra ]] || fail "$name: $(dpkg-deb -f "$name"_*.deb)"
  listed=$(dpkg-deb --ctrl-tarfile "$name"_*.deb | tar -t)
  [[ $listed == *md5sums* ]] || fail "$name has no md5sums: $listed"
  listed=$(dpkg-deb -c "$name"_*.deb | awk '{print $6}')
  for file in copyright changelog.gz changelog.Debian.gz; do
    [[ $listed == *"./usr/share/doc/$name/$file"* ]] || fail "$name has no $file"
  done
done
for library in libc6 libdnnl2 libpng16-16 libstdc++6 zlib1g; do
  for name in lutra liblutra0; do
    [[ $(field $name Depends) == *"$library"* ]] || fail "$name does not depend on $library: $(field $name Depends)"
  done
done
[[ $(field lutra Depends) != *libxeus* ]] || fail "lutra depends on Jupyter's libraries"
[[ $(field liblutra0 Depends) == *liblua5.4-0* ]] || fail "liblutra0 does not depend on Lua: $(field liblutra0 Depends)"
[[ $(field liblutra-dev Depends) == *"liblutra0 (= $version-1)"* ]] || fail "liblutra-dev: $(field liblutra-dev Depends)"
[[ $(dpkg-deb -I liblutra0_*.deb shlibs) == "liblutra 0 liblutra0 (>= $version"* ]] || fail "liblutra0 has no shlibs"
if command -v lintian >/dev/null; then
  said=$(lintian --fail-on error --allow-root ./*.deb 2>&1) || fail "lintian: $said"
  checked=", lintian too"
fi

# Unpacked: the program runs, and outside projects build.
for file in *.deb; do dpkg-deb -x "$file" "$work/root"; done
said=$("$work/root/usr/bin/lutra" -e 'print(lt.ones {2, 3}:sum():item())') || fail "$said"
[[ $said == 6.0 ]] || fail "the packed program prints $said"
[[ $(gzip -dc "$work/root/usr/share/man/man1/lutra.1.gz") == *".TH LUTRA 1"* ]] || fail "the manual page"
cd "$OLDPWD"
for how in cmake pkg-config; do
  said=$(bash tests/packages/outside.sh "$work/root/usr" $how "$version" 2>&1) || fail "against the packages: $said"
done

# The list covers what the program links.
cd "$work/out"
/usr/bin/python3 - "lutra-$version.spdx.json" "$build/bin/lutra" "$version" <<'PYTHON' || fail "the list of what is linked"
import json, re, subprocess, sys
document = json.load(open(sys.argv[1]))
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
packages = {each["name"]: each for each in document["packages"]}
assert packages["lutra"]["versionInfo"] == sys.argv[3]
ids = {each["SPDXID"] for each in document["packages"]}
assert len(ids) == len(document["packages"])
related = {each["relatedSpdxElement"]: each["relationshipType"] for each in document["relationships"]}
assert ids == set(related), ids ^ set(related)
by_id = {each["SPDXID"]: each for each in document["packages"]}
assert all(each["versionInfo"] and each["licenseDeclared"] for each in document["packages"])
listed = subprocess.run(["ldd", sys.argv[2]], capture_output=True, text=True, check=True).stdout
for path in re.findall(r"=> (/\S+)", listed):
    found = ""
    for start in ("", "/usr"):
        done = subprocess.run(["dpkg-query", "-S", start + path], capture_output=True, text=True)
        found = found or done.stdout.split(":")[0]
    found = "SPDXRef-" + found.replace("+", "-")
    assert related[found] == "DYNAMIC_LINK", (path, found)
    assert by_id[found]["licenseDeclared"] != "NOASSERTION", by_id[found]
for name, licence in (("liblua5.4-dev", "MIT"), ("nlohmann-json3-dev", "MIT")):
    assert related["SPDXRef-" + name] == "STATIC_LINK" and packages[name]["licenseDeclared"] == licence, packages[name]
PYTHON

# The rock: its rockspec names the version and the archive beside it.
if command -v lua5.4 >/dev/null; then
  lua5.4 - "lutra-$version-1.rockspec" "$version" <<'LUA' || fail "the rockspec"
local spec = {}
assert(loadfile(arg[1], "t", spec))()
assert(spec.package == "lutra" and spec.version == arg[2] .. "-1", spec.version)
assert(spec.source.url == "file://lutra-" .. arg[2] .. ".tar.gz" and spec.source.dir == "lutra-" .. arg[2])
LUA
fi
[[ $(cmake -E tar tf "lutra-$version-1.src.rock") == *"lutra-$version-1.rockspec"*"lutra-$version.tar.gz"* ]] || fail "the rock"
echo "release passed${checked-; lintian is not here}"
