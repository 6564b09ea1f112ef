// Bias, linear maps, dropout and lookups by number on the CPU.

#include <atomic>
#include <cmath>
#include <cstring>

#include "kernels/cpu/add_kernels.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/philox.h"
#include "kernels/cpu/rows.h"
#include "ops/layers.h"

namespace lutra {
namespace {

// a + b; integers wrap.
template <class T> T sum_of_two(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return static_cast<T>(static_cast<ComputeType<T>>(a) + static_cast<ComputeType<T>>(b));
}

struct AddBias {
  template <class C> static C apply(C a, C b) { return sum_of_two(a, b); }
};
// b broadcasts along the last axis, as NumPy would have it.
template <class T> struct BiasAdd {
  static void run(const KernelArgs& args) { run_binary<AddBias, T, T>(args); }
};

// What a product of T is added up in: halves in float32, narrow integers in int32, whose lowest bits are theirs.
template <class T>
using ProductType = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, int32_t, ComputeType<T>>;

template <class T> struct Linear {
  using P = ProductType<T>;
  static constexpr bool kConverts = !std::is_same_v<T, P>;

  static std::size_t scratch(const KernelArgs& args) {
    if (!kConverts) return 0;
    return static_cast<std::size_t>(args.in[0].size + args.in[1].size + args.out[0].size) * sizeof(P);
  }
  static void run(const KernelArgs& args) {
    const Array &x = args.in[0], &w = args.in[1], &out = args.out[0];
    if (out.size == 0) return;
    int64_t k = w.dims[0], n = w.dims[1], m = out.size / n;
    MatMulSizes sizes{
        .m = m, .n = n, .k = k, .k_of_b = k, .lda = k, .ldb = n, .transpose_a = false, .transpose_b = false};
    const T* b = args.in[2].as<T>();
    T* to = out.as<T>();
    if constexpr (kConverts) {
      P *wide_x = reinterpret_cast<P*>(args.scratch), *wide_w = wide_x + x.size, *product = wide_w + w.size;
      widen(x, wide_x);
      widen(w, wide_w);
      gemm(sizes, wide_x, wide_w, product);
      for_rows(m, n, [=](int64_t r) {
        for (int64_t i = 0; i < n; ++i) {
          to[r * n + i] = static_cast<T>(sum_of_two<P>(product[r * n + i], static_cast<P>(b[i])));
        }
      });
    } else {
      gemm(sizes, x.as<T>(), w.as<T>(), to);
      for_rows(m, n, [=](int64_t r) {
        for (int64_t i = 0; i < n; ++i) to[r * n + i] = sum_of_two(to[r * n + i], b[i]);
      });
    }
  }

 private:
  template <class Row> static void for_rows(int64_t rows, int64_t columns, const Row& row) {
    parallel_for(rows, row_grain(kCheapGrain, columns), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) row(r);
    });
  }
  static void widen(const Array& from, P* to) {
    const T* x = from.as<T>();
    parallel_for(from.size, kCheapGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<P>(x[i]);
    });
  }
};

// One word of random bits an element, whatever its type: block i / 4, word i % 4. Below the limit it is dropped.
template <class T> struct Dropout {
  using C = ComputeType<T>;
  static constexpr int64_t kBlocks = 64;
  static constexpr int64_t kBatch = 4 * kBlocks;

  static void run(const KernelArgs& args) {
    const DropoutAttrs& attrs = args.as<DropoutAttrs>();
    const T* x = args.in[0].as<T>();
    const uint64_t limit = static_cast<uint64_t>(std::ceil(attrs.rate * 0x1p32));
    const C scale = static_cast<C>(1.0 / (1.0 - attrs.rate));
    // A multiple of the batch, so that every thread begins with a whole one.
    parallel_for(args.out[0].size, kCostlyGrain, [&, out = args.out[0].as<T>()](int64_t begin, int64_t end) {
      for (; begin < end; begin += kBatch) {
        uint32_t words[4][kBlocks];
        uint64_t first = attrs.rng.counter + static_cast<uint64_t>(begin / 4);
        for (int64_t i = 0; i < kBlocks; ++i) {
          PhiloxBlock block = philox_block(attrs.rng.key, first + static_cast<uint64_t>(i));
          for (int w = 0; w < 4; ++w) words[w][i] = block.word[w];
        }
        C keep[kBatch];
        for (int64_t i = 0; i < kBlocks; ++i) {
          for (int w = 0; w < 4; ++w) keep[4 * i + w] = words[w][i] < limit ? C(0) : scale;
        }
        int64_t count = std::min(kBatch, end - begin);
        for (int64_t i = 0; i < count; ++i) {
          // Dropped is 0, whatever it was.
          C value = static_cast<C>(x[begin + i]) * keep[i];
          out[begin + i] = static_cast<T>(keep[i] == 0 ? C(0) : value);
        }
      }
    });
  }
};
static_assert(kCostlyGrain % Dropout<float>::kBatch == 0);

