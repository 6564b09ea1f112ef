// Matrix products by calls of cuBLASLt, with tests/support/cuda_stub's library in its place.
#include "kernels/cuda/libraries/products.h"

#include <dlfcn.h>

#include <numeric>

#include "device/cuda/card.h"
#include "support/cuda_stub/cublas_lt_stub.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;
using cuda::Product;
using cuda::Products;

namespace {

// A card with a stream, and the library.
class Machine {
 public:
  Machine()
      : card(stub.driver(), 0, 0, std::make_shared<cuda::AddressMap>()),
        handle_(dlopen(LUTRA_CUBLAS_STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(handle_ != nullptr);
    call<CublasStubDriver>("cublas_stub_driver")(LUTRA_CUDA_STUB_LIBRARY);
    std::string why;
    library = cuda::open_cublas_lt(LUTRA_CUBLAS_STUB_LIBRARY, &why);
    INFO(why);
    REQUIRE(library != nullptr);
    card.use();
    REQUIRE(stub.driver().create_stream(&stream, 0) == cuda::kSuccess);
    asked();
  }
  ~Machine() {
    fail("", 0, 0);
    products.reset();
    CHECK(call<CublasStubLive>("cublas_stub_live")() == 0);
    stub.driver().destroy_stream(stream);
    dlclose(handle_);
  }
  Machine(const Machine&) = delete;

  Products& open() {
    std::string why;
    products = Products::create(*library, &why);
    INFO(why);
    REQUIRE(products != nullptr);
    return *products;
  }
  // What the library was asked since the last time.
  std::string asked() const { return call<CublasStubCalls>("cublas_stub_calls")(); }
  void fail(const char* function, int n, int status) const {
    call<CublasStubFail>("cublas_stub_fail")(function, n, status);
  }

  Stubbed stub;
  cuda::Card card;
  const cuda::CublasLt* library = nullptr;
  cuda::StreamHandle stream = nullptr;
  std::unique_ptr<Products> products;

 private:
  template <class F> F* call(const char* name) const { return reinterpret_cast<F*>(dlsym(handle_, name)); }
  void* handle_;
};

// Memory as an arena gives it.
template <class T> struct alignas(256) Matrix {
  T at[64] = {};
};
template <class T> Matrix<T> counted(int first = 1) {
  Matrix<T> matrix;
  std::iota(matrix.at, matrix.at + 64, static_cast<T>(first));
  return matrix;
}
std::byte* bytes_of(const void* at) { return static_cast<std::byte*>(const_cast<void*>(at)); }

Product product(DType dtype, int64_t m, int64_t n, int64_t k, const void* a, const void* b, void* c) {
  Product p{.operands = dtype, .result = dtype};
  p.m = m;
  p.n = n;
  p.k = k;
  p.lda = k;
  p.ldb = p.ldc = n;
  p.a = bytes_of(a);
  p.b = bytes_of(b);
  p.c = bytes_of(c);
  return p;
}

}  // namespace

TEST_CASE("row-major matrices are multiplied, turned, in steps and with what is there already", "[cuda]") {
  Machine machine;
  Products& products = machine.open();
  Matrix<float> a = counted<float>(), b = counted<float>(), c;
  std::string why;
  // (1 2 3; 4 5 6) (1 2; 3 4; 5 6)
  Product p = product(DType::Float32, 2, 2, 3, a.at, b.at, c.at);
  REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  CHECK(std::vector<float>(c.at, c.at + 5) == std::vector<float>{22, 28, 49, 64, 0});
  // a as the columns of (1 2; 3 4; 5 6), b as the rows of (1 2 3; 4 5 6), into every fourth element.
  p.transpose_a = p.transpose_b = true;
  p.lda = 2;
  p.ldb = 3;
  p.ldc = 4;
  REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  CHECK(std::vector<float>(c.at, c.at + 6) == std::vector<float>{22, 49, 49, 64, 28, 64});
  p.adds = true;
  REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  CHECK(std::vector<float>(c.at, c.at + 6) == std::vector<float>{44, 98, 49, 64, 56, 128});
  // A batch of two rows with one column each, b repeated; a bias of one element.
  p = product(DType::Float32, 1, 1, 2, a.at, b.at, c.at);
  p.batch = 2;
  p.step_a = 2;
  p.step_c = 1;
  p.bias = bytes_of(a.at);
  REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  CHECK(std::vector<float>(c.at, c.at + 3) == std::vector<float>{6, 12, 49});
  CHECK(why.empty());
}

TEST_CASE("halves are added up in float32, into halves or floats", "[cuda]") {
  Machine machine;
  Products& products = machine.open();
  Matrix<Float16> a, b, c;
  Matrix<float> wide;
  a.at[0] = Float16(2048);
  a.at[1] = a.at[2] = b.at[0] = b.at[1] = b.at[2] = Float16(1);
  std::string why;
  Product p = product(DType::Float16, 1, 1, 3, a.at, b.at, c.at);
  REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  CHECK(static_cast<float>(c.at[0]) == 2050);
  p.result = DType::Float32;
  a.at[2] = Float16(2);  // 2051, which is no half
  p.c = bytes_of(wide.at);
  REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  CHECK(wide.at[0] == 2051);
}

TEST_CASE("a product's algorithm is looked for once, and again when anything that it depends on differs", "[cuda]") {
  Machine machine;
  Products& products = machine.open();
  Matrix<double> a = counted<double>(), b = counted<double>(), c, d;
  Matrix<float> workspace;
  std::string why;
  auto finds = [&](const Product& p) {
    REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
    std::string asked = machine.asked();
    CHECK(count_of(asked, "multiply") == 1);
    return count_of(asked, "find");
  };
  Product first = product(DType::Float32, 2, 2, 2, a.at, b.at, c.at);
  CHECK(finds(first) == 1);
  Product again = first;
  again.c = bytes_of(d.at);
  again.adds = true;
  CHECK(finds(again) == 0);
  std::vector<Product> others(9, first);
  others[0].precision = MatmulPrecision::Tf32;
  others[1].precision = MatmulPrecision::Bf16;
  others[2].m = 3;
  others[3].transpose_b = true;
  others[4].ldc = 3;
  others[5].operands = others[5].result = DType::Float64;
  others[6].workspace = bytes_of(workspace.at);
  others[6].workspace_bytes = 256;
  others[7].a += 16;
  others[8].bias = bytes_of(b.at);
  for (const Product& other : others) {
    INFO("number " << &other - others.data());
    CHECK(finds(other) == 1);
    CHECK(finds(other) == 0);
  }
  CHECK(products.plans() == 1 + others.size());
  // Another bias is another address and the same plan; so is another precision of what is not rounded.
  others[8].bias = bytes_of(a.at);
  CHECK(finds(others[8]) == 0);
  others[5].precision = MatmulPrecision::Bf16;
  CHECK(finds(others[5]) == 0);
}

TEST_CASE("float32 is rounded as the precision says, and only then", "[cuda]") {
  Machine machine;
  Products& products = machine.open();
  Matrix<float> a, b, c;
  a.at[0] = 1 + 0x1p-9f + 0x1p-12f;
  b.at[0] = 1;
  auto result = [&](MatmulPrecision precision) {
    std::string why;
    Product p = product(DType::Float32, 1, 1, 1, a.at, b.at, c.at);
    p.precision = precision;
    REQUIRE(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
    return c.at[0];
  };
  CHECK(result(MatmulPrecision::Fp32) == 1 + 0x1p-9f + 0x1p-12f);
  CHECK(result(MatmulPrecision::Tf32) == 1 + 0x1p-9f);
  CHECK(result(MatmulPrecision::Bf16) == 1);
}

TEST_CASE("what the library cannot do, and what goes wrong in it, is said with its words", "[cuda]") {
  Machine machine;
  std::string why;
  machine.fail("cublasLtCreate", 1, 3);
  CHECK(Products::create(*machine.library, &why) == nullptr);
  CHECK(why == "cuBLASLt does not start on this card (CUBLAS_STATUS_ALLOC_FAILED)");

  Products& products = machine.open();
  Matrix<double> a = counted<double>(), b = counted<double>(), c;
  // Remembered: the library is asked once.
  Product biased = product(DType::Float64, 2, 3, 4, a.at, b.at, c.at);
  biased.bias = bytes_of(a.at);
  for (int i = 0; i < 2; ++i) {
    CHECK(products.multiply(biased, machine.stream, &why) == cuda::kBlasNotSupported);
    CHECK(why ==
          "cuBLASLt has no way to compute a product of (2, 4) and (4, 3) in float64 with a bias "
          "(CUBLAS_STATUS_NOT_SUPPORTED)");
  }
  CHECK(count_of(machine.asked(), "find") == 1);

  Product p = product(DType::Float64, 2, 3, 4, a.at, b.at, c.at);
  for (const char* function : {"cublasLtMatmulDescCreate", "cublasLtMatrixLayoutCreate",
                               "cublasLtMatmulPreferenceCreate", "cublasLtMatmulAlgoGetHeuristic"}) {
    INFO(function);
    machine.fail(function, 1, 3);
    CHECK(products.multiply(p, machine.stream, &why) == cuda::kBlasAllocFailed);
    CHECK(why == "cuBLASLt cannot plan a product of (2, 4) and (4, 3) in float64 (CUBLAS_STATUS_ALLOC_FAILED)");
  }
  p.batch = 7;
  p.step_a = p.step_b = p.step_c = 1;
  machine.fail("cublasLtMatmul", 1, 13);
  CHECK(products.multiply(p, machine.stream, &why) == 13);
  CHECK(why == "cuBLASLt failed at 7 products of (2, 4) and (4, 3) in float64 (CUBLAS_STATUS_EXECUTION_FAILED)");
  // None of it is for ever.
  CHECK(products.multiply(p, machine.stream, &why) == cuda::kBlasSuccess);
  // More than fits 32 bits is refused by the library, not cut off by us.
  p.batch = (int64_t{1} << 32) + 1;
  CHECK(products.multiply(p, machine.stream, &why) == cuda::kBlasInvalidValue);
}

TEST_CASE("a library that is not there, or is no cuBLASLt, is said with its reason", "[cuda]") {
  std::string why;
  CHECK(cuda::open_cublas_lt("/nowhere/libcublasLt.so.13", &why) == nullptr);
  CHECK(why.find("cuBLASLt cannot be opened: /nowhere/libcublasLt.so.13") == 0);
  CHECK(cuda::open_cublas_lt("libm.so.6", &why) == nullptr);
  CHECK(why == "libm.so.6 has no cublasLtCreate: it is no cuBLASLt, or one older than CUDA 12");
}
