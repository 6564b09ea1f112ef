// Finding and opening liblutra_mpi.so.
#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

#include "core/text.h"
#include "core/version.h"
#include "hosts/cluster.h"
#include "kernels/cuda/plugin_file.h"

namespace lutra {

const MpiCalls* open_mpi_plugin(std::string* why) {
  constexpr const char* kFile = "liblutra_mpi.so";
  std::string file, searched;
  for (const std::string& each : cuda::plugin_files(kFile)) {
    if (file.empty() && access(each.c_str(), F_OK) == 0) file = each;
    append(searched, text(searched.empty() ? "" : ", ", each));
  }
  if (file.empty()) {
    *why = text("this Lutra came without ", kFile, ", which is built where mpi.h is (looked for ", searched, "). ",
                kMpiPackages);
    return nullptr;
  }
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    *why = text("its plugin cannot be opened: ", reason != nullptr ? reason : file, ". ", kMpiPackages);
    return nullptr;
  }
  auto* entry = reinterpret_cast<MpiPluginEntry*>(dlsym(handle, "lutra_mpi_plugin"));
  const MpiCalls* calls = entry != nullptr ? entry() : nullptr;
  if (calls == nullptr || calls->bytes != sizeof(MpiCalls) || std::string_view(calls->build) != LUTRA_VERSION) {
    *why = text(file, " is of another build of Lutra: build both together");
    return nullptr;
  }
  return calls;
}

}  // namespace lutra
