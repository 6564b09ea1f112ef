#include "core/stop_request.h"

namespace lutra {
namespace {

// Here and not in the header: kernels are compiled several times, for several levels of CPU, and must share them.
thread_local bool watches = false;
thread_local volatile bool wanted = false;

}  // namespace

void StopRequest::watch(bool on) {
  watches = on;
  wanted = false;
}
bool StopRequest::is_watching() { return watches; }
void StopRequest::ask() { wanted = true; }
void StopRequest::answer() { wanted = false; }
bool StopRequest::is_wanted() { return watches && wanted; }

}  // namespace lutra
