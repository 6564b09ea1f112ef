// A tensor is a value: row-major, contiguous, immutable. TensorRep is its plain record, held by userdata and calls;
// Tensor owns one, for C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/dtype.h"
#include "core/shape.h"
#include "memory/storage.h"

namespace lutra {

// A CPU tensor of at most this many bytes carries them: no allocation, no finalizer, no identity.
inline constexpr std::size_t kInlineBytes = 64;
constexpr bool fits_inline(std::size_t bytes) { return bytes <= kInlineBytes; }

struct TensorRep {
  Storage* storage;  // null: the bytes are in `bytes` (CPU devices only); else one counted reference
  std::byte* data;   // address of element 0; unused when inline, never self-pointing
  int64_t size;      // elements
  uint64_t value;    // its number in a Ledger, or a variable's identity (eager/ledger.h); 0: no tape watches it
  uint32_t origin;   // the Context's op counter when it was made, for explain()
  uint16_t device;   // logical device id
  DType dtype;
  uint8_t rank;
  int64_t dims[kMaxRank];
  alignas(8) std::byte bytes[kInlineBytes];

  bool is_inline() const { return storage == nullptr; }
  const std::byte* address() const { return storage == nullptr ? bytes : data; }
  std::size_t nbytes() const { return static_cast<std::size_t>(size) * size_of(dtype); }
  Shape shape() const { return Shape({dims, rank}); }
  void set_shape(const Shape& shape) {
    rank = static_cast<uint8_t>(shape.rank());
    for (int i = 0; i < rank; ++i) dims[i] = shape[i];
  }
  // Makes it valid, empty and owning nothing: a result before its op has run.
  void clear() {
    storage = nullptr;
    data = nullptr;
    size = 0;
    value = 0;
    origin = 0;
    device = 0;
    dtype = DType::Float32;
    rank = 1;
    dims[0] = 0;
  }
};
static_assert(sizeof(TensorRep) == 168);

// Makes `to` a second tensor of the same bytes.
inline void share(TensorRep& to, const TensorRep& from) {
  to = from;
  if (to.storage != nullptr) to.storage->retain();
}
inline void drop(TensorRep& rep) {
  if (Storage* storage = rep.storage) {
    rep.storage = nullptr;
    storage->release();
  }
}

class Tensor {
 public:
  Tensor() { rep_.clear(); }
  ~Tensor() { drop(rep_); }
  Tensor(const Tensor& other) { share(rep_, other.rep_); }
  Tensor(Tensor&& other) noexcept : rep_(other.rep_) { other.rep_.storage = nullptr; }
  Tensor& operator=(Tensor other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }

  TensorRep& rep() { return rep_; }
  const TensorRep& rep() const { return rep_; }

 private:
  TensorRep rep_;
};

}  // namespace lutra
