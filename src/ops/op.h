// An op is data: one entry has its names, inputs, attributes, shape function and GPU coverage. Lua functions, methods,
// help and the placement log are made from the entry; kernels are registered separately (ops/kernel.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/scalar.h"
#include "core/shape.h"
#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace lutra {

class Composition;
class Error;
class Gradient;
class Inference;
struct Call;
struct Fault;
struct KernelArgs;

enum InputFlags : uint8_t {
  kOptional = 1,
  kVariadic = 2,  // the last input; a list in Lua
  kNumber = 4,    // may be a Lua number, which takes the other inputs' dtype
  kOwnDType = 8,  // not promoted with the others; its dtypes are checked separately
};

struct InputDef {
  const char* name;
  DTypes dtypes;
  const char* shape;  // for people: "[..., m, k]"
  uint8_t flags = 0;
};

// In which dtype an op with promoted inputs computes.
enum class Compute : uint8_t {
  Same,   // the promoted dtype itself
  Float,  // integers and bool give float32 (of int32 and int64 computed in float64: eager/prepare.cpp): a function
          // whose result is a fraction
};

enum OpFlags : uint8_t {
  kDynamic = 1,       // sizes of outputs depend on values; CPU only
  kChecksValues = 2,  // the kernel may report a Fault; set by the registry where the entry has `fault`
  kNoMethod = 4,      // a function only
  kHidden = 8,        // no Lua function: made by the binding itself
  kRandom = 16,       // its attributes hold an Rng
  kKeyIsOutput = 32,  // the kernel is chosen by output 0's dtype, not by the inputs'
  kComposed = 64,     // other ops compute it; set by the registry where the entry has `compose`
  kNoSlope = 128,     // composed, and piecewise constant in every input: tapes record none of its ops
};

// Which tensors of the forward op a gradient rule reads. Only these are kept alive; shapes and dtypes are always known.
enum Saves : uint16_t {
  kX0 = 1,
  kX1 = 2,
  kX2 = 4,
  kX3 = 8,
  kAllX = 0xff,
  kY0 = 0x100,
  kY1 = 0x200,
  kY2 = 0x400,
};

struct Cost {
  double flops = 0;
  double bytes = 0;
};

struct OpDef {
  const char* name;                // unique; printed in placement logs unless log_name is set
  const char* lua_name = nullptr;  // "matmul", "random.normal"
  const char* log_name = nullptr;
  const char* (*logged_as)(const Call& call) = nullptr;  // if the printed name depends on the inputs
  const char* summary = "";
  std::vector<InputDef> inputs = {};
  AttrTable attrs = {};
  const char* output = "";
  const char* errors = "";
  const char* source = "";
  const char* example = "";
  int outputs = 1;
  Compute compute = Compute::Same;
  void (*shape)(Inference& inference) = nullptr;
  // For an op that returns a list. `pieces` throws every error in the call, else returns the number of results.
  // next_piece advances the Part to the next result. A call of its own, with that Part, then computes each result.
  int64_t (*pieces)(const Inference& list) = nullptr;
  void (*next_piece)(const Inference& list, int64_t piece, Part* part) = nullptr;
  // Calls the ops that compute it, instead of a kernel (ops/composition.h). Without `gradient`, its gradients are
  // those of these ops.
  void (*compose)(Composition& composition) = nullptr;
  void (*gradient)(Gradient& gradient) =
      nullptr;         // null: the outputs depend smoothly on no input, or their dtype has no gradients
  uint16_t saves = 0;  // of Saves
  // The error for a wrong value that the kernel found (ops/fault.h); its text begins with `op`: "gather: ...".
  Error (*fault)(const char* op, const Fault& fault) = nullptr;
  Cost (*cost)(const KernelArgs& args) = nullptr;  // null: one flop per output element, each byte touched once
  DTypes gpu = {};                                 // the only statement of GPU coverage
  uint8_t flags = 0;
  uint16_t id = 0;            // position in the registry
  const char* group = "";     // set by the registry: the heading that help lists it under
  int ints_at = -1;           // set by the registry: offset of the attribute that is an Ints; -1: there is none
  bool plain_inputs = false;  // set by the registry: all inputs are promoted together and checked by one mask

