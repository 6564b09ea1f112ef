// oneDNN computes on OpenMP's threads. These symbols are weak, since a oneDNN built without OpenMP lacks them.
#pragma once

extern "C" {
[[gnu::weak]] int omp_get_max_threads(void);
[[gnu::weak]] void omp_set_num_threads(int threads);
}

namespace lutra {

// While an object lives, oneDNN computes for the calling thread on that thread alone.
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

}  // namespace lutra
