// Why devices were idle.
#pragma once

#include <vector>

#include "profile/totals.h"

namespace lutra {

// The times between two kernels of a device, by cause and by the line of the kernel that ended them; longest first. The
// cause is the activity that took most of the gap: a wait for another stream, or work of the host.
std::vector<GapTotal> find_gaps(const Trace& trace);

}  // namespace lutra
