// oneDNN shares its work out among OpenMP's threads. Weak: nothing is missing if its build has no OpenMP.
#pragma once

#include <algorithm>

extern "C" {
[[gnu::weak]] int omp_get_max_threads(void);
[[gnu::weak]] void omp_set_num_threads(int threads);
[[gnu::weak]] int omp_get_dynamic(void);
[[gnu::weak]] void omp_set_dynamic(int on);
[[gnu::weak]] int omp_get_thread_limit(void);
[[gnu::weak]] int omp_get_max_active_levels(void);
}

namespace lutra {

// While it lives, what oneDNN computes for the calling thread it computes on this thread alone.
class OneOmpThread {
 public:
  OneOmpThread() {
    if (omp_set_num_threads == nullptr || omp_get_max_threads == nullptr) return;
    before_ = omp_get_max_threads();
    if (before_ > 1) omp_set_num_threads(1);
  }
  ~OneOmpThread() {
    if (before_ > 1) omp_set_num_threads(before_);
  }
  OneOmpThread(const OneOmpThread&) = delete;

 private:
  int before_ = 1;
};

// While it lives, OpenMP has at most so many threads for whoever asks on this thread, and gives as many as it says:
// oneDNN shares its work out among the threads there may be, and what a smaller team leaves out is never written.
class OmpThreads {
 public:
  explicit OmpThreads(int most) {
    if (omp_set_num_threads == nullptr || omp_get_max_threads == nullptr) return;
    if (omp_get_thread_limit != nullptr) most = std::min(most, omp_get_thread_limit());
    if (omp_get_max_active_levels != nullptr && omp_get_max_active_levels() < 1) most = 1;
    before_ = omp_get_max_threads();
    if (most < before_) omp_set_num_threads(most);
    else before_ = 0;
    // It makes teams smaller when the machine is busy.
    if (omp_get_dynamic == nullptr || omp_set_dynamic == nullptr || omp_get_dynamic() == 0) return;
    was_dynamic_ = true;
    omp_set_dynamic(0);
  }
  ~OmpThreads() {
    if (before_ > 0) omp_set_num_threads(before_);
    if (was_dynamic_) omp_set_dynamic(1);
  }
  OmpThreads(const OmpThreads&) = delete;

 private:
  int before_ = 0;
  bool was_dynamic_ = false;
};

}  // namespace lutra
