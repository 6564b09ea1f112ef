// The list of kernels that the plugin's families fill once, and the functions of Lutra that they may call.
#pragma once

#include <vector>

#include "kernels/cuda/launch.h"

namespace lutra::cuda {

// Set before any kernel runs.
inline const CudaHost* host = nullptr;

class CudaKernels {
 public:
  void add(const char* op, DTypes keys, KernelEntry entry) { rows_.push_back({op, keys, entry, false}); }
  // One entry per type of the list, which make(TypeTag<T>{}) returns.
  template <class... Ts, class Make> void add_each(const char* op, TypeList<Ts...>, Make make) {
    (add(op, dtype_of<Ts>, make(TypeTag<Ts>{})), ...);
  }
  // The same for an op made of products: floats are multiplied by cuBLASLt, integers by our own kernel.
  template <class... Ts, class Make> void add_products(const char* op, TypeList<Ts...>, Make make) {
    (rows_.push_back({op, dtype_of<Ts>, make(TypeTag<Ts>{}), is_float(dtype_of<Ts>)}), ...);
  }
  const std::vector<CudaKernel>& rows() const { return rows_; }

 private:
  std::vector<CudaKernel> rows_;
};

}  // namespace lutra::cuda
