#include "kernels/lapack/openblas_core.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "kernels/cpu_level.h"

namespace lutra::lapack {

void choose_openblas_core(void* handle) {
  auto name = reinterpret_cast<const char* (*)()>(dlsym(handle, "openblas_get_corename"));
  auto quit = reinterpret_cast<void (*)()>(dlsym(handle, "gotoblas_dynamic_quit"));
  auto init = reinterpret_cast<void (*)()>(dlsym(handle, "gotoblas_dynamic_init"));
  if (name == nullptr || quit == nullptr || init == nullptr || std::strcmp(name(), "Prescott") != 0) return;
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  const std::string_view level = cpu_level().name;
  if (level == "baseline") return;
  // OpenBLAS takes the choice from the environment. setenv would free the list that another thread may read; so this is
  // another list, which stays.
  static char choice[32];
  std::strcpy(choice, level == "avx512" ? "OPENBLAS_CORETYPE=SkylakeX" : "OPENBLAS_CORETYPE=Haswell");
  static std::vector<char*> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) variables.push_back(*variable);
  variables.push_back(choice);
  variables.push_back(nullptr);
  char** const before = environ;
  environ = variables.data();
  quit();
  init();
  environ = before;
}

}  // namespace lutra::lapack
