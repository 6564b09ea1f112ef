#include "core/stop_request.h"

#include "core/clock.h"

namespace lutra {

// Here and not in the header: kernels are compiled several times, for several levels of CPU, and must share them.
constinit thread_local StopRequests detail::stop_requests;

namespace {

thread_local StopRequests* helped = nullptr;

}  // namespace

StopRequests* StopRequest::watched() {
  StopRequests* of = helped != nullptr ? helped : &detail::stop_requests;
  return of->is_watching ? of : nullptr;
}
void StopRequest::watch_for(StopRequests* requests) { helped = requests; }

void StopRequest::watch(bool on, bool ends_waits) {
  detail::stop_requests.is_watching = on;
  detail::stop_requests.ends_waits = on && ends_waits;
  answer();
}
std::atomic<bool>& StopRequest::flag() { return detail::stop_requests.wanted; }
void StopRequest::ask() { flag().store(true, std::memory_order_relaxed); }
void StopRequest::answer(int64_t again_us) {
  StopRequests& own = detail::stop_requests;
  own.wanted.store(false, std::memory_order_relaxed);
  own.heeded.store(false, std::memory_order_relaxed);
  own.again_at_us = again_us;
}
bool StopRequest::is_wanted() {
  StopRequests* of = watched();
  if (of == nullptr) return false;
  if (!of->wanted.load(std::memory_order_relaxed) && (of->again_at_us == 0 || now_ns() / 1000 < of->again_at_us))
    return false;
  of->heeded.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace lutra
