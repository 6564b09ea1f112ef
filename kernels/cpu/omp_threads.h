// oneDNN's threads are OpenMP's, whatever parallel_for runs on here. Weak: nothing is missing if its build has no
// OpenMP.
#pragma once

extern "C" {
[[gnu::weak]] int omp_get_max_threads(void);
[[gnu::weak]] void omp_set_num_threads(int threads);
}

namespace lutra {

// Lowers the number of threads OpenMP uses on this thread while it lives.
class OmpThreads {
 public:
  explicit OmpThreads(int most) {
    if (omp_set_num_threads == nullptr || omp_get_max_threads == nullptr) return;
    before_ = omp_get_max_threads();
    if (most < before_) omp_set_num_threads(most);
    else before_ = 0;
  }
  ~OmpThreads() {
    if (before_ > 0) omp_set_num_threads(before_);
  }
  OmpThreads(const OmpThreads&) = delete;

 private:
  int before_ = 0;
};

}  // namespace lutra
