// Note [OpenBLAS' environment]
// OpenBLAS reads how many threads it starts, and for which processor it computes, from the environment when it is
// opened. setenv would free the list of variables, which another thread may read; so `environ` is another list
// meanwhile, which is kept.
//
// Up to 0.3.24 OpenBLAS takes the kernels of 2004 (Prescott, SSE3) for an Intel processor that is newer than it is, and
// computes at a fifth of the speed (https://github.com/OpenMathLib/OpenBLAS/issues/4267). Then it is told which ones to
// take.
#include "kernels/lapack/openblas.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/cpu_level.h"

namespace lutra::lapack {
namespace {

// The environment's variables and `variable`, a constant such as "A=1".
char** with_one_more(const char* variable) {
  static auto& kept = *new std::list<std::vector<char*>>;
  std::vector<char*>& variables = kept.emplace_back();
  variables.push_back(const_cast<char*>(variable));  // the first of a name has effect
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) variables.push_back(*each);
  variables.push_back(nullptr);
  return variables.data();
}

// Calls act() while the environment has `variable`. See Note [OpenBLAS' environment]
template <class Act> void with_variable(const char* variable, const Act& act) {
  char** const before = std::exchange(environ, with_one_more(variable));
  act();
  environ = before;
}

void choose_kernels(void* handle) {
  auto name = reinterpret_cast<const char* (*)()>(dlsym(handle, "openblas_get_corename"));
  auto quit = reinterpret_cast<void (*)()>(dlsym(handle, "gotoblas_dynamic_quit"));
  auto init = reinterpret_cast<void (*)()>(dlsym(handle, "gotoblas_dynamic_init"));
  if (name == nullptr || quit == nullptr || init == nullptr || std::strcmp(name(), "Prescott") != 0) return;
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  const std::string_view level = cpu_level().name;
  if (level == "baseline") return;
  with_variable(level == "avx512" ? "OPENBLAS_CORETYPE=SkylakeX" : "OPENBLAS_CORETYPE=Haswell", [&] {
    quit();
    init();
  });
}

}  // namespace

void* open_on_one_thread(const char* name) {
  constexpr int kHow = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  // Others may compute with it at this moment.
  if (void* in_use = dlopen(name, kHow | RTLD_NOLOAD)) return in_use;
  void* handle = nullptr;
  with_variable("OPENBLAS_NUM_THREADS=1", [&] { handle = dlopen(name, kHow); });
  if (handle != nullptr) choose_kernels(handle);
  return handle;
}

}  // namespace lutra::lapack
