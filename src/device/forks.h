// How often this process was forked: what a device's threads and drivers run stays behind in the parent.
#pragma once

#include <cstdint>

namespace lutra {

// Counts from the first call on; cheap.
uint64_t count_forks();

}  // namespace lutra
