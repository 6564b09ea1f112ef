// Sums of products of up to eight operands, two at a time. If a matrix product can read an operand where it lies,
// transposed or strided, it does; else the operand is packed first. All decisions depend on sizes alone, so a first
// pass without data computes how much scratch memory the second needs. A Work carries them out: the CPU's (einsum.cpp)
// or a card's (kernels/cuda/einsum.cu).
#pragma once

#include <algorithm>
#include <bit>

#include "ops/axes.h"
#include "ops/einsum.h"
#include "ops/matmul.h"

namespace lutra {

static_assert(kMostLabels < 64);

// The order in which one array is read, or two side by side, innermost axis first. Neighbouring axes that are traversed
// as one are merged.
struct Walk {
  int rank = 0;
  int64_t dims[kMostLabels], step_a[kMostLabels], step_b[kMostLabels];
  int64_t count = 1;

  void push(int64_t dim, int64_t a, int64_t b) {
    count *= dim;
    if (rank > 0 && a == step_a[rank - 1] * dims[rank - 1] && b == step_b[rank - 1] * dims[rank - 1]) {
      dims[rank - 1] *= dim;
      return;
    }
    dims[rank] = dim;
    step_a[rank] = a;
    step_b[rank++] = b;
  }
};

// Labels in an order.
struct Labels {
  int count = 0;
  int8_t at[kMostLabels];
  void push(int8_t label) { at[count++] = label; }
  void push(const Labels& more) {
    for (int i = 0; i < more.count; ++i) push(more.at[i]);
  }
  bool operator==(const Labels& other) const { return std::equal(at, at + count, other.at, other.at + other.count); }
};

constexpr uint64_t bit_of(int8_t label) { return uint64_t{1} << label; }

// A Work has T, the type that is multiplied and added; kAlignment of scratch memory; and
//   sum_bytes(extent), workspace_bytes(sizes, products)    static: scratch memory that sum and multiply need
//   pack(walk, from, to)                                   elements in the order of the walk; step_b is not used
//   sum(from, extent, room, sums)                          along the extent's middle
//   multiply(sizes, batch, a, b, room, to)                 matrix products, contiguous in `to`
//   multiply_elements(walk, a, b, to)
template <class Work> class Contraction {
 public:
  using T = typename Work::T;

  // `work` null: the pass without data.
  Contraction(const EinsumPlan& plan, Work* work, std::byte* memory) : plan_(plan), work_(work), memory_(memory) {
    for (int i = 0; i < plan.out.rank; ++i) {
      int8_t label = plan.out.label[i];
      if (plan.size[label] == 1) continue;
      out_.push(label);
      out_mask_ |= bit_of(label);
    }
  }

  std::size_t bytes() const { return used_; }

  // `count` elements of scratch memory; null in the pass without data.
  template <class E> E* allocate(int64_t count) {
    std::size_t first = used_;
    constexpr std::size_t kStep = Work::kAlignment;
    used_ += (static_cast<std::size_t>(count) * sizeof(E) + kStep - 1) / kStep * kStep;
    return work_ != nullptr ? reinterpret_cast<E*>(memory_ + first) : nullptr;
  }

  // Adds the next operand. Axes of one element get no label here: they change nothing, or broadcast.
  void add(const T* data, const int64_t* dims) {
    const EinsumPlan::Term& term = plan_.in[factors_];
    Factor& factor = factor_[factors_++];
    factor.data = data;
    int64_t step = 1;
    for (int axis = term.rank - 1; axis >= 0; --axis) {
      if (dims[axis] != 1) factor.push(term.label[axis], step);
      step *= dims[axis];
    }
    factor.sort();
  }

  // No size may be zero.
  void run(T* out) {
    target_ = out;
    for (int i = 0; i < factors_; ++i) {
      uint64_t gone = factor_[i].mask & ~needed_beside(i, i);
      if (gone != 0) factor_[i] = summed(factor_[i], gone);
    }
    while (factors_ > 1) join_cheapest();
    if (!is_delivered_) pack(factor_[0], out_, out);
  }

 private:
  // An operand, or a product of some.
  struct Factor {
    const T* data = nullptr;
    Labels labels;  // largest stride first
    int64_t stride[kMostLabels];
    uint64_t mask = 0;

    // A repeated label takes the diagonal.
    void push(int8_t label, int64_t step) {
      if ((mask & bit_of(label)) != 0) {
        stride[place(label)] += step;
        return;
      }
      mask |= bit_of(label);
      stride[labels.count] = step;
      labels.push(label);
    }
    int place(int8_t label) const {
      return static_cast<int>(std::find(labels.at, labels.at + labels.count, label) - labels.at);
    }
    int64_t stride_of(int8_t label) const { return stride[place(label)]; }
    void sort() {
      for (int i = 1; i < labels.count; ++i) {
        for (int j = i; j > 0 && stride[j - 1] < stride[j]; --j) {
          std::swap(stride[j - 1], stride[j]);
          std::swap(labels.at[j - 1], labels.at[j]);
        }
      }
    }
  };

  // A factor as a product of matrices reads it, for each index of the batch.
  struct Matrix {
    const T* data;
    int64_t rows, columns, ld;
    bool is_turned;
    int64_t batch_stride[kMostLabels];
  };

  int64_t size(int8_t label) const { return plan_.size[label]; }
  int64_t size(const Labels& labels) const {
    int64_t product = 1;
    for (int i = 0; i < labels.count; ++i) product *= size(labels.at[i]);
    return product;
  }

  // Labels of the result and of all factors but i and j.
  uint64_t needed_beside(int i, int j) const {
    uint64_t mask = out_mask_;
    for (int other = 0; other < factors_; ++other) {
      if (other != i && other != j) mask |= factor_[other].mask;
    }
    return mask;
  }

  // The labels of a mask: first the result's, in its order, then the others in the factor's order.
  Labels ordered(uint64_t mask, const Factor& factor) const {
    Labels labels;
    for (int i = 0; i < out_.count; ++i) {
      if ((mask & bit_of(out_.at[i])) != 0) labels.push(out_.at[i]);
    }
    for (int i = 0; i < factor.labels.count; ++i) {
      int8_t label = factor.labels.at[i];
      if ((mask & bit_of(label)) != 0 && (out_mask_ & bit_of(label)) == 0) labels.push(label);
    }
    return labels;
  }

  Factor contiguous(const T* data, const Labels& labels) const {
    Factor factor;
    factor.data = data;
    int64_t step = size(labels);
    for (int i = 0; i < labels.count; ++i) {
      step /= size(labels.at[i]);
      factor.push(labels.at[i], step);
    }
    return factor;
  }

  void pack(const Factor& factor, const Labels& order, T* to) const {
    if (work_ == nullptr) return;
    Walk walk;
    for (int i = order.count; i-- > 0;) walk.push(size(order.at[i]), factor.stride_of(order.at[i]), 0);
    work_->pack(walk, factor.data, to);
  }

  // Sums over the labels `gone`: in place if they are adjacent and contiguous, else they are packed to the end first.
  Factor summed(const Factor& factor, uint64_t gone) {
    Labels kept, order;
    int first = -1, last = -1;
    int64_t expected = 1;
    bool is_contiguous = true;
    for (int i = factor.labels.count; i-- > 0;) {
      is_contiguous &= factor.stride[i] == expected;
      expected *= size(factor.labels.at[i]);
    }
    Extent extent{1, 1, 1};
    for (int i = 0; i < factor.labels.count; ++i) {
      int8_t label = factor.labels.at[i];
      if ((gone & bit_of(label)) == 0) {
        kept.push(label);
        (first < 0 ? extent.outer : extent.inner) *= size(label);
        continue;
      }
      if (first < 0) first = i;
      last = i;
      extent.size *= size(label);
    }
    const T* data = factor.data;
    if (!is_contiguous || last - first + 1 != std::popcount(gone)) {
      order = kept;
      for (int i = 0; i < factor.labels.count; ++i) {
        if ((gone & bit_of(factor.labels.at[i])) != 0) order.push(factor.labels.at[i]);
      }
      T* packed = allocate<T>(size(order));
      pack(factor, order, packed);
      data = packed;
      extent = {size(kept), extent.size, 1};
    }
    std::byte* room = allocate<std::byte>(static_cast<int64_t>(Work::sum_bytes(extent)));
    T* sums = allocate<T>(size(kept));
    if (work_ != nullptr) work_->sum(data, extent, room, sums);
    return contiguous(sums, kept);
  }

  // Joins the pair with the fewest multiplications; the first of equals.
  void join_cheapest() {
    int best_i = 0, best_j = 1;
    double best = -1;
    for (int i = 0; i < factors_; ++i) {
      for (int j = i + 1; j < factors_; ++j) {
        double cost = 1;
        for (int8_t label = 0; label < plan_.labels; ++label) {
          if (((factor_[i].mask | factor_[j].mask) & bit_of(label)) != 0) cost *= static_cast<double>(size(label));
        }
        if (best >= 0 && cost >= best) continue;
        best = cost;
        best_i = i;
        best_j = j;
      }
    }
    uint64_t needed = needed_beside(best_i, best_j);
    bool is_last = factors_ == 2;
    factor_[best_i] = joined(factor_[best_i], factor_[best_j], needed, is_last);
    for (int j = best_j + 1; j < factors_; ++j) factor_[j - 1] = factor_[j];
    --factors_;
  }

  // Where a product is written: into the result itself if it is the last one and in the result's order.
  T* place_for(const Labels& order, bool is_last) {
    if (is_last && order == out_) {
      is_delivered_ = true;
      return target_;
    }
    return allocate<T>(size(order));
  }

  Factor joined(const Factor& first, const Factor& second, uint64_t needed, bool is_last) {
    uint64_t both = first.mask & second.mask;
    if ((both & ~needed) == 0) return multiplied(first, second, is_last);
    const Factor *a = &first, *b = &second;
    Labels batch = ordered(both & needed, *a);
    Labels rows = ordered(a->mask & ~both, *a), columns = ordered(b->mask & ~both, *b);
    Labels order = batch, turned = batch;
    order.push(rows);
    order.push(columns);
    turned.push(columns);
    turned.push(rows);
    if (is_last && !(order == out_) && turned == out_) {
      std::swap(a, b);
      std::swap(rows, columns);
      order = turned;
    }
    // The summed labels, in the order of the operand that saves more packing.
    Labels depth = labels_of(*a, both & ~needed), other = labels_of(*b, both & ~needed);
    if (packing(*a, *b, rows, other, columns) < packing(*a, *b, rows, depth, columns)) depth = other;
    Matrix left = matrix(*a, batch, rows, depth), right = matrix(*b, batch, depth, columns);
    T* to = place_for(order, is_last);
    multiply_matrices(batch, left, right, to);
    return contiguous(to, order);
  }

  Labels labels_of(const Factor& factor, uint64_t mask) const {
    Labels labels;
    for (int i = 0; i < factor.labels.count; ++i) {
      if ((mask & bit_of(factor.labels.at[i])) != 0) labels.push(factor.labels.at[i]);
    }
    return labels;
  }

  // How many elements must be packed.
  int64_t packing(const Factor& a, const Factor& b, const Labels& rows, const Labels& depth,
                  const Labels& columns) const {
    Matrix unused;
    return (lies_as_matrix(a, rows, depth, &unused) ? 0 : size(a.labels)) +
           (lies_as_matrix(b, depth, columns, &unused) ? 0 : size(b.labels));
  }

  // Whether labels can be traversed as one axis, and with which step.
  bool walks_as_one(const Factor& factor, const Labels& labels, int64_t* step) const {
    *step = 1;
    for (int i = labels.count; i-- > 0;) {
      int64_t stride = factor.stride_of(labels.at[i]);
      if (i == labels.count - 1) *step = stride;
      else if (stride != factor.stride_of(labels.at[i + 1]) * size(labels.at[i + 1])) return false;
    }
    return true;
  }

  bool lies_as_matrix(const Factor& factor, const Labels& rows, const Labels& columns, Matrix* matrix) const {
    int64_t row_step, column_step;
    if (!walks_as_one(factor, rows, &row_step) || !walks_as_one(factor, columns, &column_step)) return false;
    int64_t m = size(rows), n = size(columns);
    matrix->data = factor.data;
    matrix->rows = m;
    matrix->columns = n;
    if ((n == 1 || column_step == 1) && (m == 1 || row_step >= n)) {
      matrix->is_turned = false;
      matrix->ld = m == 1 ? n : row_step;
      return true;
    }
    if ((m == 1 || row_step == 1) && (n == 1 || column_step >= m)) {
      matrix->is_turned = true;
      matrix->ld = n == 1 ? m : column_step;
      return true;
    }
    return false;
  }

  Matrix matrix(const Factor& factor, const Labels& batch, const Labels& rows, const Labels& columns) {
    Matrix found;
    if (lies_as_matrix(factor, rows, columns, &found)) {
      for (int i = 0; i < batch.count; ++i) found.batch_stride[i] = factor.stride_of(batch.at[i]);
      return found;
    }
    Labels order = batch;
    order.push(rows);
    order.push(columns);
    T* packed = allocate<T>(size(order));
    pack(factor, order, packed);
    return matrix(contiguous(packed, order), batch, rows, columns);
  }

  void multiply_matrices(const Labels& batch, const Matrix& a, const Matrix& b, T* to) {
    MatMulSizes sizes{a.rows, b.columns, a.columns, a.columns, a.ld, b.ld, a.is_turned, b.is_turned};
    Walk walk;
    for (int i = batch.count; i-- > 0;) walk.push(size(batch.at[i]), a.batch_stride[i], b.batch_stride[i]);
    std::byte* room = allocate<std::byte>(static_cast<int64_t>(Work::workspace_bytes(sizes, walk.count)));
    if (work_ != nullptr) work_->multiply(sizes, walk, a.data, b.data, room, to);
  }

  // Nothing to sum: multiplies each element by those of the other factor with the same labels.
  Factor multiplied(const Factor& a, const Factor& b, bool is_last) {
    Labels order = ordered(a.mask | b.mask, a);
    for (int i = 0; i < b.labels.count; ++i) {
      int8_t label = b.labels.at[i];
      if (((a.mask | out_mask_) & bit_of(label)) == 0) order.push(label);
    }
    T* to = place_for(order, is_last);
    if (work_ != nullptr) multiply_elements(a, b, order, to);
    return contiguous(to, order);
  }

  void multiply_elements(const Factor& a, const Factor& b, const Labels& order, T* to) const {
    Walk walk;
    for (int i = order.count; i-- > 0;) {
      int8_t label = order.at[i];
      int64_t in_a = (a.mask & bit_of(label)) != 0 ? a.stride_of(label) : 0;
      int64_t in_b = (b.mask & bit_of(label)) != 0 ? b.stride_of(label) : 0;
      walk.push(size(label), in_a, in_b);
    }
    work_->multiply_elements(walk, a.data, b.data, to);
  }

  const EinsumPlan& plan_;
  Work* work_;
  std::byte* memory_;
  std::size_t used_ = 0;
  Factor factor_[kMostOperands];
  int factors_ = 0;
  Labels out_;  // the result's labels of more than one element
  uint64_t out_mask_ = 0;
  T* target_ = nullptr;
  bool is_delivered_ = false;
};

}  // namespace lutra
