// Declares elementwise functions of two tensors, for binary.cpp and compare.cpp.
#pragma once

#include "ops/gradient.h"

namespace lutra {

inline constexpr const char* kPromoted = "the broadcast shape of both; the promoted dtype";

struct BinaryEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  void (*gradient)(Gradient& g) = nullptr;
  uint16_t saves = 0;
  Compute compute = Compute::Same;
  // If the kernel may find wrong values: the text for OpDef::errors, which mentions them, and OpDef::fault.
  const char* wrong_values = nullptr;
  Error (*fault)(const char* op, const Fault& fault) = nullptr;
  const char* (*logged_as)(const Call& call) = nullptr;
  DTypes also = {};  // dtypes besides those of BinaryCommon, without a GPU kernel

  BinaryEntry with(DTypes more) const {
    BinaryEntry entry = *this;
    entry.also = more;
    return entry;
  }
};

// The fields that several entries share.
struct BinaryCommon {
  const char* a;
  const char* b;
  DTypes dtypes;
  const char* errors;
  const char* output;
  void (*shape)(Inference&);
};

void define_binary(OpRegistry& ops, const BinaryEntry& entry, const BinaryCommon& common);

}  // namespace lutra
