// `.gpu` of an op's entry is the one statement of what a GPU computes.
#include "core/text.h"
#include "ops/backend.h"
#include "ops/kernel.h"
#include "support/catch.h"

namespace lutra {
const Backend& sim_backend();
}

using namespace lutra;

namespace {

struct Kernels {
  OpRegistry ops;
  KernelRegistry registry{ops};
  Kernels() {
    register_all_cpu_kernels(registry);
    sim_backend().register_kernels(registry);
  }
};

}  // namespace

TEST_CASE("a GPU has a kernel for what its ops' entries say, dtype by dtype, and for nothing else", "[kernels]") {
  Kernels kernels;
  REQUIRE(kernels.ops.count() > 50);
  for (int id = 0; id < kernels.ops.count(); ++id) {
    const OpDef& op = kernels.ops.at(id);
    INFO(op.name << ": entry " << text_of(op.gpu));
    CHECK(kernels.registry.dtypes(DeviceType::GPU, op) == op.gpu);
  }
}

TEST_CASE("a GPU computes an op in every real dtype that the CPU does, or not at all", "[kernels]") {
  Kernels kernels;
  for (int id = 0; id < kernels.ops.count(); ++id) {
    const OpDef& op = kernels.ops.at(id);
    DTypes cpu = kernels.registry.dtypes(DeviceType::CPU, op), gpu = kernels.registry.dtypes(DeviceType::GPU, op);
    INFO(op.name << ": CPU " << text_of(cpu) << "; GPU " << text_of(gpu));
    CHECK((gpu.empty() || gpu == (cpu & kAnyDType)));  // there are no complex numbers on cards yet
  }
}
