// Arithmetic, comparisons and logic of two tensors, element by element, with NumPy's broadcasting.

#include "ops/inference.h"

namespace lutra {
namespace {

constexpr const char* kBroadcast = "the broadcast shape of both; the promoted dtype";

struct Entry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* example;
  Compute compute = Compute::Same;
  uint8_t flags = 0;
};

void define(OpRegistry& ops, const Entry& entry, DTypes dtypes, void (*shape)(Inference&), DTypes gpu,
            const char* output) {
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .summary = entry.summary,
      .inputs = {{"a", dtypes, "any shape", kNumber}, {"b", dtypes, "broadcasts with a", kNumber}},
      .output = output,
      .errors = (entry.flags & kChecksValues) != 0
                    ? "InvalidArgument if the shapes do not broadcast, or for a value the op has no integer answer for."
                    : "InvalidArgument if the shapes do not broadcast.",
      .source = "NumPy's function of the same meaning",
      .example = entry.example,
      .compute = entry.compute,
      .shape = shape,
      .gpu = gpu,
      .flags = entry.flags,
  });
}

}  // namespace

void define_binary_ops(OpRegistry& ops) {
  const Entry arithmetic[] = {
      {"AddV2", "add", "a + b.", "lutra.add({1, 2}, 3)  --> {4, 5}"},
      {"Sub", "sub", "a - b.", "lutra.sub({1, 2}, 3)  --> {-2, -1}"},
      {"Mul", "mul", "a * b.", "lutra.mul({1, 2}, 3)  --> {3, 6}"},
      {"RealDiv", "div", "a / b, true division: integers give float32.", "lutra.div({1, 2}, 4)  --> {0.25, 0.5}",
       Compute::Float},
      {"FloorDiv", "floordiv", "a / b, rounded down.", "lutra.floordiv({7, -7}, 2)  --> {3, -4}", Compute::Same,
       kChecksValues},
      {"FloorMod", "mod", "The remainder of a // b; it has the sign of b.", "lutra.mod({7, -7}, 3)  --> {1, 2}",
       Compute::Same, kChecksValues},
      {"Pow", "pow", "a to the power b.", "lutra.pow({2, 3}, 2)  --> {4, 9}", Compute::Same, kChecksValues},
      {"Maximum", "maximum", "The larger of a and b; nan if either is.", "lutra.maximum({1, 5}, 3)  --> {3, 5}"},
      {"Minimum", "minimum", "The smaller of a and b; nan if either is.", "lutra.minimum({1, 5}, 3)  --> {1, 3}"},
  };
  for (const Entry& entry : arithmetic) {
    DTypes gpu = entry.compute == Compute::Float ? DType::Float32 | DType::Float64 : kComputedNumbers;
    define(ops, entry, kNumbers, broadcast_all, gpu, kBroadcast);
  }

  const Entry comparisons[] = {
      {"Equal", "eq", "Whether a == b.", "lutra.eq({1, 2}, 2)  --> {false, true}"},
      {"NotEqual", "ne", "Whether a ~= b.", "lutra.ne({1, 2}, 2)  --> {true, false}"},
      {"Less", "lt", "Whether a < b.", "lutra.lt({1, 2}, 2)  --> {true, false}"},
      {"LessEqual", "le", "Whether a <= b.", "lutra.le({1, 2}, 2)  --> {true, true}"},
      {"Greater", "gt", "Whether a > b.", "lutra.gt({1, 2}, 1)  --> {false, true}"},
      {"GreaterEqual", "ge", "Whether a >= b.", "lutra.ge({1, 2}, 2)  --> {false, true}"},
  };
  for (const Entry& entry : comparisons) {
    define(ops, entry, kAnyDType, broadcast_to_bool, kComputedNumbers | kBool, "the broadcast shape of both; bool");
  }

  const Entry logic[] = {
      {"LogicalAnd", "logical_and", "Whether both are true.",
       "lutra.logical_and({true, false}, true)  --> {true, false}"},
      {"LogicalOr", "logical_or", "Whether either is true.",
       "lutra.logical_or({true, false}, false)  --> {true, false}"},
      {"LogicalXor", "logical_xor", "Whether exactly one is true.",
       "lutra.logical_xor({true, false}, true)  --> {false, true}"},
  };
  for (const Entry& entry : logic) define(ops, entry, kBool, broadcast_all, kBool, "the broadcast shape of both; bool");
}

}  // namespace lutra
