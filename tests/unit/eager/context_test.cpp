#include "eager/context.h"

#include "core/parallel.h"
#include "support/catch.h"
#include "support/machine.h"

using namespace lutra;
using lutra::test::Machine;

TEST_CASE("Runtimes that take turns on a thread keep their own number of threads", "[context]") {
  Machine first, second;
  first.runtime.registry().set_intra_op_threads(3);
  Tensor a = first.constant({1, 2, 3, 4}), b = second.constant({1, 2, 3, 4});
  int by_default = 0;
  for (int i = 0; i < 2; ++i) {
    first.run("AddV2", {&a, &a});
    CHECK(max_threads() == 3);
    second.run("AddV2", {&b, &b});
    if (i == 0) by_default = max_threads();
    CHECK(max_threads() == by_default);
  }
  first.runtime.reset();
  Tensor c = first.constant({1, 2, 3, 4});
  first.run("AddV2", {&c, &c});
  CHECK(max_threads() == by_default);
}

TEST_CASE("names that no scope and no origin refers to are forgotten", "[context]") {
  Machine machine;
  Context& context = machine.context;
  Machine::Scope outer = machine.scope("/CPU:0");
  uint32_t kept = context.scopes->spec();
  Tensor tensor = machine.constant({1, 2});
  uint32_t used;
  {
    Machine::Scope soft = machine.scope("/job:localhost/CPU:0");
    used = context.scopes->spec();
    tensor = machine.run("AddV2", {&tensor, &tensor});
  }
  uint32_t highest = 0;
  for (int i = 0; i < 20000; ++i) {
    highest = std::max(highest, context.intern(DeviceSpec::parse("/GPU:" + std::to_string(i))));
    if (context.has_many_specs()) context.forget_specs({&kept, 1});
  }
  CHECK(highest < 5000);
  CHECK(context.spec_text(kept) == "/device:CPU:0");
  CHECK(context.spec_text(used) == "/job:localhost/device:CPU:0");
  CHECK(context.spec_text(context.origins().find(tensor.rep())->spec) == "/job:localhost/device:CPU:0");
  CHECK(context.intern(DeviceSpec::parse("/cpu:0")) == kept);
}
