// The plugin's table against what the ops' entries say that a GPU computes, which is the simulated GPU's table. Of the
// plugin, the build whose kernels are compiled for the host.
#ifdef LUTRA_CUDA_ON_HOST_LIBRARY
#include <dlfcn.h>

#include <set>
#include <string_view>

#include "core/text.h"
#include "kernels/cuda/launch.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// Ops without a kernel for cards so far; docs/cuda.md names them, too.
const std::set<std::string_view> kMissing = {
    "MatMul",
    "Linear",
    "Einsum",
    "Dot",
    "Outer",
    "Conv2D",
    "Conv2DBackpropInput",
    "Conv2DBackpropFilter",
    "MaxPool",
    "AvgPool",
    "MaxPoolGrad",
    "MaxPoolGradGrad",
    "AvgPoolGrad",
};

}  // namespace

TEST_CASE("the CUDA plugin has the kernels of the simulated GPU, but for the ops named here", "[cuda]") {
  void* library = dlopen(LUTRA_CUDA_ON_HOST_LIBRARY, RTLD_NOW);
  REQUIRE(library != nullptr);
  auto* entry = reinterpret_cast<CudaPluginEntry*>(dlsym(library, "lutra_cuda_plugin"));
  REQUIRE(entry != nullptr);
  const cuda::CudaPlugin& plugin = *entry();
  OpRegistry ops;
  KernelRegistry kernels(ops);
  for (std::size_t i = 0; i < plugin.count; ++i) {
    kernels.add(plugin.kernels[i].op, DeviceType::GPU, plugin.kernels[i].keys, plugin.kernels[i].entry);
  }
  std::size_t missing = 0;
  for (int id = 0; id < ops.count(); ++id) {
    const OpDef& op = ops.at(id);
    bool is_missing = kMissing.contains(op.name);
    if (is_missing) ++missing;
    DTypes have = kernels.dtypes(DeviceType::GPU, op), wanted = is_missing ? DTypes() : op.gpu;
    INFO(op.name << ": the plugin " << text_of(have) << "; the entry " << text_of(op.gpu));
    CHECK(have == wanted);
    CHECK((!is_missing || !op.gpu.empty()));
  }
  CHECK(missing == kMissing.size());
}
#endif
