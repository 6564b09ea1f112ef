#include "eager/launch.h"

#include <vector>

#include "core/stop_request.h"
#include "eager/executor.h"
#include "support/catch.h"
#include "support/machine.h"

namespace lutra {
namespace {

using test::Machine;

// A tensor on the device of `like`, of its shape, without contents.
Tensor fresh(Machine& machine, const Tensor& like) {
  LogicalDevice& device = machine.runtime.device(like.rep().device);
  Tensor tensor;
  TensorRep& rep = tensor.rep();
  rep.dtype = like.rep().dtype;
  rep.size = like.rep().size;
  rep.set_shape(like.rep().shape());
  rep.device = device.id;
  rep.storage = machine.context.allocate(device, rep.nbytes(), {"test", rep.dtype, rep.shape()});
  rep.data = rep.storage->data;
  return tensor;
}

Array array_of(const Tensor& tensor) {
  const TensorRep& rep = tensor.rep();
  return {const_cast<std::byte*>(rep.address()), rep.dims, rep.size, rep.dtype, rep.rank, false};
}

// What a recorded graph does: keeps a launch, writes other addresses into it and submits it again.
void replay(Machine& machine) {
  std::vector<float> ones(64, 1.0F), twos(64, 2.0F), fives(64, 5.0F);  // too large to be inline
  Tensor a = machine.constant(ones), b = machine.constant(twos), c = machine.constant(fives);
  Tensor first = fresh(machine, a), second = fresh(machine, a);
  LogicalDevice& device = machine.runtime.device(a.rep().device);
  const OpDef& op = machine.runtime.ops().get("AddV2");
  Array in[] = {array_of(a), array_of(b)}, out[] = {array_of(first)};
  Storage *reads[] = {a.rep().storage, b.rep().storage}, *writes[] = {first.rep().storage};
  Launch launch{&machine.runtime.kernels().find(device.type, op, DType::Float32),
                &device,
                {&op, nullptr, in, out, nullptr, nullptr, nullptr, 2, 1},
                reads,
                writes};
  submit(machine.context, launch);
  in[1] = array_of(c);
  reads[1] = c.rep().storage;
  out[0] = array_of(second);
  writes[0] = second.rep().storage;
  submit(machine.context, launch);
  CHECK(machine.values(first) == std::vector<float>(64, 3.0F));
  CHECK(machine.values(second) == std::vector<float>(64, 6.0F));
}

TEST_CASE("a launch that is kept runs again with other addresses on the CPU", "[launch]") {
  Machine machine;
  replay(machine);
}

TEST_CASE("a launch that is kept runs again with other addresses on a GPU", "[launch]") {
  Machine machine({.simulated_gpus = 1});
  replay(machine);
}

TEST_CASE("an op that Ctrl-C may have ended early fails, and the next one does not", "[launch]") {
  Machine machine;
  Tensor a = machine.constant(std::vector<float>(64, 1.0F));
  auto doubled = [&] {
    Operand operands[2] = {{&a.rep(), Scalar::of(false)}, {&a.rep(), Scalar::of(false)}};
    Call call(machine.runtime.ops().get("AddV2"), operands, 2);
    return machine.values(run_op(machine.context, call));
  };
  StopRequest::watch(true);
  StopRequest::ask();
  CHECK(doubled()[0] == 2);  // nothing has looked
  CHECK(StopRequest::is_wanted());
  try {
    doubled();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::Cancelled);
    CHECK(error.message() == "interrupted!");
  }
  StopRequest::answer();
  CHECK(doubled()[0] == 2);
  StopRequest::watch(false);
}

}  // namespace
}  // namespace lutra
