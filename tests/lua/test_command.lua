-- scripts/test from outside: its last line on stdout and its exit status when tests fail, the build fails, a package is
-- missing, or the user interrupts. A copy of scripts runs in a folder of its own, with stand-ins for the programs that
-- it calls.
local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local function shell(command)
  local pipe = assert(io.popen(command))
  local output = pipe:read("a")
  local _, how, status = pipe:close()
  return output, how == "signal" and 128 + status or status
end

local root = shell("mktemp -d"):match("[^\n]+")
local function write(path, text)
  local file <close> = assert(io.open(root .. "/" .. path, "wb"))
  file:write(text)
end

assert(select(2, shell(("cp -R scripts %s && mkdir %s/bin"):format(quote(root), quote(root)))) == 0)
-- cmake configures by making the folder, and builds as FAKE_BUILD_<preset> says.
write("bin/cmake", [=[#!/bin/bash
if [[ $1 == --build ]]; then
  echo "compiling $2"
  preset=$(basename "$2")
  name=FAKE_BUILD_$preset
  exit "${!name:-0}"
fi
while (($#)); do
  case $1 in
    -S) root=$2; shift ;;
    --preset) preset=$2; shift ;;
  esac
  shift
done
mkdir -p "$root/build/$preset"
touch "$root/build/$preset/build.ninja"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$root" >"$root/build/$preset/CMakeCache.txt"
]=])
-- ctest runs FAKE_TESTS tests, of which FAKE_FAILED_<preset> fail and FAKE_SKIPPED are skipped; it may kill who called it.
write("bin/ctest", [=[#!/bin/bash
while (($#)); do
  case $1 in
    --test-dir) preset=$(basename "$2"); shift ;;
    --output-junit) results=$2; shift ;;
    -R) pattern=$2; shift ;;
  esac
  shift
done
echo "ctest says something on stdout"
if [[ -n ${FAKE_SIGNAL-} ]]; then kill -"$FAKE_SIGNAL" "$PPID"; sleep 0.1; exit 0; fi
if [[ -n ${FAKE_CRASH-} ]]; then exit 139; fi
if [[ ${pattern-} == nothing ]]; then echo "No tests were found!!!"; exit 0; fi
name=FAKE_FAILED_$preset
failed=${!name:-0}
cat >"$results" <<END
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)"
	tests="${FAKE_TESTS:-10}"
	failures="$failed"
	disabled="0"
	skipped="${FAKE_SKIPPED:-0}"
	hostname=""
	time="1"
>
</testsuite>
END
((failed == 0)) || exit 8
]=])
write("bin/dpkg-query", [=[#!/bin/bash
for name in g++ cmake make ninja-build ccache liblua5.4-dev libdnnl-dev zlib1g-dev libpng-dev \
  nlohmann-json3-dev libopenblas0-pthread catch2 lua5.4 valgrind python3-pyte python3-pexpect libcairo2 \
  libcpp-httplib-dev xeus-dev python3-jupyter-client pkg-config dpkg-dev file luarocks lua-busted libsdl2-dev \
  libopenmpi-dev openmpi-bin; do
  [[ $name == "${FAKE_MISSING-}" ]] || printf 'installed:%s ' "$name"
done
]=])
assert(select(2, shell(("chmod +x %s/bin/*"):format(quote(root)))) == 0)

local count = 0
-- Runs scripts/test with the environment and arguments; compares the last line, all of stdout, the exit status. Signals are at
-- their defaults, which they are not under nohup or in the background of a script.
local function case(what, environment, arguments, last, status)
  shell("rm -rf " .. quote(root .. "/build"))
  local command = "env --default-signal=INT,TERM,HUP PATH=%s:\"$PATH\" %s bash %s %s 2>%s"
  local out, got = shell(command:format(quote(root .. "/bin"), environment, quote(root .. "/scripts/test"), arguments,
    quote(root .. "/errors")))
  local errors <close> = assert(io.open(root .. "/errors", "rb"))
  local text = ("%s: stdout %q, exit status %s, stderr:\n%s"):format(what, out, tostring(got), errors:read("a"))
  assert(out == last .. "\n", text)
  assert(got == status, text)
  count = count + 1
end

case("all well", "", "", "20 passed, 0 failed", 0)
case("with a name", "", "some.test", "20 passed, 0 failed", 0)
case("without installing", "", "--no-install", "20 passed, 0 failed", 0)
case("skipped tests count as neither", "FAKE_SKIPPED=2", "", "16 passed, 0 failed", 0)
case("a failure in release", "FAKE_FAILED_release=3", "", "17 passed, 3 failed", 1)
case("a failure under the sanitizers", "FAKE_FAILED_asan=1", "", "19 passed, 1 failed", 1)
case("nothing of that name", "", "nothing", "0 passed, 0 failed", 1)
case("release does not build", "FAKE_BUILD_release=2", "", "0 passed, 1 failed", 1)
case("the sanitizers' build fails", "FAKE_BUILD_asan=1", "", "10 passed, 1 failed", 1)
case("ctest crashes", "FAKE_CRASH=1", "", "0 passed, 2 failed", 1)
case("a package is missing", "FAKE_MISSING=catch2", "--no-install", "0 passed, 1 failed", 1)
for _, signal in ipairs { "INT", "TERM", "HUP" } do
  case("interrupted by " .. signal, "FAKE_SIGNAL=" .. signal, "", "0 passed, 1 failed", 1)
end

shell("rm -rf " .. quote(root))
print(("test_command: %d cases"):format(count))
