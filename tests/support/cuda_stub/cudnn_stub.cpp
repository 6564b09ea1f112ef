#include "support/cuda_stub/cudnn_stub.h"

#include <cstring>
#include <memory>
#include <vector>

#include "kernels/cuda/libraries/cudnn.h"
#include "support/cuda_stub/library_state.h"

using namespace lutra;
using namespace lutra::cuda;

// The library's opaque types.
struct lutra::cuda::cudnnContext {
  StreamHandle stream = nullptr;
};
struct lutra::cuda::cudnnTensorStruct {
  int type = -1, images = 0, channels = 0, height = 0, width = 0;
};
struct lutra::cuda::cudnnFilterStruct {
  int type = -1, out = 0, in = 0, height = 0, width = 0;
};
struct lutra::cuda::cudnnConvolutionStruct {
  int pad[2] = {}, stride[2] = {}, dilation[2] = {};
  int groups = 1, math = kDefaultMath;
};

namespace {

enum Kind { Forward, Input, Filter };

test::LibraryState& stub() {
  static test::LibraryState& one = *new test::LibraryState;
  return one;
}
#define ENTER(name) \
  if (DnnStatus told = stub().enter(#name); told != kDnnSuccess) return told

template <class T> DnnStatus make(T** made) {
  *made = new T();
  stub().count(1);
  return kDnnSuccess;
}
template <class T> DnnStatus unmake(T* made) {
  if (made == nullptr) return kDnnBadParameter;
  delete made;
  stub().count(-1);
  return kDnnSuccess;
}

// The three descriptors of one convolution, whichever call uses them.
struct Sizes {
  cudnnTensorStruct x, y;
  cudnnFilterStruct w;
  cudnnConvolutionStruct how;

  static int results(int in, int taps, int pad, int stride, int dilation) {
    return (in + 2 * pad - ((taps - 1) * dilation + 1)) / stride + 1;
  }
  DnnStatus check() const {
    bool fits = x.type == y.type && x.type == w.type && x.type != -1 && x.images == y.images &&
                x.channels == w.in * how.groups && y.channels == w.out && w.out % how.groups == 0 &&
                y.height == results(x.height, w.height, how.pad[0], how.stride[0], how.dilation[0]) &&
                y.width == results(x.width, w.width, how.pad[1], how.stride[1], how.dilation[1]);
    if (!fits) return kDnnBadParameter;
    bool is_strided = how.stride[0] > 1 || how.stride[1] > 1, is_dilated = how.dilation[0] > 1 || how.dilation[1] > 1;
    return is_strided && is_dilated ? kDnnNotSupported : kDnnSuccess;
  }
};

// A convolution on its way through a stream.
struct Queued {
  Kind kind;
  Sizes s;
  const void *x, *w, *y;  // one of them is the result
  void* workspace;
};

template <class T> void compute(const Queued& q) {
  const Sizes& s = q.s;
  const T *x = static_cast<const T*>(q.x), *w = static_cast<const T*>(q.w), *y = static_cast<const T*>(q.y);
  auto count = [](int a, int b, int c, int d) { return static_cast<std::size_t>(a) * b * c * d; };
  std::size_t size = q.kind == Forward ? count(s.y.images, s.y.height, s.y.width, s.y.channels)
                     : q.kind == Input ? count(s.x.images, s.x.height, s.x.width, s.x.channels)
                                       : count(s.w.out, s.w.height, s.w.width, s.w.in);
  std::vector<float> sums(size);
  bool is_rounded = std::is_same_v<T, float> && s.how.math != kFmaMath;
  auto read = [&](T element) {
    return test::without_bits(static_cast<float>(element), is_rounded ? test::kTf32Bits : 0);
  };
  int group_out = s.w.out / s.how.groups;
  // Calls each(x's place, w's place, y's place) for every product of the convolution.
  auto each_product = [&](const auto& each) {
    for (int n = 0; n < s.y.images; ++n) {
      for (int i = 0; i < s.y.height * s.y.width * s.w.height * s.w.width; ++i) {
        int tap = i % (s.w.height * s.w.width), place = i / (s.w.height * s.w.width);
        int row = place / s.y.width * s.how.stride[0] - s.how.pad[0] + tap / s.w.width * s.how.dilation[0];
        int column = place % s.y.width * s.how.stride[1] - s.how.pad[1] + tap % s.w.width * s.how.dilation[1];
        if (row < 0 || row >= s.x.height || column < 0 || column >= s.x.width) continue;
        for (int out = 0; out < s.w.out; ++out) {
          for (int in = 0; in < s.w.in; ++in) {
            int channel = out / group_out * s.w.in + in;
            each(count(1, 1, (n * s.x.height + row) * s.x.width + column, s.x.channels) + channel,
                 count(1, out, s.w.height * s.w.width, s.w.in) + count(1, 1, tap, s.w.in) + in,
                 count(n, s.y.height, s.y.width, s.y.channels) + count(1, 1, place, s.y.channels) + out);
          }
        }
      }
    }
  };
  if (q.kind == Forward) each_product([&](auto a, auto b, auto c) { sums[c] += read(x[a]) * read(w[b]); });
  else if (q.kind == Input) each_product([&](auto a, auto b, auto c) { sums[a] += read(y[c]) * read(w[b]); });
  else each_product([&](auto a, auto b, auto c) { sums[b] += read(x[a]) * read(y[c]); });
  T* result = static_cast<T*>(const_cast<void*>(q.kind == Forward ? q.y : q.kind == Input ? q.x : q.w));
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<T>(sums[i]);
}

void run(const Queued& q) {
  std::memset(q.workspace, 0xff, kCudnnStubWorkspace);
  if (q.s.x.type == kDnnFloat16) compute<Float16>(q);
  else if (q.s.x.type == kDnnBFloat16) compute<BFloat16>(q);
  else compute<float>(q);
}

DnnStatus choose(const Sizes& sizes, int wanted, int* count, ConvolutionChoice* found) {
  stub().note("choose");
  if (DnnStatus status = sizes.check(); status != kDnnSuccess) return status;
  const ConvolutionChoice all[] = {
      {7, kDnnNotSupported, 0, 0, kDeterministic, 0, {}},
      {0, kDnnSuccess, 1, 0, 0, 0, {}},
      {3, kDnnSuccess, 2, std::size_t{1} << 30, kDeterministic, 0, {}},
      {1, kDnnSuccess, 3, 0, kDeterministic, 0, {}},
  };
  for (*count = 0; *count < wanted && *count < 4; ++*count) found[*count] = all[*count];
  return kDnnSuccess;
}
DnnStatus tell_workspace(const Sizes& sizes, int algorithm, std::size_t* bytes) {
  *bytes = algorithm == 1 ? kCudnnStubWorkspace : algorithm == 3 ? std::size_t{1} << 30 : 0;
  return sizes.check();
}

DnnStatus convolve(const Queued& q, const void* alpha, const void* beta, DnnHandle handle, int algorithm,
                   std::size_t workspace_bytes) {
  static const char* const names[] = {"forward", "input", "filter"};
  stub().note(names[q.kind] + (" " + std::to_string(algorithm)));
  if (DnnStatus status = q.s.check(); status != kDnnSuccess) return status;
  bool is_aligned = test::is_aligned(q.x, 16) && test::is_aligned(q.w, 16) && test::is_aligned(q.y, 16) &&
                    test::is_aligned(q.workspace, 256);
  if (!is_aligned || algorithm != 1 || workspace_bytes < kCudnnStubWorkspace) return kDnnBadParameter;
  if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0) return kDnnBadParameter;
  return stub().launch(handle->stream, [q] { run(q); }) ? kDnnSuccess : kDnnExecutionFailed;
}

}  // namespace

extern "C" {

void cudnn_stub_fail(const char* function, int n, int status) { stub().fail(function, n, status); }
const char* cudnn_stub_calls() { return stub().take_calls(); }
int cudnn_stub_live() { return stub().live; }
void cudnn_stub_driver(const char* library) { stub().driver = library; }

const char* cudnnGetErrorString(DnnStatus status) {
  return status == kDnnNotSupported      ? "CUDNN_STATUS_NOT_SUPPORTED"
         : status == kDnnExecutionFailed ? "CUDNN_STATUS_EXECUTION_FAILED"
         : status == kDnnInternalError   ? "CUDNN_STATUS_INTERNAL_ERROR"
                                         : "CUDNN_STATUS_BAD_PARAM";
}
DnnStatus cudnnCreate(DnnHandle* handle) {
  ENTER(cudnnCreate);
  return make(handle);
}
DnnStatus cudnnDestroy(DnnHandle handle) { return unmake(handle); }
DnnStatus cudnnSetStream(DnnHandle handle, StreamHandle stream) {
  handle->stream = stream;
  return kDnnSuccess;
}
DnnStatus cudnnCreateTensorDescriptor(TensorDescription* tensor) {
  ENTER(cudnnCreateTensorDescriptor);
  return make(tensor);
}
DnnStatus cudnnDestroyTensorDescriptor(TensorDescription tensor) { return unmake(tensor); }
DnnStatus cudnnSetTensor4dDescriptor(TensorDescription tensor, int format, int type, int images, int channels,
                                     int height, int width) {
  *tensor = {type, images, channels, height, width};
  bool is_there = images > 0 && channels > 0 && height > 0 && width > 0;
  return is_there && format == kChannelsLast ? kDnnSuccess : kDnnBadParameter;
}
DnnStatus cudnnCreateFilterDescriptor(FilterDescription* filter) { return make(filter); }
DnnStatus cudnnDestroyFilterDescriptor(FilterDescription filter) { return unmake(filter); }
DnnStatus cudnnSetFilter4dDescriptor(FilterDescription filter, int type, int format, int out, int in, int height,
                                     int width) {
  *filter = {type, out, in, height, width};
  return out > 0 && in > 0 && height > 0 && width > 0 && format == kChannelsLast ? kDnnSuccess : kDnnBadParameter;
}
DnnStatus cudnnCreateConvolutionDescriptor(ConvolutionDescription* convolution) { return make(convolution); }
DnnStatus cudnnDestroyConvolutionDescriptor(ConvolutionDescription convolution) { return unmake(convolution); }
DnnStatus cudnnSetConvolution2dDescriptor(ConvolutionDescription convolution, int pad_h, int pad_w, int stride_h,
                                          int stride_w, int dilation_h, int dilation_w, int mode, int compute_type) {
  *convolution = {{pad_h, pad_w}, {stride_h, stride_w}, {dilation_h, dilation_w}};
  bool fits = pad_h >= 0 && pad_w >= 0 && stride_h > 0 && stride_w > 0 && dilation_h > 0 && dilation_w > 0;
  return fits && mode == kCrossCorrelation && compute_type == kDnnFloat32 ? kDnnSuccess : kDnnBadParameter;
}
DnnStatus cudnnSetConvolutionGroupCount(ConvolutionDescription convolution, int groups) {
  convolution->groups = groups;
  return groups > 0 ? kDnnSuccess : kDnnBadParameter;
}
DnnStatus cudnnSetConvolutionMathType(ConvolutionDescription convolution, int math) {
  convolution->math = math;
  return kDnnSuccess;
}

DnnStatus cudnnGetConvolutionForwardAlgorithm_v7(DnnHandle, TensorDescription x, FilterDescription w,
                                                 ConvolutionDescription how, TensorDescription y, int wanted,
                                                 int* count, ConvolutionChoice* found) {
  ENTER(cudnnGetConvolutionForwardAlgorithm_v7);
  return choose({*x, *y, *w, *how}, wanted, count, found);
}
DnnStatus cudnnGetConvolutionBackwardDataAlgorithm_v7(DnnHandle, FilterDescription w, TensorDescription dy,
                                                      ConvolutionDescription how, TensorDescription dx, int wanted,
                                                      int* count, ConvolutionChoice* found) {
  ENTER(cudnnGetConvolutionBackwardDataAlgorithm_v7);
  return choose({*dx, *dy, *w, *how}, wanted, count, found);
}
DnnStatus cudnnGetConvolutionBackwardFilterAlgorithm_v7(DnnHandle, TensorDescription x, TensorDescription dy,
                                                        ConvolutionDescription how, FilterDescription dw, int wanted,
                                                        int* count, ConvolutionChoice* found) {
  ENTER(cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  return choose({*x, *dy, *dw, *how}, wanted, count, found);
}
DnnStatus cudnnGetConvolutionForwardWorkspaceSize(DnnHandle, TensorDescription x, FilterDescription w,
                                                  ConvolutionDescription how, TensorDescription y, int algorithm,
                                                  std::size_t* bytes) {
  return tell_workspace({*x, *y, *w, *how}, algorithm, bytes);
}
DnnStatus cudnnGetConvolutionBackwardDataWorkspaceSize(DnnHandle, FilterDescription w, TensorDescription dy,
                                                       ConvolutionDescription how, TensorDescription dx, int algorithm,
                                                       std::size_t* bytes) {
  return tell_workspace({*dx, *dy, *w, *how}, algorithm, bytes);
}
DnnStatus cudnnGetConvolutionBackwardFilterWorkspaceSize(DnnHandle, TensorDescription x, TensorDescription dy,
                                                         ConvolutionDescription how, FilterDescription dw,
                                                         int algorithm, std::size_t* bytes) {
  return tell_workspace({*x, *dy, *dw, *how}, algorithm, bytes);
}

DnnStatus cudnnConvolutionForward(DnnHandle handle, const void* alpha, TensorDescription x_is, const void* x,
                                  FilterDescription w_is, const void* w, ConvolutionDescription how, int algorithm,
                                  void* workspace, std::size_t workspace_bytes, const void* beta,
                                  TensorDescription y_is, void* y) {
  ENTER(cudnnConvolutionForward);
  return convolve({Forward, {*x_is, *y_is, *w_is, *how}, x, w, y, workspace}, alpha, beta, handle, algorithm,
                  workspace_bytes);
}
DnnStatus cudnnConvolutionBackwardData(DnnHandle handle, const void* alpha, FilterDescription w_is, const void* w,
                                       TensorDescription dy_is, const void* dy, ConvolutionDescription how,
                                       int algorithm, void* workspace, std::size_t workspace_bytes, const void* beta,
                                       TensorDescription dx_is, void* dx) {
  ENTER(cudnnConvolutionBackwardData);
  return convolve({Input, {*dx_is, *dy_is, *w_is, *how}, dx, w, dy, workspace}, alpha, beta, handle, algorithm,
                  workspace_bytes);
}
DnnStatus cudnnConvolutionBackwardFilter(DnnHandle handle, const void* alpha, TensorDescription x_is, const void* x,
                                         TensorDescription dy_is, const void* dy, ConvolutionDescription how,
                                         int algorithm, void* workspace, std::size_t workspace_bytes, const void* beta,
                                         FilterDescription dw_is, void* dw) {
  ENTER(cudnnConvolutionBackwardFilter);
  return convolve({Filter, {*x_is, *dy_is, *dw_is, *how}, x, dw, dy, workspace}, alpha, beta, handle, algorithm,
                  workspace_bytes);
}
}
