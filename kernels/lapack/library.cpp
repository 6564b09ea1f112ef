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

// Looks functions up whose names begin with LAPACK's letter for a type, and keeps the first name that is missing.
class LookUp {
 public:
  explicit LookUp(void* handle) : handle_(handle) {}
  template <class F> void operator()(char letter, const char* name, F& function) {
    std::string symbol = text(letter, name, "_");
    function = reinterpret_cast<F>(dlsym(handle_, symbol.c_str()));
    if (function == nullptr && missing_.empty()) missing_ = symbol;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

template <class T> void look_up(LookUp& find, char letter, Functions<T>& functions) {
  find(letter, "potrf", functions.potrf);
  find(letter, "gemm", functions.gemm);
  find(letter, "getrf", functions.getrf);
  find(letter, "laswp", functions.laswp);
  find(letter, "geqrt", functions.geqrt);
  find(letter, "gemqrt", functions.gemqrt);
  find(letter, "geev", functions.geev);
  find(letter, "steqr", functions.steqr);
  find(letter, "sterf", functions.sterf);
  find(letter, "bdsdc", functions.bdsdc);
  find(letter, "laed2", functions.laed2);
  find(letter, "laed4", functions.laed4);
  find(letter, "lamrg", functions.lamrg);
}
template <class T> void look_up(LookUp& find, char letter, Functions<Complex<T>>& functions) {
  find(letter, "potrf", functions.potrf);
  find(letter, "gemm", functions.gemm);
  find(letter, "trsm", functions.trsm);
  find(letter, "getrf", functions.getrf);
  find(letter, "getrs", functions.getrs);
  find(letter, "geqrf", functions.geqrf);
  find(letter, "ungqr", functions.ungqr);
  find(letter, "gesdd", functions.gesdd);
  find(letter, "heevd", functions.heevd);
  find(letter, "geev", functions.geev);
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
  LookUp find(handle);
  look_up(find, 's', library->of_float);
  look_up(find, 'd', library->of_double);
  look_up(find, 'c', library->of_complex64);
  look_up(find, 'z', library->of_complex128);
  if (!find.missing().empty()) return without(text(name, " has no ", find.missing()));
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
