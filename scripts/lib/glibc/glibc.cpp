// liblutra_glibc.so: what the program and libraries of scripts/dev dist use of glibc 2.29 and later, for systems with
// glibc 2.28 to 2.35. old_versions.lua makes their references unversioned; they find these functions first, on newer
// systems too.
//
// Note [A program of a newer glibc starts on an older one]
//
// Since glibc 2.34 a program's start code leaves its constructors to __libc_start_main. An older __libc_start_main
// expects a function that runs them. Destructors need nothing: the dynamic linker runs them in all versions.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, Main, void (*)(), void (*)(), void*);

int run_constructors(int argc, char** argv, char** environment) {
  const link_map* program = _r_debug.r_map;
  ElfW(Addr) init = 0, array = 0;
  std::size_t bytes = 0;
  for (const ElfW(Dyn)* entry = program->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_INIT) init = program->l_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_INIT_ARRAY) array = program->l_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_INIT_ARRAYSZ) bytes = entry->d_un.d_val;
  }
  if (init != 0) reinterpret_cast<Main>(init)(argc, argv, environment);
  for (std::size_t i = 0; i < bytes / sizeof(Main); ++i) reinterpret_cast<Main*>(array)[i](argc, argv, environment);
  return 0;
}

using Found = dl_find_object;  // what the unwinder asks for
using FindObject = int (*)(void*, Found*);
FindObject find_object = nullptr;

__attribute__((constructor)) void find_newer() {
  find_object = reinterpret_cast<FindObject>(dlsym(RTLD_NEXT, "_dl_find_object"));
}

struct Search {
  std::uintptr_t pc;
  Found* found;
};

int look_in(dl_phdr_info* info, std::size_t, void* user) {
  const Search& search = *static_cast<Search*>(user);
  bool is_here = false;
  std::uintptr_t start = UINTPTR_MAX, end = 0, eh_frame = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t from = info->dlpi_addr + part.p_vaddr, to = from + part.p_memsz;
    if (part.p_type == PT_GNU_EH_FRAME) eh_frame = from;
    if (part.p_type != PT_LOAD) continue;
    if (from < start) start = from;
    if (to > end) end = to;
    is_here = is_here || (search.pc >= from && search.pc < to);
  }
  if (!is_here || eh_frame == 0) return 0;
  *search.found = {};
  search.found->dlfo_map_start = reinterpret_cast<void*>(start);
  search.found->dlfo_map_end = reinterpret_cast<void*>(end);
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(eh_frame);
  return 1;
}

}  // namespace

// See Note [A program of a newer glibc starts on an older one].
EXPORTED int __libc_start_main(Main main, int argc, char** argv, Main init, void (*fini)(), void (*rtld_fini)(),
                               void* stack_end) {
  if (void* start = dlvsym(RTLD_NEXT, "__libc_start_main", "GLIBC_2.34"))
    return reinterpret_cast<Start>(start)(main, argc, argv, init, fini, rtld_fini, stack_end);
  void* start = dlvsym(RTLD_NEXT, "__libc_start_main", "GLIBC_2.2.5");
  return reinterpret_cast<Start>(start)(main, argc, argv, init != nullptr ? init : run_constructors, fini, rtld_fini,
                                        stack_end);
}

EXPORTED int _dl_find_object(void* pc, Found* found) noexcept {
  if (find_object != nullptr) return find_object(pc, found);
  Search search{reinterpret_cast<std::uintptr_t>(pc), found};
  return dl_iterate_phdr(look_in, &search) == 1 ? 0 : -1;
}

// Before 2.33 these were inline functions that called others. The kernel fills the same struct.
EXPORTED int stat(const char* path, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}
EXPORTED int lstat(const char* path, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}
EXPORTED int fstat(int file, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}
EXPORTED int fstat64(int file, struct stat64* status) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}

EXPORTED std::uint32_t arc4random() noexcept {
  std::uint32_t bits = 0;
  while (syscall(SYS_getrandom, &bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}

// 0: counts are changed atomically, whether there is one thread or several.
extern "C" {
__attribute__((visibility("default"))) char __libc_single_threaded = 0;
}

EXPORTED int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) noexcept {
  timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  constexpr long kSecond = 1'000'000'000;
  real.tv_sec += until->tv_sec - now.tv_sec;
  real.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) real.tv_nsec += kSecond, --real.tv_sec;
  if (real.tv_nsec >= kSecond) real.tv_nsec -= kSecond, ++real.tv_sec;
  return pthread_rwlock_timedwrlock(lock, &real);
}

// Of 2.29, which differ in the sign of nan only; where glibc is older, its own.
namespace {

template <class Function> Function* in_libm(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.29");
  return reinterpret_cast<Function*>(found != nullptr ? found : dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5"));
}

// Not initialised by a constructor: other libraries' may run earlier. Threads that find one at once write the same
// value.
double (*exp_here)(double);
double (*log_here)(double);
double (*log2_here)(double);
double (*pow_here)(double, double);

}  // namespace

EXPORTED double exp(double x) noexcept {
  if (exp_here == nullptr) exp_here = in_libm<double(double)>("exp");
  return exp_here(x);
}
EXPORTED double log(double x) noexcept {
  if (log_here == nullptr) log_here = in_libm<double(double)>("log");
  return log_here(x);
}
EXPORTED double log2(double x) noexcept {
  if (log2_here == nullptr) log2_here = in_libm<double(double)>("log2");
  return log2_here(x);
}
EXPORTED double pow(double x, double y) noexcept {
  if (pow_here == nullptr) pow_here = in_libm<double(double, double)>("pow");
  return pow_here(x, y);
}
