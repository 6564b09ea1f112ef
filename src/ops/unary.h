// How functions of one element are declared: what unary.cpp and activations.cpp share.
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
};

// Of numbers; Compute::Float: integers give float32, else they are computed as they are.
void define_unary(OpRegistry& ops, const UnaryEntry& entry, Compute compute);

// The gradient of an op's input in one pass: a hidden op of two floats of one shape.
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
