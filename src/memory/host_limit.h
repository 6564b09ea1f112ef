// How much memory this process may use, by the machine's RAM and its control groups.
#pragma once

#include <cstddef>

#include "core/control_groups.h"

namespace lutra {

// The smaller of RAM and the control group's limit, in bytes.
std::size_t usable_ram_bytes();

// The smallest memory limit of the process' control groups; SIZE_MAX if there is none.
std::size_t control_group_limit(const ControlGroupFiles& files = {});

}  // namespace lutra
