// What an op in progress holds: its kernel's view of inputs and outputs, and the storages that must outlive it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace lutra {

inline constexpr int kFewInputs = 8;

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

// The kernel's view of every input and output, on the stack for all but the longest lists.
class Arrays {
 public:
  Arrays(int n_in, int n_out) {
    if (n_in + n_out > kFewInputs + kMaxOutputs) {
      many_ = std::make_unique<Array[]>(static_cast<std::size_t>(n_in + n_out));
      many_numbers_ = std::make_unique<std::array<std::byte, 8>[]>(static_cast<std::size_t>(n_in));
      in = many_.get();
      numbers = many_numbers_.get();
    }
    out = in + n_in;
  }
  Arrays(const Arrays&) = delete;

  Array* in = few_;
  Array* out;
  std::array<std::byte, 8>* numbers = few_numbers_;  // one-element inputs that ride in the arguments

 private:
  Array few_[kFewInputs + kMaxOutputs];
  alignas(8) std::array<std::byte, 8> few_numbers_[kFewInputs + kMaxOutputs];
  std::unique_ptr<Array[]> many_;
  std::unique_ptr<std::array<std::byte, 8>[]> many_numbers_;
};

}  // namespace lutra
