// Note [OpenBLAS' limits]
// If OpenBLAS gets no memory, it tries again for ever. So that is tested beforehand: a buffer for the calling thread,
// before there are more calls at a time than ever before. OpenBLAS keeps its buffers.
#include "kernels/lapack/library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "core/blocked_signals.h"
#include "core/text.h"
#include "kernels/lapack/openblas.h"

namespace lutra::lapack {
namespace {

constexpr const char* kName = "libopenblas.so.0";
// Earlier versions of OpenBLAS are reported to compute wrong results on processors that are newer than they are
// (Sapphire Rapids).
constexpr int kLeastVersion[] = {0, 3, 21};

// The memory that OpenBLAS reserves for each thread: 128 MB on x86-64, of which it touches what it needs; and some to
// spare.
constexpr std::size_t kBufferBytes = std::size_t{160} << 20;

bool is_there_memory() {
  void* room = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, kBufferBytes);
  return true;
}

// "OpenBLAS 0.3.21 ..."
bool is_too_old(const std::string& version) {
  int parts[3];
  if (std::sscanf(version.c_str(), "OpenBLAS %d.%d.%d", &parts[0], &parts[1], &parts[2]) != 3) return false;
  return std::lexicographical_compare(std::begin(parts), std::end(parts), std::begin(kLeastVersion),
                                      std::end(kLeastVersion));
}

// The name of the first missing function; "" if none is. LAPACK's letters for T and for complex numbers of it begin the
// names.
template <class T> std::string look_up(void* handle, char letter, char complex_letter, Functions<T>& functions) {
  std::string missing;
  auto find = [&](auto& function, const char* name, bool is_complex = false) {
    std::string symbol = text(is_complex ? complex_letter : letter, name, "_");
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol.c_str()));
    if (function == nullptr && missing.empty()) missing = symbol;
  };
  find(functions.potrf, "potrf");
  find(functions.gemm, "gemm");
  find(functions.getrf, "getrf");
  find(functions.laswp, "laswp");
  find(functions.geqrt, "geqrt");
  find(functions.gemqrt, "gemqrt");
  find(functions.gesdd, "gesdd");
  find(functions.syevd, "syevd");
  find(functions.geev, "geev");
  find(functions.complex_geev, "geev", true);
  find(functions.complex_getrf, "getrf", true);
  find(functions.complex_getrs, "getrs", true);
  return missing;
}

std::string path_of(void* handle, const char* name) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0' ? map->l_name : name;
}

Found open_library() {
  const char* asked = std::getenv("LUTRA_LAPACK");
  std::string_view said = asked != nullptr ? asked : "";
  Found found{.is_wanted = said != "off", .is_named = !said.empty() && said != "off"};
  auto without = [&](std::string why) {
    found.why_not = std::move(why);
    return found;
  };
  if (!found.is_wanted) return without("LUTRA_LAPACK is off");
  const char* name = found.is_named ? asked : kName;
  // See Note [OpenBLAS' limits]
  if (!is_there_memory()) return without(text("the system lacks the memory that ", name, " starts with"));
  BlockedSignals blocked;  // signals are for the program's threads, not the library's
  void* handle = open_on_one_thread(name);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return without(reason != nullptr ? reason : name);
  }
  auto library = std::make_unique<Library>();
  std::string missing = look_up(handle, 's', 'c', library->of_float);
  if (missing.empty()) missing = look_up(handle, 'd', 'z', library->of_double);
  if (!missing.empty()) return without(text(name, " has no ", missing));
  library->file = path_of(handle, name);
  if (auto config = reinterpret_cast<const char* (*)()>(dlsym(handle, "openblas_get_config"))) {
    library->version = config();
    if (library->version.find("USE64BITINT") != std::string::npos) {
      return without(text(name, " has integers of 64 bits, expected 32"));
    }
    if (is_too_old(library->version) && !found.is_named) {
      return without(text(library->file, " is ", library->version.substr(0, library->version.find(' ', 9)),
                          ", which computes wrong results on some processors"));
    }
    auto parallel = reinterpret_cast<int (*)()>(dlsym(handle, "openblas_get_parallel"));
    auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"));
    // Its threads: 0 none, 1 its own, 2 OpenMP's.
    int kind = parallel != nullptr ? parallel() : 0;
    if (kind == 2 && !found.is_named) {
      return without(
          text(library->file, " computes on OpenMP's threads, for which a forked child would wait for ever"));
    }
    library->takes_one_call = kind == 0;
    // It has several where another part of the program opened it.
    if (kind == 1 && set_threads != nullptr) set_threads(1);
  }
  found.library = library.release();  // never freed: threads may still compute while a program ends
  return found;
}

// See Note [OpenBLAS' limits]
struct Calls {
  std::shared_timed_mutex alone;
  std::mutex mutex;
  int now = 0, most = 0;
};

// A fork waits for calls in progress (at most a second: they may be long), whose locks would otherwise be held for ever
// in the child.
Calls& calls() {
  static Calls& calls = *new Calls;
  static bool is_held = false;
  [[maybe_unused]] static const int once = pthread_atfork(
      [] {
        bool held = calls.alone.try_lock_for(std::chrono::seconds(1));
        calls.mutex.lock();
        is_held = held;  // under the mutex: several threads may fork
      },
      [] {
        bool held = is_held;
        calls.mutex.unlock();
        if (held) calls.alone.unlock();
      },
      [] {
        int most = calls.most;
        new (&calls) Calls;
        calls.most = most;
      });
  return calls;
}

}  // namespace

const Found& find_library() {
  static const Found& found = *new Found(open_library());
  return found;
}

Call::Call() : is_alone_(find_library().library->takes_one_call) {
  Calls& all = calls();
  {
    std::lock_guard lock(all.mutex);
    if (all.now == all.most) {
      if (!is_there_memory()) throw std::bad_alloc();
      ++all.most;
    }
    ++all.now;
  }
  if (!is_alone_) all.alone.lock_shared();
  else all.alone.lock();
}

Call::~Call() {
  Calls& all = calls();
  if (!is_alone_) all.alone.unlock_shared();
  else all.alone.unlock();
  std::lock_guard lock(all.mutex);
  --all.now;
}

}  // namespace lutra::lapack
