// `.gpu` of an op's entry is the one statement of what a GPU computes; here stands, once more and apart, what is left
// out.
#include <map>
#include <string>

#include "core/text.h"
#include "ops/backend.h"
#include "ops/kernel.h"
#include "support/catch.h"

namespace lutra {
const Backend& sim_backend();
}

using namespace lutra;

namespace {

// What the CPU computes and a GPU does not. An op that is not here and loses its GPU kernel for one dtype is a failure.
const std::map<std::string, DTypes> kOnlyOnTheCpu = {
    {"Unique", kAnyDType},
    {"Where", kAnyDType},
    {"Bincount", kInts},
    {"BooleanMask", kAnyDType},
    {"BooleanMaskGrad", kFloats},
    // Eigen's factorisations.
    {"Cholesky", kFloats},
    {"MatrixInverse", kFloats},
    {"MatrixSolve", kFloats},
    {"MatrixTriangularSolve", kFloats},
    {"Qr", kFloats},
    {"Svd", kFloats},
};

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

TEST_CASE("what the CPU computes a GPU computes too, but for a short list", "[kernels]") {
  Kernels kernels;
  for (int id = 0; id < kernels.ops.count(); ++id) {
    const OpDef& op = kernels.ops.at(id);
    DTypes cpu = kernels.registry.dtypes(DeviceType::CPU, op), gpu = kernels.registry.dtypes(DeviceType::GPU, op);
    auto exception = kOnlyOnTheCpu.find(op.name);
    DTypes left_out = exception != kOnlyOnTheCpu.end() ? exception->second : DTypes{};
    INFO(op.name << ": CPU " << text_of(cpu) << "; GPU " << text_of(gpu) << "; left out " << text_of(left_out));
    CHECK((gpu | left_out) == cpu);
    CHECK((gpu & left_out).empty());
  }
}
