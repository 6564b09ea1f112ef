// The kernels of other families' ops for complex dtypes, which complex.cpp registers.
#pragma once

#include "ops/kernel.h"
#include "ops/matmul.h"

namespace lutra {

void add_complex_arithmetic(KernelRegistry& kernels);
void add_complex_functions(KernelRegistry& kernels);
void add_complex_sums(KernelRegistry& kernels);
void add_complex_products(KernelRegistry& kernels);

// c (m, n) = a (m, k) b (k, n), by one real product of twice the sizes: `room` holds b's part in it, and a's transpose
// if that is multiplied.
template <class T> std::size_t complex_product_room(const MatMulSizes& sizes);
template <class T>
void complex_product(const MatMulSizes& sizes, const Complex<T>* a, const Complex<T>* b, std::byte* room,
                     Complex<T>* c);

}  // namespace lutra
