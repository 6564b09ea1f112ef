// How an op is computed: plain functions in a table by device type, op and key dtype. A kernel may be missing:
// placement takes that into account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/convert.h"
#include "core/precision.h"
#include "device/device_spec.h"
#include "device/stream.h"
#include "ops/fault.h"
#include "ops/op.h"

namespace lutra {

// A tensor as a kernel sees it: row-major and contiguous.
struct Array {
  std::byte* data;
  const int64_t* dims;
  int64_t size;
  DType dtype;
  uint8_t rank;
  bool immediate;  // one element, in host memory, valid only during the launch

  template <class T> T* as() const { return reinterpret_cast<T*>(data); }
  double bytes() const { return static_cast<double>(size) * static_cast<double>(size_of(dtype)); }  // for costs
};

struct KernelArgs {
  const OpDef* op;
  const void* attrs;
  const Array* in;
  const Array* out;
  std::byte* scratch;
  Fault* fault;        // where wrong values are reported; null if the op checks none
  int64_t* out_count;  // kDynamic: the real size of each output's first axis (KernelEntry::count)
  int n_in;
  int n_out;
  MatmulPrecision precision = MatmulPrecision::Tf32;  // of matrix products on a GPU

  template <class A> const A& as() const { return *static_cast<const A*>(attrs); }
};

struct KernelEntry {
  void (*run)(const KernelArgs& args) = nullptr;
  // Bytes of scratch memory it needs besides its outputs; null: none.
  std::size_t (*scratch)(const KernelArgs& args) = nullptr;
  // kDynamic: fills out_count from the inputs before outputs are allocated; such an op has no scratch. Null: outputs
  // are allocated in the shape function's size, and run fills out_count.
  void (*count)(const KernelArgs& args) = nullptr;
};

// The dtypes that kernels are registered for.
template <class... Ts> struct TypeList {};
using AllFloats = TypeList<Float16, BFloat16, float, double>;
using AllInts = TypeList<int8_t, uint8_t, int16_t, int32_t, int64_t>;
using AllNumbers = TypeList<int8_t, uint8_t, int16_t, int32_t, int64_t, Float16, BFloat16, float, double>;
using AllTypes = TypeList<bool, int8_t, uint8_t, int16_t, int32_t, int64_t, Float16, BFloat16, float, double>;
using InexactTypes = TypeList<Float16, BFloat16, float, double, Complex64, Complex128>;
using EveryNumber =
    TypeList<int8_t, uint8_t, int16_t, int32_t, int64_t, Float16, BFloat16, float, double, Complex64, Complex128>;
using ComplexTypes = TypeList<Complex64, Complex128>;
using EveryType =
    TypeList<bool, int8_t, uint8_t, int16_t, int32_t, int64_t, Float16, BFloat16, float, double, Complex64, Complex128>;

class KernelRegistry {
 public:
  // Begins with an entry for each composed op, on every type of device that its definition names.
  explicit KernelRegistry(const OpRegistry& ops);

  void add(const char* op, DeviceType type, DTypes keys, KernelEntry entry);
  // Adds one entry per type of the list: the one that make(TypeTag<T>{}) returns.
  template <class... Ts, class Make> void add_each(const char* op, DeviceType type, TypeList<Ts...>, Make make) {
    (add(op, type, dtype_of<Ts>, make(TypeTag<Ts>{})), ...);
  }
  // Removes the op's kernels for this type of device: the op then runs on others.
  void remove(const char* op, DeviceType type);

  const KernelEntry& find(DeviceType type, const OpDef& op, DType key) const {
    return entries_[slot(type, op.id, key)];
  }
  // The dtypes `op` can be computed in on this type of device.
  DTypes dtypes(DeviceType type, const OpDef& op) const;
  const OpRegistry& ops() const { return ops_; }

 private:
  std::size_t slot(DeviceType type, int op, DType key) const {
    return static_cast<std::size_t>((static_cast<int>(type) * ops_.count() + op) * kDTypeCount + static_cast<int>(key));
  }
  const OpRegistry& ops_;
  std::vector<KernelEntry> entries_;
};

void register_all_cpu_kernels(KernelRegistry& kernels);

// The estimated cost of an op, for the clocks of simulated machines and, later, for placement.
Cost cost_of(const KernelArgs& args);

}  // namespace lutra
