// What an op in progress holds: its kernel's view of inputs and outputs, and the storages that must outlive it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ops/inference.h"
#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace lutra {

inline constexpr int kFewInputs = 8;

// A tensor's elements where they lie; the dims stay the tensor's.
inline Array array_of(const TensorRep& tensor) {
  return {const_cast<std::byte*>(tensor.address()), tensor.dims, tensor.size, tensor.dtype, tensor.rank, false};
}

// Storages an op in progress must keep: fetched inputs, scratch memory.
class Held {
 public:
  Held() = default;
  ~Held() {
    for (Storage* storage : storages_) storage->release();
  }
  Held(const Held&) = delete;
  // Takes over one counted reference.
  Storage* keep(Storage* storage) {
    try {
      storages_.push_back(storage);
    } catch (...) {
      storage->release();
      throw;
    }
    return storage;
  }

 private:
  std::vector<Storage*> storages_;
};

// The kernel's view of every input and output, and the storages they lie in. On the stack unless there are many.
class Arrays {
 public:
  Arrays(int n_in, int n_out) {
    if (n_in + n_out > kFew) {
      const auto count = static_cast<std::size_t>(n_in + n_out);
      many_ = std::make_unique<Array[]>(count);
      many_numbers_ = std::make_unique<Number[]>(count);
      many_storages_ = std::make_unique<Storage*[]>(count);
      in = many_.get();
      numbers = many_numbers_.get();
      reads = many_storages_.get();
    }
    out = in + n_in;
    writes = reads + n_in;
  }
  Arrays(const Arrays&) = delete;

 private:
  struct alignas(8) Number {
    std::byte bytes[kMostElementBytes];
    std::byte* data() { return bytes; }
  };
  static constexpr int kFew = kFewInputs + kMaxOutputs;
  Array few_[kFew];
  Number few_numbers_[kFew];
  Storage* few_storages_[kFew];
  std::unique_ptr<Array[]> many_;
  std::unique_ptr<Number[]> many_numbers_;
  std::unique_ptr<Storage*[]> many_storages_;

 public:
  Array* in = few_;
  Array* out;
  Number* numbers = few_numbers_;   // one-element inputs that are passed in the arguments
  Storage** reads = few_storages_;  // see Launch
  Storage** writes;
};

}  // namespace lutra
