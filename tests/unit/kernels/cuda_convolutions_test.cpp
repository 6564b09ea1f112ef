// Convolutions by calls of cuDNN, with tests/support/cuda_stub's library in its place.
#include "kernels/cuda/libraries/convolutions.h"

#include <dlfcn.h>

#include <numeric>

#include "device/cuda/card.h"
#include "support/cuda_stub/cudnn_stub.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;
using cuda::Convolution;
using cuda::ConvolutionKind;
using cuda::Convolutions;
using Answer = Convolutions::Answer;

namespace {

// A card with a stream, and the library.
class Machine {
 public:
  Machine()
      : card(stub.driver(), 0, 0, std::make_shared<cuda::AddressMap>()),
        handle_(dlopen(LUTRA_CUDNN_STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(handle_ != nullptr);
    call<CudnnStubDriver>("cudnn_stub_driver")(LUTRA_CUDA_STUB_LIBRARY);
    std::string why;
    library = cuda::open_cudnn(LUTRA_CUDNN_STUB_LIBRARY, &why);
    INFO(why);
    REQUIRE(library != nullptr);
    card.use();
    REQUIRE(stub.driver().create_stream(&stream, 0) == cuda::kSuccess);
    convolutions = Convolutions::create(*library, &why);
    REQUIRE(convolutions != nullptr);
    asked();
  }
  ~Machine() {
    fail("", 0, 0);
    convolutions.reset();
    CHECK(call<CudnnStubLive>("cudnn_stub_live")() == 0);
    stub.driver().destroy_stream(stream);
    dlclose(handle_);
  }
  Machine(const Machine&) = delete;

  Answer convolve(const Convolution& c) { return convolutions->convolve(c, stream, &why); }
  // What the library was asked since the last time.
  std::string asked() const { return call<CudnnStubCalls>("cudnn_stub_calls")(); }
  void fail(const char* function, int n, int status) const {
    call<CudnnStubFail>("cudnn_stub_fail")(function, n, status);
  }

  Stubbed stub;
  cuda::Card card;
  const cuda::Cudnn* library = nullptr;
  cuda::StreamHandle stream = nullptr;
  std::unique_ptr<Convolutions> convolutions;
  std::string why;

 private:
  template <class F> F* call(const char* name) const { return reinterpret_cast<F*>(dlsym(handle_, name)); }
  void* handle_;
};

// A 2 by 2 window over an image of 3 by 3 places with one channel, in memory as an arena gives it.
template <class T> struct Example {
  explicit Example(DType dtype) {
    for (int i = 0; i < 9; ++i) x[i] = static_cast<T>(static_cast<float>(i + 1));
    for (int i = 0; i < 4; ++i) y[i] = x[i], w[i] = x[0];
    c.dtype = dtype;
    c.batch = c.channels = c.out = 1;
    c.height = c.width = {.in = 3, .out = 2, .taps = 2};
    c.x = reinterpret_cast<std::byte*>(x);
    c.w = reinterpret_cast<std::byte*>(w);
    c.y = reinterpret_cast<std::byte*>(y);
    c.workspace = workspace;
    c.workspace_bytes = sizeof workspace;
  }
  std::vector<T> results() const { return std::vector<T>(y, y + 4); }

  alignas(256) T x[16] = {};
  alignas(256) T w[8] = {};
  alignas(256) T y[8] = {};
  alignas(256) std::byte workspace[kCudnnStubWorkspace];
  Convolution c;
};

}  // namespace

TEST_CASE("a convolution and its gradients are computed, by an algorithm that adds in one order", "[cuda]") {
  Machine machine;
  Example<float> example(DType::Float32);
  Convolution& c = example.c;
  REQUIRE(machine.convolve(c) == Answer::Queued);
  CHECK(example.results() == std::vector<float>{12, 16, 24, 28});
  CHECK(machine.asked() == "choose\nforward 1\n");
  std::iota(example.y, example.y + 4, 1.0f);
  c.kind = ConvolutionKind::Input;
  REQUIRE(machine.convolve(c) == Answer::Queued);
  CHECK(std::vector<float>(example.x, example.x + 9) == std::vector<float>{1, 3, 2, 4, 10, 6, 3, 7, 4});
  std::iota(example.x, example.x + 9, 1.0f);
  c.kind = ConvolutionKind::Filter;
  REQUIRE(machine.convolve(c) == Answer::Queued);
  // 1 * 1 + 2 * 2 + 3 * 4 + 4 * 5 and so on
  CHECK(std::vector<float>(example.w, example.w + 4) == std::vector<float>{37, 47, 67, 77});
  CHECK(machine.asked() == "choose\ninput 1\nchoose\nfilter 1\n");
}

TEST_CASE("halves are convolved, and float32 is rounded as the precision says", "[cuda]") {
  Machine machine;
  Example<BFloat16> halves(DType::BFloat16);
  REQUIRE(machine.convolve(halves.c) == Answer::Queued);
  CHECK(static_cast<float>(halves.y[3]) == 28);
  Example<float> example(DType::Float32);
  std::fill(example.x, example.x + 9, 1 + 0x1p-12f);
  for (auto [precision, wanted] : {std::pair{MatmulPrecision::Fp32, 4 + 0x1p-10f}, {MatmulPrecision::Tf32, 4.0f}}) {
    example.c.precision = precision;
    REQUIRE(machine.convolve(example.c) == Answer::Queued);
    CHECK(example.y[0] == wanted);
  }
}

TEST_CASE("the plan of a kind of convolution is made once", "[cuda]") {
  Machine machine;
  Example<float> example(DType::Float32);
  for (int i = 0; i < 3; ++i) REQUIRE(machine.convolve(example.c) == Answer::Queued);
  CHECK(machine.convolutions->can(example.c, &machine.why));
  CHECK(machine.asked() == "choose\nforward 1\nforward 1\nforward 1\n");
  CHECK(machine.convolutions->plans() == 1);
}

TEST_CASE("what cuDNN has no way to compute is refused, and that is remembered", "[cuda]") {
  Machine machine;
  Example<float> example(DType::Float32);
  Convolution c = example.c;
  c.workspace_bytes = kCudnnStubWorkspace - 1;
  for (int i = 0; i < 2; ++i) CHECK(machine.convolve(c) == Answer::Refused);
  CHECK(machine.asked() == "choose\n");
  CHECK(machine.why ==
        "cuDNN has no way to compute a convolution of (1, 3, 3, 1) with (2, 2, 1, 1) in float32 "
        "(CUDNN_STATUS_NOT_SUPPORTED)");
  // Padding behind alone: "same" with an even window.
  c = example.c;
  c.height.out = 3;
  CHECK_FALSE(machine.convolutions->can(c, &machine.why));
  c = example.c;
  c.dtype = DType::Float64;
  CHECK_FALSE(machine.convolutions->can(c, &machine.why));
  c = example.c;
  c.batch = int64_t{1} << 29;  // more than 2^31 elements
  CHECK_FALSE(machine.convolutions->can(c, &machine.why));
  c = example.c;
  c.x += 4;
  CHECK_FALSE(machine.convolutions->can(c, &machine.why));
  CHECK(machine.asked().empty());
}

TEST_CASE("a mistake of cuDNN's is told, and another time it may go well", "[cuda]") {
  Machine machine;
  Example<float> example(DType::Float32);
  machine.fail("cudnnGetConvolutionForwardAlgorithm_v7", 1, cuda::kDnnInternalError);
  CHECK(machine.convolve(example.c) == Answer::Refused);
  CHECK(machine.convolve(example.c) == Answer::Queued);
  machine.fail("cudnnConvolutionForward", 1, cuda::kDnnExecutionFailed);
  CHECK(machine.convolve(example.c) == Answer::Failed);
  CHECK(machine.why ==
        "cuDNN failed at a convolution of (1, 3, 3, 1) with (2, 2, 1, 1) in float32 (CUDNN_STATUS_EXECUTION_FAILED)");
  CHECK(machine.convolve(example.c) == Answer::Queued);
  // An algorithm that it offered and that then fails is not tried again.
  machine.fail("cudnnConvolutionForward", 1, cuda::kDnnNotSupported);
  CHECK(machine.convolve(example.c) == Answer::Refused);
  CHECK(machine.convolve(example.c) == Answer::Refused);
}

TEST_CASE("a library that is not cuDNN, or does not start, is said with its reason", "[cuda]") {
  Machine machine;
  std::string why;
  CHECK(cuda::open_cudnn("/nowhere/libcudnn.so.9", &why) == nullptr);
  CHECK(why.find("cuDNN cannot be opened: /nowhere/libcudnn.so.9") == 0);
  CHECK(cuda::open_cudnn("libm.so.6", &why) == nullptr);
  CHECK(why == "libm.so.6 has no cudnnCreate: it is no cuDNN, or one that Lutra does not know");
  machine.fail("cudnnCreate", 1, 3005);
  CHECK(Convolutions::create(*machine.library, &why) == nullptr);
  CHECK(why.find("cuDNN does not start on this card (") == 0);
}
