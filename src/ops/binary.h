// How functions of two tensors are declared, element by element: what binary.cpp and compare.cpp share.
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
  // When the kernel may find wrong values: the errors, these included, and the sentence.
  const char* wrong_values = nullptr;
  Error (*fault)(const char* op, const Fault& fault) = nullptr;
  const char* (*logged_as)(const Call& call) = nullptr;
};

// What several of them have in common.
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