// Ids as rows of a table.
struct Ids {
  const Array& array;
  int64_t base, rows;

  int64_t given(int64_t i) const {
    return read_element(array.dtype, array.data + static_cast<std::size_t>(i) * size_of(array.dtype)).i;
  }
  // -1: there is no such row.
  int64_t at(int64_t i) const {
    int64_t id = given(i);
    return id < base || id - base >= rows ? -1 : id - base;
  }
  // Tells the first that is no row, whichever thread met one first.
  void report(Fault& fault) const {
    for (int64_t i = 0; i < array.size; ++i) {
      if (at(i) < 0) return fault.raise(FaultCode::IdOutOfRange, given(i), rows);
    }
  }
};

void run_embedding(const KernelArgs& args) {
  const Array &table = args.in[0], &out = args.out[0];
  Ids ids{args.in[1], args.as<EmbeddingAttrs>().base.value, table.dims[0]};
  if (out.size == 0) return ids.report(*args.fault);
  std::size_t bytes = size_of(table.dtype);
  for (int i = 1; i < table.rank; ++i) bytes *= static_cast<std::size_t>(table.dims[i]);
  std::atomic<bool> all_found = true;
  parallel_for(ids.array.size, row_grain(4 * kCheapGrain, static_cast<int64_t>(bytes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   std::byte* to = out.data + static_cast<std::size_t>(i) * bytes;
                   int64_t row = ids.at(i);
                   if (row >= 0) {
                     std::memcpy(to, table.data + static_cast<std::size_t>(row) * bytes, bytes);
                   } else {
                     std::memset(to, 0, bytes);
                     all_found = false;
                   }
                 }
               });
  if (!all_found) ids.report(*args.fault);
}

// Each thread has rows of the table of its own and looks for their ids, so that sums go from the first id to the last.
template <class T> struct EmbeddingGrad {
  using C = ComputeType<T>;
  static constexpr bool kConverts = !std::is_same_v<T, C>;

  static std::size_t scratch(const KernelArgs& args) {
    return kConverts ? static_cast<std::size_t>(args.out[0].size) * sizeof(C) : 0;
  }
  static void run(const KernelArgs& args) {
    const Array& out = args.out[0];
    if (out.size == 0) return;
    Ids ids{args.in[0], args.as<EmbeddingAttrs>().base.value, out.dims[0]};
    int64_t length = out.size / out.dims[0];
    const T* dy = args.in[1].as<T>();
    parallel_for(out.dims[0], row_grain(kCheapGrain, length), [&](int64_t begin, int64_t end) {
      C* sums;
      if constexpr (kConverts) sums = reinterpret_cast<C*>(args.scratch);
      else sums = out.as<C>();
      std::fill(sums + begin * length, sums + end * length, C(0));
      for (int64_t i = 0; i < ids.array.size; ++i) {
        int64_t row = ids.at(i);
        if (row < begin || row >= end) continue;
        C* __restrict to = sums + row * length;
        const T* from = dy + i * length;
        for (int64_t k = 0; k < length; ++k) to[k] += static_cast<C>(from[k]);
      }
      if constexpr (kConverts) store(sums + begin * length, (end - begin) * length, out.as<T>() + begin * length);
    });
  }
};

}  // namespace

void register_layers_cpu(KernelRegistry& kernels) {
  add_kernels<BiasAdd>(kernels, "BiasAdd", AllNumbers{});
  add_kernels<Linear>(kernels, "Linear", AllNumbers{});
  add_kernels<Dropout>(kernels, "Dropout", AllFloats{});
  add_kernels<Dropout>(kernels, "DropoutGrad", AllFloats{});
  kernels.add("Embedding", DeviceType::CPU, kAnyDType, {.run = run_embedding});
  add_kernels<EmbeddingGrad>(kernels, "EmbeddingGrad", AllFloats{});
}

}  // namespace lutra
