// What the plugin's families fill, once.
#pragma once

#include <vector>

#include "kernels/cuda/launch.h"

namespace lutra::cuda {

class CudaKernels {
 public:
  void add(const char* op, DTypes keys, KernelEntry entry) { rows_.push_back({op, keys, entry}); }
  // One entry a type of the list: make(TypeTag<T>{}) gives it.
  template <class... Ts, class Make> void add_each(const char* op, TypeList<Ts...>, Make make) {
    (add(op, dtype_of<Ts>, make(TypeTag<Ts>{})), ...);
  }
  const std::vector<CudaKernel>& rows() const { return rows_; }

 private:
  std::vector<CudaKernel> rows_;
};

}  // namespace lutra::cuda
