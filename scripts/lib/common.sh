# Shared by scripts/run, scripts/test and scripts/dev: paths, packages to install, building a preset. Everything here
# writes to stderr. Expects `root`.
# shellcheck shell=bash disable=SC2034,SC2154

run_packages=(g++ cmake make ninja-build ccache liblua5.4-dev libdnnl-dev zlib1g-dev
  libpng-dev nlohmann-json3-dev libopenblas0-pthread)
test_packages=("${run_packages[@]}" catch2 lua5.4 valgrind python3-pyte python3-pexpect libcairo2
  libcpp-httplib-dev xeus-dev python3-jupyter-client pkg-config dpkg-dev file luarocks lua-busted
  libsdl2-dev libopenmpi-dev openmpi-bin)
# Installed only together with a package that is required and missing.
optional_packages=" ninja-build ccache make libopenblas0-pthread luarocks lua-busted libsdl2-dev libopenmpi-dev openmpi-bin "

say() { printf '%s\n' "$*" >&2; }

# missing_packages NAME... prints those that are not installed.
missing_packages() {
  local installed name
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' 2>/dev/null || true)"
  for name in "$@"; do
    [[ $installed == *" installed:$name "* ]] || printf '%s\n' "$name"
  done
}

# ensure_packages INSTALL NAME...: installs missing packages; INSTALL=no prints the apt line and exits 1 instead. A stamp in
# build/ records that a list of names was found complete.
ensure_packages() {
  local install=$1 stamp missing needed=() name
  shift
  stamp="$root/build/.packages-$(printf '%s\n' "$@" | cksum | cut -d' ' -f1)"
  [[ -e $stamp ]] && return 0
  if ! command -v dpkg-query >/dev/null; then
    say "lutra: not a Debian system: taking it that these, or their like, are installed: $*"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  for name in "${missing[@]}"; do
    [[ $optional_packages == *" $name "* ]] || needed+=("$name")
  done
  command -v make >/dev/null || command -v ninja >/dev/null || needed+=(ninja-build)
  if ((${#needed[@]})); then install_packages "$install" "${missing[@]}"; fi
  mkdir -p "$root/build"
  touch "$stamp"
}

# install_packages INSTALL NAME...
install_packages() {
  local install=$1 prefix=()
  shift
  local apt=(apt-get install -y --no-install-recommends "$@")
  if [[ $install == no ]]; then
    say "lutra: missing packages. As root: ${apt[*]}"
    exit 1
  fi
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "lutra: missing packages, and neither root nor sudo to install them. As root: ${apt[*]}"
      exit 1
    fi
    prefix=(sudo)
  fi
  say "lutra: installing: ${prefix[*]:+sudo }${apt[*]}"
  # A fresh machine has no package lists, an old one stale ones.
  if compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
    if quietly "installing packages" as_admin "${apt[@]}"; then return 0; fi
  fi
  quietly "updating package lists" as_admin apt-get update || true
  if ! quietly "installing packages" as_admin "${apt[@]}"; then
    say "lutra: could not install them. As root: apt-get update && ${apt[*]}"
    exit 1
  fi
}

as_admin() {
  if ((EUID == 0)); then
    DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# quietly TITLE COMMAND...: shows the command's output only when it fails, and every 5 seconds one line of progress.
quietly() {
  local title=$1 log status=0
  shift
  log=$(mktemp)
  "$@" </dev/null 2>&1 | progress "$title" "$log" || status=${PIPESTATUS[0]}
  if ((status)); then
    cat "$log" >&2
    say "lutra: $title failed"
  fi
  rm -f "$log"
  return "$status"
}

progress() {
  local title=$1 log=$2 line start=$SECONDS next=$((SECONDS + 5)) kernels=0
  while IFS= read -r line || [[ -n $line ]]; do
    printf '%s\n' "$line" >&4
    if [[ $line == *"$kernel_step"* ]]; then kernels=$((kernels + 1)); fi
    if ((SECONDS >= next)); then
      say "lutra: $title: $(how_far "$line" $((SECONDS - start)) "$kernels")"
      next=$((SECONDS + 5))
    fi
  done 4>"$log"
}

# A kernel takes as long to compile as four other files. kernel_steps: how many a whole build has.
kernel_step=" kernels/CMakeFiles/"
kernel_steps=0

# how_far LINE SECONDS KERNELS: for a line of Ninja's ("[12/160] Building ..."), the progress of a build that has run for
# SECONDS and has compiled KERNELS kernels, with an estimate of the time left. Prints any other line as it is.
how_far() {
  local ready all done=$3 ahead=$3
  if [[ $1 =~ ^\[([0-9]+)/([0-9]+)\]\  ]] && ((BASH_REMATCH[1] * 20 >= BASH_REMATCH[2])); then
    # Where the number of kernels is not known, all steps count alike.
    if ((kernel_steps < done)); then done=0 ahead=0; fi
    # Otherwise files have changed, and nobody knows which.
    if ((BASH_REMATCH[2] > 2 * kernel_steps)); then ahead=$kernel_steps; fi
    ready=$((BASH_REMATCH[1] + 3 * done))
    all=$((BASH_REMATCH[2] + 3 * ahead))
    printf '%d of %d steps, about %s left' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" \
      "$(minutes $(((all - ready) * $2 / ready)))"
  else
    printf '%s' "${1:0:100}"
  fi
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

build_dir() { printf '%s/build/%s' "$root" "$1"; }

# configured PRESET: whether its build folder is complete and was configured at this path. A copied tree has one from
# elsewhere.
configured() {
  local dir
  dir=$(build_dir "$1")
  [[ -e $dir/build.ninja || -e $dir/Makefile ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt"
}

# configure PRESET [-D...]
configure() {
  local preset=$1 how=()
  shift
  if ! configured "$preset"; then
    rm -rf "$(build_dir "$preset")"
    if command -v ninja >/dev/null; then how=(-G Ninja); fi
  fi
  quietly "configuring $preset" cmake -S "$root" --preset "$preset" "${how[@]}" "$@"
}

# build PRESET [TARGET...]: callers hold `locked`. The stamp has the start time of the last successful build, so that an
# edit during a build counts as newer.
build() {
  local preset=$1 dir status=0 target=()
  shift
  dir=$(build_dir "$preset")
  if (($#)); then target=(--target "$@"); fi
  : >"$dir/.started.$$"
  kernel_steps=$(grep -c "\"file\": .*/kernels/" "$dir/compile_commands.json" 2>/dev/null) || true
  quietly "building $preset" cmake --build "$dir" --parallel "$(nproc)" "${target[@]}" || status=$?
  if ((status)); then rm -f "$dir/.started.$$"; else mv -f "$dir/.started.$$" "$dir/.built"; fi
  return "$status"
}

# up_to_date PRESET: whether the program exists and none of its sources is newer than its last build.
up_to_date() {
  local dir newer
  dir=$(build_dir "$1")
  [[ -x $dir/bin/lutra && -e $dir/.built ]] || return 1
  newer=$(find "$root/src" "$root/kernels" "$root/lua" "$root/scripts/cmake" "$root/CMakeLists.txt" \
    "$root/CMakePresets.json" -newer "$dir/.built" -print -quit)
  [[ -z $newer ]]
}

# locked COMMAND...: runs the command while no other build runs in this tree: two would overwrite each other's files.
locked() {
  mkdir -p "$root/build"
  if command -v flock >/dev/null; then
    (
      if ! flock -n 9; then
        say "lutra: waiting for another build in this tree"
        flock 9
      fi
      "$@"
    ) 9>"$root/build/.lock"
  else
    "$@"
  fi
}
