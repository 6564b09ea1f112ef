// Deadlines of calls, which Limits watches.
#include <cmath>

#include "embed/host.h"

extern "C" int lutra_set_deadline(lutra_t* lutra, double seconds) {
  return lutra::embed::attempt_on(lutra, "lutra_set_deadline", false, [&] {
    lutra::require(std::isfinite(seconds) && seconds >= 0 && seconds <= 1e9, "lutra_set_deadline: seconds is ", seconds,
                   ", expected a number of seconds, or 0 for no limit");
    lutra->limits().options.seconds = seconds;
  });
}
