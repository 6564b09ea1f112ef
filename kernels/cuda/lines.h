// Ops along lines of a tensor that need their elements more than once. One thread takes a line that is short, or if
// neighbouring threads then read neighbouring elements; else a block takes it, each thread every kBlockThreads-th
// element. The order in which a line is accumulated depends on its length alone.
//
// An op is a struct with `run(line)`, and otherwise plain data.
#pragma once

#include "kernels/cuda/elementwise.h"
#include "ops/axes.h"

namespace lutra::cuda {

// Merges the accumulators of a block's threads, in pairs half of them apart; every thread gets the result.
#ifdef LUTRA_CUDA_ON_HOST
template <class Acc, class Merge> Acc merged(Acc* room, const Merge& merge) {
  for (int half = kBlockThreads / 2; half > 0; half /= 2) {
    for (int t = 0; t < half; ++t) room[t] = merge(room[t], room[t + half]);
  }
  return room[0];
}
#else
template <class Acc, class Merge> LUTRA_DEVICE Acc merged(Acc mine, const Merge& merge) {
  __shared__ alignas(16) unsigned char bytes[kBlockThreads * sizeof(Acc)];
  Acc* room = reinterpret_cast<Acc*>(bytes);
  const int t = static_cast<int>(threadIdx.x);
  room[t] = mine;
  __syncthreads();
  for (int half = kBlockThreads / 2; half > 0; half /= 2) {
    if (t < half) room[t] = merge(room[t], room[t + half]);
    __syncthreads();
  }
  Acc all = room[0];
  __syncthreads();
  return all;
}
#endif

template <bool kOfBlock> struct Line {
  int64_t number;  // among all lines
  int64_t size;

  // Merges term(i) of all elements. Merging `start` with x gives x.
  template <class Acc, class Term, class Merge>
  LUTRA_DEVICE Acc gather(Acc start, const Term& term, const Merge& merge) const {
    if constexpr (!kOfBlock) {
      for (int64_t i = 0; i < size; ++i) start = merge(start, term(i));
      return start;
    } else {
#ifdef LUTRA_CUDA_ON_HOST
      Acc room[kBlockThreads];
      for (int t = 0; t < kBlockThreads; ++t) room[t] = of_thread(t, start, term, merge);
      return merged(room, merge);
#else
      return merged(of_thread(static_cast<int>(threadIdx.x), start, term, merge), merge);
#endif
    }
  }

  template <class Term> LUTRA_DEVICE double sum(const Term& term) const {
    return gather(
        0.0, [&](int64_t i) { return static_cast<double>(term(i)); }, [](double a, double b) { return a + b; });
  }

  // Calls each(i) for all elements.
  template <class Each> LUTRA_DEVICE void each(const Each& each) const {
    if constexpr (!kOfBlock) {
      for (int64_t i = 0; i < size; ++i) each(i);
    } else {
#ifdef LUTRA_CUDA_ON_HOST
      for (int64_t i = 0; i < size; ++i) each(i);
#else
      for (int64_t i = threadIdx.x; i < size; i += kBlockThreads) each(i);
      __syncthreads();
#endif
    }
  }

  // Calls done() on one thread.
  template <class Done> LUTRA_DEVICE void once(const Done& done) const {
#ifndef LUTRA_CUDA_ON_HOST
    if (kOfBlock && threadIdx.x != 0) return;
#endif
    done();
  }

 private:
  template <class Acc, class Term, class Merge>
  LUTRA_DEVICE Acc of_thread(int t, Acc acc, const Term& term, const Merge& merge) const {
    for (int64_t i = t; i < size; i += kBlockThreads) acc = merge(acc, term(i));
    return acc;
  }
};

template <bool kOfBlock, class Op> LUTRA_GLOBAL void lines_kernel(const Op op, int64_t lines, int64_t size) {
  if constexpr (kOfBlock) {
    for (int64_t line = block_index(); line < lines; line += block_count()) op.run(Line<true>{line, size});
  } else {
    for (int64_t line = thread_index(); line < lines; line += thread_count()) op.run(Line<false>{line, size});
  }
}

// `inner`: the distance between the elements of a line.
template <class Op> void run_lines(const CudaLaunch& on, const Op& op, int64_t lines, int64_t size, int64_t inner) {
  constexpr int64_t kShort = 32, kWarp = 32, kMany = 8192;
  if (lines == 0 || on.error != 0) return;
  if (size <= kShort || (inner >= kWarp && lines >= kMany)) {
    launch(on, grid_for(on, lines), lines_kernel<false, Op>, op, lines, size);
  } else {
    launch_blocks(on, lines, lines_kernel<true, Op>, op, lines, size);
  }
}

// An input whose lines lie along an axis of the output.
template <class T> struct LinesOf {
  Input<T> in;
  int64_t size, inner;
  LinesOf(const Array& array, const Extent& extent) : in(input_of<T>(array)), size(extent.size), inner(extent.inner) {}
  constexpr int64_t place(int64_t line, int64_t i) const { return (line / inner * size + i) * inner + line % inner; }
  LUTRA_DEVICE ComputeType<T> at(int64_t line, int64_t i) const {
    return computed_in(in.data != nullptr ? in.data[place(line, i)] : in.number);
  }
};

// An input as rows along the last axis, broadcast to a shape of `rank` >= 1 axes.
template <class T> struct RowsOf {
  Input<T> in;
  int rank;
  int64_t dims[kMaxRank], strides[kMaxRank];

  RowsOf(const Array& array, const int64_t* under, int under_rank) : in(input_of<T>(array)), rank(under_rank) {
    int64_t step = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      int own = axis - (rank - array.rank);
      int64_t own_size = own >= 0 ? array.dims[own] : 1;
      dims[axis] = under[axis];
      strides[axis] = own_size == 1 ? 0 : step;
      step *= own_size;
    }
  }
  constexpr int64_t first(int64_t row) const {
    int64_t offset = 0;
    for (int axis = rank - 2; axis >= 0; --axis) {
      offset += row % dims[axis] * strides[axis];
      row /= dims[axis];
    }
    return offset;
  }
  // Element i of the row that starts at `from`.
  LUTRA_DEVICE ComputeType<T> at(int64_t from, int64_t i) const {
    return computed_in(in.data != nullptr ? in.data[from + i * strides[rank - 1]] : in.number);
  }
};

template <class C> LUTRA_DEVICE C larger(C a, C b) { return b != b || b > a ? b : a; }  // nan is above all

}  // namespace lutra::cuda
