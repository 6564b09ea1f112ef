#include "support/cuda_stub/cublas_lt_stub.h"

#include <cstring>
#include <memory>
#include <sstream>
#include <string>

#include "kernels/cuda/libraries/cublas_lt.h"
#include "support/cuda_stub/library_state.h"

using namespace lutra;
using namespace lutra::cuda;

// The library's opaque types.
struct lutra::cuda::cublasLtContext {};
struct lutra::cuda::cublasLtMatmulDescOpaque {
  int compute = 0, scale = 0;
  int32_t transposes[2] = {};
  uint32_t epilogue = 1;
  const void* bias = nullptr;
};
struct lutra::cuda::cublasLtMatrixLayoutOpaque {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0, step = 0;
  int32_t batch = 1;
};
struct lutra::cuda::cublasLtMatmulPreferenceOpaque {
  uint64_t workspace_bytes = 0;
  uint32_t schemes = 7, alignment[4] = {256, 256, 256, 256};
};

namespace {

using Layout = cublasLtMatrixLayoutOpaque;
using Description = cublasLtMatmulDescOpaque;

constexpr BlasStatus kInvalidValue = 7, kExecutionFailed = 13;

test::LibraryState& stub() {
  static test::LibraryState& one = *new test::LibraryState;
  return one;
}
#define ENTER(name) \
  if (BlasStatus told = stub().enter(#name); told != kBlasSuccess) return told

template <class T> BlasStatus make(T** made, const T& value) {
  *made = new T(value);
  stub().count(1);
  return kBlasSuccess;
}
template <class T> BlasStatus unmake(T* made) {
  if (made == nullptr) return kInvalidValue;
  delete made;
  stub().count(-1);
  return kBlasSuccess;
}

template <class T> BlasStatus set(T* field, const void* value, std::size_t bytes) {
  if (bytes != sizeof(T)) return kInvalidValue;
  std::memcpy(field, value, bytes);
  return kBlasSuccess;
}

// d (m, n) = op(a) op(b), column by column.
struct Sizes {
  uint64_t m, n, k;
};
bool fits(const Description& matmul, const Layout& a, const Layout& b, const Layout& d, Sizes* sizes) {
  bool ta = matmul.transposes[0] == kOpTransposed, tb = matmul.transposes[1] == kOpTransposed;
  *sizes = {ta ? a.columns : a.rows, tb ? b.rows : b.columns, ta ? a.rows : a.columns};
  auto lies = [](const Layout& layout) { return layout.ld >= static_cast<int64_t>(layout.rows); };
  bool is_half = a.type == kRealFloat16 || a.type == kRealBFloat16;
  bool is_double = a.type == kRealFloat64;
  return d.rows == sizes->m && d.columns == sizes->n && (tb ? b.columns : b.rows) == sizes->k && sizes->m > 0 &&
         sizes->n > 0 && sizes->k > 0 && lies(a) && lies(b) && lies(d) && a.batch == d.batch && b.batch == d.batch &&
         d.batch > 0 && d.batch < 1 << 16 && a.type == b.type &&
         (d.type == a.type || (is_half && d.type == kRealFloat32)) && (matmul.compute == kCompute64) == is_double &&
         matmul.scale == (is_double ? kRealFloat64 : kRealFloat32) &&
         (a.type == kRealFloat32 || is_double || matmul.compute == kCompute32);
}

// What an operand is rounded to before it is multiplied.
float rounded(float x, int compute) {
  return test::without_bits(x, compute == kComputeFastTf32   ? test::kTf32Bits
                               : compute == kComputeFastBf16 ? test::kBf16Bits
                                                             : 0);
}

template <class F> void with_type(int type, const F& f) {
  if (type == kRealFloat64) f(double{});
  else if (type == kRealFloat16) f(Float16{});
  else if (type == kRealBFloat16) f(BFloat16{});
  else f(float{});
}

// A product on its way through a stream.
struct Queued {
  Description matmul;
  Layout a, b, d;
  Sizes sizes;
  double alpha, beta;
  const void *at_a, *at_b;
  void *at_d, *workspace;
  std::size_t workspace_bytes;
};

template <class T, class R> void compute(const Queued& q) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  bool ta = q.matmul.transposes[0] == kOpTransposed, tb = q.matmul.transposes[1] == kOpTransposed;
  auto read = [&](const void* at, const Layout& layout, int64_t matrix, uint64_t row, uint64_t column) {
    const T* from = static_cast<const T*>(at) + matrix * layout.step;
    T x = from[static_cast<int64_t>(column) * layout.ld + static_cast<int64_t>(row)];
    if constexpr (std::is_same_v<T, float>) return rounded(x, q.matmul.compute);
    else return static_cast<Sum>(x);
  };
  for (int64_t matrix = 0; matrix < q.d.batch; ++matrix) {
    for (uint64_t column = 0; column < q.sizes.n; ++column) {
      for (uint64_t row = 0; row < q.sizes.m; ++row) {
        Sum sum = 0;
        for (uint64_t i = 0; i < q.sizes.k; ++i) {
          sum += read(q.at_a, q.a, matrix, ta ? i : row, ta ? row : i) *
                 read(q.at_b, q.b, matrix, tb ? column : i, tb ? i : column);
        }
        R& to = static_cast<R*>(
            q.at_d)[matrix * q.d.step + static_cast<int64_t>(column) * q.d.ld + static_cast<int64_t>(row)];
        sum *= static_cast<Sum>(q.alpha);
        if (q.beta != 0) sum += static_cast<Sum>(q.beta) * static_cast<Sum>(to);
        if (q.matmul.epilogue == kEpilogueBias) sum += static_cast<Sum>(static_cast<const R*>(q.matmul.bias)[row]);
        to = static_cast<R>(sum);
      }
    }
  }
}

void run(const Queued& q) {
  if (q.workspace_bytes > 0) std::memset(q.workspace, 0xff, q.workspace_bytes);
  with_type(q.a.type, [&]<class T>(T) {
    if (q.d.type == q.a.type) compute<T, T>(q);
    else if constexpr (sizeof(T) == 2) compute<T, float>(q);
  });
}

}  // namespace

extern "C" {

void cublas_stub_fail(const char* function, int n, int status) { stub().fail(function, n, status); }
const char* cublas_stub_calls() { return stub().take_calls(); }
int cublas_stub_live() { return stub().live; }
void cublas_stub_driver(const char* library) { stub().driver = library; }

const char* cublasLtGetStatusName(BlasStatus status) {
  return status == kBlasAllocFailed    ? "CUBLAS_STATUS_ALLOC_FAILED"
         : status == kBlasNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
         : status == kExecutionFailed  ? "CUBLAS_STATUS_EXECUTION_FAILED"
                                       : "CUBLAS_STATUS_INVALID_VALUE";
}
BlasStatus cublasLtCreate(BlasHandle* handle) {
  ENTER(cublasLtCreate);
  return make(handle, {});
}
BlasStatus cublasLtDestroy(BlasHandle handle) { return unmake(handle); }
BlasStatus cublasLtMatmulDescCreate(MatmulDescription* matmul, int compute, int scale) {
  ENTER(cublasLtMatmulDescCreate);
  return make(matmul, {.compute = compute, .scale = scale});
}
BlasStatus cublasLtMatmulDescDestroy(MatmulDescription matmul) { return unmake(matmul); }
BlasStatus cublasLtMatmulDescSetAttribute(MatmulDescription matmul, int attribute, const void* value,
                                          std::size_t bytes) {
  switch (attribute) {
    case kDescTransA: return set(&matmul->transposes[0], value, bytes);
    case kDescTransB: return set(&matmul->transposes[1], value, bytes);
    case kDescEpilogue: return set(&matmul->epilogue, value, bytes);
    case kDescBiasPointer: return set(&matmul->bias, value, bytes);
    default: return kInvalidValue;
  }
}
BlasStatus cublasLtMatrixLayoutCreate(MatrixLayout* layout, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  ENTER(cublasLtMatrixLayoutCreate);
  return make(layout, {.type = type, .rows = rows, .columns = columns, .ld = ld});
}
BlasStatus cublasLtMatrixLayoutDestroy(MatrixLayout layout) { return unmake(layout); }
BlasStatus cublasLtMatrixLayoutSetAttribute(MatrixLayout layout, int attribute, const void* value, std::size_t bytes) {
  if (attribute == kLayoutBatchCount) return set(&layout->batch, value, bytes);
  return attribute == kLayoutBatchStep ? set(&layout->step, value, bytes) : kInvalidValue;
}
BlasStatus cublasLtMatmulPreferenceCreate(MatmulPreference* preference) {
  ENTER(cublasLtMatmulPreferenceCreate);
  return make(preference, {});
}
BlasStatus cublasLtMatmulPreferenceDestroy(MatmulPreference preference) { return unmake(preference); }
BlasStatus cublasLtMatmulPreferenceSetAttribute(MatmulPreference preference, int attribute, const void* value,
                                                std::size_t bytes) {
  if (attribute == kPreferWorkspaceBytes) return set(&preference->workspace_bytes, value, bytes);
  if (attribute == kPreferReductionSchemes) return set(&preference->schemes, value, bytes);
  if (attribute < kPreferAlignmentA || attribute > kPreferAlignmentD) return kInvalidValue;
  return set(&preference->alignment[attribute - kPreferAlignmentA], value, bytes);
}

BlasStatus cublasLtMatmulAlgoGetHeuristic(BlasHandle, MatmulDescription matmul, MatrixLayout a, MatrixLayout b,
                                          MatrixLayout c, MatrixLayout d, MatmulPreference preference, int wanted,
                                          MatmulHeuristic* found, int* count) {
  ENTER(cublasLtMatmulAlgoGetHeuristic);
  Sizes sizes;
  if (c != d || wanted < 1 || !fits(*matmul, *a, *b, *d, &sizes)) return kInvalidValue;
  if (preference->schemes != kReduceInComputeType) return kInvalidValue;
  std::ostringstream line;
  line << "find " << sizes.m << "x" << sizes.n << "x" << sizes.k << " batch " << d->batch << " type " << a->type
       << " compute " << matmul->compute << " workspace " << preference->workspace_bytes
       << (matmul->epilogue == kEpilogueBias ? " bias" : "") << "\n";
  {
    std::lock_guard lock(stub().mutex);
    stub().calls += line.str();
  }
  *count = 0;
  if (matmul->epilogue == kEpilogueBias && a->type == kRealFloat64) return kBlasNotSupported;
  // The algorithm is what it was chosen for.
  *found = {};
  found->workspace_bytes = preference->workspace_bytes;
  found->algorithm.data[0] = preference->workspace_bytes;
  for (int i = 0; i < 4; ++i) found->algorithm.data[1 + i] = preference->alignment[i];
  *count = 1;
  return kBlasSuccess;
}

BlasStatus cublasLtMatmul(BlasHandle, MatmulDescription matmul, const void* alpha, const void* at_a, MatrixLayout a,
                          const void* at_b, MatrixLayout b, const void* beta, const void* at_c, MatrixLayout c,
                          void* at_d, MatrixLayout d, const MatmulAlgorithm* algorithm, void* workspace,
                          std::size_t workspace_bytes, StreamHandle stream) {
  ENTER(cublasLtMatmul);
  Sizes sizes;
  if (c != d || at_c != at_d || !fits(*matmul, *a, *b, *d, &sizes)) return kInvalidValue;
  const uint64_t* chosen = algorithm->data;
  if (workspace_bytes < chosen[0] || (chosen[0] > 0 && !test::is_aligned(workspace, 256))) return kInvalidValue;
  if (!test::is_aligned(at_a, chosen[1]) || !test::is_aligned(at_b, chosen[2]) || !test::is_aligned(at_d, chosen[4]))
    return kInvalidValue;
  if (matmul->epilogue == kEpilogueBias && (matmul->bias == nullptr || !test::is_aligned(matmul->bias, 16)))
    return kInvalidValue;
  auto number = [&](const void* at) {
    return matmul->scale == kRealFloat64 ? *static_cast<const double*>(at) : *static_cast<const float*>(at);
  };
  stub().note("multiply " + std::to_string(d->batch));
  const Queued queued{*matmul,      *a,   *b,   *d,   sizes,     number(alpha),
                      number(beta), at_a, at_b, at_d, workspace, static_cast<std::size_t>(chosen[0])};
  return stub().launch(stream, [queued] { run(queued); }) ? kBlasSuccess : kExecutionFailed;
}
}