  const char* logged() const { return log_name != nullptr ? log_name : name; }
  const char* logged(const Call& call) const { return logged_as != nullptr ? logged_as(call) : logged(); }
  const char* called() const { return lua_name != nullptr ? lua_name : logged(); }  // in error texts
  // The definition of argument i; the last definition also covers the rest of a list.
  const InputDef& input(int i) const { return inputs[std::min(static_cast<std::size_t>(i), inputs.size() - 1)]; }
  bool has(OpFlags flag) const { return (flags & flag) != 0; }
  bool has_gradient() const { return gradient != nullptr || (compose != nullptr && !has(kNoSlope)); }
  // The attribute of type Ints, or null if there is none or it is not a list.
  Ints* list_in(void* attrs) const {
    Ints* ints = ints_at < 0 ? nullptr : reinterpret_cast<Ints*>(static_cast<std::byte*>(attrs) + ints_at);
    return ints != nullptr && ints->is_list() ? ints : nullptr;
  }
  // A self-contained copy of the attributes and their list: its size in bytes, a multiple of 16, and the copying.
  std::size_t attr_bytes(const void* attrs) const;
  void copy_attrs(std::byte* to, const void* attrs) const;
  bool is_variadic() const { return !inputs.empty() && (inputs.back().flags & kVariadic) != 0; }
};

// One argument of a call: a borrowed tensor, or a number.
struct Operand {
  const TensorRep* tensor;  // null: the number
  Scalar number;
};

// Consecutive ops, as a range of the numbers in TensorRep::origin: after `before`, up to and with `last`.
struct OriginRange {
  uint32_t before = 0;
  uint32_t last = 0;
  bool has(const TensorRep& tensor) const { return tensor.origin - before - 1 < last - before; }
};

// An op with its arguments, read but not yet checked. Trivially destructible, as a Lua error may jump over it.
struct Call {
  const OpDef* op;
  const Operand* in;
  int n_in;
  int index_base;        // the number of the first index in error texts: 1 for Lua programs
  OriginRange literals;  // inputs in this range were made from Lua values for this call, and are logged with it
  alignas(8) std::byte attrs[kMaxAttrBytes];

  Call(const OpDef& def, const Operand* inputs, int count, int base = 0)
      : op(&def), in(inputs), n_in(count), index_base(base) {
    if (!def.attrs.defaults.empty()) std::memcpy(attrs, def.attrs.defaults.data(), def.attrs.defaults.size());
  }
  template <class A> A& as() { return *reinterpret_cast<A*>(attrs); }
  template <class A> const A& as() const { return *reinterpret_cast<const A*>(attrs); }
};

// The ops of the build, and what a host adds to them. The build's are made once and shared by all registries: there are
// hundreds, and a process may have many interpreters.
class OpRegistry {
 public:
  OpRegistry();                                          // has every family of the build
  void begin_group(const char* name) { group_ = name; }  // of the ops defined from now on
  const OpDef& define(OpDef op);
  const OpDef* find(std::string_view name) const;
  const OpDef& get(std::string_view name) const;  // a name from our own code, which must exist
  // The same for a string literal, cached by its address. For one thread.
  const OpDef& get_literal(const char* name) const {
    auto& [known, op] = recent_[reinterpret_cast<uintptr_t>(name) / 4 % kRecent];
    if (known != name) {
      op = &get(name);
      known = name;
    }
    return *op;
  }
  int count() const { return built_in_->count() + own_.count(); }
  const OpDef& at(int id) const {
    const int own = id - built_in_->count();
    return own < 0 ? *built_in_->ops[static_cast<std::size_t>(id)] : *own_.ops[static_cast<std::size_t>(own)];
  }

 private:
  struct Table {
    std::vector<std::unique_ptr<const OpDef>> ops;
    std::unordered_map<std::string_view, const OpDef*> by_name;
    int count() const { return static_cast<int>(ops.size()); }
    const OpDef* find(std::string_view name) const;
  };
  explicit OpRegistry(const Table& built_in) : built_in_(&built_in) {}
  static const Table& built_in();

  const Table* built_in_;
  Table own_;
  const char* group_ = "";
  static constexpr std::size_t kRecent = 128;
  mutable std::array<std::pair<const char*, const OpDef*>, kRecent> recent_{};
};

void define_all_ops(OpRegistry& ops);

}  // namespace lutra
