// Declares elementwise functions of one tensor, for unary.cpp and activations.cpp.
#pragma once

#include "ops/gradient.h"

namespace lutra {

struct UnaryEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  void (*gradient)(Gradient& g) = nullptr;
  uint16_t saves = 0;
  AttrTable attrs = {};
  void (*shape)(Inference& inference) = same_as_first;
  DTypes also = {};  // dtypes besides numbers, without a GPU kernel

  UnaryEntry with(DTypes more) const {
    UnaryEntry entry = *this;
    entry.also = more;
    return entry;
  }
};

// The op takes all numbers. With Compute::Float integers give float32; else they keep their dtype.
void define_unary(OpRegistry& ops, const UnaryEntry& entry, Compute compute);

// A hidden op that computes the gradient of an op's input in one pass, from two float tensors of one shape.
struct UnaryGradEntry {
  const char* name;
  const char* first;
  const char* second;
  const char* summary;
  const char* source;
  void (*gradient)(Gradient& g);
  AttrTable attrs = {};
};
void define_unary_grad(OpRegistry& ops, const UnaryGradEntry& entry);

}  // namespace lutra
