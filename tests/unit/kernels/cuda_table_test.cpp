// The plugin's table against what the ops' entries say that a GPU computes, which is the simulated GPU's table. Of the
// plugin, the build whose kernels are compiled for the host.
#ifdef LUTRA_CUDA_ON_HOST_LIBRARY
#include <dlfcn.h>

#include <set>
#include <string_view>

#include "core/text.h"
#include "kernels/cuda/plugin_file.h"
#include "kernels/cuda/plugin_host.h"
#include "support/catch.h"

using namespace lutra;

namespace {

const cuda::CudaPlugin& plugin() {
  void* library = dlopen(LUTRA_CUDA_ON_HOST_LIBRARY, RTLD_NOW);
  REQUIRE(library != nullptr);
  auto* entry = reinterpret_cast<CudaPluginEntry*>(dlsym(library, "lutra_cuda_plugin"));
  REQUIRE(entry != nullptr);
  return *entry(&cuda::cuda_host());
}

}  // namespace

TEST_CASE("the CUDA plugin has the kernels of the simulated GPU", "[cuda]") {
  OpRegistry ops;
  KernelRegistry kernels(ops);
  cuda::add_plugin_kernels(kernels, plugin(), true);
  for (int id = 0; id < ops.count(); ++id) {
    const OpDef& op = ops.at(id);
    DTypes have = kernels.dtypes(DeviceType::GPU, op);
    INFO(op.name << ": the plugin " << text_of(have) << "; the entry " << text_of(op.gpu));
    CHECK(have == op.gpu);
  }
}

TEST_CASE("without cuBLASLt a GPU has no products and convolutions of floats, and all else", "[cuda]") {
  const std::set<std::string_view> products = {
      "MatMul", "Linear", "Einsum", "Dot", "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter",
  };
  OpRegistry ops;
  KernelRegistry kernels(ops);
  cuda::add_plugin_kernels(kernels, plugin(), false);
  for (int id = 0; id < ops.count(); ++id) {
    const OpDef& op = ops.at(id);
    DTypes have = kernels.dtypes(DeviceType::GPU, op), wanted = products.contains(op.name) ? op.gpu & kInts : op.gpu;
    INFO(op.name << ": " << text_of(have) << "; expected " << text_of(wanted));
    CHECK(have == wanted);
  }
}
#endif
