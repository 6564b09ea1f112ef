// Sizes of a tensor's axes, at most eight, row-major. A value type that never allocates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace lutra {

inline constexpr int kMaxRank = 8;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}
  // The caller has checked that there are at most kMaxRank sizes.
  explicit Shape(std::span<const int64_t> sizes) {
    for (int64_t size : sizes) dims_[rank_++] = size;
  }

  void assign(const int64_t* sizes, int rank) {
    rank_ = static_cast<uint8_t>(rank);
    for (int axis = 0; axis < rank; ++axis) dims_[axis] = sizes[axis];
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  int64_t& operator[](int axis) { return dims_[axis]; }
  const int64_t* data() const { return dims_; }
  std::span<const int64_t> dims() const { return {dims_, static_cast<std::size_t>(rank_)}; }
  // Appends an axis. The caller has checked that there are fewer than kMaxRank.
  void push(int64_t size) { dims_[rank_++] = size; }

  // The number of elements. The caller has already checked the shape with element_count.
  int64_t size() const {
    // In uint64, where overflow is defined: (2^40, 2^40, 0) has no elements, although a partial product overflows.
    uint64_t product = 1;
    for (int i = 0; i < rank_; ++i) product *= static_cast<uint64_t>(dims_[i]);
    return static_cast<int64_t>(product);
  }
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }

 private:
  int64_t dims_[kMaxRank];  // only the first rank_ are set
  uint8_t rank_ = 0;
};

// "(2, 3)", "(3,)", "()"
void append(std::string& out, const Shape& shape);

// The number of elements of `dims`. Fails (InvalidArgument) on a negative size, and if the elements, of `element_bytes`
// each, need more than 2^62 bytes. `who` begins the message.
int64_t element_count(const char* who, std::span<const int64_t> dims, int64_t element_bytes);

// NumPy's broadcasting of two shapes. Returns false if they do not match.
bool broadcast(const Shape& a, const Shape& b, Shape* out);

}  // namespace lutra
