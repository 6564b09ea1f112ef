// Elementwise comparisons, logic and bits of two tensors.

#include "ops/binary.h"
#include "ops/fault.h"

namespace lutra {
namespace {

constexpr const char* kTruth = "the broadcast shape of both; bool";

// TensorFlow's & | ~ of bool tensors run the logical ops.
bool all_bool(const Call& call) {
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor != nullptr ? tensor->dtype != DType::Bool : call.in[i].number.kind != Scalar::Kind::Bool) return false;
  }
  return true;
}

constexpr BinaryCommon kComparison = {
    "a", "b", kAnyDType, "InvalidArgument if the shapes do not broadcast.", kTruth, broadcast_to_bool};
constexpr BinaryCommon kLogic = {
    "a", "b", kBool, "InvalidArgument if an input is not bool or the shapes do not broadcast.", kTruth, broadcast_all};
constexpr BinaryCommon kBits = {"a",           "b",
                                kInts | kBool, "InvalidArgument if an input is a float or the shapes do not broadcast.",
                                kPromoted,     broadcast_all};
constexpr BinaryCommon kShift = {"a", "count", kInts, "", kPromoted, broadcast_all};
constexpr const char* kShiftErrors =
    "InvalidArgument if an input is a float, if both are bool, if the shapes do not broadcast, or for a negative "
    "count.";
Error negative_shift(const char* op, const Fault& fault) {
  return Error(ErrorCode::InvalidArgument,
               text(op, ": the count ", fault.value, " is negative; shift the other way instead"));
}

}  // namespace

void define_compare_ops(OpRegistry& ops) {
  const BinaryEntry comparisons[] = {
      {"Equal", "eq", "Whether a == b.", "numpy.equal, tf.equal", "lutra.eq({1, 2}, 2)  --> {false, true}"},
      {"NotEqual", "ne", "Whether a ~= b.", "numpy.not_equal, tf.not_equal", "lutra.ne({1, 2}, 2)  --> {true, false}"},
      {"Less", "lt", "Whether a < b.", "numpy.less, tf.less", "lutra.lt({1, 2}, 2)  --> {true, false}"},
      {"LessEqual", "le", "Whether a <= b.", "numpy.less_equal, tf.less_equal",
       "lutra.le({1, 2}, 2)  --> {true, true}"},
      {"Greater", "gt", "Whether a > b.", "numpy.greater, tf.greater", "lutra.gt({1, 2}, 1)  --> {false, true}"},
      {"GreaterEqual", "ge", "Whether a >= b.", "numpy.greater_equal, tf.greater_equal",
       "lutra.ge({1, 2}, 2)  --> {false, true}"},
  };
  for (const BinaryEntry& entry : comparisons) {
    const bool orders = &entry >= comparisons + 2;  // complex numbers have no order
    define_binary(ops, orders ? entry : entry.with(kComplex), kComparison);
  }

  const BinaryEntry logic[] = {
      {"LogicalAnd", "logical_and", "Whether both are true.", "numpy.logical_and",
       "lutra.logical_and({true, false}, true)  --> {true, false}"},
      {"LogicalOr", "logical_or", "Whether either is true.", "numpy.logical_or",
       "lutra.logical_or({true, false}, false)  --> {true, false}"},
      {"LogicalXor", "logical_xor", "Whether exactly one is true.", "numpy.logical_xor",
       "lutra.logical_xor({true, false}, true)  --> {false, true}"},
  };
  for (const BinaryEntry& entry : logic) define_binary(ops, entry, kLogic);

  auto bits = [](const char* name, const char* lua_name, const char* summary, const char* source, const char* example,
                 const char* (*logged_as)(const Call&)) {
    return BinaryEntry{name, lua_name,      summary, source,  example,  nullptr,
                       0,    Compute::Same, nullptr, nullptr, logged_as};
  };
  const BinaryEntry bitwise[] = {
      bits("BitwiseAnd", "bitwise_and",
           "a & b: the bits set in both. For bool tensors the same as logical_and, and logged as that.",
           "numpy.bitwise_and", "lutra.bitwise_and({12, 10}, 6)  --> {4, 2}",
           [](const Call& call) { return all_bool(call) ? "LogicalAnd" : "BitwiseAnd"; }),
      bits("BitwiseOr", "bitwise_or",
           "a | b: the bits set in either. For bool tensors the same as logical_or, and logged as that.",
           "numpy.bitwise_or", "lutra.bitwise_or({12, 10}, 6)  --> {14, 14}",
           [](const Call& call) { return all_bool(call) ? "LogicalOr" : "BitwiseOr"; }),
      bits("BitwiseXor", "bitwise_xor",
           "a ~ b: the bits set in exactly one. For bool tensors the same as logical_xor, and logged as that.",
           "numpy.bitwise_xor", "lutra.bitwise_xor({12, 10}, 6)  --> {10, 12}",
           [](const Call& call) { return all_bool(call) ? "LogicalXor" : "BitwiseXor"; }),
  };
  for (const BinaryEntry& entry : bitwise) define_binary(ops, entry, kBits);

  const BinaryEntry shifts[] = {
      {"LeftShift", "left_shift", "a << count: shifts the bits up by count; 0 once all are shifted out.",
       "numpy.left_shift", "lutra.left_shift({1, -3}, 2)  --> {4, -12}", nullptr, 0, Compute::Same, kShiftErrors,
       negative_shift},
      {"RightShift", "right_shift",
       "a >> count: shifts the bits down by count, rounding down; once all are shifted out 0, or -1 for a negative a.",
       "numpy.right_shift", "lutra.right_shift({12, -3}, 1)  --> {6, -2}", nullptr, 0, Compute::Same, kShiftErrors,
       negative_shift},
  };
  for (const BinaryEntry& entry : shifts) define_binary(ops, entry, kShift);
}

}  // namespace lutra
