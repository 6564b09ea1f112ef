// The texts of events: names, lines, scopes and shapes. Each is made once and cached, since every op looks some of them
// up.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "eager/context.h"
#include "eager/prepare.h"
#include "profile/trace.h"

namespace lutra {

// A hash of a call's dtypes and shapes, whose text is made once for each distinct call. Two calls with one hash would
// share a text; with 64 bits that is too unlikely to matter.
class Signature {
 public:
  explicit Signature(uint64_t kind) : hash_(kind) {}
  void put(DType dtype, const int64_t* dims, int rank) {
    put(static_cast<uint64_t>(dtype) << 8 | static_cast<uint64_t>(rank));
    for (int axis = 0; axis < rank; ++axis) put(static_cast<uint64_t>(dims[axis]));
  }
  void put(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 32;
  }
  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_;
};

class EventTexts {
 public:
  Strings& strings() { return strings_; }
  const Strings& strings() const { return strings_; }

  // Of a text that lives as long as the program, by its address.
  uint32_t literal(const char* text) {
    auto& [known, number] = literals_[reinterpret_cast<uintptr_t>(text) / 4 % literals_.size()];
    if (known != text) {
      number = strings_.add(text);
      known = text;
    }
    return number;
  }
  // The script's line.
  uint32_t line(const Context& context);
  // A scope's name.
  uint32_t requested(const Context& context, uint32_t spec);

  uint32_t shape_of(const TensorRep& tensor);
  // "float32(2,3) float32(3,4) -> float32(2,4)"
  uint32_t shapes_of(const KernelArgs& args);
  // Of an op without a kernel of its own, or one that has failed (null).
  uint32_t shapes_of(const Call& call, const Prepared& prepared, TensorRep* const* outs);

 private:
  template <class Make> uint32_t shaped(const Signature& signature, const Make& make);

  Strings strings_;
  std::array<std::pair<const char*, uint32_t>, 256> literals_{};
  std::array<std::pair<uint64_t, uint32_t>, 4096> shapes_{};  // by hash; 0: none
  ScriptPosition last_line_{{}, 0};
  uint32_t last_line_number_ = 0;
  uint32_t last_spec_ = 0, last_requested_ = 0;
};

}  // namespace lutra
