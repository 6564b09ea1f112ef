// The system's LAPACK called by several threads at a time, and in a forked child.
#include "kernels/lapack/factorise.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "support/catch.h"

using namespace lutra;

namespace {

constexpr int64_t kSize = 800;  // on several threads where there are

// Whether the inverse of a matrix that is easy to invert comes out.
bool inverts(int threads) {
  set_max_threads(threads);
  auto at = [](int64_t i, int64_t j) { return static_cast<std::size_t>(i * kSize + j); };
  std::vector<double> a(kSize * kSize);
  for (int64_t i = 0; i < kSize; ++i) {
    for (int64_t j = 0; j < kSize; ++j) a[at(i, j)] = i == j ? kSize : static_cast<double>((i * 7 + j * 3) % 11) - 5;
  }
  std::vector<double> inverse = a;
  if (!lapack::invert(kSize, inverse.data())) return false;
  double far = 0;
  for (int64_t i = 0; i < kSize; i += 100) {
    for (int64_t j = 0; j < kSize; ++j) {
      double sum = i == j ? -1 : 0;
      for (int64_t k = 0; k < kSize; ++k) sum += a[at(i, k)] * inverse[at(k, j)];
      far = std::max(far, std::fabs(sum));
    }
  }
  return far < 1e-10;
}

}  // namespace

TEST_CASE("calls on one thread and on several, from several threads", "[lapack]") {
  if (!lapack::is_here(kSize, kSize)) return;
  std::atomic<int> good{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int turn = 0; turn < 5; ++turn) good += inverts(1 + caller % 2);
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(good == 20);
}

TEST_CASE("a request ends eigh and svd", "[lapack]") {
  if (!lapack::is_here(kSize, kSize)) return;
  // How far the largest value of a matrix of ones is from its size.
  auto by_eigh = [] {
    std::vector<double> a(kSize * kSize, 1), w(kSize, 99), v(kSize * kSize);
    CHECK(lapack::eigh(kSize, a.data(), w.data(), v.data()));
    return std::fabs(w.back() - kSize);
  };
  auto by_svd = [] {
    std::vector<double> a(kSize * kSize, 1), u(kSize * kSize), s(kSize, 99), vt(kSize * kSize);
    CHECK(lapack::svd(kSize, kSize, a.data(), u.data(), s.data(), vt.data()));
    return std::fabs(s[0] - kSize);
  };
  StopRequest::watch(true);
  CHECK(by_eigh() < 1e-9);
  CHECK(by_svd() < 1e-9);
  CHECK(!StopRequest::was_heeded());
  StopRequest::ask();
  CHECK(by_eigh() > 1);
  CHECK(by_svd() > 1);
  CHECK(StopRequest::was_heeded());
  StopRequest::answer();
  StopRequest::watch(false);
}

TEST_CASE("a child forked while a call has the library to itself", "[lapack]") {
  if (!lapack::is_here(kSize, kSize)) return;
  std::atomic<bool> is_over{false};
  std::thread busy([&] {
    while (!is_over) inverts(2);
  });
  int good = 0;
  for (int turn = 0; turn < 10; ++turn) {
    usleep(1000);
    pid_t child = fork();
    if (child == 0) {
      alarm(30);  // rather than to wait for a lock that nobody has
      _exit(inverts(2) ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    good += status == 0;
  }
  is_over = true;
  busy.join();
  CHECK(good == 10);
}
