// Bias, linear maps, dropout and embedding lookups on the CPU.

#include <cmath>

#include "kernels/cpu/gemm/gemm.h"
#include "kernels/cpu/loops/add_kernels.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/gather.h"
#include "kernels/cpu/loops/random_words.h"
#include "kernels/cpu/loops/rows.h"
#include "kernels/cpu/loops/widen.h"
#include "ops/layers.h"

namespace lutra {
namespace {

// b broadcasts along the last axis, as in NumPy. Starting a row costs more than a short row itself, so a short b is
// repeated in a longer buffer.
template <class T> struct BiasAdd {
  static void run(const KernelArgs& args) {
    constexpr int64_t kShortRow = 256, kLaidOut = 1024;
    const Array &x = args.in[0], &b = args.in[1], &out = args.out[0];
    if (b.size == 0 || b.size > kShortRow || out.size <= b.size) return run_binary<Add, T, T>(args);
    const int64_t length = kLaidOut / b.size * b.size;
    T rows[kLaidOut];
    std::copy_n(b.as<T>(), b.size, rows);
    for (int64_t done = b.size; done < length; done *= 2) std::copy_n(rows, std::min(done, length - done), rows + done);
    const T* from = x.as<T>();
    T* to = out.as<T>();
    parallel_for((out.size + length - 1) / length, row_grain(kCheapGrain, length), [&](int64_t begin, int64_t end) {
      for (int64_t first = begin * length; first < std::min(end * length, out.size); first += length) {
        binary_row<Add, T, T>(from + first, 1, rows, 1, to + first, std::min(length, out.size - first));
      }
    });
  }
};

template <class T> struct Linear {
  using P = Widened<T>;

  static std::size_t scratch(const KernelArgs& args) {
    if (!kIsNarrow<T>) return 0;
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
    if constexpr (kIsNarrow<T>) {
      P *wide_x = reinterpret_cast<P*>(args.scratch), *wide_w = wide_x + x.size, *product = wide_w + w.size;
      convert_each(x.as<T>(), wide_x, x.size);
      convert_each(w.as<T>(), wide_w, w.size);
      gemm(sizes, wide_x, wide_w, product);
      for_rows(m, n, [=](int64_t r) {
        for (int64_t i = 0; i < n; ++i) {
          to[r * n + i] = static_cast<T>(Add::apply<P>(product[r * n + i], static_cast<P>(b[i])));
        }
      });
    } else {
      if constexpr (std::is_same_v<T, float>) {
        if (tiled_gemm(sizes, x.as<T>(), w.as<T>(), b, to)) return;
      }
      gemm(sizes, x.as<T>(), w.as<T>(), to);
      for_rows(m, n, [=](int64_t r) {
        for (int64_t i = 0; i < n; ++i) to[r * n + i] = Add::apply(to[r * n + i], b[i]);
      });
    }
  }

 private:
  template <class Row> static void for_rows(int64_t rows, int64_t columns, const Row& row) {
    parallel_for(rows, row_grain(kCheapGrain, columns), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) row(r);
    });
  }
};

// One word of random bits per element, whatever its type: block i / 4, word i % 4. An element whose word is below the
// limit is dropped.
template <class T> struct Dropout {
  using C = ComputeType<T>;

  static void run(const KernelArgs& args) {
    const DropoutAttrs& attrs = args.as<DropoutAttrs>();
    const T* x = args.in[0].as<T>();
    T* out = args.out[0].as<T>();
    const uint64_t limit = static_cast<uint64_t>(std::ceil(attrs.rate * 0x1p32));
    const C scale = static_cast<C>(1.0 / (1.0 - attrs.rate));
    for_random_words<4>(attrs.rng, args.out[0].size, [=](const Words& words, int64_t first, int64_t n) {
      C keep[4 * kBlocks];
      for (int i = 0; i < kBlocks; ++i) {
        for (int w = 0; w < 4; ++w) keep[4 * i + w] = words.word[w][i] < limit ? C(0) : scale;
      }
      for (int64_t i = 0; i < n; ++i) {
        // A dropped element is 0, even if it was inf or nan.
        C value = static_cast<C>(x[first + i]) * keep[i];
        out[first + i] = static_cast<T>(keep[i] == 0 ? C(0) : value);
      }
    });
  }
};

Numbers ids_of(const KernelArgs& args, const Array& ids, int64_t rows) {
  return {ids, args.as<EmbeddingAttrs>().base.value, rows};
}

void run_embedding(const KernelArgs& args) {
  const Array& table = args.in[0];
  gather_rows(args, ids_of(args, args.in[1], table.dims[0]), 1, table.dims[0], product(table.dims, 1, table.rank));
}

// Each thread takes a range of the table's rows and searches for their ids, so that sums are added up from the first id
// to the last.
template <class T> struct EmbeddingGrad {
  using C = ComputeType<T>;
  static constexpr bool kConverts = !std::is_same_v<T, C>;

  static std::size_t scratch(const KernelArgs& args) {
    return kConverts ? static_cast<std::size_t>(args.out[0].size) * sizeof(C) : 0;
  }
  static void run(const KernelArgs& args) {
    const Array& out = args.out[0];
    if (out.size == 0) return;
    Numbers ids = ids_of(args, args.in[0], out.dims[0]);
    int64_t length = out.size / out.dims[0];
    const T* dy = args.in[1].as<T>();
    parallel_for(out.dims[0], row_grain(kCheapGrain, length), [&](int64_t begin, int64_t end) {
      C* sums;
      if constexpr (kConverts) sums = reinterpret_cast<C*>(args.scratch);
      else sums = out.as<C>();
      std::fill(sums + begin * length, sums + end * length, C(0));
      for (int64_t i = 0; i < ids.count(); ++i) {
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
  kernels.add("Embedding", DeviceType::CPU, kEveryDType, {.run = run_embedding});
  add_kernels<EmbeddingGrad>(kernels, "EmbeddingGrad", InexactTypes{});
}

}  // namespace lutra
