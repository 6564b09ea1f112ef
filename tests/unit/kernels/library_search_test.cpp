// Where a library of NVIDIA's is found, on machines made of files.
#include "kernels/cuda/libraries/library_search.h"

#include "support/catch.h"
#include "unit/kernels/fake_system.h"

using namespace lutra;
using namespace lutra::test;
using cuda::LibrarySearch;

namespace {

LibrarySearch search(const FakeSystem& machine, const std::string& beside = "/opt/lutra/lib") {
  return cuda::search_library("cublasLt", cuda::kCublasLtMajors, beside, machine.system);
}

}  // namespace

TEST_CASE("a library beside the plugin comes first, then LUTRA_CUDA_PATH, the toolkit, the system", "[cuda]") {
  FakeSystem machine;
  machine.variables = {{"LUTRA_CUDA_PATH", "/mine:/other"}, {"CUDA_HOME", "/toolkit"}, {"LD_LIBRARY_PATH", "/paths"}};
  machine.file("/etc/ld.so.conf", "# of the system\ninclude /etc/ld.so.conf.d/*.conf\n");
  machine.file("/etc/ld.so.conf.d/cuda.conf", "/configured # here\n");
  const std::vector<std::string> files = {"/opt/lutra/lib/libcublasLt.so.13",
                                          "/mine/libcublasLt.so.13",
                                          "/other/lib64/libcublasLt.so.13",
                                          "/toolkit/lib64/libcublasLt.so.13",
                                          "/usr/local/cuda/lib64/libcublasLt.so.13",
                                          "/usr/local/cuda-13.10/lib64/libcublasLt.so.13",
                                          "/usr/local/cuda-13.9/lib64/libcublasLt.so.13",
                                          "/usr/local/cuda-12.8/lib64/libcublasLt.so.12",
                                          "/paths/libcublasLt.so.13",
                                          "/configured/libcublasLt.so.13",
                                          "/usr/lib64/libcublasLt.so.13"};
  for (const std::string& file : files) machine.file(file);
  for (const std::string& file : files) {
    CHECK(search(machine).file == file);
    std::filesystem::remove(machine.system.at(file));
  }
  LibrarySearch none = search(machine);
  CHECK(none.file.empty());
  // Named folders are reported although they do not exist; usual ones are not.
  CHECK(none.folders == std::vector<std::string>{"/opt/lutra/lib", "/mine", "/other", "/other/lib64", "/toolkit/lib64",
                                                 "/usr/local/cuda/lib64", "/usr/local/cuda-13.10/lib64",
                                                 "/usr/local/cuda-13.9/lib64", "/usr/local/cuda-12.8/lib64", "/paths",
                                                 "/configured", "/usr/lib64"});
}

TEST_CASE("in one folder the later major version is taken, and the file's own name tells the rest", "[cuda]") {
  FakeSystem machine;
  machine.file("/opt/lutra/lib/libcublasLt.so.12");
  CHECK(search(machine).major == 12);
  machine.file("/opt/lutra/lib/libcublasLt.so.13.0.0.19");
  machine.link("/opt/lutra/lib/libcublasLt.so.13", "libcublasLt.so.13.0.0.19");
  LibrarySearch found = search(machine);
  CHECK(found.file == "/opt/lutra/lib/libcublasLt.so.13");
  CHECK(found.major == 13);
  CHECK(found.version == "13.0.0.19");
}

TEST_CASE("a driver takes the libraries of its own CUDA and of those before it", "[cuda]") {
  auto majors = [](int driver_version) {
    std::span<const int> span = cuda::cublas_lt_majors(driver_version);
    return std::vector<int>(span.begin(), span.end());
  };
  CHECK(majors(0) == std::vector<int>{13, 12});
  CHECK(majors(12080) == std::vector<int>{12});
  CHECK(majors(13000) == std::vector<int>{13, 12});
  CHECK(majors(14020) == std::vector<int>{13, 12});
  FakeSystem machine;
  machine.file("/opt/lutra/lib/libcublasLt.so.12");
  machine.file("/opt/lutra/lib/libcublasLt.so.13");
  LibrarySearch found =
      cuda::search_library("cublasLt", cuda::cublas_lt_majors(12080), "/opt/lutra/lib", machine.system);
  CHECK(found.file == "/opt/lutra/lib/libcublasLt.so.12");
  CHECK(found.unwanted == std::vector<std::string>{"/opt/lutra/lib/libcublasLt.so.13"});
}

TEST_CASE("a library of another major version is told of and not taken", "[cuda]") {
  FakeSystem machine;
  machine.file("/usr/local/cuda/lib64/libcublasLt.so.11");
  machine.file("/usr/local/cuda/lib64/libcublasLt.so");  // for linking: says nothing of its version
  machine.file("/usr/local/cuda/lib64/libcublasLt_static.a");
  LibrarySearch found = search(machine);
  CHECK(found.file.empty());
  CHECK(found.unwanted == std::vector<std::string>{"/usr/local/cuda/lib64/libcublasLt.so.11"});
}

TEST_CASE("a relative folder would be the working folder's: it is not looked in", "[cuda]") {
  FakeSystem machine;
  machine.variables = {{"LUTRA_CUDA_PATH", "lib::."}, {"LD_LIBRARY_PATH", ":lib"}};
  CHECK(search(machine, "").folders.empty());
}

TEST_CASE("files of ld.so.conf that include each other come to an end", "[cuda]") {
  FakeSystem machine;
  machine.file("/etc/ld.so.conf", "include /etc/*.conf\n/configured\n");
  machine.file("/configured/libcublasLt.so.13");
  CHECK(search(machine, "").file == "/configured/libcublasLt.so.13");
}

TEST_CASE("the driver's library is looked for in the system's folders alone", "[cuda]") {
  FakeSystem machine;
  machine.variables = {{"LUTRA_CUDA_PATH", "/mine"}};
  machine.file("/mine/libcuda.so.1");
  machine.file("/usr/lib/wsl/lib/libcuda.so.1");
  CHECK(cuda::search_system_library("cuda", cuda::kDriverMajors, machine.system).file ==
        "/usr/lib/wsl/lib/libcuda.so.1");
}
