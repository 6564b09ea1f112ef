// Gathers slices of a tensor by their positions. Only bytes move, so there is one version per element size.
#pragma once

#include "kernels/cpu/loops/copy_bytes.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/indexing/places.h"

namespace lutra {

// Gathers slices of `length` contiguous elements E; each block of x has `parts` of them. Returns whether all indices
// were in range.
template <class E, class Rows>
bool gather_elements(const Rows& rows, const Array& x, const Array& out, int64_t outer, int64_t parts, int64_t length) {
  const E* from = x.as<E>();
  E* to = out.as<E>();
  std::atomic<bool> all_found = true;
  int64_t count = rows.count();
  parallel_for(outer * count, row_grain(kCheapGrain, length), [&](int64_t begin, int64_t end) {
    int64_t at[kPlacesAtOnce];
    bool found = true;
    while (begin < end) {
      int64_t i = begin % count;
      int64_t n = std::min({kPlacesAtOnce, end - begin, count - i});
      const E* block = from + begin / count * parts * length;
      E* result = to + begin * length;
      if constexpr (requires { rows.pick(i, n, block, result); }) {
        if (length == 1 && rows.pick(i, n, block, result)) {
          begin += n;
          continue;
        }
      }
      rows.read(i, n, at);
      bool here = all_are_places(at, n);
      found &= here;
      if (length == 1 && here) {
        for (int64_t j = 0; j < n; ++j) result[j] = block[at[j]];
      } else if (length == 1) {
        for (int64_t j = 0; j < n; ++j) result[j] = at[j] >= 0 ? block[at[j]] : E(0);
      } else {
        int64_t bytes = length * static_cast<int64_t>(sizeof(E));
        for (int64_t j = 0; j < n; ++j) {
          if (at[j] >= 0) copy_bytes(result + j * length, block + at[j] * length, bytes);
          else std::memset(result + j * length, 0, static_cast<std::size_t>(bytes));
        }
      }
      begin += n;
    }
    if (!found) all_found = false;
  });
  return all_found;
}

// Gathers the slices of input 0 that `rows` selects into output 0. An index out of range gives 0 and is reported.
template <class Rows>
void gather_rows(const KernelArgs& args, const Rows& rows, int64_t outer, int64_t parts, int64_t length) {
  const Array& x = args.in[0];
  const Array& out = args.out[0];
  if (out.size == 0) return rows.report(*args.fault);
  bool all_found = false;
  by_size(size_of(x.dtype),
          [&]<class E>(TypeTag<E>) { all_found = gather_elements<E>(rows, x, out, outer, parts, length); });
  if (!all_found) rows.report(*args.fault);
}

}  // namespace lutra
