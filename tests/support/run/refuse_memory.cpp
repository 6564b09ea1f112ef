// To be preloaded (LD_PRELOAD): refuses a program memory, from the beginning of its main on. Every call that asks for
// memory is counted, of all threads and libraries but oneDNN: malloc and its kin, operator new, anonymous mmap, a
// thread's start. What oneDNN asks for is let be until another call has failed: it ends the process when it is refused
// memory.
//   REFUSE_MEMORY=once:N    the N-th call fails
//   REFUSE_MEMORY=from:N    so do all after it
//   REFUSE_MEMORY=none      none: for counting
//   REFUSE_MEMORY_COUNT=F   writes how many calls there were to the file F when the program ends
//   REFUSE_MEMORY_SHOW=1    writes to stderr where the first call that failed came from (addresses, for addr2line)
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> counts{false};
std::atomic<long> calls{0};
long first = 0;
bool is_once = false, shows = false;
char count_file[256];
// An allocation function that calls another one is one call.
[[gnu::tls_model("initial-exec")]] thread_local int depth = 0;

struct Inside {
  Inside() { ++depth; }
  ~Inside() { --depth; }
};

std::atomic<bool> has_refused{false};

// oneDNN's code, which ends the process when it is refused memory.
const char *onednn_begin = nullptr, *onednn_end = nullptr;

int find_onednn(dl_phdr_info* info, std::size_t, void*) {
  if (std::strstr(info->dlpi_name, "libdnnl") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    onednn_begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    onednn_end = onednn_begin + part.p_memsz;
  }
  return 1;
}

bool is_onednn(const void* code) { return onednn_begin <= code && code < onednn_end; }

// The call whose turn it is fails, unless oneDNN makes it: then the next one does.
bool fails_first() {
  Inside inside;
  void* frames[64];
  int count = backtrace(frames, 64);
  if (std::any_of(frames, frames + count, is_onednn) || has_refused.exchange(true)) return false;
  if (shows) backtrace_symbols_fd(frames, count, 2);
  return true;
}

bool is_refused(const void* caller) {
  if (depth > 0 || !counts.load(std::memory_order_relaxed)) return false;
  if (has_refused.load(std::memory_order_relaxed)) return !is_once;
  if (is_onednn(caller)) return false;
  long call = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  return first != 0 && call >= first && fails_first();
}

template <std::size_t size> struct Name {
  consteval Name(const char (&name)[size]) { std::copy_n(name, size, text); }
  char text[size];
};

// The function of this name that would be there without us.
template <Name name, class F> F* next() {
  static std::atomic<F*> known{nullptr};
  F* function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name.text));
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  if (const char* what = std::getenv("REFUSE_MEMORY")) {
    is_once = std::strncmp(what, "once:", 5) == 0;
    if (std::strcmp(what, "none") != 0) first = std::atol(what + 5);
    if (const char* file = std::getenv("REFUSE_MEMORY_COUNT")) std::snprintf(count_file, sizeof count_file, "%s", file);
    shows = std::getenv("REFUSE_MEMORY_SHOW") != nullptr;
    dl_iterate_phdr(find_onednn, nullptr);
    void* frame;
    backtrace(&frame, 1);    // the first time it loads a library
    unsetenv("LD_PRELOAD");  // the programs that this one starts are their own
    counts.store(true);
  }
  return real_main(argc, argv, environment);
}

[[gnu::destructor]] void write_count() {
  if (!counts.exchange(false) || count_file[0] == 0) return;
  char text[32];
  int size = std::snprintf(text, sizeof text, "%ld\n", calls.load());
  int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, text, static_cast<std::size_t>(size)) != size) _exit(3);
  close(file);
}

void* refused() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*end)(), void* stack) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return next<"__libc_start_main", Start>()(counted_main, argc, argv, init, fini, end, stack);
}

void* malloc(std::size_t size) noexcept {
  if (is_refused(__builtin_return_address(0))) return refused();
  Inside inside;
  return next<"malloc", void*(std::size_t)>()(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  if (is_refused(__builtin_return_address(0))) return refused();
  Inside inside;
  return next<"calloc", void*(std::size_t, std::size_t)>()(count, size);
}

// A block that becomes smaller is no new memory: Lua counts on having it.
void* realloc(void* block, std::size_t size) noexcept {
  if ((block == nullptr || size > malloc_usable_size(block)) && is_refused(__builtin_return_address(0)))
    return refused();
  Inside inside;
  return next<"realloc", void*(void*, std::size_t)>()(block, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  if (is_refused(__builtin_return_address(0))) return ENOMEM;
  Inside inside;
  return next<"posix_memalign", int(void**, std::size_t, std::size_t)>()(block, alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (is_refused(__builtin_return_address(0))) return refused();
  Inside inside;
  return next<"aligned_alloc", void*(std::size_t, std::size_t)>()(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (is_refused(__builtin_return_address(0))) return refused();
  Inside inside;
  return next<"memalign", void*(std::size_t, std::size_t)>()(alignment, size);
}

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0 && (protection & PROT_WRITE) != 0 && is_refused(__builtin_return_address(0))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return next<"mmap", void*(void*, std::size_t, int, int, int, off_t)>()(at, size, protection, flags, file, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* argument) noexcept {
  if (is_refused(__builtin_return_address(0))) return EAGAIN;
  Inside inside;
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return next<"pthread_create", Create>()(thread, how, run, argument);
}

// A sanitizer asks this where a new thread's stack is, and ends the process when it is refused memory.
int pthread_getattr_np(pthread_t thread, pthread_attr_t* how) noexcept {
  Inside inside;
  return next<"pthread_getattr_np", int(pthread_t, pthread_attr_t*)>()(thread, how);
}

}  // extern "C"

// A sanitizer's operator new asks nobody else.
void* operator new(std::size_t size) {
  if (is_refused(__builtin_return_address(0))) throw std::bad_alloc();
  Inside inside;
  return next<"_Znwm", void*(std::size_t)>()(size);
}

void* operator new[](std::size_t size) {
  if (is_refused(__builtin_return_address(0))) throw std::bad_alloc();
  Inside inside;
  return next<"_Znam", void*(std::size_t)>()(size);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  if (is_refused(__builtin_return_address(0))) throw std::bad_alloc();
  Inside inside;
  return next<"_ZnwmSt11align_val_t", void*(std::size_t, std::align_val_t)>()(size, alignment);
}

void* operator new[](std::size_t size, std::align_val_t alignment) {
  if (is_refused(__builtin_return_address(0))) throw std::bad_alloc();
  Inside inside;
  return next<"_ZnamSt11align_val_t", void*(std::size_t, std::align_val_t)>()(size, alignment);
}

void* operator new(std::size_t size, const std::nothrow_t& nothrow) noexcept {
  if (is_refused(__builtin_return_address(0))) return nullptr;
  Inside inside;
  return next<"_ZnwmRKSt9nothrow_t", void*(std::size_t, const std::nothrow_t&)>()(size, nothrow);
}

void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept {
  if (is_refused(__builtin_return_address(0))) return nullptr;
  Inside inside;
  return next<"_ZnamRKSt9nothrow_t", void*(std::size_t, const std::nothrow_t&)>()(size, nothrow);
}
