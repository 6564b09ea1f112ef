#include "profile/kernel_times.h"

#include <array>
#include <map>
#include <utility>

namespace lutra {
namespace {

constexpr std::size_t kMostRuns = 8;

class Sorter {
 public:
  explicit Sorter(const Trace& trace) : trace_(trace) {}

  std::vector<KernelTimes> sort() {
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == EventKind::Op) {
        note();
        op_ = event.has_failed ? nullptr : &event;
      } else if (event.kind == EventKind::Kernel && event.detail != 0) {
        kernel_ = &event;
        ++kernels_;
      }
    }
    note();
    return std::move(all_);
  }

 private:
  // The op and the kernels that came after it.
  void note() {
    const TraceEvent* op = std::exchange(op_, nullptr);
    const TraceEvent* kernel = std::exchange(kernel_, nullptr);
    const bool is_one = std::exchange(kernels_, 0) == 1;
    if (op == nullptr || !is_one || kernel->name != op->name || !kernel->has_ended()) return;
    auto [found, is_new] = known_.try_emplace(
        {kernel->name, kernel->detail, static_cast<uint32_t>(op->dtype), kernel->device}, all_.size());
    if (is_new) {
      all_.push_back({trace_.strings[kernel->name],
                      trace_.strings[kernel->detail],
                      trace_.device_name(kernel->device),
                      op->dtype,
                      kernel->flops,
                      static_cast<double>(kernel->bytes),
                      {}});
    }
    std::vector<double>& us = all_[found->second].us;
    if (us.size() == kMostRuns) us.erase(us.begin());
    us.push_back(static_cast<double>(kernel->end_ns - kernel->begin_ns) * 1e-3);
  }

  const Trace& trace_;
  std::map<std::array<uint32_t, 4>, std::size_t> known_;
  std::vector<KernelTimes> all_;
  const TraceEvent* op_ = nullptr;
  const TraceEvent* kernel_ = nullptr;
  int kernels_ = 0;
};

}  // namespace

std::vector<KernelTimes> kernel_times(const Trace& trace) { return Sorter(trace).sort(); }

}  // namespace lutra
